import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { createBlocklist } from 'portcullis';
import { type Source, safeBrowsingSource } from 'portcullis/sources';
import { memoryStore } from 'portcullis/stores';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bytesField, fixed64Field, numberField } from '../../support/protobuf-writer.js';
import { toProtobuf } from '../../support/threat-protobuf.js';
import { apiKey, serveThreats, type ThreatServer } from '../../support/threat-server.js';
import { kinds, randomFrom } from './threat-history.js';

const minuteMs = 60_000;
const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 0, 1);
const hash = createHash('sha256').update('evil.example/').digest();
const later = new Date(startMs + 300_000).toISOString();

interface Instead {
  readonly type: string;
  readonly body: string | Buffer;
}

const json = (value: unknown): Instead => ({ type: 'application/json', body: JSON.stringify(value) });
const protobuf = (body: string | Buffer): Instead => ({ type: 'application/x-protobuf', body });
const named = ({ type, body }: Instead): string => `${type} ${typeof body === 'string' ? body : body.toString('hex')}`;

/** Answers of status 200 that are none, whatever was asked. */
const noAnswers: readonly Instead[] = [
  ...[null, true, 5, '', 'OK', [], [1, 2], {}, { data: {} }, { message: 'rate limited' }, { error: {} }].map(json),
  ...[{ error: 'quota' }, { error: { status: 'UNAVAILABLE' } }, { errors: [{}] }, { status: 'error' }].map(json),
  { type: 'application/json', body: '' },
  { type: 'application/json', body: '{"cacheDuration":"300s"' },
  { type: 'text/html', body: '<!doctype html><p>Log in' },
  { type: 'text/plain', body: '' },
];

/** Nearly answers about prefixes. */
const nearSearches: Readonly<Record<keyof typeof kinds, readonly Instead[]>> = {
  'safe-browsing': [
    protobuf(''),
    protobuf('{"cacheDuration":"300s"}'),
    protobuf('<!doctype html>'),
    protobuf(numberField(99, 300)),
    protobuf(bytesField(3, numberField(1, 300))),
    protobuf(numberField(2, 300)),
    protobuf(fixed64Field(2, 300n)),
    protobuf(Buffer.concat([numberField(1, 1), bytesField(2, numberField(1, 300))])),
    protobuf(bytesField(2, numberField(1, -300))),
    protobuf(bytesField(2, numberField(1, 300)).subarray(0, -1)),
    protobuf(bytesField(1, bytesField(1, hash))),
    { type: 'application/octet-stream', body: bytesField(2, numberField(1, 300)) },
    { type: 'text/plain', body: '{"cacheDuration":"300s"}' },
  ],
  'safe-browsing in JSON': [
    { fullHashes: [] },
    { fullHashes: [{ fullHash: hash.toString('base64') }] },
    { cacheDuration: null },
    { cacheDuration: 300 },
    { cacheDuration: '-300s' },
    { fullHashes: null, cacheDuration: '300s' },
    { fullHashes: [null], cacheDuration: '300s' },
    { error: { status: 'UNAVAILABLE' }, cacheDuration: '300s' },
  ].map(json),
  'web-risk': [
    { threats: [] },
    { threats: [{ threatTypes: ['MALWARE'], hash: hash.toString('base64') }], negativeExpireTime: later },
    { threats: [{ threatTypes: ['QUANTUM'], hash: hash.toString('base64'), expireTime: later }] },
    { negativeExpireTime: null },
    { negativeExpireTime: 300 },
    { threats: null, negativeExpireTime: later },
    { threats: [null], negativeExpireTime: later },
    { error: { status: 'UNAVAILABLE' }, negativeExpireTime: later },
  ].map(json),
};

async function made(kind: keyof typeof kinds) {
  const { names, make, speaks } = kinds[kind];
  const clock = { nowMs: startMs };
  const now = (): number => clock.nowMs;
  const server = await serveThreats({ names, now, random: randomFrom(5) });
  server.speaks = speaks;
  list(server, names[0]);
  const sources: readonly Source[] = make(server.origin, now);
  const blocklist = createBlocklist({ sources: [sources], store: memoryStore(), pollMs: 0, now, random: randomFrom(6) });
  onTestFinished(() => blocklist.close());
  await blocklist.ready();
  return { server, clock, sources, blocklist, name: names[0] };
}

function list(server: ThreatServer, name: string): void {
  server.change(name, [hash.toString('hex').slice(0, 8)]);
  server.full.set(hash.toString('hex'), [{ threatType: 'SOCIAL_ENGINEERING' }]);
}

