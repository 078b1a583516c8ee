import fc from 'fast-check';
import { type Blocklist, createBlocklist, isPortcullisError, screen, type Verdict } from 'portcullis';
import { publishedSource } from 'portcullis/sources';
import { memoryStore } from 'portcullis/stores';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { propertyRuns } from '../support/setup.js';
import { type LoggedHistory, withLog } from './attack-log.js';
import { type Folder, good, type History, hosts, makeHistory, type Part, parts, startMs } from './attack-versions.js';
import { AttackWorld, type Edge, type Fault, honest, Timers } from './attack-world.js';
import { dayMs, hourMs, minuteMs } from './engine/harness.js';

/**
 * A published list, in the hands of an attacker who controls its host, or in those of its publisher: versions that go back, files of several versions, forged lists, faults, late
 * answers and copies that differ, over clocks that jump, restarts, and stores that fail or are damaged.
 */

/** On no list. */
const fine = 'fine.example';

type Damage = 'base' | 'recent' | 'head' | 'retry' | 'confirmed';

type Deed =
  | { readonly does: 'serve'; readonly edges: readonly Edge[] }
  /** The host has the version after the one that it serves, as without an attack. */
  | { readonly does: 'next' }
  | { readonly does: 'sync'; readonly client: number }
  | { readonly does: 'check' | 'screen'; readonly client: number }
  | { readonly does: 'restart'; readonly client: number; readonly damaged: readonly Damage[] }
  | { readonly does: 'damage'; readonly what: Damage }
  | { readonly does: 'store fails'; readonly how: AttackWorld['storeFails'] }
  | { readonly does: 'hold'; readonly count: number }
  | { readonly does: 'release'; readonly isReversed: boolean }
  | { readonly does: 'wait'; readonly byMs: number }
  | { readonly does: 'clock'; readonly byMs: number };

const deed = <Does extends Deed['does'], Rest extends object>(
  weight: number,
  does: readonly Does[],
  rest: { [Key in keyof Rest]: fc.Arbitrary<Rest[Key]> },
) => ({ weight, arbitrary: fc.record({ does: fc.constantFrom(...does), ...rest }) as unknown as fc.Arbitrary<Deed> });

/**
 * @param versions The number of the last version.
 * @param max That of the last folder whose version document may be served: of the last version, or of the last forged list.
 * @param all That of the last forged list.
 */
function anyEdge(versions: number, max: number, all: number): fc.Arbitrary<Edge> {
  const folder = fc.oneof({ weight: 5, arbitrary: fc.nat({ max: versions }) }, { weight: 1, arbitrary: fc.nat({ max }) });
  const of = fc.constantFrom('urls' as const, 'signatures' as const, 'difference' as const);
  const any = fc.oneof(fc.nat({ max }), fc.integer({ min: versions + 1, max: all }));
  const swapped = fc.dictionary(fc.constantFrom(...parts.slice(1)), any, { maxKeys: 2 }) as fc.Arbitrary<Edge['swapped']>;
  const is = fc.constantFrom<Fault>('cut', 'flip', 'page', 'away', 404, 429, 503);
  const part = fc.constantFrom<Part>(...parts);
  return fc.oneof(
    { weight: 3, arbitrary: folder.map(honest) },
    {
      weight: 4,
      arbitrary: fc.record({
        folder,
        mix: fc.option(fc.record({ folder: fc.nat({ max }), of }), { freq: 3 }),
        swapped: fc.oneof(fc.constant({}), swapped),
        fault: fc.option(fc.record({ part, is }), { freq: 2 }),
      }),
    },
  );
}

const client = fc.nat({ max: 1 });
const what = fc.constantFrom<Damage>('base', 'recent', 'head', 'retry', 'confirmed');

function anyDeed({ versions, forged }: History, isKeyed: boolean): fc.Arbitrary<Deed> {
  const last = versions.length - 1;
  const all = last + forged.length;
  // Without a key a forged list is believed, and then there is little left to prove.
  const edge = fc.oneof(
    { weight: isKeyed ? 0 : 20, arbitrary: anyEdge(last, last, all) },
    { weight: 1, arbitrary: anyEdge(last, all, all) },
  );
  return fc.oneof(
    deed(6, ['serve'], { edges: fc.array(edge, { minLength: 1, maxLength: 3 }) }),
    deed(4, ['next'], {}),
    deed(10, ['sync', 'sync', 'check', 'check', 'screen'], { client }),
    deed(2, ['restart'], { client, damaged: fc.uniqueArray(what, { maxLength: 2 }) }),
    deed(1, ['damage'], { what }),
    deed(1, ['store fails'], { how: fc.constantFrom('reads', 'writes', 'all', null, null) }),
    deed(2, ['hold'], { count: fc.integer({ min: 1, max: 3 }) }),
    deed(2, ['release'], { isReversed: fc.boolean() }),
    deed(1, ['wait'], { byMs: fc.constantFrom(2_000, 6_000, 25_000) }),
    deed(2, ['clock'], { byMs: fc.constantFrom(30_000, 6 * minuteMs, 7 * hourMs, 2 * dayMs, -hourMs, -3 * dayMs) }),
  );
}

