import { readFileSync } from 'node:fs';
import { decodeArtifact, isPortcullisError } from 'portcullis';
import { type ClientOptions, createClient } from 'portcullis/client';
import { createService, type Fault, type FaultKind } from 'portcullis/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { faultKinds } from '../../../src/servers/service/faults/fault-kinds.js';
import { start } from './harness.js';

type Way = 'over HTTP' | 'in process';
const ways: readonly Way[] = ['over HTTP', 'in process'];

async function connect(way: Way, options: Partial<ClientOptions> = {}) {
  const service = createService();
  const { url } = await service.listen();
  const client = createClient({
    baseUrl: url,
    apiKey: service.key,
    retry: false,
    ...(way === 'in process' && { fetch: ((input: string, init: RequestInit) => service.fetch(input, init)) as never }),
    ...options,
  });
  onTestFinished(async () => {
    await service.close();
    await client.close();
  });
  const from = way === 'over HTTP' ? fetch : (input: string) => service.fetch(input);
  const artifact = async (of: string) => new Uint8Array(await (await from(of)).arrayBuffer());
  return { service, client, url, artifact };
}

/** The error code that the client reports, or `fine`. */
async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'fine';
  } catch (error) {
    if (isPortcullisError(error)) return error.code;
    throw error;
  }
}

