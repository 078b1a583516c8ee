import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type MessagePort, Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createBlocklist } from '../../../src/blocklist/engine/create-blocklist.js';
import { attachBlocklist } from '../../../src/blocklist/extras/attach-blocklist.js';
import { type ScreenOptions, screen } from '../../../src/blocklist/extras/screen.js';
import { type SharedBlocklist, shareBlocklist } from '../../../src/blocklist/extras/share-blocklist.js';
import type { Blocklist } from '../../../src/blocklist/model/blocklist-interface.js';
import type { CheckInput } from '../../../src/blocklist/model/question.js';
import { publishedSource } from '../../../src/blocklist/sources/published-source.js';
import { textSource } from '../../../src/blocklist/sources/text-source.js';
import { createCoreBlocklist, evm } from '../../../src/entry/core.js';
import { buildList } from '../../../src/servers/publish/build-list.js';
import { ownSource } from '../engine/own-source.js';

const folder = mkdtempSync(join(tmpdir(), 'threads-'));
const script = join(folder, 'worker.mjs');
beforeAll(async () => {
  const entry = fileURLToPath(new URL('./attached-worker.ts', import.meta.url));
  await build({ entryPoints: [entry], outfile: script, bundle: true, format: 'esm', platform: 'node', target: 'node20' });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function workerOf(shared: SharedBlocklist): Promise<{ ask<T>(message: unknown): Promise<T>; worker: Worker }> {
  const port = shared.port<MessagePort>();
  const worker = new Worker(script, { workerData: { port }, transferList: [port] });
  onTestFinished(async () => void (await worker.terminate()));
  await once(worker, 'message');
  return {
    worker,
    async ask<T>(message: unknown) {
      worker.postMessage(message);
      return (await once(worker, 'message'))[0] as T;
    },
  };
}

function closing(blocklist: Blocklist): Blocklist {
  onTestFinished(() => blocklist.close());
  return blocklist;
}

/** A list whose text a test changes. */
function changing(first: string): { blocklist: Blocklist; set(text: string): Promise<void> } {
  let text = first;
  const source = textSource({ id: 'own', read: async () => text });
  const blocklist = closing(createBlocklist({ sources: [source], pollMs: 0 }));
  return {
    blocklist,
    async set(next) {
      text = next;
      await blocklist.sync();
    },
  };
}

const inputs = [
  'https://host-5.example/some/page?x=1',
  'https://clear.example/',
  'not an address of anything',
  'http://192.168.1.1/',
  '0x52908400098527886E0F7030069857D2E4169EE7',
  'https://allowed.example/',
  'https://own-block.example/',
  'A sentence with https://host-6.example/ in it',
  '',
];

test('a worker gives the verdicts of the sharing thread, for prefixes that are confirmed and for overrides', async () => {
  const hosts = Array.from({ length: 3_000 }, (_, at) => `host-${at}.example`);
  const list = await buildList([...hosts, 'allowed.example', '0x52908400098527886E0F7030069857D2E4169EE7']);
  const files = new Map([...list.files].map(({ name, bytes }) => [name, bytes]));
  const fetch = async (url: string): Promise<Response> => {
    const bytes = files.get(new URL(url).pathname.slice(1));
    return bytes === undefined ? new Response('', { status: 404 }) : new Response(Buffer.from(bytes));
  };
  const source = publishedSource({ url: 'https://lists.example/', fetch });
  const blocklist = closing(createBlocklist({ sources: [source], pollMs: 0 }));
  await blocklist.ready();
  await blocklist.allow('https://allowed.example/');
  await blocklist.block('https://own-block.example/');
  const shared = shareBlocklist(blocklist);
  const { ask } = await workerOf(shared);
  const expected = await blocklist.checkMany(inputs);
  const found = await ask<typeof expected>(inputs);
  const withoutAge = (verdicts: typeof expected): unknown =>
    verdicts.map(({ ageMs: _, ...verdict }: { ageMs?: unknown }) => verdict);
  expect(withoutAge(found)).toEqual(JSON.parse(JSON.stringify(withoutAge(expected))));
  const actions = 'block allow allow allow block allow block block allow';
  expect(found.map(({ action }) => action).join(' ')).toBe(actions);
  shared.close();
});

test('a worker gives the advisory of a list, also when the sharing thread does not answer in time', async () => {
  const advisory = { text: 'This may be wrong.', link: 'https://terms.example/', attribution: 'A publisher' };
  let isSlow = false;
  const own = ownSource({ snapshot: ['evil.example'] });
  own.before = (call) => (call === 'confirm' && isSlow ? new Promise(() => {}) : undefined);
  const source = Object.assign(own, { terms: { advisory } });
  const blocklist = closing(createBlocklist({ sources: [source], pollMs: 0, deadlineMs: 2_000 }));
  await blocklist.ready();
  const shared = shareBlocklist(blocklist);
  const attached = await attachBlocklist(shared.port());
  expect(await attached.check('https://evil.example/')).toMatchObject({ status: 'blocked', advisory });
  expect(await attached.check('https://fine.example/')).not.toHaveProperty('advisory');
  isSlow = true;
  const later = closing(createBlocklist({ sources: [source], pollMs: 0 }));
  await later.ready();
  const second = await attachBlocklist(shareBlocklist(later).port());
  const late = { status: 'unconfirmed', reason: 'deadline', advisory };
  expect(await second.check('https://evil.example/', { deadlineMs: 0 })).toMatchObject(late);
  attached.close();
  second.close();
});

test('a worker follows the list, its loss of entries, and overrides', async () => {
  const { blocklist, set } = changing('first.example\n');
  const shared = shareBlocklist(blocklist);
  const { ask } = await workerOf(shared);
  const actions = async (): Promise<string[]> =>
    (await ask<{ action: string }[]>(['https://first.example/', 'https://second.example/'])).map(({ action }) => action);
  await blocklist.ready();
  expect(await actions()).toEqual(['block', 'allow']);
  await set('second.example\nfirst.example\n');
  await vi.waitFor(async () => expect(await actions()).toEqual(['block', 'block']), 5_000);
  await blocklist.allow('https://first.example/');
  await vi.waitFor(async () => expect(await actions()).toEqual(['allow', 'block']), 5_000);
  shared.close();
});

test('each call sees one generation, while the list keeps changing', async () => {
  const { blocklist, set } = changing('odd.example\n');
  await blocklist.ready();
  const shared = shareBlocklist(blocklist);
  const { ask } = await workerOf(shared);
  let isRacing = true;
  const racing = ask<{ torn: number; rounds: number }>('race').finally(() => {
    isRacing = false;
  });
  let changes = 0;
  for (; isRacing; changes++) {
    await set(changes % 2 === 0 ? 'even.example\n' : 'odd.example\n');
    await sleep(1);
  }
  const { torn, rounds } = await racing;
  expect(torn).toBe(0);
  expect(rounds).toBeGreaterThan(10);
  expect(changes).toBeGreaterThan(10);
  shared.close();
});

test('the set has one memory, which the sharing thread and every state use', async () => {
  const { blocklist } = changing('one.example\n');
  await blocklist.ready();
  const shared = shareBlocklist(blocklist);
  const states = await Promise.all(
    [0, 1].map(async () => {
      const port = shared.port<MessagePort>();
      const [state] = (await once(port, 'message')) as [{ lists: { generation: { base: Uint8Array } }[] }];
      port.close();
      return state.lists[0]!.generation.base;
    }),
  );
  expect(states[0]!.buffer).toBeInstanceOf(SharedArrayBuffer);
  // Both views are of one memory, so a change through one shows in the other.
  states[0]![0] = states[0]![0]! ^ 0xff;
  expect(states[1]![0]).toBe(states[0]![0]);
  expect((await blocklist.check('https://one.example/')).action).toBe('block');
  shared.close();
});

const many = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => (at % 97 === 0 ? inputs[(at / 97) % inputs.length]! : `https://host-${at}.example/`));

async function screened(blocklist: Blocklist, all: Iterable<CheckInput>, options: ScreenOptions): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { index, input, verdict } of screen(blocklist, all, options)) {
    const { ageMs: _, ...rest } = verdict as { ageMs?: unknown };
    found.push({ index, input, ...rest });
  }
  return found;
}

