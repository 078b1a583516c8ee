import { createHash } from 'node:crypto';
import { type Blocklist, createBlocklist, explain, type SourcesOptions, screen } from 'portcullis';
import { createLightBlocklist } from 'portcullis/light';
import { type SafeBrowsingSourceOptions, safeBrowsingSource, textSource } from 'portcullis/sources';
import { memoryStore } from 'portcullis/stores';
import { attachBlocklist, shareBlocklist } from 'portcullis/threads';
import { expect, onTestFinished, test } from 'vitest';
import { apiKey, serveThreats, type ThreatServer } from '../../support/threat-server.js';
import { randomFrom } from './threat-history.js';

/** Real-time mode of Safe Browsing: pages that the global cache lacks are asked about at once. */

const minuteMs = 60_000;
const hashHex = (expression: string): string => createHash('sha256').update(expression).digest('hex');
const phishing = [{ threatType: 'SOCIAL_ENGINEERING' }];
const searches = ({ requests }: ThreatServer): string[] => requests.filter((url) => url.includes('hashes:search'));
const prefixesIn = (url: string): string[] =>
  new URL(url, 'http://localhost').searchParams.getAll('hashPrefixes').map((text) => Buffer.from(text, 'base64').toString('hex'));

/** `common.example` is in the cache, `listed.example` on the list, `fresh.example` known to the service only. */
async function made(sourceOptions: Partial<SafeBrowsingSourceOptions> = {}) {
  const clock = { nowMs: Date.UTC(2026, 0, 1) };
  const now = (): number => clock.nowMs;
  const server = await serveThreats({ names: ['se-4b', 'mw-4b', 'gc-32b'], now, random: randomFrom(5) });
  server.change('se-4b', [hashHex('listed.example/').slice(0, 8)]);
  server.change('gc-32b', [hashHex('common.example/'), hashHex('other.example/a/')]);
  for (const expression of ['listed.example/', 'fresh.example/', 'page.example/bad/'])
    server.full.set(hashHex(expression), phishing);
  const options = { apiKey, baseUrl: `${server.origin}/v5`, now, lists: ['se-4b', 'mw-4b'], realTime: true } as const;
  const sources = safeBrowsingSource({ ...options, ...sourceOptions });
  const ready = async (more: Partial<SourcesOptions> = {}): Promise<Blocklist> => {
    const blocklist = createBlocklist({ sources: [sources], pollMs: 0, now, ...more });
    onTestFinished(() => blocklist.close());
    await blocklist.ready();
    return blocklist;
  };
  return { server, clock, sources, ready };
}

const local = { status: 'clear', reason: 'not-listed' } as const;
const denied = { status: 'clear', reason: 'disproved' } as const;
const confirmed = { status: 'blocked', reason: 'confirmed', source: 'safe-browsing.gc-32b' } as const;

test('a page that the cache lacks is asked about in one request, and blocked if the service lists it', async () => {
  const { server, ready } = await made();
  const blocklist = await ready();
  const url = 'https://login.fresh.example/a/b?c=1';
  const found = await blocklist.check(url);
  expect(found).toMatchObject({ ...confirmed, expression: 'fresh.example/', threats: ['SOCIAL_ENGINEERING'], ageMs: 0 });
  expect(found.advisory?.attribution).toBe('Advisory provided by Google');
  expect(searches(server)).toHaveLength(1);
  const expressions = [
    'login.fresh.example/a/b?c=1',
    'login.fresh.example/a/b',
    'login.fresh.example/',
    'login.fresh.example/a/',
  ];
  const all = [...expressions, ...expressions.map((one) => one.slice('login.'.length))];
  expect(prefixesIn(searches(server)[0]!).sort()).toEqual(all.map((one) => hashHex(one).slice(0, 8)).sort());
  expect(await blocklist.check(url)).toMatchObject(confirmed);
  expect(searches(server)).toHaveLength(1);
});

test('a page of which the cache has an expression is looked up on the device only', async () => {
  const { server, ready } = await made();
  const blocklist = await ready();
  for (const url of ['https://www.common.example/any', 'https://other.example/a/b'])
    expect(await blocklist.check(url)).toMatchObject(local);
  server.full.set(hashHex('common.example/'), phishing);
  expect(await blocklist.check('https://common.example/')).toMatchObject(local);
  expect(searches(server)).toEqual([]);
  expect(await blocklist.check('https://other.example/b')).toMatchObject(denied);
  expect(searches(server)).toHaveLength(1);
});

test('a hit and what is asked at once share one request, and the list that has the entry is named', async () => {
  const { server, ready } = await made();
  const blocklist = await ready();
  expect(await blocklist.check('https://listed.example/page')).toMatchObject({
    status: 'blocked',
    source: 'safe-browsing.se-4b',
  });
  expect(searches(server)).toHaveLength(1);
  // A hit by chance says nothing about the other expressions of the page.
  server.change('se-4b', [hashHex('page.example/').slice(0, 8)]);
  const other = await ready();
  expect(await other.check('https://page.example/bad/page')).toMatchObject({ ...confirmed, expression: 'page.example/bad/' });
  expect(searches(server)).toHaveLength(2);
});