/** What must be true of one client. */
interface Client {
  list: Blocklist;
  /** The newest version that it has had as its list, since it last lost everything. */
  known: number;
  /** The versions whose document it has read. */
  readonly read: Set<Folder>;
  /** Whether it knows what was stored before its start. */
  hasReadStore: boolean;
}

class Run {
  readonly world: AttackWorld;
  readonly timers = new Timers();
  readonly store = memoryStore();
  readonly clients: Client[] = [];
  readonly strays: unknown[] = [];
  private readonly pending = new Set<Promise<void>>();
  /** Without a key: nothing is promised any more until the attack ends. */
  private isFooled = false;
  /** The newest sequence that is stored beside the list. */
  private stored = 0;
  /** Whether a stored list was damaged: what is stored about the newest version is then believed only near the clock. */
  private isLost = false;
  /** The newest sequence of any client's list. */
  private newest = 0;
  /** When the document of each version was last delivered. */
  private readonly deliveredAtMs = new Map<number, number>();
  private draws = 0;

  private readonly history: History | LoggedHistory;
  private readonly isKeyed: boolean;

  constructor(history: History | LoggedHistory, isKeyed: boolean) {
    this.history = history;
    this.isKeyed = isKeyed;
    this.world = new AttackWorld(history, isKeyed);
  }

  async start(): Promise<void> {
    await this.store.open();
    for (const client of [0, 1]) {
      this.clients.push({ list: this.open(client), known: 0, read: new Set(), hasReadStore: true });
      this.launch(this.clients[client]!.list.ready());
      await this.settle();
    }
  }

  private open(client: number): Blocklist {
    const { world, history, isKeyed } = this;
    const now = (): number => world.nowMs;
    const fetch = world.fetchFor((version) => {
      if (version === 'forged') {
        this.isFooled = true;
        return;
      }
      this.clients[client]!.read.add(version);
      const { sequence } = version;
      this.deliveredAtMs.set(sequence, Math.max(world.nowMs, this.deliveredAtMs.get(sequence) ?? 0));
    });
    const signatures = isKeyed ? { publicKeys: [history.publicKey], verifier: history.verifier } : {};
    const logged = 'demanded' in history ? { log: history.demanded() } : {};
    const source = publishedSource({ url: 'https://list.example', fetch, now, ...signatures, ...logged });
    // Names of stored sets are made from it.
    const random = (): number => (this.draws++ * 0.618) % 1;
    return createBlocklist({ sources: [source], store: world.failing(this.store), pollMs: 0, now, random });
  }

  /** Goes on in the background if it waits for an answer. Only closing may end it. */
  private launch<T>(work: Promise<T>, onDone: (result: T) => void = () => {}): void {
    const watched = work
      .then(onDone, (error: unknown) => {
        if (!isPortcullisError(error) || error.code !== 'CLOSED') this.strays.push(error);
      })
      .then(() => void this.pending.delete(watched));
    this.pending.add(watched);
  }

  private async settle(): Promise<void> {
    await this.timers.settle();
    if (this.strays.length > 0) throw this.strays[0];
    for (const client of this.clients) this.look(client);
  }

  private versionOf(sequence: number): Folder | undefined {
    return this.world.folders.find((folder, at) => folder.sequence === sequence && this.isPublished(at));
  }

  private isPublished(at: number): boolean {
    const count = this.history.versions.length;
    return at < count || at >= count + this.history.forged.length;
  }

  /** Whether a version that this client has read, or the list of either, has removed the host since. */
  private isRemoved(host: string, { read }: Client, since: number): boolean {
    // A check that waited answers before `look` sees the list that ended its waiting.
    const held = this.clients
      .flatMap(({ known, list }) => [known, list.status().sources[0]!.list?.sequence ?? 0])
      .map((sequence) => this.versionOf(sequence));
    return [...read, ...held].some((version) => version !== undefined && version.sequence >= since && !version.listed.has(host));
  }