/** A list with two workers. */
async function pooled(): Promise<{ blocklist: Blocklist; shared: SharedBlocklist; workers: Worker[] }> {
  const { blocklist } = changing('host-194.example\nhost-5.example\nhost-9000.example\n');
  await blocklist.ready();
  await blocklist.block('https://own-block.example/');
  const shared = shareBlocklist(blocklist);
  onTestFinished(() => shared.close());
  const workers = [(await workerOf(shared)).worker, (await workerOf(shared)).worker];
  return { blocklist, shared, workers };
}

test('screen with a pool yields what it yields without one, in the same order', async () => {
  const { blocklist, shared } = await pooled();
  expect(shared.size).toBe(2);
  const all = many(10_000);
  expect(await screened(blocklist, all, { pool: shared })).toEqual(await screened(blocklist, all, {}));
  const isAnswered = (await shared.find(['https://good.example/', 'https://host-5.example/'])).map((verdict) => verdict !== null);
  expect(isAnswered).toEqual([true, false]);
});

test('a pool whose workers end while it screens loses and repeats nothing', async () => {
  const { blocklist, shared, workers } = await pooled();
  const all = many(20_000);
  const indexes: number[] = [];
  for await (const { index } of screen(blocklist, all, { pool: shared })) {
    if (index === 3_000) void workers[0]!.terminate();
    if (index === 9_000) void workers[1]!.terminate();
    indexes.push(index);
  }
  expect(indexes).toEqual(all.map((_, at) => at));
  await vi.waitFor(() => expect(shared.size).toBe(0), 5_000);
});