test('what was denied is not asked about again while the answer counts', async () => {
  const { server, clock, ready } = await made();
  const blocklist = await ready();
  const url = 'https://harmless.example/';
  expect(await blocklist.check(url)).toMatchObject(denied);
  clock.nowMs += 299_000;
  expect(await blocklist.check(url)).toMatchObject(denied);
  // A new version of the cache puts no answer in doubt.
  server.change('gc-32b', [...server.current('gc-32b'), hashHex('new.example/')]);
  clock.nowMs += 500;
  await blocklist.sync();
  expect(await blocklist.check(url)).toMatchObject(denied);
  expect(searches(server)).toHaveLength(1);
  clock.nowMs += 1_000;
  expect(await blocklist.check(url)).toMatchObject(denied);
  expect(searches(server)).toHaveLength(2);
});

test('what the service confirmed counts for thirty minutes', async () => {
  const { server, clock, ready } = await made();
  const blocklist = await ready();
  await blocklist.check('https://fresh.example/');
  server.insteadOfSearch = { type: 'text/html', body: 'a portal' };
  clock.nowMs += 30 * minuteMs - 1;
  expect(await blocklist.check('https://fresh.example/')).toMatchObject({ ...confirmed, reason: 'confirmed-earlier' });
  clock.nowMs += 1;
  expect(await blocklist.check('https://fresh.example/')).toMatchObject(local);
});

test.each(['reset', 'cut', 'html', 'pause-429', 'pause-503', 'bad-request', 'redirect', 'hang'] as const)(
  'if the service answers with %s, the lists on the device decide',
  async (fault) => {
    const { server, ready } = await made();
    const blocklist = await ready({ deadlineMs: 300 });
    server.faults.push(fault);
    expect(await blocklist.check('https://fresh.example/')).toMatchObject(local);
    expect(searches(server)).toHaveLength(1);
    // Neither this nor a pause that follows makes a hit clear.
    server.faults.push(fault);
    expect(await blocklist.check('https://listed.example/')).toMatchObject({ status: 'unconfirmed' });
    expect(await blocklist.check('https://common.example/')).toMatchObject(local);
  },
);

test('during a pause of the service nothing is sent', async () => {
  const { server, ready } = await made();
  const blocklist = await ready();
  server.faults.push('pause-503');
  await blocklist.check('https://fresh.example/');
  const sent = server.requests.length;
  expect(await blocklist.check('https://another.example/')).toMatchObject(local);
  expect(server.requests).toHaveLength(sent);
});

test('a stale list stays unknown although the service denied everything', async () => {
  const { server, clock, ready } = await made();
  const blocklist = await ready();
  clock.nowMs += 25 * 60 * minuteMs;
  expect(await blocklist.check('https://harmless.example/')).toMatchObject({ status: 'unknown', reason: 'list-stale' });
  expect(await blocklist.check('https://fresh.example/')).toMatchObject({ ...confirmed, ageMs: 25 * 60 * minuteMs });
  expect(searches(server)).toHaveLength(2);
});

test('is off by default, and test() and screen() send nothing about misses', async () => {
  const off = await made({ realTime: undefined });
  expect(off.sources.map(({ id }) => id)).toEqual(['safe-browsing.se-4b', 'safe-browsing.mw-4b']);
  const { server, ready } = await made();
  for (const [blocklist, from] of [[await off.ready(), off.server] as const, [await ready(), server] as const]) {
    expect(blocklist.test('https://fresh.example/')).toMatchObject(local);
    for await (const { verdict } of screen(blocklist, ['https://fresh.example/'])) expect(verdict).toMatchObject(local);
    expect(searches(from)).toEqual([]);
  }
  expect(await (await off.ready()).check('https://fresh.example/')).toMatchObject(local);
  expect(searches(off.server)).toEqual([]);
  expect(off.server.requests.some((url) => url.includes('gc-32b'))).toBe(false);
});

test.each([
  ['is empty', (server: ThreatServer) => server.change('gc-32b', [])],
  ['cannot be fetched', (server: ThreatServer) => void server.lists.delete('gc-32b')],
])('without a cache, because it %s, nothing is asked at once', async (_, change) => {
  const { server, ready } = await made();
  change(server);
  const blocklist = await ready();
  expect(await blocklist.check('https://fresh.example/')).toMatchObject(local);
  expect(await blocklist.check('https://listed.example/')).toMatchObject({ status: 'blocked' });
  expect(searches(server)).toHaveLength(1);
});