  /** What is true of a client at any time. */
  private look(client: Client): void {
    const { list, lastError } = client.list.status().sources[0]!;
    if (list !== null) {
      const { sequence } = list;
      this.newest = Math.max(this.newest, sequence ?? 0);
      if (!this.isFooled) {
        const held = this.versionOf(sequence!);
        expect(held, `${sequence} was published`).toBeDefined();
        client.known = Math.max(client.known, sequence!);
        const currentAtMs = Math.max(
          0,
          ...[...this.deliveredAtMs].flatMap(([other, atMs]) => (other >= sequence! ? [atMs] : [])),
        );
        if (this.world.nowMs > held!.expiresAtMs || this.world.nowMs - currentAtMs > dayMs)
          expect(client.list.test(fine).status, `stale ${sequence}`).not.toBe('clear');
      }
    }
    expect(lastError?.code).not.toBe('CLOSED');
    this.judge(client, client.known, [...hosts, good], (host) => client.list.test(host));
  }

  private judge(client: Client, known: number, names: readonly string[], verdictOf: (host: string, at: number) => Verdict): void {
    if (this.isFooled) return;
    const version = this.versionOf(known);
    for (const [at, host] of names.entries()) {
      const { status } = verdictOf(host, at);
      if (host === good) expect(status, host).not.toBe('blocked');
      else if (version?.listed.has(host) && !this.isRemoved(host, client, known))
        expect(status, `${host} of ${known}`).not.toBe('clear');
    }
  }

  async take(deed: Deed): Promise<void> {
    const { world } = this;
    if (deed.does === 'serve') world.edges = deed.edges;
    else if (deed.does === 'next') world.edges = [honest(Math.min(world.edges[0]!.folder + 1, this.history.versions.length - 1))];
    else if (deed.does === 'hold') world.toHold = deed.count;
    else if (deed.does === 'release') world.release(deed.isReversed);
    else if (deed.does === 'store fails') world.storeFails = deed.how;
    else if (deed.does === 'damage') await this.damage(deed.what);
    else if (deed.does === 'wait') await this.wait(deed.byMs);
    else if (deed.does === 'clock') this.setClock(world.nowMs + deed.byMs);
    else if (deed.does === 'restart') await this.restart(deed.client, deed.damaged);
    else if (deed.does === 'sync') this.sync(this.clients[deed.client]!);
    else if (deed.does === 'check' || deed.does === 'screen') this.check(this.clients[deed.client]!, deed.does);
    await this.settle();
  }

  /** A clock a day behind a list without a signature takes its sequence for a forged one. */
  private setClock(nowMs: number): void {
    this.world.nowMs = this.isKeyed ? nowMs : Math.max(nowMs, startMs - 20 * hourMs);
  }

  private wait(ms: number): Promise<void> {
    return this.timers.advance(ms, (stepMs) => {
      this.world.nowMs += stepMs;
    });
  }

  private sync(client: Client): void {
    const { list } = client;
    this.launch(list.sync(), ({ outcome }) => {
      if (outcome === 'deferred' || this.world.storeFails !== null || !list.status().isStored) return;
      const sequence = list.status().sources[0]!.list?.sequence ?? 0;
      // Who could not read what was stored overwrites it.
      this.stored = client.hasReadStore ? Math.max(this.stored, sequence) : sequence;
    });
  }

  private check(client: Client, how: 'check' | 'screen'): void {
    const { known, list } = client;
    const asked = [...hosts, good, fine];
    const all = how === 'check' ? list.checkMany(asked) : screened(list, asked);
    this.launch(all, (verdicts) => this.judge(client, known, [...hosts, good], (_, at) => verdicts[at]!));
  }

  private async restart(at: number, damaged: readonly Damage[]): Promise<void> {
    const client = this.clients[at]!;
    await this.whole(client.list.close());
    for (const what of damaged) await this.damage(what);
    client.list = this.open(at);
    const { storeFails } = this.world;
    client.hasReadStore = storeFails === null || storeFails === 'writes';
    const isBelieved = !this.isLost || this.stored <= this.world.nowMs + 2 * dayMs;
    client.known = client.hasReadStore && isBelieved ? this.stored : 0;
    this.launch(client.list.ready());
  }

  private async damage(what: Damage): Promise<void> {
    const bytes = new Uint8Array(30);
    if (what === 'base' || what === 'head') this.isLost = true;
    if (what === 'head') {
      const [head] = await this.store.heads('published/head');
      if (head !== undefined) await this.store.commit('published/head', bytes, head.sequence);
    } else {
      const names = what === 'retry' ? ['published/retry'] : await this.store.list(`published/${what}`);
      for (const name of names) await this.store.write(name, bytes);
    }
    if (what === 'retry') this.stored = 0;
  }

