import { expect, test } from 'vitest';
import { type Lifecycle, lifecycle } from '../../../src/blocklist/stores/store-lifecycle.js';

/** A lifecycle whose starts are settled by hand. */
function make(): { life: Lifecycle; log: string[]; starts: { resolve(): void; reject(error: Error): void }[] } {
  const log: string[] = [];
  const starts: { resolve(): void; reject(error: Error): void }[] = [];
  const life = lifecycle(
    () => {
      log.push('start');
      return new Promise((resolve, reject) => starts.push({ resolve, reject }));
    },
    async () => void log.push('end'),
  );
  return { life, log, starts };
}

const noRoom = new Error('no room');

test('a failed start rejects all waiting opens, and the next open starts again', async () => {
  const { life, log, starts } = make();
  const opens = [life.open(), life.open()].map((open) => expect(open).rejects.toBe(noRoom));
  starts[0]!.reject(noRoom);
  await Promise.all(opens);
  expect(() => life.requireOpen()).toThrow(expect.objectContaining({ code: 'CLOSED' }));
  const open = life.open();
  starts[1]!.resolve();
  await open;
  life.requireOpen();
  await life.close();
  expect(log).toEqual(['start', 'start', 'end']);
});

test.each(['resolve', 'reject'] as const)('close() during open() waits for it, and then closes (%s)', async (how) => {
  const { life, log, starts } = make();
  const open = life.open().catch((error: unknown) => error);
  const close = life.close();
  expect(log).toEqual(['start']);
  starts[0]![how](noRoom);
  await open;
  await close;
  expect(log).toEqual(['start', 'end']);
  const again = life.open();
  starts[1]!.resolve();
  await again;
  life.requireOpen();
});

test('a close does not end a store that was opened again while calls were finishing', async () => {
  const { life, log, starts } = make();
  const open = life.open();
  starts[0]!.resolve();
  await open;
  let finish: () => void = () => {};
  const call = life.during(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  const close = life.close();
  const again = life.open();
  starts[1]!.resolve();
  await again;
  finish();
  await call;
  await close;
  life.requireOpen();
  await life.close();
  expect(log).toEqual(['start', 'start', 'end']);
});