test('a pool reads a bounded number of batches ahead, and a wrong input rejects as without it', async () => {
  const { blocklist, shared } = await pooled();
  let read = 0;
  function* endless(): Iterable<CheckInput> {
    for (;;) yield `host-${read++}.example`;
  }
  const endlessly = screen(blocklist, endless(), { pool: shared });
  for (let count = 0; count < 3_000; count++) await endlessly.next();
  // Two batches of 2,048 for each of two workers, and those that were taken.
  expect(read).toBeLessThanOrEqual(2_048 * (4 + 2));
  await endlessly.return?.();
  for (const wrong of [5, () => {}, { content: 5 }])
    await expect(screened(blocklist, ['a.example', wrong as never], { pool: shared })).rejects.toThrow(TypeError);
  expect(shared.size).toBe(2);
});

test('a worker whose blocklist ends rejects with CLOSED, and others go on when one detaches', async () => {
  const { blocklist } = changing('one.example\n');
  await blocklist.ready();
  const shared = shareBlocklist(blocklist);
  const [first, second] = [await workerOf(shared), await workerOf(shared)];
  first.worker.postMessage('close');
  expect(await once(first.worker, 'exit')).toEqual([0]);
  expect(await second.ask<{ action: string }[]>(['https://one.example/'])).toMatchObject([{ action: 'block' }]);
  shared.close();
  await vi.waitFor(async () => expect(await second.ask(['https://one.example/'])).toBe('CLOSED'), 5_000);
  expect(() => shared.port()).toThrow(expect.objectContaining({ code: 'CLOSED', message: 'the shared blocklist is closed' }));
});

test('a wrong argument is a TypeError that says what is needed', async () => {
  const { blocklist } = changing('one.example\n');
  expect(() => shareBlocklist({} as Blocklist)).toThrow(TypeError);
  const source = textSource({ id: 'own', text: 'one.example\n' });
  const core = closing(createCoreBlocklist({ sources: [source], families: [evm], pollMs: 0 } as never));
  expect(() => shareBlocklist(core)).toThrow(
    new TypeError('only a blocklist of createBlocklist can be shared, not one of createCoreBlocklist'),
  );
  await expect(attachBlocklist(undefined as never)).rejects.toThrow(TypeError);
  vi.stubGlobal('SharedArrayBuffer', undefined);
  try {
    expect(() => shareBlocklist(blocklist)).toThrow(/there is no SharedArrayBuffer here; a page needs the headers/);
  } finally {
    vi.unstubAllGlobals();
  }
});
