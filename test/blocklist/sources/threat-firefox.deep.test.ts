import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { type Blocklist, createBlocklist, type Verdict } from 'portcullis';
import { expressionsOf } from 'portcullis/assets';
import { safeBrowsingSource } from 'portcullis/sources';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isFirefoxWaived } from '../../../tools/find-firefox.js';
import { LINK_CLASSES } from '../../support/browser-links.js';
import { openSafeBrowsingFirefox, type ReadLink, type SafeBrowsingFirefox } from '../../support/firefox-safe-browsing.js';
import { propertyRuns } from '../../support/setup.js';
import { apiKey, type FullHashDetail, serveThreats, type ThreatServer } from '../../support/threat-server.js';
import { randomFrom } from './threat-history.js';

/** Fresh only in the nightly run: a new kind of difference needs a row in the table, and is nothing that the change at hand has caused. */
const seed = propertyRuns < 5_000 ? 1 : Number(process.env['PORTCULLIS_SEED'] ?? Date.now() % 1_000_000);
/** Firefox reads about a third of the texts as links by itself. */
const textCount = 10_500;
/** What the budget of questions permits in a minute. */
const batchSize = 50;

const safeBrowsing = { algorithm: 'safe-browsing-5' };
const hashOf = (expression: string): string => createHash('sha256').update(expression).digest('hex');
const prefixOf = (expression: string): string => hashOf(expression).slice(0, 8);

if (isFirefoxWaived) console.warn('PORTCULLIS_WITHOUT_FIREFOX=1: Safe Browsing is NOT compared with Firefox');

async function made(): Promise<{ server: ThreatServer; firefox: SafeBrowsingFirefox; clock: { nowMs: number } }> {
  const clock = { nowMs: Date.now() };
  const server = await serveThreats({ names: ['se-4b', 'mw-4b', 'uws-4b'], now: () => clock.nowMs, random: randomFrom(seed) });
  // Firefox has a key in the address.
  server.needsKey = false;
  return { server, firefox: await openSafeBrowsingFirefox(server.origin), clock };
}

async function ours({ origin }: ThreatServer, clock: { readonly nowMs: number }): Promise<Blocklist> {
  const now = (): number => clock.nowMs;
  const blocklist = createBlocklist({ sources: [safeBrowsingSource({ apiKey, baseUrl: `${origin}/v5` })], pollMs: 0, now });
  onTestFinished(() => blocklist.close());
  await blocklist.ready();
  return blocklist;
}