describe.each(ways)('%s', (way) => {
  const cases: readonly [Omit<Fault, 'on'>, string][] = [
    [{ kind: 'delay', delayMs: 10 }, 'fine'],
    [{ kind: 'delay', delayMs: 2_000 }, 'TIMEOUT'],
    [{ kind: 'hang' }, 'TIMEOUT'],
    [{ kind: 'reset' }, 'NETWORK'],
    [{ kind: 'cut' }, 'NETWORK'],
    [{ kind: 'wrong-length' }, 'NETWORK'],
    [{ kind: 'bad-gzip' }, 'NETWORK'],
    [{ kind: 'gzip-bomb' }, 'LIMIT_EXCEEDED'],
    // The client parses JSON whatever its content type.
    [{ kind: 'wrong-type' }, 'fine'],
    [{ kind: 'status' }, 'INTERNAL_SERVER_ERROR'],
    [{ kind: 'status', status: 418 }, 'UNEXPECTED_STATUS'],
    [{ kind: 'status', status: 404 }, 'NOT_FOUND'],
    [{ kind: 'rate-limit' }, 'TOO_MANY_REQUESTS'],
    [{ kind: 'redirect' }, 'REDIRECTED'],
    [{ kind: 'captive-portal' }, 'INVALID_RESPONSE'],
    // These only change the version document.
    [{ kind: 'stale-token' }, 'fine'],
    [{ kind: 'moving-token' }, 'fine'],
    [{ kind: 'lying-count' }, 'fine'],
  ];

  test.each(cases)('%j is %s for the client, and the next call succeeds', async (fault, code) => {
    const { service, client } = await connect(way);
    service.faults.add(fault);
    const options = code === 'TIMEOUT' ? { timeoutMs: 60 } : {};
    expect(await codeOf(client.assets.check({ content: 'https://a.example/' }, options))).toBe(code);
    expect(await codeOf(client.assets.check({ content: 'https://a.example/' }))).toBe('fine');
  });

  test('flip changes a response, and makes an artifact invalid', async () => {
    const { service, client, url, artifact } = await connect(way);
    const honest = JSON.stringify(await client.healthchecks.list());
    service.faults.add({ kind: 'flip' });
    const flipped = await client.healthchecks.list().then(JSON.stringify, () => 'refused');
    expect(flipped).not.toBe(honest);
    const { snapshot } = (await client.blocklist.version()) as { snapshot: { url: string; count: number } };
    expect(snapshot.url.startsWith(url)).toBe(true);
    expect((await decodeArtifact(await artifact(snapshot.url), snapshot)).size).toBe(5);
    service.faults.add({ kind: 'flip', on: '/blocklist/' });
    await expect(artifact(snapshot.url).then((bytes) => decodeArtifact(bytes, snapshot))).rejects.toMatchObject({
      code: 'INVALID_ARTIFACT',
    });
    expect((await decodeArtifact(await artifact(snapshot.url), snapshot)).size).toBe(5);
  });

  test.each(['cut', 'wrong-length'] as const)('%s makes the download of an artifact fail', async (kind) => {
    const { service, client, artifact } = await connect(way);
    const { snapshot } = (await client.blocklist.version()) as { snapshot: { url: string } };
    service.faults.add({ kind, on: '/blocklist/' });
    await expect(artifact(snapshot.url)).rejects.toThrow(TypeError);
  });

  test('lying-count makes the counts differ from the artifacts', async () => {
    const { service, client, artifact } = await connect(way);
    const honest = (await client.blocklist.version()) as { snapshot: { url: string; count: number }; recent: { count: number } };
    service.faults.add({ kind: 'lying-count' });
    const lying = (await client.blocklist.version()) as typeof honest;
    expect(lying).toEqual({
      ...honest,
      snapshot: { ...honest.snapshot, count: honest.snapshot.count + 17 },
      recent: { ...honest.recent, count: honest.recent.count + 17 },
    });
    const bytes = await artifact(lying.snapshot.url);
    await expect(decodeArtifact(bytes, { count: lying.snapshot.count })).rejects.toMatchObject({ code: 'INVALID_ARTIFACT' });
    expect((await decodeArtifact(bytes, { count: honest.snapshot.count })).size).toBe(5);
  });

  test('stale-token repeats a token, and moving-token never does', async () => {
    const { service, client } = await connect(way);
    const tokens = async () => {
      const { snapshot, recent } = (await client.blocklist.version()) as Record<'snapshot' | 'recent', { token: string }>;
      return [snapshot.token, recent.token];
    };
    const honest = await tokens();
    service.faults.add({ kind: 'stale-token', on: 'assetBlocklistVersion', times: 2 });
    const stale = await tokens();
    expect(stale).not.toEqual(honest);
    expect(await tokens()).toEqual(stale);
    expect(await tokens()).toEqual(honest);
    service.faults.add({ kind: 'moving-token', on: 'assetBlocklistVersion', times: 3 });
    const moving = [...(await tokens()), ...(await tokens()), ...(await tokens()), ...honest];
    expect(new Set(moving).size).toBe(8);
    expect(await tokens()).toEqual(honest);
  });

  test('redirect is rejected, and the error names the target without its query', async () => {
    const { service, client } = await connect(way);
    service.faults.add({ kind: 'redirect', location: 'https://other.invalid/login?next=secret' });
    const error = await client.account.validate().catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'REDIRECTED', message: expect.stringContaining('https://other.invalid') });
    expect(String(error)).not.toContain('secret');
  });

  test('rate-limit makes the client wait for Retry-After, or report it if it is long', async () => {
    const delays: number[] = [];
    const { service, client } = await connect(way, {
      retry: { maxRetries: 2, delayMs: 1 },
      onEvent: (event) => event.type === 'retry' && delays.push(event.delayMs),
    });
    service.faults.add({ kind: 'rate-limit', retryAfter: '0' });
    expect(await codeOf(client.account.validate())).toBe('fine');
    service.faults.add({ kind: 'rate-limit', retryAfter: '3600' });
    await expect(client.account.validate()).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS', retryAfterMs: 3_600_000 });
    expect(delays).toHaveLength(1);
  });

  test('a failed read is retried, and a failed write is not', async () => {
    const { service, client } = await connect(way, { retry: { maxRetries: 2, delayMs: 1 } });
    service.faults.add({ kind: 'status', times: 2 });
    expect(await codeOf(client.assets.check({ content: 'https://a.example/' }))).toBe('fine');
    service.faults.add({ kind: 'reset', on: 'organizationAssetGroupsCreate' });
    expect(await codeOf(client.organization.assetGroupsCreate({ name: 'Sites' }))).toBe('NETWORK');
    expect((await client.organization.assetGroupsList()).groups).toEqual([]);
    expect(service.requests().filter(({ operation }) => operation === 'organizationAssetGroupsCreate')).toHaveLength(1);
  });

  test('cut happens after the request took effect', async () => {
    const { service, client } = await connect(way);
    service.faults.add({ kind: 'cut', on: 'organizationAssetGroupsCreate' });
    expect(await codeOf(client.organization.assetGroupsCreate({ name: 'Sites' }))).toBe('NETWORK');
    expect((await client.organization.assetGroupsList()).groups).toMatchObject([{ name: 'Sites' }]);
  });

  test('aborting ends a hanging call at once', async () => {
    const { service, client } = await connect(way);
    service.faults.add({ kind: 'hang' });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    expect(await codeOf(client.account.validate({}, { signal: controller.signal }))).toBe('ABORTED');
    expect(await codeOf(client.account.validate())).toBe('fine');
  });

  test('faults affect matching requests only, as often as asked, in the order they were added', async () => {
    const { service, client } = await connect(way);
    const check = () => codeOf(client.assets.check({ content: 'https://a.example/' }));
    const validate = () => codeOf(client.account.validate());
    service.faults.add({ kind: 'status', on: 'assetCheck', times: 2 });
    service.faults.add({ kind: 'redirect', on: '/asset/' });
    service.faults.add({ kind: 'captive-portal' });
    expect(await check()).toBe('INTERNAL_SERVER_ERROR');
    expect(await validate()).toBe('INVALID_RESPONSE');
    expect(await validate()).toBe('fine');
    expect(await check()).toBe('INTERNAL_SERVER_ERROR');
    expect(await check()).toBe('REDIRECTED');
    expect(await check()).toBe('fine');
  });
});

