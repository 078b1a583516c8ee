import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type MessagePort, Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { attachBlocklist, type MessagePortLike, type PortListener, shareBlocklist } from 'portcullis/threads';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { fails, listing, synced } from '../engine/harness.js';
import { ownSource } from '../engine/own-source.js';

/** What happens when one of the two threads ends, blocks, or is not what the other expects. */

const folder = mkdtempSync(join(tmpdir(), 'threads-ends-'));
const script = join(folder, 'sharing-worker.mjs');
beforeAll(async () => {
  const entry = fileURLToPath(new URL('./sharing-worker.ts', import.meta.url));
  const tsconfig = fileURLToPath(new URL('../../../tsconfig.tools.json', import.meta.url));
  await build({
    entryPoints: [entry],
    outfile: script,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    tsconfig,
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A thread that shares its blocklist, and the blocklist of this thread, which is attached to it. */
async function sharing() {
  const worker = new Worker(script);
  onTestFinished(async () => void (await worker.terminate()));
  const ask = async (message: unknown): Promise<unknown> => {
    worker.postMessage(message);
    return (await once(worker, 'message'))[0];
  };
  const attached = await attachBlocklist((await ask('port')) as MessagePort);
  onTestFinished(() => attached.close());
  return { worker, ask, attached };
}

describe('when the sharing thread', () => {
  test('ends, checks that wait and later ones reject with CLOSED', async () => {
    const { worker, ask, attached } = await sharing();
    expect(await attached.check('https://evil.example/')).toMatchObject({ status: 'blocked' });
    await ask({ busyMs: 10_000 });
    const waiting = expect(attached.check('https://evil.example/', { deadlineMs: 60_000 })).rejects.toMatchObject({
      code: 'CLOSED',
    });
    await worker.terminate();
    await waiting;
    await expect(attached.check('https://evil.example/')).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(attached.check('https://clear.example/')).rejects.toMatchObject({ code: 'CLOSED' });
  });

  test('is busy, a check ends with its deadline as it does without workers', async () => {
    const { ask, attached } = await sharing();
    await ask({ busyMs: 10_000 });
    const startMs = performance.now();
    const inputs = ['https://evil.example/', 'https://clear.example/', 'https://allowed.evil.example/'];
    expect(await attached.checkMany(inputs, { deadlineMs: 50 })).toMatchObject([
      { status: 'unconfirmed', action: 'warn', reason: 'deadline', source: 'own', expression: 'evil.example' },
      { status: 'clear', reason: 'not-listed' },
      { status: 'allowed', reason: 'source-allows' },
    ]);
    const tookMs = performance.now() - startMs;
    expect(tookMs).toBeGreaterThanOrEqual(45);
    expect(tookMs).toBeLessThan(5_000);
  });

  test('waits for its source until the deadline, its other answers are not lost', async () => {
    const { ask, attached } = await sharing();
    expect(await attached.check('https://evil.example/')).toMatchObject({ reason: 'confirmed' });
    await ask('silent source');
    expect(await attached.checkMany(['https://evil.example/', 'https://slow.example/'], { deadlineMs: 50 })).toMatchObject([
      { status: 'blocked', reason: 'confirmed' },
      { status: 'unconfirmed', reason: 'deadline' },
    ]);
  });
});

test('the default deadline is the one of the blocklist', async () => {
  const { blocklist, source } = await listing({}, { deadlineMs: 10, now: Date.now });
  const shared = shareBlocklist(blocklist);
  onTestFinished(() => shared.close());
  const attached = await attachBlocklist(shared.port());
  source.before = () => sleep(60_000, undefined, { ref: false });
  expect(await attached.check('https://evil.example/')).toMatchObject({ reason: 'deadline' });
});

test('a source that confirms nothing leaves a hit not asked, also after the deadline', async () => {
  const source = ownSource({ snapshot: ['evil.example'] });
  delete source.confirm;
  const { blocklist } = await synced(source, { now: Date.now });
  const shared = shareBlocklist(blocklist);
  onTestFinished(() => shared.close());
  const attached = await attachBlocklist(deafened(shared.port()));
  expect(await attached.check('https://evil.example/', { deadlineMs: 0 })).toMatchObject({ reason: 'not-asked' });
});

/** A port whose other end receives nothing. */
function deafened(port: MessagePortLike): MessagePortLike {
  return {
    postMessage() {},
    close: () => port.close(),
    start: () => port.start(),
    addEventListener: (type, listener) => port.addEventListener(type, listener),
  };
}

test('closing the blocklist closes the share', async () => {
  const { blocklist } = await listing({}, { now: Date.now });
  const shared = shareBlocklist(blocklist);
  const attached = await attachBlocklist(shared.port());
  expect(await attached.check('https://clear.example/')).toMatchObject({ status: 'clear' });
  await blocklist.close();
  await vi.waitFor(() => expect(attached.check('https://clear.example/')).rejects.toMatchObject({ code: 'CLOSED' }), 5_000);
  expect(() => shared.port()).toThrow(expect.objectContaining({ code: 'CLOSED' }));
  expect(() => shareBlocklist(blocklist)).toThrow(expect.objectContaining({ code: 'CLOSED' }));
});

test('a worker that ends without detaching is sent nothing more', async () => {
  let posts = 0;
  const Channel = MessageChannel;
  vi.stubGlobal(
    'MessageChannel',
    class {
      readonly port1: MessagePort;
      readonly port2: MessagePort;
      constructor() {
        const { port1, port2 } = new Channel() as unknown as { port1: MessagePort; port2: MessagePort };
        const post = port1.postMessage.bind(port1);
        port1.postMessage = (message) => {
          posts++;
          post(message);
        };
        [this.port1, this.port2] = [port1, port2];
      }
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  const { blocklist } = await listing({}, { now: Date.now });
  const shared = shareBlocklist(blocklist);
  onTestFinished(() => shared.close());
  const port = shared.port<MessagePort>();
  const worker = new Worker('setInterval(() => {}, 1_000)', { eval: true, workerData: { port }, transferList: [port] });
  await once(worker, 'online');
  const attached = await attachBlocklist(shared.port());
  await worker.terminate();
  posts = 0;
  await blocklist.block('https://other.example/');
  await vi.waitFor(async () => expect(await attached.check('https://other.example/')).toMatchObject({ action: 'block' }), 5_000);
  attached.close();
  // One new state for the worker that is left, and one answer for each of its questions.
  posts = 0;
  await sleep(20);
  await blocklist.block('https://another.example/');
  await sleep(300);
  expect(posts).toBe(0);
});

/** A port on which a test plays the sharing thread. */
function fakePort() {
  const listeners = new Map<string, PortListener>();
  const port: MessagePortLike & { closed: number } = {
    closed: 0,
    postMessage() {},
    close() {
      port.closed++;
    },
    start() {},
    addEventListener: (type, listener) => void listeners.set(type, listener),
  };
  return { port, send: (type: string, data?: unknown) => listeners.get(type)!({ data }) };
}

describe('attachBlocklist', () => {
  test('rejects with TIMEOUT if no blocklist is at the other end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { port, send } = fakePort();
    const attaching = expect(attachBlocklist(port)).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: 'no shared blocklist answered within 10 seconds; pass the port that port() of shareBlocklist returned',
    });
    vi.advanceTimersByTime(10_000);
    await attaching;
    expect(port.closed).toBe(1);
    send('close');
  });

  test('rejects with CLOSED if the sharing thread ends first', async () => {
    const { port, send } = fakePort();
    const attaching = attachBlocklist(port);
    send('close');
    await expect(attaching).rejects.toMatchObject({ code: 'CLOSED' });
  });

  test.each([
    ['a state of another release', { type: 'state', release: '0.0.1', version: 1 }],
    ['a state without a release', { type: 'state', version: 1, lists: [], overrides: [], policy: {} }],
    ['a message of another program', 'hello'],
    ['nothing', undefined],
  ])('rejects %s and says what to do', async (_, message) => {
    const { port, send } = fakePort();
    const attaching = attachBlocklist(port);
    send('message', message);
    await expect(attaching).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(
        /^the port is not of a blocklist shared by portcullis \d+\.\d+\.\d+; both threads must run the same release$/,
      ),
    });
    expect(port.closed).toBe(1);
  });

  test('rejects a state that cannot be received, as in a worker without cross-origin isolation', async () => {
    const { port, send } = fakePort();
    const attaching = attachBlocklist(port);
    send('messageerror');
    await expect(attaching).rejects.toThrow(/^the shared list cannot be received here; the worker needs cross-origin isolation/);
    expect(port.closed).toBe(1);
  });
});

test('a failure of the sharing thread is the failure of the check', async () => {
  const { blocklist } = await listing({}, { now: Date.now });
  const shared = shareBlocklist(blocklist);
  onTestFinished(() => shared.close());
  const attached = await attachBlocklist(shared.port());
  blocklist.checkMany = fails(new TypeError('no'));
  await expect(attached.check('https://evil.example/')).rejects.toThrow(new TypeError('no'));
});
