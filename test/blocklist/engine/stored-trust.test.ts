import { createHash } from 'node:crypto';
import { createBlocklist, prefixOf } from 'portcullis';
import { type BuiltList, buildList, signList } from 'portcullis/publish';
import { ed25519, generateKeys, publishedSource, type Signer, signerOf, textSource } from 'portcullis/sources';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { decodeJsonRecord, decodeRecord, encodeJsonRecord, encodeRecord } from '../../../src/blocklist/formats/record.js';
import type { Source } from '../../../src/blocklist/model/source.js';
import type { Store } from '../../../src/blocklist/model/store.js';
import { memoryStore } from '../../../src/blocklist/stores/memory-store.js';
import { PrefixSet } from '../../../src/core/prefixes/prefix-set.js';
import { filesOf, hosting } from '../sources/harness.js';

const now = (): number => Date.UTC(2026, 0, 5);
const headName = 'published/head';
let signer: Signer;
let list: BuiltList;
let host: Awaited<ReturnType<typeof hosting>>;
beforeAll(async () => {
  signer = await signerOf((await generateKeys()).privateKey);
  list = await signed(['evil.example', 'scam.example']);
});

async function signed(hosts: readonly string[], previous?: BuiltList): Promise<BuiltList> {
  const before = previous && {
    version: previous.version as never,
    snapshot: filesOf(previous).get(previous.version.snapshot.url)!,
  };
  const built = await buildList(hosts, {
    listName: 'hosts',
    now: () => now() + (previous === undefined ? 0 : 1),
    isPublicSuffix: () => false,
    ...(before && { previous: before }),
  });
  return signList(built, { signers: [signer], now });
}

const signedSource = (url: string): Source => publishedSource({ url, publicKeys: [signer.publicKey], verifier: ed25519, now });

/** A process with the store. Its events are collected. */
async function member(store: Store, source: Source, isWaiting = true) {
  const lent: Store = { ...store, close: async () => {} };
  const blocklist = createBlocklist({ sources: [source], store: lent, pollMs: 0, now });
  const events: string[] = [];
  blocklist.on('damaged', ({ name, error }) => void events.push(`damaged ${name} ${error.code}`));
  blocklist.on('error', ({ where, error }) => void events.push(`${where} ${error.code}`));
  onTestFinished(() => blocklist.close());
  if (isWaiting) await blocklist.ready();
  const statusOf = async (name: string): Promise<string> => (await blocklist.check(`https://${name}/`)).status;
  return { blocklist, events, statusOf };
}

/** A store with a signed list, written by a process that is gone. */
async function storeWith(built = list): Promise<Store> {
  host = await hosting(filesOf(built));
  const store = memoryStore();
  const { blocklist } = await member(store, signedSource(host.origin));
  await blocklist.close();
  return store;
}

type Head = Record<string, unknown> & {
  sets: Record<string, { name: string; sha256: string } | null>;
  order: Record<string, unknown>;
  signed: { payload: string };
};

