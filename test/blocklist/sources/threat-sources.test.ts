import { createHash } from 'node:crypto';
import { type Blocklist, checkText, createBlocklist, hashOf, type SourcesOptions, screen } from 'portcullis';
import { createCoreBlocklist, safeBrowsing5 } from 'portcullis/core';
import {
  PrefixSet,
  type SafeBrowsingSourceOptions,
  type Source,
  safeBrowsingSource,
  textSource,
  type WebRiskSourceOptions,
  webRiskSource,
} from 'portcullis/sources';
import { memoryStore } from 'portcullis/stores';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bytesField } from '../../support/protobuf-writer.js';
import { serve } from '../../support/scripted-server.js';
import { type AnswerFault, apiKey, serveThreats, type ThreatServer } from '../../support/threat-server.js';
import { codeOf, errorOf, shown } from './harness.js';
import { randomFrom } from './threat-history.js';

const minuteMs = 60_000;
const lists = ['se-4b', 'mw-4b', 'uws-4b'] as const;
const types = ['SOCIAL_ENGINEERING', 'MALWARE', 'UNWANTED_SOFTWARE'] as const;
const hashHex = (expression: string): string => createHash('sha256').update(expression).digest('hex');
const prefixIn = (expression: string): string => hashHex(expression).slice(0, 8);

interface Made {
  readonly server: ThreatServer;
  readonly clock: { nowMs: number };
  readonly sources: readonly Source[];
  open(options?: Partial<SourcesOptions>): Blocklist;
  /** Opens one, and waits for its first round. */
  ready(options?: Partial<SourcesOptions>): Promise<Blocklist>;
}

async function made(make: (origin: string, now: () => number) => readonly Source[], names: readonly string[]): Promise<Made> {
  const clock = { nowMs: Date.UTC(2026, 0, 1) };
  const now = (): number => clock.nowMs;
  const server = await serveThreats({ names, now, random: randomFrom(3) });
  const sources = make(server.origin, now);
  const open = (options: Partial<SourcesOptions> = {}): Blocklist => {
    const blocklist = createBlocklist({ sources: [sources], pollMs: 0, now, ...options });
    onTestFinished(() => blocklist.close());
    return blocklist;
  };
  const ready = async (options?: Partial<SourcesOptions>): Promise<Blocklist> => {
    const blocklist = open(options);
    await blocklist.ready();
    return blocklist;
  };
  return { server, clock, sources, open, ready };
}

const safeBrowsing = (options: Partial<SafeBrowsingSourceOptions> = {}): Promise<Made> =>
  made((origin, now) => safeBrowsingSource({ apiKey, baseUrl: `${origin}/v5`, now, ...options }), lists);

const webRisk = (options: Partial<WebRiskSourceOptions> = {}): Promise<Made> =>
  made((origin, now) => webRiskSource({ apiKey, baseUrl: `${origin}/v1`, now, ...options }), types);

/** Lists expressions with their full hashes. */
function list(
  server: ThreatServer,
  name: string,
  details: Readonly<Record<string, { threatType: string; attributes?: string[] }[]>>,
) {
  server.change(name, [...server.current(name), ...Object.keys(details).map(prefixIn)]);
  for (const [expression, some] of Object.entries(details)) server.full.set(hashHex(expression), some);
}

const searches = ({ requests }: ThreatServer): string[] => requests.filter((url) => url.includes('hashes:search'));
const updates = ({ requests }: ThreatServer): string[] => requests.filter((url) => !url.includes('hashes:search'));
const namesIn = (urls: readonly string[]): number[] => urls.map((url) => url.match(/names=/g)!.length);
const outcomes = async (blocklist: Blocklist): Promise<string[]> =>
  (await blocklist.sync()).sources.map(({ outcome, error }) => error?.code ?? outcome);

const services = [
  ['Safe Browsing', 'safe-browsing.mw-4b', 'mw-4b', (): Promise<Made> => safeBrowsing({ lists: ['mw-4b'] })],
  ['Web Risk', 'web-risk.malware', 'MALWARE', (): Promise<Made> => webRisk({ threatTypes: ['MALWARE'] })],
] as const;

describe.each(services)('the terms of %s', (_, id, name, make) => {
  const portal = { type: 'text/html', body: 'a portal' };

  test('a hit counts for thirty minutes after it was confirmed, whatever the age of the list, and then until it is confirmed again', async () => {
    const { server, clock, ready } = await make();
    server.cacheSeconds = 86_000;
    list(server, name, { 'evil.example/': [{ threatType: 'MALWARE' }] });
    const store = memoryStore();
    const blocklist = await ready({ store, confirm: { earlierMs: 604_800_000 } });
    const check = async (of = blocklist) => {
      const { status, reason } = await of.check('http://evil.example/');
      return [status, reason];
    };
    // Six days old; the list still has the entry.
    clock.nowMs += 144 * 60 * minuteMs;
    expect(await check()).toEqual(['blocked', 'confirmed']);
    server.insteadOfSearch = portal;
    server.insteadOfUpdate = portal;
    clock.nowMs += 30 * minuteMs - 1;
    expect(await check()).toEqual(['blocked', 'confirmed']);
    await blocklist.close();
    const after = await ready({ store });
    expect(await check(after)).toEqual(['blocked', 'confirmed']);
    clock.nowMs += 1;
    expect(await check(after)).toEqual(['unconfirmed', 'bad-answer']);
    clock.nowMs += 144 * 60 * minuteMs;
    expect(await check(after)).toEqual(['unconfirmed', 'bad-answer']);
    server.insteadOfSearch = null;
    clock.nowMs += minuteMs;
    expect(await check(after)).toEqual(['blocked', 'confirmed']);
  });

  test('a warning carries the notice and whose list it is, and one about another list does not', async () => {
    const { server, sources, clock, ready } = await make();
    list(server, name, { 'evil.example/': [{ threatType: 'MALWARE' }], 'other.example/': [{ threatType: 'MALWARE' }] });
    const text = 'own.example\n';
    const blocklist = await ready({ sources: [textSource({ id: 'mine', text }), sources] });
    const found = await blocklist.check('http://evil.example/');
    expect(found).toMatchObject({ status: 'blocked', source: id, advisory: { attribution: 'Advisory provided by Google' } });
    expect(found.advisory!.text).toMatch(/may be unsafe.*suspected.*may be wrong/);
    expect(found.advisory!.link).toMatch(/^https:\/\/(developers|cloud)\.google\.com\/[\w/-]+$/);
    for (const url of ['http://own.example/', 'http://fine.example/'])
      expect(await blocklist.check(url)).not.toHaveProperty('advisory');
    expect(blocklist.test('http://other.example/')).toMatchObject({ status: 'unconfirmed', advisory: found.advisory });
    await blocklist.block('http://evil.example/');
    expect(await blocklist.check('http://evil.example/')).not.toHaveProperty('advisory');
    const { pieces } = await checkText(blocklist, 'see http://other.example/');
    expect(pieces[0]!.verdict).toMatchObject({ status: 'blocked', advisory: found.advisory });
    expect(clock.nowMs).toBeGreaterThan(0);
  });
});