test.each(Object.entries(faultKinds))('docs/service.md and the code agree about %s', (kind, text) => {
  expect(readFileSync('docs/service.md', 'utf8')).toContain(`| \`${kind}\` | ${text} |\n`);
});

describe('a fault', () => {
  test('is rejected if its kind is unknown, with a list of the known kinds', () => {
    const service = start();
    expect(() => service.faults.add({ kind: 'explode' as FaultKind })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining('captive-portal') }),
    );
  });

  test('affects no other request if it names an operation or a path', async () => {
    const service = start();
    service.faults.add({ kind: 'status', on: 'validate' });
    service.faults.add({ kind: 'status', on: '/asset/check' });
    expect((await service.fetch('http://localhost/openapi.json')).status).toBe(200);
    expect((await service.fetch('http://localhost/validate/x')).status).toBe(404);
    service.faults.clear();
    service.faults.add({ kind: 'status', on: '/asset/check' });
    expect((await service.fetch('http://localhost/validate', { headers: { 'x-api-key': service.key } })).status).toBe(200);
  });

  test('affects requests without a key and to unknown paths', async () => {
    const service = start();
    service.faults.add({ kind: 'status', status: 502, times: 2 });
    expect((await service.fetch('http://localhost/validate')).status).toBe(502);
    expect((await service.fetch('http://localhost/nowhere')).status).toBe(502);
    expect(service.requests().map(({ status, operation }) => [status, operation])).toEqual([
      [502, 'validate'],
      [502, null],
    ]);
  });

  test.each([
    { kind: 'status', status: 99 },
    { kind: 'status', status: 204 },
    { kind: 'redirect', location: 'a\nb' },
    { kind: 'status', on: 'assetChek' },
    { kind: 'delay', delayMs: Number.NaN },
    { kind: 'delay', delayMs: -5 },
    // This delay is longer than a timer can wait.
    { kind: 'delay', delayMs: 2 ** 31 },
    { kind: 'status', time: 2 },
  ] as const)('is rejected with INVALID_INPUT for an impossible value: %j', (fault) => {
    expect(() => start().faults.add(fault)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });

  test.each([null, { kind: 'delay', delayMs: 'x' }, { kind: 'rate-limit', retryAfter: 5 }, { kind: 'status', times: '2' }])(
    'is rejected for a value of the wrong type: %j',
    (fault) => {
      expect(() => start().faults.add(fault as never)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    },
  );

  test('does not happen with times: 0', async () => {
    const service = start();
    service.faults.add({ kind: 'status', times: 0 });
    expect((await service.fetch('http://localhost/openapi.json')).status).toBe(200);
  });

  test.each(['flip', 'cut', 'wrong-type', 'wrong-length', 'bad-gzip'] as const)(
    '%s leaves a response without a body as it is',
    async (kind) => {
      const service = start();
      const headers = { 'x-api-key': service.key };
      const version = await service.fetch('http://localhost/asset/blocklist/version', { headers });
      const { snapshot } = (await version.json()) as { snapshot: { url: string } };
      service.faults.add({ kind });
      expect((await service.fetch(snapshot.url, { headers: { 'if-none-match': '*' } })).status).toBe(304);
    },
  );

  test('is not used up by a preflight', async () => {
    const service = start();
    service.faults.add({ kind: 'status', on: '/asset/check' });
    expect((await service.fetch('http://localhost/asset/check', { method: 'OPTIONS' })).status).toBe(204);
    expect((await service.fetch('http://localhost/asset/check', { method: 'POST' })).status).toBe(503);
  });

  test.each(['status', 'rate-limit', 'redirect', 'captive-portal', 'gzip-bomb', 'wrong-type', 'flip'] as const)(
    '%s can be read by pages of other origins',
    async (kind) => {
      const service = start();
      service.faults.add({ kind, retryAfter: '7' });
      const { headers } = await service.fetch('http://localhost/validate');
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-expose-headers')).toContain('Retry-After');
      if (kind === 'rate-limit') expect(headers.get('retry-after')).toBe('7');
    },
  );

  test('does not delay close() if it hangs', async () => {
    const service = createService();
    const { url } = await service.listen();
    service.faults.add({ kind: 'hang', times: 2 });
    const calls = [fetch(`${url}/validate`), fetch(`${url}/validate`)].map((call) => call.catch(() => 'ended'));
    await new Promise((resolve) => setTimeout(resolve, 30));
    await service.close();
    expect(await Promise.all(calls)).toEqual(['ended', 'ended']);
  });
});