  /** Waits as long as timers do. */
  private async whole<T>(work: Promise<T>): Promise<T> {
    const results: T[] = [];
    this.launch(work, (result) => results.push(result));
    for (let second = 0; second < 100 && results.length === 0; second++) {
      await this.timers.settle();
      if (this.strays.length > 0) throw this.strays[0];
      if (results.length === 0) await this.wait(1_000);
    }
    expect(results, 'ends within 100 seconds').toHaveLength(1);
    return results[0]!;
  }

  /** A version that is newer than all others. */
  private async publish(): Promise<Folder> {
    const { world, history } = this;
    // A clock so far behind that nothing can be signed is set.
    const lastMs = history.versions.at(-1)!.sequence - dayMs;
    this.setClock(Math.max(world.nowMs, this.newest - 1, lastMs));
    const made = await history.publishAgain(Math.max(world.nowMs, this.newest) + 1);
    const before = world.folders.filter((_, at) => this.isPublished(at));
    const newest = 'logged' in history ? await history.logged(made, before) : made;
    world.publish(newest);
    return newest;
  }

  /** The attack ends, and everything heals with the next round. */
  async heal(): Promise<void> {
    const { world } = this;
    let newest = await this.publish();
    world.release(true);
    for (let second = 0; second < 100 && this.pending.size > 0; second++) {
      await this.settle();
      if (this.pending.size > 0) await this.wait(1_000);
    }
    expect(this.pending.size, 'nothing waits for ever').toBe(0);
    // What came late may have been a forged list.
    if (this.newest > newest.sequence) newest = await this.publish();
    for (const client of this.clients) {
      const { list } = client;
      const waitMs = list.nextSyncAtMs - world.nowMs;
      expect(waitMs, 'until the next round').toBeLessThanOrEqual(2 * hourMs);
      world.nowMs += Math.max(0, waitMs);
      await this.whole(list.sync());
      expect(list.status().sources[0]).toMatchObject({ lastError: null, list: { sequence: newest.sequence, isStale: false } });
      const { heldUntilMs } = list.status().sources[0]!.confirm!;
      expect(heldUntilMs - world.nowMs, 'until the next question').toBeLessThanOrEqual(15 * minuteMs);
      world.nowMs = Math.max(world.nowMs, heldUntilMs);
      // What was confirmed earlier holds for one more check.
      await this.whole(list.checkMany(hosts));
      await this.timers.settle();
      const verdicts = await this.whole(list.checkMany([...hosts, good, fine]));
      // The newest entries are known by their whole hashes and need no confirmation.
      const sure = ({ status, reason }: Verdict): string =>
        status === 'blocked' && reason !== 'confirmed' && reason !== 'listed' ? `blocked ${reason}` : status;
      const expected = [...hosts, good, fine].map((host) => (newest.listed.has(host) ? 'blocked' : 'clear'));
      expect(verdicts.map(sure)).toEqual(expected);
    }
    for (const { list } of this.clients) await this.whole(list.close());
    if (this.strays.length > 0) throw this.strays[0];
  }
}

async function screened(list: Blocklist, inputs: readonly string[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for await (const { verdict } of screen(list, inputs)) verdicts.push(verdict);
  return verdicts;
}

let history: History;
let logged: LoggedHistory;
beforeAll(async () => {
  history = await makeHistory();
  logged = await withLog(history);
});
afterAll(() => vi.unstubAllGlobals());

async function run(deeds: readonly Deed[], of: History | LoggedHistory, isKeyed: boolean): Promise<void> {
  const whole = new Run(of, isKeyed);
  const { timers, strays } = whole;
  const collect = (reason: unknown): void => void strays.push(reason);
  process.on('unhandledRejection', collect);
  vi.stubGlobal('setTimeout', timers.set);
  vi.stubGlobal('clearTimeout', timers.clear);
  vi.stubGlobal('setImmediate', timers.set);
  try {
    await whole.start();
    for (const deed of deeds) await whole.take(deed);
    await whole.heal();
  } finally {
    vi.unstubAllGlobals();
    process.off('unhandledRejection', collect);
  }
}

test.each([
  ['without a key', false, false],
  ['with a key', true, false],
  ['with a key and a log, against somebody who has all keys and one witness', true, true],
])('%s, nothing that the newest verified version lists is ever clear, and every attack heals', async (_, isKeyed, isLogged) => {
  const of = isLogged ? logged : history;
  const deeds = fc.array(anyDeed(of, isKeyed), { maxLength: 25, size: 'max' });
  await fc.assert(
    fc.asyncProperty(deeds, (some) => run(some, of, isKeyed)),
    { numRuns: Math.ceil(propertyRuns / 2) },
  );
});