const url = 'http://evil.example/';

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])('%s', (kind) => {
  const cases = [...noAnswers, ...nearSearches[kind]].map((instead) => [named(instead), instead] as const);

  test.each(cases)('a hit is not cleared by %s', async (_, instead) => {
    const { server, clock, blocklist } = await made(kind);
    server.insteadOfSearch = instead;
    expect(await blocklist.check(url)).toMatchObject({ status: 'unconfirmed' });
    server.insteadOfSearch = null;
    clock.nowMs += 10 * minuteMs;
    expect(await blocklist.check(url)).toMatchObject({ status: 'blocked', reason: 'confirmed' });
    clock.nowMs += 10 * minuteMs;
    server.insteadOfSearch = instead;
    const verdicts: string[] = [];
    for (let at = 0; at < 4; at++, clock.nowMs += 10 * minuteMs) verdicts.push((await blocklist.check(url)).status);
    // Thirty minutes after it was confirmed, which is the longest that Google's terms allow.
    expect(verdicts).toEqual(['blocked', 'blocked', 'unconfirmed', 'unconfirmed']);
  });

  test.each(noAnswers.map((instead) => [named(instead), instead] as const))(
    'a list is kept, and the round fails, after %s',
    async (_, instead) => {
      const { server, clock, blocklist } = await made(kind);
      server.insteadOfUpdate = instead;
      clock.nowMs += 10 * minuteMs;
      const { sources } = await blocklist.sync();
      expect(sources.map(({ error }) => error?.code)).toEqual(Array(3).fill('INVALID_RESPONSE'));
      expect((await blocklist.check(url)).status).toBe('blocked');
    },
  );

  test('an answer that says nothing is listed, and for how long, clears a hit', async () => {
    const { server, blocklist } = await made(kind);
    server.full.clear();
    expect(await blocklist.check(url)).toMatchObject({ status: 'clear', reason: 'disproved' });
  });

  test('an answer that moves the version without changes costs one request for the whole list, in a week of polls', async () => {
    const { server, clock, blocklist, name } = await made(kind);
    server.change(name, ['00000001']);
    clock.nowMs += 30 * minuteMs;
    await blocklist.sync();
    expect((await blocklist.check(url)).status).toBe('clear');
    list(server, name);
    server.lists.get(name)!.fault = 'stripped';
    for (let poll = 0; poll < 336; poll++) {
      clock.nowMs += 30 * minuteMs;
      const { sources } = await blocklist.sync();
      expect(sources.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
      expect((await blocklist.check(url)).status, `poll ${poll}`).toBe('blocked');
    }
    expect(server.lists.get(name)!.sent.filter((one) => one === 'whole')).toHaveLength(2);
  });

  test('a service that strips every answer is reported in each round, and misses are unknown once the list is stale', async () => {
    const { server, clock, blocklist, name } = await made(kind);
    server.lists.get(name)!.lastingFault = 'stripped-of-all';
    const hidden = 'http://hidden.example/';
    for (let poll = 0; poll < 7 * 24; poll++) {
      server.change(name, [hash.toString('hex').slice(0, 8), poll.toString(16).padStart(8, '0')]);
      clock.nowMs += 60 * minuteMs;
      await blocklist.sync();
      expect(blocklist.status().sources[0]!.lastError?.code).toBe('INVALID_ARTIFACT');
      expect((await blocklist.check(url)).status).toBe('blocked');
    }
    expect(blocklist.test(hidden).status).toBe('unknown');
    server.lists.get(name)!.lastingFault = null;
    clock.nowMs += dayMs;
    await blocklist.sync();
    expect([blocklist.status().sources[0]!.lastError, blocklist.test(hidden).status]).toEqual([null, 'clear']);
  }, 60_000);
});

test('damaged protobuf is read or refused, and never fails in another way', async () => {
  const full = { fullHash: hash.toString('base64'), fullHashDetails: [{ threatType: 'MALWARE', attributes: ['FRAME_ONLY'] }] };
  const rice = { firstValue: 7, riceParameter: 3, entriesCount: 2, encodedData: '9wI=' };
  const update = {
    name: 'se-4b',
    version: 'AAAA',
    additionsFourBytes: rice,
    sha256Checksum: 'AAAA',
    minimumWaitDuration: '1.5s',
  };
  const random = randomFrom(9);
  const answers = [{ fullHashes: [full], cacheDuration: '300s' }, { hashLists: [update] }];
  const [search, lists] = answers.map((answer) => toProtobuf(answer, random)) as [Buffer, Buffer];
  let answer = search;
  const headers = { 'content-type': 'application/x-protobuf' };
  const fetch = async (): Promise<Response> => new Response(Uint8Array.from(answer), { headers });
  const [source] = safeBrowsingSource({ apiKey, fetch, lists: ['se-4b'] });
  const codes = new Set<string>();
  const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255), fc.boolean()), { minLength: 1, maxLength: 4 });
  const damaged = (bytes: Buffer, places: readonly (readonly [number, number, boolean])[]): Buffer =>
    places.reduce((before, [at, value, isCut]) => {
      const after = Buffer.from(before);
      if (after.length > 0) after[at % after.length] = value;
      return isCut ? after.subarray(0, at % (after.length + 1)) : after;
    }, bytes);
  await fc.assert(
    fc.asyncProperty(damage, async (places) => {
      answer = damaged(search, places);
      codes.add(await orDone(source!.confirm!([hash.readUInt32BE()], { algoVersion: 'safe-browsing-5' })));
      answer = damaged(lists, places);
      codes.add(await orDone(source!.version({})));
    }),
  );
  expect([...codes].sort()).toEqual(['INVALID_ARTIFACT', 'INVALID_RESPONSE', 'done']);
});

const orDone = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: { code: string }) => error.code,
  );
