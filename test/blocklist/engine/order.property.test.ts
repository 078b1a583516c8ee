import fc from 'fast-check';
import { type Blocklist, createBlocklist, hashOf, PortcullisError, PrefixSet, prefixOf } from 'portcullis';
import type { ListVersion, Source } from 'portcullis/sources';
import { memoryStore } from 'portcullis/stores';
import { expect, test, vi } from 'vitest';
import type { Store } from '../../../src/blocklist/model/store.js';
import { propertyRuns } from '../../support/setup.js';
import { dayMs, hourMs, minuteMs } from './harness.js';

/**
 * A source that rolls back, freezes, answers from several copies, fails and lets versions expire, over clocks that jump, restarts, two
 * clients of one store and damaged stores. Nothing that the newest version lists that a client has had is ever clear, and everything heals
 * with the first round after the attack.
 */

const hosts = ['h0.example', 'h1.example', 'h2.example', 'h3.example'] as const;
const fine = 'fine.example';
const startMs = Date.UTC(2026, 0, 5);

interface Version {
  readonly sequence: number;
  readonly listed: readonly string[];
  readonly expiresAtMs: number | undefined;
}

type Deed =
  | { readonly does: 'publish'; readonly listed: readonly string[]; readonly lifetimeMs: number | undefined }
  /** The versions, counted back from the newest, that the copies behind one address have. */
  | { readonly does: 'serve'; readonly back: readonly number[] }
  | { readonly does: 'sync' | 'check' | 'restart' | 'damage base' | 'damage head'; readonly client: number }
  | { readonly does: 'fail'; readonly calls: number }
  | { readonly does: 'clock'; readonly byMs: number };

const anyDeed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('publish' as const),
      listed: fc.subarray([...hosts]),
      lifetimeMs: fc.constantFrom(undefined, undefined, 6 * hourMs, 3 * dayMs),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('serve' as const),
      back: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constantFrom(
        'sync' as const,
        'sync' as const,
        'sync' as const,
        'check' as const,
        'restart' as const,
        'damage base' as const,
        'damage head' as const,
      ),
      client: fc.nat({ max: 1 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('fail' as const), calls: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('clock' as const),
      byMs: fc.constantFrom(5 * minuteMs, 7 * hourMs, 2 * dayMs, -hourMs, -3 * dayMs),
    }),
  },
);

class World {
  nowMs = startMs;
  readonly versions: Version[] = [{ sequence: 1, listed: ['h0.example'], expiresAtMs: undefined }];
  /** The copies take turns. */
  copies: readonly number[] = [0];
  failing = 0;
  private turn = 0;

  get newest(): Version {
    return this.versions.at(-1)!;
  }

  private answer(): Version {
    if (this.failing > 0) {
      this.failing--;
      throw new PortcullisError('NETWORK', 'away');
    }
    const back = this.copies[this.turn++ % this.copies.length]!;
    return this.versions[Math.max(0, this.versions.length - 1 - back)]!;
  }

  source(onAnswer: (version: Version) => void): Source {
    const entriesOf = ({ listed }: Version): PrefixSet => PrefixSet.from(listed.map(prefixOf));
    return {
      id: 'own',
      version: async (): Promise<ListVersion> => {
        const { sequence, expiresAtMs } = this.answer();
        return { algoVersion: 'portcullis-1', snapshot: { token: `s${sequence}` }, sequence, expiresAtMs };
      },
      artifact: async (_part, { sequence }) => {
        const version = this.answer();
        // A built-in source compares files with their checksums, and so refuses those of another version.
        if (version.sequence !== sequence) throw new PortcullisError('INVALID_ARTIFACT', 'another version');
        return { entries: entriesOf(version), isProven: true };
      },
      confirm: async (prefixes, { sequence = 0 }) => {
        const version = this.answer();
        if (version.sequence < sequence) throw new PortcullisError('OLDER_LIST', 'an older version');
        onAnswer(version);
        const hashes = version.listed.map((host) => hashOf(host));
        const behind = (prefix: number) =>
          hashes.filter((hash) => new DataView(hash.buffer).getUint32(hash.byteOffset) === prefix);
        return { hashes: new Map(prefixes.map((prefix) => [prefix, behind(prefix)])) };
      },
    };
  }
}

