import { allAssets } from '../../core/algorithms/all-algorithms.js';
import { isPortcullisError } from '../../core/errors.js';
import { globals } from '../../core/http/fetch.js';
import { AscendingSet } from '../../core/prefixes/ascending-set.js';
import { HashSet } from '../../core/prefixes/hash-set.js';
import { PrefixSet } from '../../core/prefixes/prefix-set.js';
import { version as release } from '../../core/version.js';
import { internalsOf } from '../engine/internals.js';
import type { Blocklist } from '../model/blocklist-interface.js';
import type { EntrySet, Generation } from '../model/generation.js';
import type { Overrides } from '../model/override-set.js';
import type { CheckInput } from '../model/question.js';
import type { Verdict } from '../model/verdict.js';
import type { ScreenPool } from './screen.js';
import { type FromOwner, type FromWorker, type MessagePortLike, type SharedGeneration, shareClosed } from './thread-messages.js';

/** A blocklist that workers may attach to. As the `pool` of `screen`, its workers take batches in turn. */
export interface SharedBlocklist extends ScreenPool {
  /**
   * Makes the port of one more worker. Transfer it: `new Worker(file, { workerData: { port }, transferList: [port] })`. The type argument is
   * the platform's type, such as `MessagePort` of `node:worker_threads`. Throws `CLOSED` after `close()`.
   */
  port<Port extends MessagePortLike = MessagePortLike>(): Port;
  /** Detaches all workers. The blocklist itself stays open. Closing the blocklist does this too. */
  close(): void;
}

interface PendingBatch {
  readonly inputs: readonly CheckInput[];
  resolve(verdicts: readonly (Verdict | null)[]): void;
}

interface Memory {
  readonly SharedArrayBuffer?: new (bytes: number) => ArrayBuffer;
  readonly MessageChannel?: new () => { readonly port1: MessagePortLike; readonly port2: MessagePortLike };
}

/** The age of a list and an override are in no event of a blocklist. A fifth of a second is less than any round takes. */
const lookMs = 200;

/**
 * Moves the sets of a blocklist into shared memory, from which workers check without a copy. A new list is moved when it comes; the memory
 * of the old one ends with the last check that uses it.
 *
 * @throws TypeError where there is no `SharedArrayBuffer`, and for a blocklist of `createCoreBlocklist`; PortcullisError `CLOSED`
 */