/** A link about which the two differ. */
interface Difference extends ReadLink {
  readonly text: string;
  readonly listed: string | null;
  /** What we say about the host alone. */
  readonly ofHost: Verdict;
  readonly verdict: Verdict;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

const isIpv4 = (host: string): boolean => /^\d+\.\d+\.\d+\.\d+$/.test(host);
const countOf = (mark: string, text: string): number => text.split(mark).length - 1;
const hostOf = (expression: string): string => expression.split('/', 1)[0]!;

/** The exact host, and those that begin with the site and have up to three labels more. */
function suffixesOf({ host, site }: Difference): readonly string[] {
  const labels = host.split('.');
  const least = site.split('.').length;
  return [host, ...[0, 1, 2, 3].map((more) => labels.slice(-(least + more)).join('.'))];
}

/** Why only Firefox finds a link. */
const onlyFirefox: readonly (readonly [reason: string, applies: (one: Difference) => boolean])[] = [
  [
    'IPv6: v5 has brackets, and reads mapped and NAT64 addresses as IPv4',
    ({ host, text }) => host.includes(':') && [...ownHosts(text)].some((own) => own === `[${host}]` || isIpv4(own)),
  ],
  [
    'dots that were escaped: v5 decodes first and then resolves them',
    ({ path, host, text }) => /\/\.{1,2}(\/|$)/.test(path) && ownHosts(text).has(host),
  ],
  [
    'a query that is escaped twice: v5 decodes until nothing changes',
    ({ query, host, path, text }) => query.includes('%25') && ownOf(text).has(host + path),
  ],
  [
    'an escaped question mark, at which Firefox ends the path; v5 leaves it open',
    ({ key, text }) => countOf('?', key) > countOf('?', text.split('#', 1)[0]!),
  ],
  [
    'a host of the own network, which no list names',
    ({ host, ofHost, verdict }) => [ofHost, verdict].some(({ status }) => status === 'not-listable') || !host.includes('.'),
  ],
  [
    'IPv4: for the lookup, Firefox keeps the last byte of a number above 255 and does not read 0x, unlike its own address bar',
    ({ host, text }) => !ownHosts(text).has(host) && [host, ...ownHosts(text)].some(isIpv4),
  ],
];

/** Why only we find a link. */
const onlyOurs: typeof onlyFirefox = [
  ...onlyFirefox.slice(0, 4),
  [
    'another reading of the text, by other programs',
    ({ host, verdict }) => !`.${host}`.endsWith(`.${hostOf(verdict.expression!)}`),
  ],
  ['an invisible character, which other programs remove', ({ text }) => /[\u00ad\u200b-\u200f\u2060\ufeff]/.test(text)],
  ['a NUL, at which other programs end a text', ({ text }) => text.includes('\0')],
  ['hosts without a public suffix list, which are more', (one) => !suffixesOf(one).includes(hostOf(one.verdict.expression!))],
];

const ownOf = (text: string): Set<string> => new Set(expressionsOf(text, safeBrowsing));
const ownHosts = (text: string): Set<string> => new Set([...ownOf(text)].map(hostOf));

describe.skipIf(isFirefoxWaived)('Firefox, which is a client of Safe Browsing v5', () => {
  test('has the lists of the server after whole updates and changes', async () => {
    const { server, firefox } = await made();
    const random = randomFrom(seed + 1);
    const entry = (): string =>
      Math.floor(random() * 2 ** 32)
        .toString(16)
        .padStart(8, '0');
    for (const share of [1, 0.3, 0.02]) {
      for (const name of server.lists.keys()) {
        server.change(name, [...server.current(name).filter(() => random() > share), ...Array.from({ length: 400 }, entry)]);
      }
      await firefox.update();
      const sums = [...server.lists.keys()].map((name) => {
        const bytes = Buffer.from(server.current(name).join(''), 'hex');
        return createHash('sha256').update(bytes).digest('base64');
      });
      expect(Object.values(await firefox.checksums()).sort()).toEqual(sums.sort());
    }
    expect([...server.lists.values()].map(({ sent }) => sent)).toEqual(Array(3).fill(['whole', 'partial', 'partial']));
  });

  test('and our source agree about what a hash is listed for', async () => {
    const { server, firefox, clock } = await made();
    const cases: Record<string, readonly FullHashDetail[]> = {
      'listed.example/': [{ threatType: 'SOCIAL_ENGINEERING' }],
      'twice.example/': [{ threatType: 'QUANTUM' }, { threatType: 'SOCIAL_ENGINEERING' }],
      'unknown.example/': [{ threatType: 'QUANTUM' }],
      'canary.example/': [{ threatType: 'SOCIAL_ENGINEERING', attributes: ['CANARY'] }],
      'frame.example/': [{ threatType: 'SOCIAL_ENGINEERING', attributes: ['FRAME_ONLY'] }],
      'new.example/': [{ threatType: 'SOCIAL_ENGINEERING', attributes: ['NEW'] }],
      'chance.example/': [],
    };
    server.change('se-4b', Object.keys(cases).map(prefixOf));
    for (const [expression, details] of Object.entries(cases)) server.full.set(hashOf(expression), details);
    const links = Object.keys(cases).map((expression) => `http://${expression}`);
    await firefox.update();
    const theirs = await firefox.lookUp(links);
    const verdicts = await (await ours(server, clock)).checkMany(links);
    const found = links.map((_, at) => [theirs[at] !== '', verdicts[at]!.status === 'blocked']);
    expect(Object.fromEntries(Object.keys(cases).map((expression, at) => [expression, found[at]]))).toEqual({
      'listed.example/': [true, true],
      'twice.example/': [true, true],
      'unknown.example/': [false, false],
      'chance.example/': [false, false],
      // Firefox does not read attributes. In v5 a canary is not enforced, and a detail with an unknown attribute is ignored.
      'canary.example/': [true, false],
      'frame.example/': [true, false],
      'new.example/': [true, false],
    });
  });

  test(`and our source judge the same odd links, seed ${seed}`, async () => {
    const { server, firefox, clock } = await made();
    const random = randomFrom(seed);
    const texts = LINK_CLASSES.flatMap(([, share, arbitrary]) =>
      fc.sample(arbitrary, { numRuns: Math.ceil(textCount * share), seed }),
    )
      // Each link has hosts of its own, so that an entry is about one link.
      .map((text, at) => text.replace(/vil/g, `vil${at}`).replace(/xample/g, `xample${at}`))
      // The end of a pasted text is read by rules of its own.
      .map((text) => text.replace(/[^a-zA-Z0-9/]+$/, ''));
    const read = await firefox.read(texts);
    const links = texts.flatMap((text, at) => (read[at] === null ? [] : { text, ...read[at]! }));
    const listed = links.map(({ text, key }) => {
      const [, host = '', path = '', query = ''] = /^([^/]*)(\/[^?]*)(\?.*)?$/s.exec(key)!;
      const some = random() < 0.5 ? [path + query, path, '/'].map((one) => host + one) : expressionsOf(text, safeBrowsing);
      return random() < 0.2 || some.length === 0 ? null : some[Math.floor(random() * some.length)]!;
    });
    const entries = listed.filter((one) => one !== null);
    for (const one of entries) server.full.set(hashOf(one), [{ threatType: 'SOCIAL_ENGINEERING' }]);
    server.change('se-4b', entries.map(prefixOf));

    await firefox.update();
    const theirs = await firefox.lookUp(links.map(({ text }) => text));
    const blocklist = await ours(server, clock);
    const verdicts: Verdict[] = [];
    for (let from = 0; from < links.length; from += batchSize) {
      clock.nowMs += 60_000;
      verdicts.push(...(await blocklist.checkMany(links.slice(from, from + batchSize).map(({ text }) => text))));
    }

    const counts = new Map<string, number>();
    const unexplained: Difference[] = [];
    links.forEach((link, at) => {
      const verdict = verdicts[at]!;
      const isTheirs = theirs[at] !== '';
      const isOurs = verdict.status === 'blocked';
      const [, host = '', path = '', query = ''] = /^([^/]*)(\/[^?]*)(\?.*)?$/s.exec(link.key)!;
      const one = { ...link, listed: listed[at]!, ofHost: blocklist.test(`http://${host}/`), verdict, host, path, query };
      const reasons = isTheirs ? onlyFirefox : onlyOurs;
      const what = isTheirs === isOurs ? (isOurs ? 'both' : 'neither') : reasons.find(([, applies]) => applies(one))?.[0];
      if (what === undefined) unexplained.push(one);
      const row = what === 'both' || what === 'neither' ? what : `${isTheirs ? 'Firefox' : 'we'}: ${what ?? 'UNEXPLAINED'}`;
      counts.set(row, (counts.get(row) ?? 0) + 1);
    });
    console.info([...counts].map(([what, count]) => `${count} ${what}`).join('\n'));
    expect(unexplained.map(({ text, key, listed, verdict }) => ({ text, key, listed, ...verdict }))).toEqual([]);
    expect(links.length).toBeGreaterThan(3_000);
    expect(counts.get('both')).toBeGreaterThan(links.length / 3);
    expect(counts.get('neither')).toBeGreaterThan(links.length / 20);
  });
});