async function run(deeds: readonly Deed[]): Promise<void> {
  const world = new World();
  const store = memoryStore();
  await store.open();
  /** The newest sequence that each client has had. */
  const known = [0, 0];
  /** The versions that confirmations came from. */
  const answered: Version[] = [];
  // Names of stored sets are made from it.
  let draws = 0;
  const random = (): number => (draws++ * 0.618) % 1;
  const open = (): Blocklist => {
    const source = world.source((version) => answered.push(version));
    return createBlocklist({
      sources: [source],
      store,
      pollMs: 0,
      now: () => world.nowMs,
      random,
      confirm: { negativeMs: 0 },
    });
  };
  const clients = [open(), open()];
  for (const client of clients) await client.ready();

  const look = (client: number): void => {
    const list = clients[client]!.status().sources[0]?.list ?? null;
    if (list !== null) known[client] = Math.max(known[client]!, list.sequence ?? 0);
    const version = world.versions[known[client]! - 1];
    for (const host of version?.listed ?? []) {
      expect(clients[client]!.test(`https://${host}/`).status, `${host} of version ${known[client]}`).not.toBe('clear');
    }
    const held = list === null ? undefined : world.versions[list.sequence! - 1];
    if (held?.expiresAtMs !== undefined && world.nowMs > held.expiresAtMs)
      expect(clients[client]!.test(`https://${fine}/`).status).not.toBe('clear');
  };

  for (const deed of deeds) {
    if (deed.does === 'publish') {
      const { listed, lifetimeMs } = deed;
      const expiresAtMs = lifetimeMs === undefined ? undefined : world.nowMs + lifetimeMs;
      world.versions.push({ sequence: world.versions.length + 1, listed, expiresAtMs });
    } else if (deed.does === 'serve') world.copies = deed.back;
    else if (deed.does === 'fail') world.failing = deed.calls;
    else if (deed.does === 'clock') world.nowMs += deed.byMs;
    else if (deed.does === 'sync') await clients[deed.client]!.sync();
    else if (deed.does === 'check') {
      const version = known[deed.client]!;
      answered.length = 0;
      const verdicts = await clients[deed.client]!.checkMany(hosts.map((host) => `https://${host}/`));
      for (const [at, host] of hosts.entries()) {
        // A newer version may have removed it.
        const isRemoved = answered.some(({ sequence, listed }) => sequence >= version && !listed.includes(host));
        if (world.versions[version - 1]?.listed.includes(host) && !isRemoved)
          expect(verdicts[at]!.status, host).not.toBe('clear');
      }
    } else {
      await clients[deed.client]!.close();
      await store.open();
      if (deed.does === 'damage base') await damageBase(store);
      else if (deed.does === 'damage head') await damageHead(store);
      clients[deed.client] = open();
      await clients[deed.client]!.ready();
    }
    for (const client of [0, 1]) look(client);
  }

  // The attack ends, and something is published.
  world.failing = 0;
  world.copies = [0];
  world.versions.push({ sequence: world.versions.length + 1, listed: ['h1.example'], expiresAtMs: world.nowMs + dayMs });
  for (const client of clients) {
    await client.sync();
    expect(client.status().sources[0]).toMatchObject({
      lastError: null,
      list: { sequence: world.newest.sequence, isStale: false },
    });
    // Past the longest pause after questions that failed.
    world.nowMs += 60_000;
    // A block from before is renewed behind the check.
    expect(await client.check('https://h1.example/')).toMatchObject({ status: 'blocked' });
    await vi.waitFor(() => expect(client.test('https://h1.example/')).toMatchObject({ status: 'blocked', reason: 'confirmed' }));
    expect(client.test(`https://${fine}/`).status).toBe('clear');
    await client.close();
  }
}

async function damageBase(store: Store): Promise<void> {
  for (const name of await store.list('own/base/')) await store.write(name, new Uint8Array(30));
}

/** The newest head cannot be read any more. */
async function damageHead(store: Store): Promise<void> {
  const [head] = await store.heads('own/head');
  if (head !== undefined) await store.commit('own/head', new Uint8Array(30), head.sequence);
}

test('nothing that the newest known version lists is ever clear, and every attack heals', async () => {
  await fc.assert(fc.asyncProperty(fc.array(anyDeed, { maxLength: 25 }), run), { numRuns: Math.ceil(propertyRuns / 2) });
});