describe('Safe Browsing', () => {
  test('blocks what is listed, names the threat, and lives beside other sources', async () => {
    const { server, sources, ready } = await safeBrowsing();
    list(server, 'se-4b', { 'evil.example/': [{ threatType: 'SOCIAL_ENGINEERING' }] });
    list(server, 'mw-4b', { 'evil.example/a/': [{ threatType: 'MALWARE' }, { threatType: 'SOCIAL_ENGINEERING' }] });
    const blocklist = await ready({ sources: [sources, textSource({ id: 'mine', text: 'other.example\n' })] });
    expect(await blocklist.check('https://login.evil.example/page')).toMatchObject({
      status: 'blocked',
      reason: 'confirmed',
      source: 'safe-browsing.se-4b',
      expression: 'evil.example/',
      threats: ['SOCIAL_ENGINEERING'],
    });
    expect((await blocklist.check('https://evil.example/a/b')).threats).toEqual(['SOCIAL_ENGINEERING']);
    expect((await blocklist.check('https://other.example/')).source).toBe('mine');
    const fine = await blocklist.check('https://fine.example/');
    expect([fine.status, 'threats' in fine]).toEqual(['clear', false]);
  });

  test.each(['protobuf', 'json'] as const)('entries of 8, 16 and 32 bytes in %s are hits that are confirmed', async (speaks) => {
    const { server, clock, ready } = await safeBrowsing({ lists: ['mw-4b'] });
    server.speaks = speaks;
    const some = ['evil.example/', 'two.example/', 'three.example/'];
    const longer = some.map((expression, at) => hashHex(expression).slice(0, 16 << at));
    server.change('mw-4b', [...longer, prefixIn('four.example/')]);
    server.full.set(hashHex('evil.example/'), [{ threatType: 'MALWARE' }]);
    const store = memoryStore();
    const blocklist = await ready({ store });
    expect((await blocklist.check('http://evil.example/')).status).toBe('blocked');
    for (const host of ['two', 'three', 'four'])
      expect((await blocklist.check(`http://${host}.example/`)).reason).toBe('disproved');
    await blocklist.close();
    clock.nowMs += 10 * minuteMs;
    server.change('mw-4b', [...longer.slice(1), 'ff'.repeat(8), '00'.repeat(32)]);
    const after = await ready({ store });
    expect(await outcomes(after)).toEqual(['updated']);
    expect(server.lists.get('mw-4b')!.sent).toEqual(['whole', 'partial']);
    expect(after.test('http://evil.example/').reason).toBe('not-listed');
    expect(after.test('http://two.example/').reason).not.toBe('not-listed');
  });

  test.each<[string, object, string | null]>([
    ['the largest number', { firstValue: '18446744073709551615' }, null],
    ['a number of more than 64 bits', { firstValue: '18446744073709551616' }, 'INVALID_RESPONSE'],
    ['a negative number', { firstValue: '-1' }, 'INVALID_RESPONSE'],
    ['a fraction', { firstValue: 1.5 }, 'INVALID_RESPONSE'],
    ['a parameter below the range', { entriesCount: 1, riceParameter: 34, encodedData: 'AAAAAAAAAAA=' }, 'INVALID_RESPONSE'],
    ['a parameter above the range', { entriesCount: 1, riceParameter: 63, encodedData: 'AAAAAAAAAAA=' }, 'INVALID_RESPONSE'],
    ['numbers that are not ascending', { entriesCount: 1, riceParameter: 62, encodedData: 'AAAAAAAAAAA=' }, 'INVALID_ARTIFACT'],
  ])('reads or refuses additions of 8 bytes with %s', async (_, additionsEightBytes, code) => {
    const { server, open } = await safeBrowsing({ lists: ['mw-4b'] });
    const sha256Checksum = createHash('sha256').update(Buffer.alloc(8, 0xff)).digest('base64');
    const hashList = { name: 'mw-4b', version: 'AAAA', additionsEightBytes, sha256Checksum, minimumWaitDuration: '300s' };
    server.insteadOfUpdate = { type: 'application/json', body: JSON.stringify({ hashLists: [hashList] }) };
    expect(await outcomes(open())).toEqual([code ?? 'updated']);
  });

  test('asks for all lists in one request, at the start and in later rounds', async () => {
    const { server, clock, ready } = await safeBrowsing();
    list(server, 'se-4b', { 'evil.example/': [] });
    const blocklist = await ready();
    expect(updates(server)).toEqual(['/v5/hashLists:batchGet?names=se-4b&names=mw-4b&names=uws-4b']);
    clock.nowMs += 10 * minuteMs;
    expect(await outcomes(blocklist)).toEqual(['unchanged', 'unchanged', 'unchanged']);
    expect(updates(server)).toHaveLength(2);
    expect(updates(server)[1]!.match(/version=/g)).toHaveLength(3);
  });

  test('with a store, whose lock runs one round at a time, lists that are due come with the first one', async () => {
    const { server, clock, ready } = await safeBrowsing();
    const blocklist = await ready({ store: memoryStore() });
    expect(updates(server)).toHaveLength(3);
    clock.nowMs += 10 * minuteMs;
    list(server, 'uws-4b', { 'evil.example/': [] });
    expect(await outcomes(blocklist)).toEqual(['unchanged', 'unchanged', 'updated']);
    expect(updates(server)).toHaveLength(4);
    // Each list that came early is used for its own round only, and only once.
    clock.nowMs += 10 * minuteMs;
    list(server, 'uws-4b', { 'other.example/': [] });
    expect(await outcomes(blocklist)).toEqual(['unchanged', 'unchanged', 'updated']);
    expect(updates(server)).toHaveLength(5);
  });

  test('fetches what changed since the stored version after a restart', async () => {
    const { server, clock, open, ready } = await safeBrowsing();
    const store = memoryStore();
    for (const name of lists) list(server, name, { 'evil.example/': [], [`${name}.example/`]: [] });
    const before = await ready({ store });
    await before.close();
    list(server, 'mw-4b', { 'new.example/': [] });
    clock.nowMs += 10 * minuteMs;
    const after = open({ store });
    await after.sync();
    expect(server.lists.get('mw-4b')!.sent).toEqual(['whole', 'partial']);
    expect(after.test('http://new.example/').status).toBe('unconfirmed');
  });

  test('asks no sooner than the service wants, and at once if there is more', async () => {
    const { server, clock, ready } = await safeBrowsing({ lists: ['se-4b'] });
    const se = server.lists.get('se-4b')!;
    se.waitSeconds = 1_800;
    const blocklist = await ready();
    expect(blocklist.nextSyncAtMs).toBeGreaterThanOrEqual(clock.nowMs + 1_800_000);
    expect(await outcomes(blocklist)).toEqual(['deferred']);
    clock.nowMs += 31 * minuteMs;
    se.isStepwise = true;
    for (const name of ['a', 'b', 'c', 'd']) list(server, 'se-4b', { [`${name}.example/`]: [] });
    const count = updates(server).length;
    expect(await outcomes(blocklist)).toEqual(['updated']);
    expect(updates(server).length - count).toBe(4);
    expect(blocklist.status().sources[0]!.list!.count).toBe(4);
  });

  test('leaves what takes more than 32 steps for the next round, also at the start', async () => {
    const { server, clock, ready } = await safeBrowsing({ lists: ['se-4b'] });
    const se = server.lists.get('se-4b')!;
    se.isStepwise = true;
    for (let at = 0; at < 3; at++) list(server, 'se-4b', { [`${at}.example/`]: [] });
    const blocklist = await ready();
    expect(updates(server)).toHaveLength(4);
    expect(blocklist.status().sources[0]!.list!.count).toBe(3);
    for (let at = 3; at < 43; at++) list(server, 'se-4b', { [`${at}.example/`]: [] });
    for (const count of [35, 43]) {
      clock.nowMs += 31 * minuteMs;
      expect(await outcomes(blocklist)).toEqual(['updated']);
      expect(blocklist.status().sources[0]!.list!.count).toBe(count);
    }
    expect(updates(server)).toHaveLength(4 + 32 + 8);
  });

  test('refuses changes of a list that it does not have', async () => {
    const body = {
      hashLists: [{ name: 'se-4b', version: 'AAAA', partialUpdate: true, additionsFourBytes: {}, sha256Checksum: '' }],
    };
    const { origin } = await serve(() => ({ body }));
    const [source] = safeBrowsingSource({ apiKey, baseUrl: origin });
    expect((await errorOf(source!.version({}))).message).toContain('a list that the client does not have');
  });

  test('a hash that was not asked for makes the answer unusable', async () => {
    const body = { fullHashes: [{ fullHash: Buffer.alloc(32, 7).toString('base64') }] };
    const { origin } = await serve(() => ({ body }));
    const [source] = safeBrowsingSource({ apiKey, baseUrl: origin });
    expect(await codeOf(source!.confirm!([1], { algoVersion: 'safe-browsing-5' }))).toBe('INVALID_RESPONSE');
  });

  test('a prefix that comes while a request is running gets one of its own', async () => {
    const { origin, requests } = await serve(() => ({ body: { cacheDuration: '300s' }, delayMs: 30 }));
    const [first, second] = safeBrowsingSource({ apiKey, baseUrl: origin });
    const ask = (source: Source, prefix: number) => source.confirm!([prefix], { algoVersion: 'safe-browsing-5' });
    const running = ask(first!, 1);
    await expect.poll(() => requests.length).toBe(1);
    const [one, two, same] = await Promise.all([running, ask(first!, 2), ask(second!, 1)]);
    expect([one.hashes.get(1), two.hashes.get(2), same.hashes.get(1)]).toEqual([[], [], []]);
    expect(requests).toHaveLength(2);
    await ask(first!, 1);
    expect(requests).toHaveLength(3);
  });

  test('keeps what came if a further request for more fails', async () => {
    const { server, clock, ready } = await safeBrowsing({ lists: ['se-4b'] });
    const blocklist = await ready();
    clock.nowMs += 31 * minuteMs;
    server.lists.get('se-4b')!.isStepwise = true;
    for (const name of ['a', 'b', 'c']) list(server, 'se-4b', { [`${name}.example/`]: [] });
    server.faults.push(undefined as unknown as AnswerFault, 'reset');
    expect(await outcomes(blocklist)).toEqual(['updated']);
    expect(blocklist.status().sources[0]!.list!.count).toBe(1);
    clock.nowMs += 31 * minuteMs;
    expect(await outcomes(blocklist)).toEqual(['updated']);
    expect(blocklist.status().sources[0]!.list!.count).toBe(3);
  });

  test.each(['checksum', 'index', 'truncated', 'repeated', 'no-checksum', 'stripped', 'number', 'version', 'left-out'] as const)(
    'after an answer with a wrong %s the list recovers, in the same round if its changes did not fit, and others go on',
    async (fault) => {
      const { server, clock, ready } = await safeBrowsing();
      for (const name of lists) list(server, name, { 'a.example/': [], 'b.example/': [], 'c.example/': [] });
      const blocklist = await ready();
      const drop = (name: string) =>
        server.change(name, server.current(name).slice(1).concat(['11111111', '22222222', '33333333']));
      for (const name of lists) drop(name);
      server.lists.get('mw-4b')!.fault = fault;
      clock.nowMs += 10 * minuteMs;
      const isUnreadable = fault === 'number' || fault === 'version' || fault === 'left-out';
      expect(await outcomes(blocklist)).toEqual(['updated', isUnreadable ? 'INVALID_RESPONSE' : 'updated', 'updated']);
      expect(blocklist.status().sources.map((one) => one.list!.count)).toEqual([5, isUnreadable ? 3 : 5, 5]);
      expect(server.lists.get('mw-4b')!.sent.at(-1)).toBe(fault === 'left-out' || !isUnreadable ? 'whole' : 'partial');
      clock.nowMs += 10 * minuteMs;
      expect(await outcomes(blocklist)).toEqual(['unchanged', isUnreadable ? 'updated' : 'unchanged', 'unchanged']);
      expect(blocklist.status().sources[1]!.list!.count).toBe(5);
      expect(server.lists.get('mw-4b')!.sent.at(-1)).toBe('partial');
    },
  );

  test('fetches the whole list again once it is a week old', async () => {
    const { server, clock, ready } = await safeBrowsing({ lists: ['se-4b'] });
    list(server, 'se-4b', { 'evil.example/': [] });
    const store = memoryStore();
    const blocklist = await ready({ store });
    clock.nowMs += 8 * 24 * 60 * minuteMs;
    expect(await outcomes(blocklist)).toEqual(['updated']);
    clock.nowMs += 10 * minuteMs;
    expect(await outcomes(blocklist)).toEqual(['unchanged']);
    expect(server.lists.get('se-4b')!.sent).toEqual(['whole', 'whole', 'partial']);
  });

  test('a pause of more than a day ends after a day, and one of a day does not end before', async () => {
    const { server, clock, ready } = await safeBrowsing({ lists: ['se-4b'] });
    server.lists.get('se-4b')!.waitSeconds = 3 * 86_400;
    const blocklist = await ready();
    clock.nowMs += 24 * 60 * minuteMs - 1;
    expect(await outcomes(blocklist)).toEqual(['deferred']);
    clock.nowMs += 1;
    expect(await outcomes(blocklist)).toEqual(['unchanged']);
  });

  test('changes that cannot be used are followed by one request for the whole list, and then by the pause', async () => {
    const { server, clock, ready } = await safeBrowsing({ lists: ['se-4b'] });
    list(server, 'se-4b', { 'evil.example/': [] });
    const blocklist = await ready();
    list(server, 'se-4b', { 'new.example/': [] });
    const served = server.lists.get('se-4b')!;
    served.lastingFault = 'checksum-of-all';
    clock.nowMs += 10 * minuteMs;
    expect(await outcomes(blocklist)).toEqual(['INVALID_ARTIFACT']);
    expect(served.sent).toEqual(['whole', 'partial', 'whole']);
    expect(await outcomes(blocklist)).toEqual(['deferred']);
    expect(blocklist.test('http://evil.example/').status).toBe('unconfirmed');
  });

  test('a wrong answer is not asked for again before the service wants', async () => {
    const { server, clock, ready } = await safeBrowsing({ lists: ['se-4b'] });
    list(server, 'se-4b', { 'evil.example/': [] });
    server.lists.get('se-4b')!.fault = 'checksum';
    const blocklist = await ready();
    expect(await outcomes(blocklist)).toEqual(['deferred']);
    clock.nowMs += 6 * minuteMs;
    expect(await outcomes(blocklist)).toEqual(['updated']);
  });

  test.each([
    [400, 'BAD_REQUEST'],
    [404, 'NOT_FOUND'],
    [413, 'UNEXPECTED_STATUS'],
  ])('asks alone for a list that the service refuses with %i, and for the others together', async (status, code) => {
    const { server, clock, open } = await safeBrowsing();
    server.lists.delete('uws-4b');
    server.unknownStatus = status;
    const blocklist = open();
    expect(await outcomes(blocklist)).toEqual(['updated', 'updated', code]);
    clock.nowMs += 30 * minuteMs;
    const count = updates(server).length;
    await blocklist.sync();
    expect(namesIn(updates(server).slice(count))).toEqual([2, 1]);
    server.lists.set('uws-4b', { ...server.lists.get('se-4b')!, states: [{ version: 'AAAA', entries: [] }] });
    for (const expected of [[2, 1], [3]]) {
      clock.nowMs += 150 * minuteMs;
      const count = updates(server).length;
      expect(await outcomes(blocklist)).not.toContain(code);
      expect(namesIn(updates(server).slice(count))).toEqual(expected);
    }
  });

  test('after a key that was refused with 400 and corrected, rounds cost what they did before', async () => {
    const { server, clock, sources, ready } = await safeBrowsing();
    for (const name of lists) list(server, name, { 'evil.example/': [] });
    const blocklist = await ready();
    const round = async (): Promise<number[]> => {
      clock.nowMs += 150 * minuteMs;
      const count = updates(server).length;
      await blocklist.sync();
      return namesIn(updates(server).slice(count));
    };
    expect(await round()).toEqual([3]);
    for (const expected of [
      // All lists together, each alone, and each as a whole.
      [3, 1, 1, 1, 1, 1, 1],
      [1, 1, 1, 1, 1, 1],
    ]) {
      server.isKeyRefused = true;
      expect(await round()).toEqual(expected);
    }
    server.isKeyRefused = false;
    expect(blocklist.status().sources[0]!.lastError!.message).toContain('or the API key is invalid');
    expect([await round(), await round()]).toEqual([[1, 1, 1], [3]]);
    expect(sources.map((_, at) => server.lists.get(lists[at]!)!.sent.filter((one) => one === 'whole').length)).toEqual([1, 1, 1]);
  });

  test('asks for the whole list in the round in which the service refused the version', async () => {
    const { server, clock, ready } = await safeBrowsing({ lists: ['se-4b'] });
    list(server, 'se-4b', { 'evil.example/': [] });
    const blocklist = await ready();
    for (const fault of ['bad-request', 'reset'] as const) {
      clock.nowMs += 10 * minuteMs;
      server.faults.push(fault);
      expect(await outcomes(blocklist)).toEqual([fault === 'reset' ? 'NETWORK' : 'unchanged']);
      list(server, 'se-4b', { [`${fault}.example/`]: [] });
      clock.nowMs += 30 * minuteMs;
      expect(await outcomes(blocklist)).toEqual(['updated']);
    }
    expect(server.lists.get('se-4b')!.sent).toEqual(['whole', 'whole', 'partial', 'partial']);
  });

  test('a failure of the service is not taken for one of a list', async () => {
    const { server, clock, open } = await safeBrowsing();
    const blocklist = open();
    server.faults.push('reset');
    expect(await outcomes(blocklist)).toEqual(['NETWORK', 'NETWORK', 'NETWORK']);
    clock.nowMs += 30 * minuteMs;
    expect(await outcomes(blocklist)).toEqual(['updated', 'updated', 'updated']);
    expect(updates(server)).toHaveLength(2);
  });

  test('every round asks again, and an answer that came early is not kept for long', async () => {
    const { server, clock, sources } = await safeBrowsing();
    for (const served of server.lists.values()) served.waitSeconds = 60;
    const held = new Map<Source, { token: string; entries: PrefixSet }>();
    const round = async (source: Source): Promise<number> => {
      const version = await source.version({ previous: held.get(source) });
      const { entries } = await source.artifact('snapshot', version, {});
      held.set(source, { token: version.snapshot.token, entries: entries as PrefixSet });
      return updates(server).length;
    };
    const [first, second] = sources as [Source, Source];
    expect([await round(first), await round(second)]).toEqual([1, 2]);
    clock.nowMs += 50_000;
    // Neither is due: the first is asked for because it is its round.
    expect(await round(first)).toBe(3);
    expect(updates(server)[2]).not.toContain('mw-4b');
    clock.nowMs += 62_000;
    expect([await round(first), await round(second)]).toEqual([4, 4]);
    clock.nowMs += 62_000;
    expect(await round(first)).toBe(5);
    // What came with it is too old now.
    clock.nowMs += 121_000;
    expect(await round(second)).toBe(6);
    clock.nowMs += 62_000;
    // An answer is used once.
    expect([await round(first), await round(first)]).toEqual([6, 7]);
    clock.nowMs += 121_000;
    expect(await round(first)).toBe(8);
    expect(updates(server)[7]).toContain('mw-4b');
  });

  test('an unchanged list keeps its set', async () => {
    const { server, sources } = await safeBrowsing();
    list(server, 'se-4b', { 'evil.example/': [] });
    const { snapshot } = await sources[0]!.version({});
    const entries = PrefixSet.from([Number.parseInt(prefixIn('evil.example/'), 16)]);
    const version = await sources[0]!.version({ previous: { token: snapshot.token, entries } });
    expect(version.snapshot.token).toBe(snapshot.token);
    expect((await sources[0]!.artifact('snapshot', version, {})).entries).toBe(entries);
    expect(await codeOf(sources[0]!.artifact('recent', version, {}))).toBe('INVALID_INPUT');
    const foreign = { algoVersion: 'x', snapshot: { token: 'y' } };
    expect(await codeOf(sources[0]!.artifact('snapshot', foreign, {}))).toBe('INVALID_INPUT');
  });

  test('a prefix in several lists is asked about once, and several prefixes together', async () => {
    const { server, ready } = await safeBrowsing();
    for (const name of lists) list(server, name, { 'evil.example/': [{ threatType: 'MALWARE' }], 'two.example/': [] });
    const blocklist = await ready();
    const verdicts = await blocklist.checkMany(['http://evil.example/', 'http://two.example/']);
    expect(verdicts.map(({ status }) => status)).toEqual(['blocked', 'clear']);
    expect(searches(server)).toHaveLength(1);
    expect(searches(server)[0]!.match(/hashPrefixes=/g)).toHaveLength(2);
  });

  test.each(lists)('a hit of %s that was disproved is not said to be unlisted', async (name) => {
    const { server, ready } = await safeBrowsing();
    server.change(name, [prefixIn('chance.example/')]);
    const blocklist = await ready();
    for (let asked = 0; asked < 2; asked++) {
      const verdict = await blocklist.check('http://chance.example/');
      expect(verdict).toMatchObject({ status: 'clear', reason: 'disproved', source: `safe-browsing.${name}` });
    }
    expect(await blocklist.check('http://other.example/')).toMatchObject({ status: 'clear', reason: 'not-listed' });
  });

  test('an answer counts as long as it says, and after that a hash that was found blocks while the service is asked again', async () => {
    const { server, clock, ready } = await safeBrowsing({ lists: ['se-4b'] });
    server.cacheSeconds = 600;
    list(server, 'se-4b', { 'evil.example/': [{ threatType: 'SOCIAL_ENGINEERING' }] });
    server.change('se-4b', [...server.current('se-4b'), prefixIn('chance.example/')]);
    const blocklist = await ready({ confirm: { positiveMs: 1, negativeMs: 1 } });
    const check = async () =>
      (await blocklist.checkMany(['http://evil.example/', 'http://chance.example/'])).map(({ reason }) => reason);
    expect(await check()).toEqual(['confirmed', 'disproved']);
    clock.nowMs += 599_000;
    expect(await check()).toEqual(['confirmed', 'disproved']);
    expect(searches(server)).toHaveLength(1);
    clock.nowMs += 2_000;
    server.full.clear();
    expect(await check()).toEqual(['confirmed-earlier', 'disproved']);
    expect(searches(server).length).toBeGreaterThan(1);
    await expect.poll(check).toEqual(['disproved', 'disproved']);
  });

  const frameOnly = { threatType: 'MALWARE', attributes: ['FRAME_ONLY'] };
  test.each([
    ['a canary', [{ threatType: 'MALWARE', attributes: ['CANARY'] }], 'clear', 'clear'],
    ['a canary in frames', [{ threatType: 'MALWARE', attributes: ['FRAME_ONLY', 'CANARY'] }], 'clear', 'clear'],
    ['something for frames', [frameOnly], 'clear', 'blocked'],
    ['something for frames and everywhere', [frameOnly, { threatType: 'SOCIAL_ENGINEERING' }], 'blocked', 'blocked'],
    ['a threat of another list', [{ threatType: 'POTENTIALLY_HARMFUL_APPLICATION' }], 'clear', 'clear'],
    ['an unknown threat', [{ threatType: 'QUANTUM' }], 'clear', 'clear'],
    ['an unknown attribute', [{ threatType: 'MALWARE', attributes: ['FRAME_ONLY', 'NEW'] }], 'clear', 'clear'],
    ['an unknown detail beside a known one', [{ threatType: 'QUANTUM' }, { threatType: 'MALWARE' }], 'blocked', 'blocked'],
    ['nothing', [], 'clear', 'clear'],
  ])('a hash listed as %s', async (_, details, inPage, inFrame) => {
    const { server, ready } = await safeBrowsing();
    list(server, 'mw-4b', { 'evil.example/': details });
    const blocklist = await ready();
    const url = 'http://evil.example/';
    expect((await blocklist.check(url)).status).toBe(inPage);
    expect((await blocklist.check(url, { loading: 'frame' })).status).toBe(inFrame);
    expect([blocklist.test(url).status, blocklist.test(url, { loading: 'frame' }).status]).toEqual([inPage, inFrame]);
    const action = inFrame === 'blocked' ? 'block' : 'allow';
    expect((await checkText(blocklist, `see ${url}`, { loading: 'frame' })).action).toBe(action);
    for await (const { verdict } of screen(blocklist, [url], { loading: 'frame' })) expect(verdict.status).toBe(inFrame);
    expect(searches(server)).toHaveLength(1);
  });

  test('what a block is listed for survives a restart without the network', async () => {
    const { server, ready } = await safeBrowsing();
    const store = memoryStore();
    list(server, 'mw-4b', { 'frame.example/': [frameOnly], 'evil.example/': [{ threatType: 'MALWARE' }, frameOnly] });
    list(server, 'mw-4b', { 'canary.example/': [{ threatType: 'MALWARE', attributes: ['CANARY'] }] });
    const before = await ready({ store });
    await before.checkMany(['http://frame.example/', 'http://evil.example/', 'http://canary.example/']);
    await before.close();
    const after = await ready({ store });
    expect(after.test('http://evil.example/')).toMatchObject({ status: 'blocked', threats: ['MALWARE'] });
    expect(after.test('http://frame.example/', { loading: 'frame' })).toMatchObject({ status: 'blocked', threats: ['MALWARE'] });
    expect(after.test('http://frame.example/').status).not.toBe('blocked');
    expect(after.test('http://canary.example/', { loading: 'frame' }).status).not.toBe('blocked');
  });

  test('works with the smallest blocklist, which needs the algorithm', async () => {
    const { server, sources, clock } = await safeBrowsing({ lists: ['se-4b'] });
    list(server, 'se-4b', { 'evil.example/': [{ threatType: 'SOCIAL_ENGINEERING' }] });
    for (const algorithms of [[safeBrowsing5], []]) {
      const blocklist = createCoreBlocklist({ sources: [sources], algorithms, pollMs: 0, now: () => clock.nowMs });
      onTestFinished(() => blocklist.close());
      await blocklist.ready();
      const { status, reason } = await blocklist.check('http://evil.example/');
      expect([status, reason]).toEqual(algorithms.length > 0 ? ['blocked', 'confirmed'] : ['unknown', 'algorithm-unknown']);
      clock.nowMs += 10 * minuteMs;
    }
  });

  test('refuses another value of loading', async () => {
    const { open } = await safeBrowsing();
    const blocklist = open();
    const options = { loading: 'iframe' } as unknown as { loading: 'frame' };
    expect(() => blocklist.test('http://evil.example/', options)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    expect(() => screen(blocklist, [], options)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    expect(await codeOf(blocklist.check('http://evil.example/', options))).toBe('INVALID_INPUT');
  });

  test('during a pause that the service asked for nothing is sent, for no list', async () => {
    const { server, clock, open } = await safeBrowsing();
    const blocklist = open();
    server.faults.push('pause-503');
    await blocklist.ready();
    expect(server.requests).toHaveLength(1);
    expect(await outcomes(blocklist)).toEqual(['deferred', 'deferred', 'deferred']);
    clock.nowMs += 121_000;
    expect(await outcomes(blocklist)).toEqual(['updated', 'updated', 'updated']);
    list(server, 'se-4b', { 'a.example/': [], 'b.example/': [] });
    clock.nowMs += 10 * minuteMs;
    await blocklist.sync();
    server.faults.push('pause-429');
    expect((await blocklist.check('http://a.example/')).reason).toBe('offline');
    expect((await blocklist.check('http://b.example/')).reason).toBe('offline');
    expect(searches(server)).toHaveLength(1);
  });

  test('the key is a header only, and is in no URL, error or event', async () => {
    const { server, open } = await safeBrowsing();
    const events: unknown[] = [];
    const blocklist = open();
    for (const type of ['error', 'confirm', 'progress', 'changed'] as const) blocklist.on(type, (event) => events.push(event));
    server.faults.push('redirect', 'reset', 'html', 'bad-request');
    for (let round = 0; round < 6; round++) await blocklist.sync();
    expect(server.requests.length).toBeGreaterThan(0);
    expect(server.requests.join(' ') + shown(events)).not.toContain(apiKey);
    const echo = await serve(() => ({ body: { hashLists: [], note: apiKey } }));
    const [source] = safeBrowsingSource({ apiKey, baseUrl: echo.origin });
    const error = await errorOf(source!.version({}));
    expect([error.code, shown(error).includes(apiKey)]).toEqual(['INVALID_RESPONSE', false]);
    expect(echo.requests[0]!.headers['x-goog-api-key']).toBe(apiKey);
    expect(echo.requests[0]!.headers['accept']).toBe('application/x-protobuf');
    const headers = { 'content-type': 'application/x-protobuf' };
    const binary = await serve(() => ({ headers, body: bytesField(9, `a${apiKey.slice(0, 8)}${apiKey}b`) }));
    const [other] = safeBrowsingSource({ apiKey, baseUrl: binary.origin });
    expect((await errorOf(other!.version({}))).message).toBe('the response contains the API key');
    const failing = safeBrowsingSource({
      apiKey: 'short',
      fetch: () => Promise.reject(new Error('no short here')),
      lists: ['se-4b'],
    });
    expect(shown(await errorOf(failing[0]!.version({})))).not.toContain('short');
  });

  test('a server that hangs is given up, and a wait that is aborted ends the request', async () => {
    const { server } = await safeBrowsing();
    const [first, second] = safeBrowsingSource({
      apiKey,
      baseUrl: `${server.origin}/v5`,
      artifactTimeoutMs: 80,
      timeoutMs: 80,
    });
    server.faults.push('hang', 'hang');
    expect(await codeOf(first!.version({}))).toBe('TIMEOUT');
    expect(await codeOf(first!.confirm!([1], { algoVersion: 'safe-browsing-5' }))).toBe('TIMEOUT');
    const signals: AbortSignal[] = [];
    const fetch = (_: string, init?: { signal?: unknown }): Promise<Response> => {
      signals.push(init!.signal as AbortSignal);
      return new Promise(() => {});
    };
    const some = safeBrowsingSource({ apiKey, fetch });
    const stops = [new AbortController(), new AbortController()];
    const waits = stops.map(({ signal }, at) => codeOf(some[at]!.version({ signal })));
    await expect.poll(() => signals.length).toBe(1);
    stops[0]!.abort();
    expect([await waits[0], signals[0]!.aborted]).toEqual(['ABORTED', false]);
    stops[1]!.abort();
    expect(await waits[1]).toBe('ABORTED');
    await expect.poll(() => signals[0]!.aborted).toBe(true);
    // The next call does not join what was ended.
    expect((await second!.version({})).algoVersion).toBe('safe-browsing-5');
  });

  test('a key function that hangs is given up after timeoutMs, also for an update', async () => {
    const hanging = (): Promise<string> => new Promise(() => {});
    const options = { apiKey: hanging, timeoutMs: 30, artifactTimeoutMs: 20_000 };
    for (const [source] of [safeBrowsingSource(options), webRiskSource(options)]) {
      expect(await codeOf(source!.version({}))).toBe('TIMEOUT');
    }
  });

  test('a list that another kind of source stored is fetched as a whole', async () => {
    const { server, sources } = await safeBrowsing();
    list(server, 'se-4b', { 'evil.example/': [] });
    for (const token of ['', 'not base64!', 'a.b.c', 'AAAA.%%', 'AAAA.-0000', 'AAAA.BQE=']) {
      const { snapshot } = await sources[0]!.version({ previous: { token, entries: PrefixSet.from([1, 2]) } });
      expect(snapshot.token).toBe(server.lists.get('se-4b')!.states.at(-1)!.version);
    }
    expect(server.lists.get('se-4b')!.sent.every((one) => one === 'whole')).toBe(true);
  });

  test('a list that becomes empty is believed when it comes again', async () => {
    const { server, clock, ready } = await safeBrowsing({ lists: ['se-4b'] });
    list(server, 'se-4b', { 'evil.example/': [] });
    const blocklist = await ready();
    server.change('se-4b', []);
    server.lists.get('se-4b')!.states.splice(0, 2);
    clock.nowMs += 10 * minuteMs;
    expect(await outcomes(blocklist)).toEqual(['SUSPICIOUS_LIST']);
    expect(blocklist.test('http://evil.example/').status).not.toBe('clear');
    clock.nowMs += 10 * minuteMs;
    expect(await outcomes(blocklist)).toEqual(['updated']);
    expect(blocklist.test('http://evil.example/').status).toBe('clear');
  });

  test.each([
    ['no options', undefined, 'apiKey must be a key of your own'],
    ['no key', { apiKey: undefined }, 'apiKey must be a key of your own, or baseUrl a proxy'],
    ['an unknown list', { apiKey, lists: ['gc-32b'] }, 'lists[0] must be one of se-4b, mw-4b'],
    ['a misspelled list', { apiKey, lists: ['SE-4b'] }, 'lists[0] must be one of se-4b'],
    ['an option of the other service', { apiKey, threatTypes: ['MALWARE'] }, 'there is no option threatTypes'],
    ['a list named twice', { apiKey, lists: ['se-4b', 'se-4b'] }, 'each name once'],
    ['no list', { apiKey, lists: [] }, 'lists must be'],
    ['an unusable id', { apiKey, id: 'Safe Browsing' }, 'id must be'],
    ['an address of plain http', { apiKey, baseUrl: 'http://proxy.example' }, 'plain http'],
  ])('refuses %s', (_, options, message) => {
    expect(() => safeBrowsingSource(options as unknown as SafeBrowsingSourceOptions)).toThrow(message);
  });

  test('more sources in arrays than are allowed are refused', async () => {
    const { sources } = await safeBrowsing();
    const many = Array.from({ length: 14 }, (_, at) => textSource({ id: `own-${at}`, text: 'a.example\n' }));
    expect(() => createBlocklist({ sources: [...many, sources] })).toThrow('sources must be an array of 1 to 16');
    expect(() => createBlocklist({ sources: [sources, sources] })).toThrow('different ids');
  });
});

describe('Web Risk', () => {
  test('blocks what is listed, names the threats, and asks for one prefix a call', async () => {
    const { server, ready } = await webRisk();
    list(server, 'MALWARE', {
      'evil.example/': [{ threatType: 'MALWARE' }, { threatType: 'SOCIAL_ENGINEERING' }],
      'b.example/': [],
    });
    const blocklist = await ready();
    expect(blocklist.status().sources.map(({ source }) => source)).toEqual([
      'web-risk.social-engineering',
      'web-risk.malware',
      'web-risk.unwanted-software',
    ]);
    const [evil, chance] = await blocklist.checkMany(['http://a.b.c.d.e.evil.example/', 'http://b.example/']);
    expect(evil).toMatchObject({ status: 'blocked', threats: ['SOCIAL_ENGINEERING', 'MALWARE'], source: 'web-risk.malware' });
    expect(chance!.status).toBe('clear');
    expect(searches(server).map((url) => url.match(/hashPrefix=/g)!.length)).toEqual([1, 1]);
    expect(searches(server)[0]!.match(/threatTypes=/g)).toHaveLength(3);
  });

  test('an entry of more than four bytes is a hit that is confirmed', async () => {
    const { server, ready } = await webRisk({ threatTypes: ['MALWARE'] });
    server.change('MALWARE', [
      hashHex('evil.example/').slice(0, 20),
      hashHex('near.example/').slice(0, 8),
      hashHex('far.example/'),
    ]);
    server.full.set(hashHex('evil.example/'), [{ threatType: 'MALWARE' }]);
    const blocklist = await ready();
    expect((await blocklist.check('http://evil.example/')).status).toBe('blocked');
    expect((await blocklist.check('http://far.example/')).status).toBe('clear');
    expect(blocklist.test('http://other.example/').status).toBe('clear');
  });

  test('a list with many longer entries changes by differences, and is fetched as a whole after a restart', async () => {
    const { server, clock, sources } = await webRisk({ threatTypes: ['MALWARE'] });
    const other = webRiskSource({ apiKey, baseUrl: `${server.origin}/v1`, now: () => clock.nowMs, threatTypes: ['MALWARE'] });
    const longer = Array.from({ length: 2_500 }, (_, at) => hashHex(`${at}.example/`));
    server.change('MALWARE', longer);
    const first = await sources[0]!.version({});
    const { entries } = await sources[0]!.artifact('snapshot', first, {});
    expect(first.snapshot.token.length).toBeLessThan(200);
    const previous = { token: first.snapshot.token, entries };
    server.change('MALWARE', longer.slice(1));
    const second = await sources[0]!.version({ previous });
    expect((await sources[0]!.artifact('snapshot', second, {})).entries.size).toBe(2_499);
    expect((await other[0]!.artifact('snapshot', await other[0]!.version({ previous }), {})).entries.size).toBe(2_499);
    expect(server.lists.get('MALWARE')!.sent).toEqual(['whole', 'partial', 'whole']);
  });

  test('longer entries survive a restart, and an unchanged list keeps its set', async () => {
    const { server, clock } = await webRisk();
    const baseUrl = `${server.origin}/v1`;
    const fresh = () => webRiskSource({ apiKey, baseUrl, now: () => clock.nowMs, threatTypes: ['MALWARE'] })[0]!;
    const [a, b, c] = ['a', 'b', 'c'].map(hashHex) as [string, string, string];
    server.change('MALWARE', [a, a.slice(0, 8), b.slice(0, 12), c.slice(0, 8)]);
    let previous: { token: string; entries: PrefixSet } | undefined;
    const round = async (): Promise<PrefixSet> => {
      const source = fresh();
      const version = await source.version({ previous });
      const { entries } = await source.artifact('snapshot', version, { previous });
      previous = { token: version.snapshot.token, entries: entries as PrefixSet };
      return previous.entries;
    };
    const first = await round();
    expect(first.size).toBe(3);
    expect(await round()).toBe(first);
    server.change('MALWARE', [a.slice(0, 8), b.slice(0, 12), c.slice(0, 8)]);
    expect((await round()).size).toBe(3);
    server.change('MALWARE', [c.slice(0, 8)]);
    expect((await round()).size).toBe(1);
    expect(server.lists.get('MALWARE')!.sent).toEqual(['whole', 'partial', 'partial', 'partial']);
  });

  test('the status shows the beginning of a token that contains entries', async () => {
    const { server, ready } = await webRisk({ threatTypes: ['MALWARE'] });
    server.change(
      'MALWARE',
      Array.from({ length: 40 }, (_, at) => hashHex(String(at))),
    );
    const blocklist = await ready();
    const { version } = server.lists.get('MALWARE')!.states.at(-1)!;
    const { snapshotToken } = blocklist.status().sources[0]!.list!;
    expect([snapshotToken.length, snapshotToken.startsWith(`${version}.`)]).toEqual([128, true]);
  });

  test('waits until the recommended time', async () => {
    const { server, clock, ready } = await webRisk();
    server.lists.get('MALWARE')!.waitSeconds = 3_600;
    const blocklist = await ready();
    clock.nowMs += 30 * minuteMs;
    expect(await outcomes(blocklist)).toEqual(['unchanged', 'deferred', 'unchanged']);
  });

  test('answers count until their time, of the service or at most a day', async () => {
    const { server, clock, sources } = await webRisk({ threatTypes: ['MALWARE'] });
    server.full.set(hashHex('evil.example/'), [{ threatType: 'MALWARE' }]);
    const prefix = Number.parseInt(prefixIn('evil.example/'), 16);
    const ask = () => sources[0]!.confirm!([prefix], { algoVersion: 'safe-browsing-4' });
    expect(await ask()).toMatchObject({ positiveMs: 300_000, negativeMs: 300_000 });
    server.cacheSeconds = 10_000_000;
    expect(await ask()).toMatchObject({ positiveMs: 86_400_000, negativeMs: 86_400_000 });
    server.cacheSeconds = -100;
    const { hashes, positiveMs } = await ask();
    expect([positiveMs, String(hashes.get(prefix)![0])]).toEqual([0, String(hashOf('evil.example/'))]);
    expect(clock.nowMs).toBeGreaterThan(0);
  });

  test.each([-360, 360, 100_000])('a device clock that is %i minutes ahead changes no duration', async (aheadMinutes) => {
    const { server, clock } = await webRisk();
    server.full.set(hashHex('evil.example/'), [{ threatType: 'MALWARE' }]);
    const now = (): number => clock.nowMs + aheadMinutes * minuteMs;
    const [source] = webRiskSource({ apiKey, baseUrl: `${server.origin}/v1`, now, threatTypes: ['MALWARE'] });
    const prefix = Number.parseInt(prefixIn('evil.example/'), 16);
    expect(await source!.confirm!([prefix], { algoVersion: 'safe-browsing-4' })).toMatchObject({
      positiveMs: 300_000,
      negativeMs: 300_000,
    });
    expect((await source!.version({})).minWaitMs).toBe(300_000);
  });

  test('without a date in the answer, the clock of the device counts', async () => {
    const now = (): number => Date.UTC(2026, 0, 1);
    const answers = ['2026-01-01T00:05:00Z', '2025-01-01T00:00:00Z'];
    for (const [date, expected] of [
      ['', 300_000],
      ['yesterday', 0],
    ] as const) {
      const fetch = async (): Promise<Response> =>
        new Response(JSON.stringify({ negativeExpireTime: answers.shift() }), date === '' ? {} : { headers: { date } });
      const [source] = webRiskSource({ apiKey, fetch, now });
      expect((await source!.confirm!([1], { algoVersion: 'safe-browsing-4' })).negativeMs).toBe(expected);
    }
  });

  test('six requests run at a time, and none is started after one failed', async () => {
    let open = 0;
    let most = 0;
    let count = 0;
    const fetch = async (): Promise<Response> => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 5));
      open--;
      return ++count === 20
        ? new Response('{}', { status: 500 })
        : new Response(JSON.stringify({ negativeExpireTime: '2026-01-01T00:00:00Z' }));
    };
    const [source] = webRiskSource({ apiKey, fetch });
    const prefixes = Array.from({ length: 60 }, (_, at) => at);
    expect(await codeOf(source!.confirm!(prefixes, { algoVersion: 'safe-browsing-4' }))).toBe('INTERNAL_SERVER_ERROR');
    await expect.poll(() => open).toBe(0);
    expect(most).toBe(6);
    expect(count).toBeLessThan(27);
  });

  test.each([
    ['another kind of update', { responseType: 'PATCH' }],
    ['entries of three bytes', { additions: { rawHashes: [{ prefixSize: 3, rawHashes: 'AAAA' }] } }],
    ['half an entry', { additions: { rawHashes: [{ prefixSize: 4, rawHashes: 'AAAA' }] } }],
    ['a number for base64', { additions: { rawHashes: [{ prefixSize: 4, rawHashes: 5 }] } }],
    ['malformed base64', { additions: { rawHashes: [{ prefixSize: 4, rawHashes: '*' }] } }],
    ['no list', { additions: { rawHashes: { prefixSize: 4 } } }],
    ['a negative number', { additions: { riceHashes: { firstValue: '-5' } } }],
    ['a number of 33 bits', { additions: { riceHashes: { firstValue: '4294967296' } } }],
    ['a coding that does not exist', { additions: { riceHashes: { riceParameter: 31 } } }],
    ['a number for a time', { recommendedNextDiff: 5 }],
    ['a time that is none', { recommendedNextDiff: 'tomorrow' }],
    ['no version', { newVersionToken: undefined }],
    ['a version that cannot be stored', { newVersionToken: 'A'.repeat(4_000) }],
    ['places that are not numbers', { removals: { rawIndices: { indices: [1.5] } } }],
  ])('an answer with %s is refused', async (_, part) => {
    const body = { responseType: 'RESET', newVersionToken: 'AAAA', checksum: { sha256: '' }, ...part };
    const { origin } = await serve(() => ({ body }));
    const [source] = webRiskSource({ apiKey, baseUrl: origin });
    expect(await codeOf(source!.version({}))).toBe('INVALID_RESPONSE');
  });

  test('a hash of another threat is not listed, and a time in the past is now', async () => {
    const hash = Buffer.alloc(32, 1).toString('base64');
    const checksum = { sha256: createHash('sha256').update('').digest('base64') };
    const list = { responseType: 'RESET', newVersionToken: 'AAAA', checksum, recommendedNextDiff: '2020-01-01T00:00:00Z' };
    const hits = { threats: [{ threatTypes: ['PHISHING'], hash }], negativeExpireTime: '2020-01-01T00:00:00Z' };
    const { origin } = await serve(({ url }) => ({ body: url.includes('hashes:search') ? hits : list }));
    const [source] = webRiskSource({ apiKey, baseUrl: origin });
    expect((await source!.version({})).minWaitMs).toBe(0);
    const { hashes } = await source!.confirm!([0x0101_0101], { algoVersion: 'safe-browsing-4' });
    expect([...hashes.values()]).toEqual([[]]);
  });

  test('a hash that was not asked for makes the answer unusable', async () => {
    const body = { threats: [{ threatTypes: ['MALWARE'], hash: Buffer.alloc(32, 7).toString('base64') }] };
    const { origin } = await serve(() => ({ body }));
    for (const [source] of [webRiskSource({ apiKey, baseUrl: origin })])
      expect(await codeOf(source!.confirm!([1], { algoVersion: 'safe-browsing-4' }))).toBe('INVALID_RESPONSE');
  });

  test.each([
    [{ threatTypes: ['PHISHING'] }, 'threatTypes[0] must be one of MALWARE, '],
    [{ threatTypes: 'MALWARE' }, 'threatTypes must be an array'],
    [{ threatTypes: ['MALWARE', 'SOCIAL_ENGINERING'] }, 'threatTypes[1] must be one of MALWARE, SOCIAL_ENGINEERING'],
    [{ threatTypes: ['MALWARE', 5] }, 'threatTypes[1] must be'],
    [{ threatTypes: ['MALWARE', 'MALWARE'] }, /each name once$/],
    [{ lists: ['MALWARE'] }, 'there is no option lists'],
    [{ threatType: ['MALWARE'] }, 'there is no option threatType; did you mean threatTypes?'],
    [{ key: 'x' }, 'there is no option key; did you mean apiKey?'],
    [{ verbose: true }, 'there is no option verbose'],
    [{ apiKey: 'with space' }, 'apiKey must be'],
  ])('refuses %j', (options, message) => {
    expect(() => webRiskSource({ apiKey, ...options } as unknown as WebRiskSourceOptions)).toThrow(message);
  });
});
