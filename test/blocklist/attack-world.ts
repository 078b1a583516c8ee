import type { Store } from '../../src/blocklist/model/store.js';
import type { FetchLike, FetchResponse } from '../../src/core/http/fetch.js';
import { type Folder, type History, likeIn, mixedDocument, type Part, partOf, startMs } from './attack-versions.js';

export type Fault = 'cut' | 'flip' | 'page' | 'away' | 404 | 429 | 503;

/** What one copy behind the list's address serves. */
export interface Edge {
  /** Of the versions, then of the forged lists. */
  readonly folder: number;
  /** What its version document has of another folder. */
  readonly mix: { readonly folder: number; readonly of: 'urls' | 'signatures' | 'difference' } | null;
  /** Kinds of files whose bytes come from another folder. */
  readonly swapped: Partial<Record<Part, number>>;
  readonly fault: { readonly part: Part; readonly is: Fault } | null;
}

export const honest = (folder: number): Edge => ({ folder, mix: null, swapped: {}, fault: null });

/** What the world's clock, host and store do. Nothing waits for a real timer or the network, so that each run takes the same steps. */
export class AttackWorld {
  nowMs = startMs;
  /** The copies take turns. */
  edges: readonly Edge[] = [honest(0)];
  /** Responses that are held until `release`. */
  toHold = 0;
  storeFails: 'reads' | 'writes' | 'all' | null = null;
  readonly folders: Folder[];
  private readonly versionCount: number;
  private readonly forgedCount: number;
  private readonly pool: Map<string, Uint8Array>;
  private turn = 0;
  private held: (() => void)[] = [];

  private readonly isKeyed: boolean;

  constructor({ versions, forged, pool }: History, isKeyed: boolean) {
    this.isKeyed = isKeyed;
    this.folders = [...versions, ...forged];
    this.versionCount = versions.length;
    this.forgedCount = forged.length;
    this.pool = new Map(pool);
  }

  /** Adds the newest version, and serves it from now on. */
  publish(folder: Folder): void {
    this.folders.push(folder);
    for (const [name, bytes] of folder.files) this.pool.set(name, bytes);
    this.edges = [honest(this.folders.length - 1)];
    this.storeFails = null;
    this.toHold = 0;
  }

  /** The host as one client sees it. `onVersion` gets the list that a delivered version document is of, if its reader may believe it. */
  fetchFor(onVersion: (version: Folder | 'forged') => void): FetchLike {
    return async (url) => {
      const edge = this.edges[this.turn++ % this.edges.length]!;
      const name = url.replace('https://list.example/', '').split('?')[0]!;
      const part = partOf(name);
      const bytes = this.bytesOf(edge, part, name);
      const fault = edge.fault?.part === part ? edge.fault.is : null;
      if (this.toHold > 0) {
        this.toHold--;
        await new Promise<void>((resolve) => this.held.push(resolve));
      }
      if (fault === 'away') throw new TypeError('fetch failed');
      if (typeof fault === 'number') return answer(fault, new Uint8Array(0));
      if (bytes === undefined) return answer(404, new Uint8Array(0));
      if (part === 'version' && fault === null) {
        const version = this.believedIn(edge);
        if (version !== null) onVersion(version);
      }
      return answer(200, faulty(bytes, fault, this.isKeyed || part !== 'version'));
    };
  }

  private bytesOf({ folder, mix, swapped }: Edge, part: Part, name: string): Uint8Array | undefined {
    const own = this.folders[folder]!;
    if (part === 'version.proof' && swapped[part] === undefined) return own.files.get(name);
    if (part === 'version') return mix === null ? own.files.get(name) : mixedDocument(own, this.folders[mix.folder]!, mix.of);
    const other = swapped[part];
    return other === undefined ? this.pool.get(name) : likeIn(this.folders[other]!, part, name);
  }

  /** What a version document is of, for a reader with or without a key. */
  private believedIn({ folder, mix }: Edge): Folder | 'forged' | null {
    const isForged = (at: number): boolean => at >= this.versionCount && at < this.versionCount + this.forgedCount;
    const isOwn = mix === null || mix.of === 'difference' || mix.folder === folder;
    const at = !this.isKeyed && mix?.of === 'urls' ? mix.folder : folder;
    if (!this.isKeyed) return isForged(at) ? 'forged' : this.folders[at]!;
    return isForged(at) || !(isOwn || mix.of === 'urls') ? null : this.folders[at]!;
  }

  /** Delivers what was held, in this order or the other way round. */
  release(isReversed: boolean): void {
    const held = isReversed ? this.held.reverse() : this.held;
    this.held = [];
    for (const go of held) go();
  }

  /** The same store, whose calls fail as `storeFails` says. */
  failing(store: Store): Store {
    const guarded =
      <Args extends readonly unknown[], T>(kind: 'reads' | 'writes' | 'all', call: (...args: Args) => Promise<T>) =>
      async (...args: Args): Promise<T> => {
        if (this.storeFails === 'all' || this.storeFails === kind) throw new Error(`${kind} fail`);
        return call(...args);
      };
    let isOpen = false;
    return {
      ...store,
      async open() {
        await guarded('all', store.open)();
        isOpen = true;
      },
      close: async () => (isOpen ? store.close() : undefined),
      read: guarded('reads', store.read),
      list: guarded('reads', store.list),
      heads: guarded('reads', store.heads),
      write: guarded('writes', store.write),
      remove: guarded('writes', store.remove),
      commit: guarded('writes', store.commit),
    };
  }
}

function answer(status: number, bytes: Uint8Array): FetchResponse {
  const wait = status === 429 ? '3600' : status === 503 ? '60' : null;
  return {
    status,
    headers: { get: (name) => (name.toLowerCase() === 'retry-after' ? wait : null) },
    arrayBuffer: async () => new Uint8Array(bytes).buffer,
  };
}

/** @param mayFlip One changed byte of a version document without a signature is a forged list. */
function faulty(bytes: Uint8Array, fault: Fault | null, mayFlip: boolean): Uint8Array {
  if (fault === 'page') return Buffer.from('<!doctype html><title>Welcome</title>');
  if (fault === 'flip' && mayFlip) return bytes.map((byte, at) => (at === bytes.length >> 1 ? byte ^ 1 : byte));
  return fault === null ? bytes : bytes.subarray(0, bytes.length >> 1);
}

/** Timers that the test fires. */
export class Timers {
  private nowMs = 0;
  private count = 0;
  private readonly due = new Map<number, { readonly atMs: number; readonly run: () => void }>();

  readonly set = (run: () => void, delayMs = 0): number => {
    this.due.set(++this.count, { atMs: this.nowMs + delayMs, run });
    return this.count;
  };
  readonly clear = (timer: number): void => void this.due.delete(timer);

  /** Runs everything that is due, and what follows from it. */
  async settle(): Promise<void> {
    do await new Promise((resolve) => realImmediate(resolve));
    while (this.runDue());
  }

  /** Fires the timers of this time in their order. `onTime` gets each step. */
  async advance(byMs: number, onTime: (stepMs: number) => void): Promise<void> {
    const endMs = this.nowMs + byMs;
    while (this.nowMs < endMs) {
      const nextMs = Math.min(endMs, ...[...this.due.values()].map(({ atMs }) => atMs));
      onTime(nextMs - this.nowMs);
      this.nowMs = nextMs;
      await this.settle();
    }
  }

  private runDue(): boolean {
    const now = [...this.due].filter(([, { atMs }]) => atMs <= this.nowMs);
    for (const [timer, { run }] of now) if (this.due.delete(timer)) run();
    return now.length > 0;
  }
}

const realImmediate = setImmediate;
