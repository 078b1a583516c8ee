import { type Source, safeBrowsingSource, webRiskSource } from 'portcullis/sources';
import { describe, expect, test } from 'vitest';
import { serve } from '../../support/scripted-server.js';
import { apiKey } from '../../support/threat-server.js';
import { codeOf, hasty, hostFaults } from './harness.js';

const emptySum = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';
const options = { apiKey, timeoutMs: hasty.timeoutMs, artifactTimeoutMs: hasty.artifactTimeoutMs };

/** Each source with a correct answer about its list and about a hit. */
const services: Readonly<Record<string, { make: (baseUrl: string) => readonly Source[]; list: object; hit: object }>> = {
  'Safe Browsing': {
    make: (baseUrl) => safeBrowsingSource({ ...options, baseUrl, lists: ['se-4b'] }),
    list: { hashLists: [{ name: 'se-4b', version: 'AAAA', sha256Checksum: emptySum, minimumWaitDuration: '300s' }] },
    hit: { cacheDuration: '300s' },
  },
  'Web Risk': {
    make: (baseUrl) => webRiskSource({ ...options, baseUrl, threatTypes: ['MALWARE'] }),
    list: { responseType: 'RESET', newVersionToken: 'AAAA', checksum: { sha256: emptySum } },
    hit: { negativeExpireTime: '2026-01-01T00:00:00Z' },
  },
};

describe.each(Object.entries(services))('%s', (_, { make, list, hit }) => {
  test('accepts its own answers', async () => {
    const { origin } = await serve(({ url }) => ({ body: url.includes('hashes:search') ? hit : list }));
    const [source] = make(origin);
    expect((await source!.version({})).snapshot.token).toBe('AAAA');
    expect((await source!.confirm!([1], { algoVersion: 'x' })).hashes.get(1)).toEqual([]);
  });

  test.each(hostFaults.map(([name, answer, ...codes]) => ({ name, answer, codes })))(
    'reports a host that $name',
    async ({ name, answer, codes }) => {
      const { origin } = await serve(({ url }) =>
        answer(Buffer.from(JSON.stringify(url.includes('hashes:search') ? hit : list))),
      );
      const [source] = make(origin);
      // What is long but within the limit ends with the time, or as what it is.
      const others = /endless|bomb/.test(name) ? ['TIMEOUT', 'INVALID_RESPONSE'] : [];
      for (const work of [() => source!.version({}), () => source!.confirm!([1], { algoVersion: 'x' })]) {
        expect([...codes, ...others]).toContain(await codeOf(work()));
      }
    },
  );
});