export function shareBlocklist(blocklist: Blocklist): SharedBlocklist {
  const { parts, settings, lists, checker, session, overrides } = internalsOf(blocklist);
  const { SharedArrayBuffer: Shared, MessageChannel } = globalThis as unknown as Memory;
  if (Shared === undefined || MessageChannel === undefined) {
    throw new TypeError(
      'there is no SharedArrayBuffer here; a page needs the headers Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp',
    );
  }
  if (parts.assets !== allAssets)
    throw new TypeError('only a blocklist of createBlocklist can be shared, not one of createCoreBlocklist');
  session.requireOpen();
  /** With the batches that each has not answered. */
  const ports = new Map<MessagePortLike, Map<number, PendingBatch>>();
  let batches = 0;
  let sent: {
    readonly generations: readonly (Generation | null)[];
    readonly loaded: string;
    readonly overrides: Overrides;
  } | null = null;
  let version = 0;
  let timer: unknown;
  let isClosed = false;

  /** The set itself moves, so that this thread has no second copy. */
  function moved<Set extends EntrySet | null>(set: Set): Uint8Array | null {
    if (set === null) return null;
    const own = set.memoryBytes;
    if (own.buffer instanceof Shared!) return own;
    const bytes = new Uint8Array(new Shared!(own.length));
    bytes.set(own);
    // Its fields are views over its bytes, and both have the same class.
    Object.assign(set, set instanceof AscendingSet ? PrefixSet.fromBytes(bytes) : HashSet.fromBytes(bytes));
    return bytes;
  }

  function shared(generation: Generation | null): SharedGeneration | null {
    if (generation === null) return null;
    const { base, recent, removed, allowed, hot, common: _, ...about } = generation;
    return {
      ...about,
      base: moved(base),
      recent: moved(recent),
      removed: moved(removed),
      allowed: moved(allowed),
      // Small enough for a copy in each thread.
      hot: hot?.memoryBytes ?? null,
    };
  }

  function state(): FromOwner {
    return {
      type: 'state',
      release,
      version,
      lists: lists.map(({ sync, confirmer, neverBlock, advisory }) => ({
        source: sync.id,
        generation: shared(sync.held.generation),
        isLoading: sync.isLoading(),
        maxAgeMs: sync.settings.maxAgeMs,
        failedAtMs: sync.state.retry.failedAtMs,
        lastErrorCode: sync.state.lastError?.code,
        confirms: confirmer !== null,
        neverBlock: neverBlock.expressions,
        advisory,
      })),
      isRealTime: checker.caches.length > 0,
      overrides: overrides.current.toJSON(),
      policy: checker.policy,
      deadlineMs: settings.deadlineMs,
    };
  }

  function look(): void {
    const generations = checker.generations();
    const loaded = lists
      .map(({ sync }) => `${sync.isLoading()} ${sync.state.lastError?.code} ${sync.state.retry.failedAtMs}`)
      .join();
    const isSame =
      sent !== null &&
      sent.overrides === overrides.current &&
      sent.loaded === loaded &&
      sent.generations.every((generation, at) => generation === generations[at]);
    if (isSame) return;
    sent = { generations, loaded, overrides: overrides.current };
    version++;
    const message = state();
    for (const port of ports.keys()) port.postMessage(message);
  }

  function plan(): void {
    timer = globals.setTimeout(() => {
      look();
      plan();
    }, lookMs);
    (timer as { unref?: () => void }).unref?.();
  }

  /** Its batches are left to this thread. */
  function detach(port: MessagePortLike): void {
    const pending = ports.get(port) ?? new Map<number, PendingBatch>();
    ports.delete(port);
    port.close();
    for (const { inputs, resolve } of pending.values()) resolve(inputs.map(() => null));
  }

  async function answer(port: MessagePortLike, message: FromWorker): Promise<void> {
    if (message.type === 'close') return detach(port);
    if (message.type === 'found') {
      const { verdicts, places } = message.found;
      ports
        .get(port)
        ?.get(message.id)
        ?.resolve(Array.from(places, (place) => (place === 0 ? null : verdicts[place - 1]!)));
      ports.get(port)?.delete(message.id);
      return;
    }
    const { id, inputs, untilMs, options } = message;
    // The misses of this call were found in the lists of that version.
    look();
    if (message.version !== version) return port.postMessage({ type: 'again', id } satisfies FromOwner);
    try {
      // Stays within its bounds even if the clock is changed meanwhile.
      const deadlineMs = Math.min(options.deadlineMs, Math.max(0, untilMs - Date.now()));
      const verdicts = await blocklist.checkMany(inputs, { ...options, deadlineMs });
      port.postMessage({ type: 'verdicts', id, verdicts } satisfies FromOwner);
    } catch (error) {
      const code = isPortcullisError(error) ? error.code : undefined;
      port.postMessage({ type: 'failed', id, code, message: (error as Error).message } satisfies FromOwner);
    }
  }

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    for (const stop of stops) stop();
    globals.clearTimeout(timer);
    for (const port of [...ports.keys()]) {
      port.postMessage({ type: 'closed' } satisfies FromOwner);
      detach(port);
    }
  }

  const stops = [blocklist.on('changed', look), session.onClose(close)];
  plan();
  return {
    port<Port extends MessagePortLike>() {
      if (isClosed) throw shareClosed();
      const { port1, port2 } = new MessageChannel!();
      look();
      ports.set(port1, new Map());
      port1.addEventListener('message', ({ data }: { readonly data: FromWorker }) => void answer(port1, data));
      // The worker may end without a message.
      port1.addEventListener('close', () => detach(port1));
      port1.start();
      // The worker keeps the process alive while it runs.
      (port1 as { unref?: () => void }).unref?.();
      port1.postMessage(state());
      return port2 as Port;
    },
    close,
    get size() {
      return ports.size;
    },
    find(inputs) {
      let best: MessagePortLike | undefined;
      for (const [port, pending] of ports) if (best === undefined || pending.size < ports.get(best)!.size) best = port;
      if (best === undefined) return Promise.resolve(inputs.map(() => null));
      look();
      const port = best;
      const id = ++batches;
      return new Promise((resolve) => {
        try {
          port.postMessage({ type: 'find', id, inputs } satisfies FromOwner);
          ports.get(port)!.set(id, { inputs, resolve });
        } catch {
          // An input of a wrong type that no message can carry. The check in this thread reports it.
          resolve(inputs.map(() => null));
        }
      });
    },
  };
}
