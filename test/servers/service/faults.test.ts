import { decodeArtifact, isPortcullisError } from 'portcullis';
import { type ClientOptions, createClient } from 'portcullis/client';
import { createService, type Fault, type FaultKind, type ServedService } from 'portcullis/service';
import { describe, expect, onTestFinished, test } from 'vitest';

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
  return { service, client, url };
}

/** What the client makes of it: the code, or `fine`. */
async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'fine';
  } catch (error) {
    if (isPortcullisError(error)) return error.code;
    throw error;
  }
}

const artifact = async (from: (url: string) => Promise<Response>, url: string): Promise<Uint8Array> =>
  new Uint8Array(await (await from(url)).arrayBuffer());

describe.each(ways)('%s', (way) => {
  const cases: readonly [Omit<Fault, 'on'>, string][] = [
    [{ kind: 'delay', delayMs: 10 }, 'fine'],
    [{ kind: 'delay', delayMs: 10_000 }, 'TIMEOUT'],
    [{ kind: 'hang' }, 'TIMEOUT'],
    [{ kind: 'reset' }, 'NETWORK'],
    [{ kind: 'cut' }, 'NETWORK'],
    [{ kind: 'wrong-length' }, 'NETWORK'],
    // JSON by another name is JSON.
    [{ kind: 'wrong-type' }, 'fine'],
    [{ kind: 'status' }, 'INTERNAL_SERVER_ERROR'],
    [{ kind: 'status', status: 418 }, 'UNEXPECTED_STATUS'],
    [{ kind: 'status', status: 404 }, 'NOT_FOUND'],
    [{ kind: 'rate-limit' }, 'TOO_MANY_REQUESTS'],
    [{ kind: 'redirect' }, 'REDIRECTED'],
    [{ kind: 'captive-portal' }, 'INVALID_RESPONSE'],
    // They are about the version document, and change no other answer.
    [{ kind: 'stale-token' }, 'fine'],
    [{ kind: 'moving-token' }, 'fine'],
    [{ kind: 'lying-count' }, 'fine'],
  ];

  test.each(cases)('%j is %s for the client, once', async (fault, code) => {
    const { service, client } = await connect(way);
    service.faults.add(fault);
    const options = code === 'TIMEOUT' ? { timeoutMs: 60 } : {};
    expect(await codeOf(client.assets.check({ content: 'https://a.example/' }, options))).toBe(code);
    expect(await codeOf(client.assets.check({ content: 'https://a.example/' }))).toBe('fine');
  });

  // In process nothing unpacks the body, so the client reads the honest JSON, or the packed bytes.
  test('a body that is not the gzip it claims to be is NETWORK', async () => {
    const { service, client } = await connect(way);
    service.faults.add({ kind: 'bad-gzip' });
    expect(await codeOf(client.account.validate())).toBe('NETWORK');
  });

  test('a body that unpacks to a hundred megabytes is LIMIT_EXCEEDED', async () => {
    const { service, client } = await connect(way);
    service.faults.add({ kind: 'gzip-bomb' });
    expect(await codeOf(client.account.validate())).toBe('LIMIT_EXCEEDED');
    expect(await codeOf(client.account.validate())).toBe('fine');
  });

  test('a flipped byte makes another answer, and an artifact that is refused', async () => {
    const { service, client, url } = await connect(way);
    const honest = JSON.stringify(await client.healthchecks.list());
    service.faults.add({ kind: 'flip' });
    const flipped = await client.healthchecks.list().then(JSON.stringify, () => 'refused');
    expect(flipped).not.toBe(honest);
    const { snapshot } = (await client.blocklist.version()) as { snapshot: { url: string; count: number } };
    expect(snapshot.url.startsWith(url)).toBe(true);
    const from = way === 'over HTTP' ? fetch : (input: string) => service.fetch(input);
    expect((await decodeArtifact(await artifact(from, snapshot.url), snapshot)).size).toBe(5);
    service.faults.add({ kind: 'flip', on: '/blocklist/' });
    await expect(artifact(from, snapshot.url).then((bytes) => decodeArtifact(bytes, snapshot))).rejects.toMatchObject({
      code: 'INVALID_ARTIFACT',
    });
    expect((await decodeArtifact(await artifact(from, snapshot.url), snapshot)).size).toBe(5);
  });

  test.each(['cut', 'wrong-length'] as const)('an artifact with %s never arrives whole', async (kind) => {
    const { service, client } = await connect(way);
    const { snapshot } = (await client.blocklist.version()) as { snapshot: { url: string } };
    const from = way === 'over HTTP' ? fetch : (input: string) => service.fetch(input);
    service.faults.add({ kind, on: '/blocklist/' });
    await expect(artifact(from, snapshot.url)).rejects.toThrow(TypeError);
  });

  test('a count that lies does not fit the artifact', async () => {
    const { service, client } = await connect(way);
    const honest = (await client.blocklist.version()) as { snapshot: { url: string; count: number }; recent: { count: number } };
    service.faults.add({ kind: 'lying-count' });
    const lying = (await client.blocklist.version()) as typeof honest;
    expect(lying).toEqual({
      ...honest,
      snapshot: { ...honest.snapshot, count: honest.snapshot.count + 17 },
      recent: { ...honest.recent, count: honest.recent.count + 17 },
    });
    const bytes = await artifact(way === 'over HTTP' ? fetch : (input) => service.fetch(input), lying.snapshot.url);
    await expect(decodeArtifact(bytes, { count: lying.snapshot.count })).rejects.toMatchObject({ code: 'INVALID_ARTIFACT' });
    expect((await decodeArtifact(bytes, { count: honest.snapshot.count })).size).toBe(5);
  });

  test('a stale token stays what it is, a moving one never is the same', async () => {
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

  test('a redirect tells where to, and is not followed', async () => {
    const { service, client } = await connect(way);
    service.faults.add({ kind: 'redirect', location: 'https://other.invalid/login?next=secret' });
    const error = await client.account.validate().catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'REDIRECTED', message: expect.stringContaining('https://other.invalid') });
    expect(String(error)).not.toContain('secret');
  });

  test('a limit says how long to wait, and what is safe to repeat waits', async () => {
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

  test('a write is not repeated, a read is until it works', async () => {
    const { service, client } = await connect(way, { retry: { maxRetries: 2, delayMs: 1 } });
    service.faults.add({ kind: 'status', times: 2 });
    expect(await codeOf(client.assets.check({ content: 'https://a.example/' }))).toBe('fine');
    service.faults.add({ kind: 'reset', on: 'organizationAssetGroupsCreate' });
    expect(await codeOf(client.organization.assetGroupsCreate({ name: 'Sites' }))).toBe('NETWORK');
    expect((await client.organization.assetGroupsList()).groups).toEqual([]);
    expect(service.requests().filter(({ operation }) => operation === 'organizationAssetGroupsCreate')).toHaveLength(1);
  });

  test('a cut answer comes after its effect', async () => {
    const { service, client } = await connect(way);
    service.faults.add({ kind: 'cut', on: 'organizationAssetGroupsCreate' });
    expect(await codeOf(client.organization.assetGroupsCreate({ name: 'Sites' }))).toBe('NETWORK');
    expect((await client.organization.assetGroupsList()).groups).toMatchObject([{ name: 'Sites' }]);
  });

  test('an abort ends a hanging call at once', async () => {
    const { service, client } = await connect(way);
    service.faults.add({ kind: 'hang' });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    expect(await codeOf(client.account.validate({}, { signal: controller.signal }))).toBe('ABORTED');
    expect(await codeOf(client.account.validate())).toBe('fine');
  });

  test('each is counted, aimed, and used up in the order of adding', async () => {
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

  test('clear forgets all that are planned', async () => {
    const { service, client } = await connect(way);
    const faults: Fault[] = [
      { kind: 'status', times: 1_000 },
      { kind: 'reset', on: 'validate' },
      { kind: 'hang', on: '/' },
    ];
    for (const fault of faults) service.faults.add(fault);
    expect(await codeOf(client.account.validate())).toBe('INTERNAL_SERVER_ERROR');
    service.faults.clear();
    expect(await codeOf(client.account.validate())).toBe('fine');
  });
});

describe('a fault', () => {
  const start = (): ServedService => {
    const service = createService();
    onTestFinished(() => service.close());
    return service;
  };

  test('of no kind there is is refused, with the kinds there are', () => {
    const service = start();
    expect(() => service.faults.add({ kind: 'explode' as FaultKind })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining('captive-portal') }),
    );
  });

  test('aimed at an operation does not happen to a path of that name', async () => {
    const service = start();
    service.faults.add({ kind: 'status', on: 'validate' });
    service.faults.add({ kind: 'status', on: '/asset/check' });
    expect((await service.fetch('http://localhost/openapi.json')).status).toBe(200);
    expect((await service.fetch('http://localhost/validate/x')).status).toBe(404);
    service.faults.clear();
    service.faults.add({ kind: 'status', on: '/asset/check' });
    expect((await service.fetch('http://localhost/validate', { headers: { 'x-api-key': service.key } })).status).toBe(200);
  });

  test('happens before the key is looked at, and to what is no operation', async () => {
    const service = start();
    service.faults.add({ kind: 'status', status: 502, times: 2 });
    expect((await service.fetch('http://localhost/validate')).status).toBe(502);
    expect((await service.fetch('http://localhost/nowhere')).status).toBe(502);
    expect(service.requests().map(({ status, operation }) => [status, operation])).toEqual([
      [502, 'validate'],
      [502, null],
    ]);
  });

  // It is taken, and fails as the service's own fault when it happens, or never happens.
  test.each([
    { kind: 'status', status: 99 },
    { kind: 'status', status: 204 },
    { kind: 'redirect', location: 'a\nb' },
    { kind: 'status', on: 'assetChek' },
    { kind: 'delay', delayMs: Number.NaN },
    { kind: 'delay', delayMs: -5 },
    // A timer counts no further, and would end at once.
    { kind: 'delay', delayMs: 2 ** 31 },
    { kind: 'status', time: 2 },
  ] as const)('that cannot happen is refused: %j', (fault) => {
    expect(() => start().faults.add(fault)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });

  test.each([null, { kind: 'delay', delayMs: 'x' }, { kind: 'rate-limit', retryAfter: 5 }, { kind: 'status', times: '2' }])(
    'of another kind of value is a TypeError: %j',
    (fault) => {
      expect(() => start().faults.add(fault as never)).toThrow(TypeError);
    },
  );

  // It happens once: it is looked for before it is counted.
  test('that is to happen no time does not happen', async () => {
    const service = start();
    service.faults.add({ kind: 'status', times: 0 });
    expect((await service.fetch('http://localhost/openapi.json')).status).toBe(200);
  });

  // An answer without a body cannot have one, not even an empty one: `Response` refuses it.
  test.each(['flip', 'cut', 'wrong-type', 'wrong-length', 'bad-gzip'] as const)(
    '%s of an answer without a body is an answer',
    async (kind) => {
      const service = start();
      const headers = { 'x-api-key': service.key };
      const version = await service.fetch('http://localhost/asset/blocklist/version', { headers });
      const { snapshot } = (await version.json()) as { snapshot: { url: string } };
      service.faults.add({ kind });
      expect((await service.fetch(snapshot.url, { headers: { 'if-none-match': '*' } })).status).toBe(304);
    },
  );

  // A page asks before it calls; the fault is for its call.
  test('is not used up by the question of another origin', async () => {
    const service = start();
    service.faults.add({ kind: 'status', on: '/asset/check' });
    expect((await service.fetch('http://localhost/asset/check', { method: 'OPTIONS' })).status).toBe(204);
    expect((await service.fetch('http://localhost/asset/check', { method: 'POST' })).status).toBe(503);
  });

  // Otherwise a page sees a network error, and no 429 with its Retry-After.
  test.each(['status', 'rate-limit', 'redirect', 'captive-portal', 'gzip-bomb', 'wrong-type', 'flip'] as const)(
    '%s can be read by another origin',
    async (kind) => {
      const service = start();
      service.faults.add({ kind, retryAfter: '7' });
      const { headers } = await service.fetch('http://localhost/validate');
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-expose-headers')).toContain('Retry-After');
      if (kind === 'rate-limit') expect(headers.get('retry-after')).toBe('7');
    },
  );

  test('that hangs keeps nobody from closing', async () => {
    const service = createService();
    const { url } = await service.listen();
    service.faults.add({ kind: 'hang', times: 2 });
    const calls = [fetch(`${url}/validate`), fetch(`${url}/validate`)].map((call) => call.catch(() => 'ended'));
    await new Promise((resolve) => setTimeout(resolve, 30));
    await service.close();
    expect(await Promise.all(calls)).toEqual(['ended', 'ended']);
  });
});