/** Commits a head that differs from the newest one. */
async function forge(
  store: Store,
  change: (head: Head, write: (part: string, prefixes: readonly number[]) => Promise<void>) => unknown,
) {
  const [newest] = await store.heads(headName);
  const head = decodeJsonRecord('head', newest!.bytes) as Head;
  await change(head, async (part, prefixes) => {
    const bytes = PrefixSet.from(prefixes).memoryBytes;
    const name = `published/${part === 'base' ? 'base' : 'recent'}/${now().toString(36)}-${newest!.sequence}-forged`;
    await store.write(name, encodeRecord('set', bytes));
    head.sets[part] = { name, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
  expect(await store.commit(headName, encodeJsonRecord('head', head), newest!.sequence)).toBe(true);
}

describe('a signed list in a store', () => {
  test('starts without the network', async () => {
    const store = await storeWith();
    const before = host.requests.length;
    const next = await member(store, signedSource(host.origin));
    expect(await next.statusOf('good.example')).toBe('clear');
    expect(host.requests.slice(before)).toEqual([]);
    expect(next.events).toEqual([]);
  });

  test.each<[string, Parameters<typeof forge>[1]]>([
    ['an empty base', (_, write) => write('base', [])],
    ['empty recents', (_, write) => write('recent', [])],
    ['empty sets everywhere', (_, write) => Promise.all(['base', 'recent', 'feed'].map((part) => write(part, [])))],
    [
      'entries of the base that are removed',
      async (head, write) => {
        await write('removed', []);
        head.sets['allowed'] = head.sets['removed']!;
      },
    ],
    ['another algorithm', (head) => Object.assign(head, { algorithm: 'safe-browsing-4' })],
    ['a later expiry', (head) => Object.assign(head.order, { expiresAtMs: 8e15 })],
    ['no signature', (head) => delete (head as Partial<Head>).signed],
    [
      'another document under the signature',
      (head) => {
        const json = JSON.parse(Buffer.from(head.signed.payload, 'base64').toString());
        json.snapshot.sha256 = createHash('sha256').update('').digest('hex');
        head.signed.payload = Buffer.from(JSON.stringify(json)).toString('base64');
      },
    ],
  ])('with %s clears no listed host, in a running process or a new one', async (_, change) => {
    const recent = await signed(['evil.example', 'scam.example', 'fresh.example'], list);
    const store = await storeWith(recent);
    const running = await member(store, signedSource(host.origin));
    await forge(store, change);
    const fresh = await member(store, signedSource(host.origin));
    for (const process of [running, fresh]) {
      expect(await process.statusOf('evil.example')).toBe('blocked');
      expect(await process.statusOf('fresh.example')).toBe('blocked');
    }
  });

  test('is not used when the store and the network are both in foreign hands', async () => {
    const store = await storeWith();
    await forge(store, (_, write) => write('base', []));
    await forge(store, (_, write) => write('base', []));
    host.answers.set('version.json', { status: 503 });
    const fresh = await member(store, signedSource(host.origin), false);
    await fresh.blocklist.sync().catch(() => {});
    expect(await fresh.statusOf('evil.example')).toBe('unknown');
    expect(fresh.events).toContain('damaged published/head INVALID_ARTIFACT');
  });

  test('keeps its signature through a round that changes nothing, and recents of webhooks', async () => {
    const store = await storeWith();
    const first = await member(store, signedSource(host.origin));
    await first.blocklist.sync();
    const [head] = await store.heads(headName);
    const { signed: proof } = decodeJsonRecord('head', head!.bytes) as Head;
    expect(proof.payload).toBe(list.version.signed!.payload);
    await forge(store, (_, write) => write('recent', [prefixOf('pushed.example')]));
    const before = host.requests.length;
    const next = await member(store, signedSource(host.origin));
    expect(next.blocklist.status().sources[0]!.list!.recentCount).toBe(1);
    expect(host.requests.slice(before)).toEqual([]);
  });

  test('of a release that stored no signature is fetched again, without an event', async () => {
    const store = await storeWith();
    for (let heads = 0; heads < 2; heads++) await forge(store, (head) => delete (head as Partial<Head>).signed);
    const next = await member(store, signedSource(host.origin));
    expect(await next.statusOf('evil.example')).toBe('blocked');
    expect(next.events).toEqual([]);
  });

  test('takes no list of a source that cannot verify it again', async () => {
    const store = await storeWith();
    const { reopen: _, ...source } = signedSource(host.origin);
    const before = host.requests.length;
    await member(store, source);
    expect(host.requests.slice(before).map(({ url }) => url)).toContain('/version.json');
  });
});

describe('two lists under one name in a store', () => {
  test('never answer for each other', async () => {
    const store = memoryStore();
    const lists = await Promise.all([buildList(['a.example'], { now }), buildList(['b.example'], { now })]);
    const [a, b] = await Promise.all(lists.map((built) => hosting(filesOf(built))));
    const first = await member(store, publishedSource({ url: a!.origin, now }));
    const second = await member(store, publishedSource({ url: b!.origin, now }));
    for (let round = 0; round < 3; round++) {
      expect([await first.statusOf('a.example'), await second.statusOf('b.example')]).toEqual(['blocked', 'blocked']);
      expect([await first.statusOf('b.example'), await second.statusOf('a.example')]).toEqual(['clear', 'clear']);
      await [first, second][round % 2]!.blocklist.sync();
    }
    const again = await member(store, publishedSource({ url: a!.origin, now }));
    expect(await again.statusOf('a.example')).toBe('blocked');
    expect([...first.events, ...second.events]).toContain('store CONFLICT');
  });

  test('a text that became longer is read at the next start', async () => {
    const store = memoryStore();
    await member(store, textSource({ id: 'own', text: 'old.example\n' }));
    const next = await member(store, textSource({ id: 'own', text: 'old.example\nnew.example\n' }));
    expect(await next.statusOf('new.example')).toBe('blocked');
  });

  test('a text that is the same is not read again', async () => {
    const store = memoryStore();
    const text = 'old.example\n';
    await member(store, textSource({ id: 'own', text }));
    let readings = 0;
    const next = await member(store, textSource({ id: 'own', text, onReport: () => readings++ }));
    expect(await next.statusOf('old.example')).toBe('blocked');
    expect(readings).toBe(0);
  });
});

test('the sets of a head are records that hold the sets of the list', async () => {
  const store = await storeWith();
  const [head] = await store.heads(headName);
  const { sets } = decodeJsonRecord('head', head!.bytes) as Head;
  const payload = decodeRecord('named-set', (await store.read(sets['base']!.name))!);
  expect(createHash('sha256').update(payload.subarray(32)).digest('hex')).toBe(sets['base']!.sha256);
});