test('the cache is stored, and updated by what changed', async () => {
  const { server, clock, ready } = await made();
  const store = memoryStore();
  await (await ready({ store })).close();
  server.insteadOfUpdate = { type: 'text/html', body: 'a portal' };
  const offline = await ready({ store });
  expect(await offline.check('https://common.example/')).toMatchObject(local);
  expect(searches(server)).toEqual([]);
  expect(await offline.check('https://fresh.example/')).toMatchObject(confirmed);
  expect(offline.status().sources.map(({ source, list }) => [source, list?.count])).toEqual([
    ['safe-browsing.se-4b', 1],
    ['safe-browsing.mw-4b', 0],
    ['safe-browsing.gc-32b', 2],
  ]);
  await offline.close();
  server.insteadOfUpdate = null;
  server.change('gc-32b', [hashHex('new.example/'), hashHex('common.example/')]);
  clock.nowMs += 10 * minuteMs;
  const after = await ready({ store });
  await after.sync();
  expect(server.lists.get('gc-32b')!.sent).toEqual(['whole', 'partial']);
  const sent = searches(server).length;
  for (const host of ['new.example', 'common.example']) expect(await after.check(`https://${host}/`)).toMatchObject(local);
  expect(searches(server)).toHaveLength(sent);
  expect(await after.check('https://other.example/a/')).toMatchObject(denied);
});

test('a cache whose changes do not fit is fetched as a whole, and a wrong one is not used', async () => {
  const { server, clock, ready } = await made();
  const blocklist = await ready();
  const gc = server.lists.get('gc-32b')!;
  for (const fault of ['checksum', 'index', 'truncated', 'repeated'] as const) {
    gc.fault = fault;
    server.change('gc-32b', [hashHex(fault), hashHex(`${fault}/`), hashHex('common.example/')]);
    clock.nowMs += 10 * minuteMs;
    const { sources } = await blocklist.sync();
    expect(sources.at(-1)).toMatchObject({ source: 'safe-browsing.gc-32b', outcome: 'updated' });
    expect(gc.sent.slice(-2), fault).toEqual(['partial', 'whole']);
  }
  gc.lastingFault = 'checksum-of-all';
  server.change('gc-32b', [hashHex('fresh.example/')]);
  clock.nowMs += 10 * minuteMs;
  expect((await blocklist.sync()).sources.at(-1)).toMatchObject({ outcome: 'failed' });
  expect(await blocklist.check('https://fresh.example/')).toMatchObject(confirmed);
  expect(await blocklist.check('https://common.example/')).toMatchObject(local);
});

test('what an override or the address itself decides is not asked about, and neither is a secret or what is no page', async () => {
  const { server, ready } = await made();
  const blocklist = await ready({ neverBlock: ['fresh.example'] });
  await blocklist.allow('https://page.example/');
  const secret = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
  for (const input of [
    'https://page.example/bad/',
    'http://192.168.1.1/',
    'http://localhost/',
    secret,
    '0x52908400098527886E0F7030069857D2E4169EE7',
    'somebody@mail.example',
    'about:blank',
  ]) {
    expect((await blocklist.check(input)).status, input).not.toBe('blocked');
  }
  expect(searches(server)).toEqual([]);
  expect((await blocklist.check('https://fresh.example/')).status).toBe('clear');
});

test('something listed for frames blocks in frames only', async () => {
  const { server, ready } = await made();
  const blocklist = await ready();
  server.full.set(hashHex('frame.example/'), [{ threatType: 'MALWARE', attributes: ['FRAME_ONLY'] }]);
  server.full.set(hashHex('canary.example/'), [{ threatType: 'MALWARE', attributes: ['CANARY'] }]);
  expect((await blocklist.check('https://frame.example/')).status).toBe('clear');
  expect(await blocklist.check('https://frame.example/', { loading: 'frame' })).toMatchObject(confirmed);
  expect((await blocklist.check('https://canary.example/', { loading: 'frame' })).status).toBe('clear');
});

test('lists of others keep their word: one blocks without a question, and one that is missing is unknown', async () => {
  const { server, sources, ready } = await made();
  const mine = textSource({ id: 'mine', text: 'own.example\n' });
  const blocklist = await ready({ sources: [sources, mine] });
  expect(await blocklist.check('https://own.example/')).toMatchObject({ status: 'blocked', source: 'mine' });
  expect(searches(server)).toEqual([]);
  const { status, source } = (await blocklist.checkMany(['https://fresh.example/', 'https://harmless.example/']))[0]!;
  expect([status, source, searches(server).length]).toEqual(['blocked', 'safe-browsing.gc-32b', 1]);
  expect(explain(blocklist, 'https://fresh.example/').lists.map((list) => list.source)).not.toContain('safe-browsing.gc-32b');
});

test('an attached worker has its pages asked about too', async () => {
  const { server, ready } = await made();
  const shared = shareBlocklist(await ready());
  const attached = await attachBlocklist(shared.port());
  expect(await attached.check('https://fresh.example/')).toMatchObject(confirmed);
  expect(attached.test('https://harmless.example/')).toBeNull();
  expect(searches(server)).toHaveLength(1);
  attached.close();
  shared.close();
});

test('a cache alone, and one in a light list, is refused', async () => {
  const { sources, clock } = await made();
  const cache = sources.at(-1)!;
  expect(() => createBlocklist({ sources: [cache] })).toThrow(/only a global cache/);
  const light = createLightBlocklist({ source: cache, pollMs: 0, now: () => clock.nowMs });
  onTestFinished(() => light.close());
  await light.ready();
  expect((await light.check('https://fresh.example/')).status).toBe('unknown');
});
