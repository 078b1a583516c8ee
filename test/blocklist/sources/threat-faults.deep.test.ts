import { type Source, safeBrowsingSource, webRiskSource } from 'portcullis/sources';
import { describe, expect, test } from 'vitest';
import { serve } from '../../support/scripted-server.js';
import { toProtobuf } from '../../support/threat-protobuf.js';
import { apiKey } from '../../support/threat-server.js';
import { codeOf, hasty, hostFaults } from './harness.js';

const emptySum = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';
const options = { apiKey, timeoutMs: hasty.timeoutMs, artifactTimeoutMs: hasty.artifactTimeoutMs };

interface Service {
  readonly make: (baseUrl: string) => readonly Source[];
  readonly list: object;
  readonly hit: object;
}

const json = { type: 'application/json', write: (answer: object): Buffer => Buffer.from(JSON.stringify(answer)) };
const protobuf = { type: 'application/x-protobuf', write: (answer: object): Buffer => toProtobuf(answer, Math.random) };
const safeBrowsing = {
  make: (baseUrl: string) => safeBrowsingSource({ ...options, baseUrl, lists: ['se-4b'] }),
  list: { hashLists: [{ name: 'se-4b', version: 'AAAA', sha256Checksum: emptySum, minimumWaitDuration: '300s' }] },
  hit: { cacheDuration: '300s' },
};

/** Each source with a correct answer about its list and about a hit. */
const services: Readonly<Record<string, Service & typeof json>> = {
  'Safe Browsing': { ...safeBrowsing, ...protobuf },
  'Safe Browsing in JSON': { ...safeBrowsing, ...json },
  'Web Risk': {
    ...json,
    make: (baseUrl) => webRiskSource({ ...options, baseUrl, threatTypes: ['MALWARE'] }),
    list: { responseType: 'RESET', newVersionToken: 'AAAA', checksum: { sha256: emptySum } },
    hit: { negativeExpireTime: '2026-01-01T00:00:00Z' },
  },
};

describe.each(Object.entries(services))('%s', (_, { make, list, hit, type, write }) => {
  const headers = { 'content-type': type };
  const correct = (url: string): Buffer => write(url.includes('hashes:search') ? hit : list);

  test('accepts its own answers', async () => {
    const { origin } = await serve(({ url }) => ({ headers, body: correct(url) }));
    const [source] = make(origin);
    expect((await source!.version({})).snapshot.token).toBe('AAAA');
    expect((await source!.confirm!([1], { algoVersion: 'x' })).hashes.get(1)).toEqual([]);
  });

  test.each(hostFaults.map(([name, answer, ...codes]) => ({ name, answer, codes })))(
    'reports a host that $name',
    async ({ name, answer, codes }) => {
      const { origin } = await serve(({ url }) => {
        const faulty = answer(correct(url));
        return { ...faulty, headers: { ...headers, ...faulty.headers } };
      });
      const [source] = make(origin);
      // What is long but within the limit ends with the time, or as what it is.
      const others = /endless|bomb/.test(name) ? ['TIMEOUT', 'INVALID_RESPONSE'] : [];
      for (const work of [() => source!.version({}), () => source!.confirm!([1], { algoVersion: 'x' })]) {
        expect([...codes, ...others]).toContain(await codeOf(work()));
      }
    },
  );
});
