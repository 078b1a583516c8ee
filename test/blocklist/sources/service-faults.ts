import { expect, test } from 'vitest';
import { serviceSource } from '../../../src/blocklist/sources/service-source.js';
import { errorOf, hasty, key, listening, readAll, shown } from './harness.js';

export const serviceSteps = {
  version: ['/asset/blocklist/version', (source) => source.version({})],
  snapshot: ['/blocklist/snapshot', (source) => readAll(source)],
  recent: ['/blocklist/recent', (source) => readAll(source)],
  confirm: ['/asset/blocklist/confirm', (source) => source.confirm!([1], { algoVersion: 'portcullis-1' })],
  samples: ['/asset/list', (source) => source.samples!({ maxCount: 5, fromMs: 0, toMs: Date.now() })],
} as const satisfies Record<string, readonly [string, (source: ReturnType<typeof serviceSource>) => Promise<unknown>]>;

/** Error codes that each fault may cause; `null` if the answer is valid nevertheless. */
export const serviceFaults = {
  delay: ['TIMEOUT'],
  hang: ['TIMEOUT'],
  reset: ['NETWORK'],
  cut: ['NETWORK'],
  'wrong-length': ['NETWORK'],
  'wrong-type': null,
  'bad-gzip': ['NETWORK'],
  'gzip-bomb': ['LIMIT_EXCEEDED'],
  status: ['INTERNAL_SERVER_ERROR'],
  'rate-limit': ['TOO_MANY_REQUESTS'],
  redirect: ['REDIRECTED'],
  'captive-portal': ['INVALID_RESPONSE', 'INVALID_ARTIFACT'],
} as const;

export const isSilent = (kind: string): boolean => kind === 'delay' || kind === 'hang';

export function testServiceFaults(step: keyof typeof serviceSteps): void {
  const [path, run] = serviceSteps[step];
  test.each(Object.entries(serviceFaults))(`${step}: reports the fault "%s" and recovers`, async (kind, codes) => {
    const { service, url } = await listening();
    const source = serviceSource({ baseUrl: url, apiKey: key, ...(isSilent(kind) && hasty) });
    await readAll(source);
    const location = step === 'snapshot' || step === 'recent' ? 'http://elsewhere.invalid/' : 'https://elsewhere.invalid/';
    service.faults.add({ kind: kind as 'delay', on: path, retryAfter: '7', location });
    if (codes === null) await run(source);
    else {
      const error = await errorOf(run(source));
      expect(codes).toContain(error.code);
      expect(shown(error)).not.toContain(key);
      if (kind === 'rate-limit') expect(error.retryAfterMs).toBe(7_000);
    }
    service.faults.clear();
    await run(source);
  });
}
