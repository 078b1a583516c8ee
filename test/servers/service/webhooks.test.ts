import type { LookupAddress } from 'node:dns';
import type { ServedService, ServerOptions } from 'portcullis/testing';
import { readScanCallback, verifyWebhook } from 'portcullis/webhooks';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { isPrivateAddress } from '../../../src/core/assets/web/private.js';
import { requireTarget } from '../../../src/servers/service/delivery/targets.js';
import { type Answer, serve } from '../../support/scripted-server.js';
import { ask as askService, recorder, start, startMs } from './harness.js';

/** Names that resolve to the addresses of a test; all others are resolved by the system. */
const { names } = vi.hoisted(() => ({ names: new Map<string, () => LookupAddress[]>() }));
vi.mock('node:dns', async (original) => {
  const dns = await original<typeof import('node:dns')>();
  const lookup = (name: string, options: object, done: (error: Error | null, addresses: LookupAddress[]) => void) => {
    const known = names.get(name);
    if (known === undefined) dns.lookup(name, { ...options, all: true }, done);
    else done(null, known());
  };
  return { ...dns, lookup, default: { ...dns, lookup } };
});

async function ask<Body = Record<string, unknown>>(service: ServedService, path: string, body: object): Promise<Body> {
  const { status, body: answer } = await askService(service, path, body);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(answer)}`);
  return answer as Body;
}

interface Webhook {
  readonly id: number;
  readonly secret: string;
}
const hook = (service: ServedService, url: string, more: object = {}) =>
  ask<Webhook>(service, '/webhook/config', { url, ...more });

let count = 0;
/** Causes an event for a webhook. */
const happen = (service: ServedService) =>
  ask(service, '/organization/assets', { assets: [{ content: `https://site-${++count}.example/` }] });

/** A service with a webhook to a real receiver that answers by a script. */
async function heard(script: readonly Answer[] | (() => Answer), options: ServerOptions = {}) {
  const receiver = await serve(script);
  const service = start({ allowPrivateTargets: true, ...options });
  const { secret, id } = await hook(service, `${receiver.origin}/hook?a=b`);
  return { receiver, service, secret, id };
}

const attempts = (service: ServedService) =>
  service.deliveries().map(({ status, attempts: made, dueMs }) => ({
    status,
    made: made.map(({ atMs, status: answered, error }) => [atMs - startMs, answered, error]),
    dueMs: dueMs === null ? null : dueMs - startMs,
  }));

describe('a delivery', () => {
  test('can be one of many at once without a warning of Node', async () => {
    const warnings: string[] = [];
    const warn = ({ name }: Error) => warnings.push(name);
    process.on('warning', warn);
    onTestFinished(() => void process.off('warning', warn));
    let begun = 0;
    const post = (_url: string, _headers: object, _body: string, signal: AbortSignal) =>
      new Promise<number>((_, reject) => {
        begun++;
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    const service = start({ post });
    for (let at = 0; at < 12; at++) await hook(service, `https://hook.example/${at}`);
    await happen(service);
    void service.clock.advance(0);
    await vi.waitFor(() => expect(begun).toBe(12));
    await service.close();
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([]);
  });

  test('is a signed JSON POST to the exact URL', async () => {
    const { receiver, service, secret } = await heard([{ status: 204 }]);
    await happen(service);
    await service.clock.advance(0);
    const [request] = receiver.requests;
    expect(request).toMatchObject({ method: 'POST', url: '/hook?a=b', headers: { 'content-type': 'application/json' } });
    const event = verifyWebhook(request!.body, request!.headers, { secrets: secret, header: 'X-Portcullis-Signature' });
    expect(event).toMatchObject({ type: 'asset.status-updated', createdAtMs: startMs, data: { type: 'URL', status: 'ALLOWED' } });
    expect(() => verifyWebhook(request!.body, request!.headers, { secrets: `${secret}0` })).toThrow(
      expect.objectContaining({ code: 'SIGNATURE_INVALID' }),
    );
    expect(attempts(service)).toEqual([{ status: 'SUCCESS', made: [[0, 204, null]], dueMs: null }]);
  });

  test('happens in real time without advance()', async () => {
    const { receiver, service } = await heard([{ status: 204 }], { now: Date.now });
    await happen(service);
    await vi.waitFor(() => expect(service.deliveries()).toMatchObject([{ status: 'SUCCESS' }]), 30_000);
    expect(receiver.requests).toHaveLength(1);
  });

  test('is retried three times with growing delays if it fails', async () => {
    const { receiver, service } = await heard([{ status: 500 }]);
    await happen(service);
    await service.clock.advance(0);
    expect(attempts(service)).toEqual([{ status: 'PENDING', made: [[0, 500, null]], dueMs: 1_000 }]);
    await service.clock.advance(999);
    expect(receiver.requests).toHaveLength(1);
    await service.clock.advance(1);
    expect(receiver.requests).toHaveLength(2);
    await service.clock.advance(3_999);
    expect(receiver.requests).toHaveLength(2);
    await service.clock.advance(86_400_000);
    const made = [0, 1_000, 5_000, 21_000].map((atMs) => [atMs, 500, null]);
    expect(attempts(service)).toEqual([{ status: 'FAILURE', made, dueMs: null }]);
    expect(new Set(receiver.requests.map(({ body }) => body.toString())).size).toBe(1);
    expect(new Set(receiver.requests.map(({ headers }) => headers['x-portcullis-signature'])).size).toBe(1);
  });

  test('is not retried after a success', async () => {
    const { receiver, service } = await heard([{ status: 503 }, { status: 200, body: 'thanks' }]);
    await happen(service);
    await service.clock.advance(86_400_000);
    expect(receiver.requests).toHaveLength(2);
    const made = [0, 1_000].map((atMs, at) => [atMs, [503, 200][at], null]);
    expect(attempts(service)).toEqual([{ status: 'SUCCESS', made, dueMs: null }]);
  });

  const failures = [300, 301, 302, 304, 307, 308, 400, 404, 410, 429, 'reset'] as const;
  test.each(failures)('answered with %s is logged and retried, and redirects are not followed', async (failure) => {
    const other = await serve([{ status: 204 }]);
    const [status, error] = failure === 'reset' ? [null, expect.stringMatching(/./)] : [failure, null];
    const answer = status === null ? { fault: 'reset' as const } : { status, headers: { location: `${other.origin}/other` } };
    const { receiver, service } = await heard([answer, { status: 204 }]);
    await happen(service);
    await service.clock.advance(0);
    expect(attempts(service)).toMatchObject([{ status: 'PENDING', made: [[0, status, error]] }]);
    await service.clock.advance(1_000);
    expect(attempts(service)).toMatchObject([{ status: 'SUCCESS' }]);
    expect([receiver.requests.length, other.requests.length]).toEqual([2, 0]);
  });

  test.each(['cut', 'endless'] as const)('succeeds if the response status is 200, even with a broken body: %s', async (fault) => {
    const { receiver, service } = await heard([{ fault }]);
    await happen(service);
    await service.clock.advance(60_000);
    expect(attempts(service)).toEqual([{ status: 'SUCCESS', made: [[0, 200, null]], dueMs: null }]);
    expect(receiver.bytesSent()).toBeLessThan(32 * 1024 * 1024);
  });

  test('fails if the receiver is unreachable, without affecting calls', async () => {
    const service = start({ allowPrivateTargets: true });
    await hook(service, 'http://127.0.0.1:1/');
    const { successCount } = await ask(service, '/organization/assets', { assets: [{ content: 'https://quiet.example/' }] });
    expect(successCount).toBe(1);
    await service.clock.advance(60_000);
    expect(attempts(service)).toMatchObject([{ status: 'FAILURE', dueMs: null }]);
    expect(service.deliveries()[0]!.attempts).toHaveLength(4);
    for (const { error, status } of service.deliveries()[0]!.attempts) expect([status, typeof error]).toEqual([null, 'string']);
  });

  test('goes to each webhook that subscribed to the event, and to no other', async () => {
    const { sent, post } = recorder();
    const service = start({ post });
    await hook(service, 'https://all.example/');
    await hook(service, 'https://status.example/', { events: ['asset.status-updated'] });
    await hook(service, 'https://none.example/', { events: [] });
    await ask(service, '/report/create', { assets: [{ content: 'https://new-mint.example/' }] });
    await happen(service);
    await service.clock.advance(0);
    expect(sent.map(({ url, body }) => [url, (JSON.parse(body) as { type: string }).type]).sort()).toEqual([
      ['https://all.example/', 'asset.status-escalated'],
      ['https://all.example/', 'asset.status-updated'],
      ['https://status.example/', 'asset.status-updated'],
    ]);
  });

  test('can be replayed as a new one with the same body', async () => {
    const { receiver, service, secret } = await heard([...Array<Answer>(4).fill({ status: 500 }), {}]);
    await happen(service);
    await service.clock.advance(60_000);
    const [failed] = service.deliveries();
    await service.replay(failed!.id);
    await service.clock.advance(0);
    expect(service.deliveries()).toMatchObject([
      { id: failed!.id, status: 'FAILURE' },
      { status: 'SUCCESS', body: failed!.body, event: failed!.event, webhookId: failed!.webhookId },
    ]);
    const last = receiver.requests.at(-1)!;
    expect(verifyWebhook(last.body, last.headers, { secrets: secret }).type).toBe('asset.status-updated');
    await expect(service.replay(999_999)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('is scheduled again after a restore', async () => {
    const { service } = await heard([{ status: 500 }]);
    await happen(service);
    await service.clock.advance(0);
    const { sent, post } = recorder();
    const other = start({ post });
    await other.restore(service.snapshot());
    await other.clock.advance(1_000);
    expect(sent).toHaveLength(1);
    expect(other.deliveries()).toMatchObject([{ status: 'SUCCESS', attempts: [{ status: 500 }, { status: 204 }] }]);
  });

  test('announces an unblock', async () => {
    const { service } = await heard([{ status: 204 }]);
    await ask(service, '/asset/unblock', { content: 'https://scam-mint.example/' });
    await service.clock.advance(0);
    expect(service.deliveries().map(({ body }) => JSON.parse(body))).toMatchObject([
      { type: 'asset.status-updated', data: { content: 'scam-mint.example', status: 'UNKNOWN' } },
    ]);
  });
});

describe('webhookConfig', () => {
  test('returns a different secret each time, which no other response contains', async () => {
    const service = start({ post: recorder().post });
    const secrets = [await hook(service, 'https://a.example/'), await hook(service, 'https://a.example/')].map(
      ({ secret }) => secret,
    );
    expect(new Set(secrets).size).toBe(2);
    await happen(service);
    await service.clock.advance(0);
    for (const secret of secrets) expect(JSON.stringify([service.deliveries(), service.requests()])).not.toContain(secret);
  });

  test('creates at most twenty webhooks', async () => {
    const service = start();
    for (let at = 0; at < 20; at++) await hook(service, `https://h${at}.example/`);
    await expect(hook(service, 'https://h20.example/')).rejects.toThrow('400');
  });

  const urls = [
    'http://hook.example/',
    'ftp://hook.example/',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'hook.example',
    '',
    5,
  ];
  test.each([
    ...[...urls, 'https://user:word@hook.example/', 'https://user@hook.example/'].map((url) => ({ url })),
    ...[['debug.test'], ['asset.removed'], 'asset.status-updated'].map((events) => ({ events })),
  ])('rejects %j', async (more) => {
    await expect(hook(start(), 'https://hook.example/', more)).rejects.toThrow('400');
  });
});

/** Private hosts in every spelling of a URL. */
const privateHosts = [
  'localhost LOCALHOST. app.localhost metadata.google.internal printer.local 127.0.0.1 127.1 2130706433',
  '0x7f000001 0x7f.1 0177.0.0.1 017700000001 127.0.0.1. 0.0.0.0 0 10.0.0.1 10.255.255.255 100.64.0.1',
  '169.254.169.254 172.16.0.1 172.31.255.255 192.168.1.1 192.0.0.1 198.18.0.1 224.0.0.1 255.255.255.255 [::1]',
  '[::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:10.0.0.1] [::ffff:a9fe:a9fe] [fc00::1]',
  '[fdff::1] [fe80::1] [fec0::1] [ff02::1] [64:ff9b::7f00:1] [2002:7f00:1::] １２７.０.０.１',
].flatMap((line) => line.split(' '));

describe('a private address', () => {
  /** The attempts of a delivery. */
  async function errorOf(url: string, options?: ServerOptions): Promise<unknown> {
    const service = start(options);
    await hook(service, url);
    await happen(service);
    await service.clock.advance(0);
    return service.deliveries()[0]!.attempts;
  }
  const atPrivate = [{ atMs: startMs, status: null, error: expect.stringContaining('private address') }];

  test('is rejected in every spelling', () => {
    for (const host of privateHosts)
      expect(() => requireTarget(`https://${host}/hook`, false), host).toThrow('only a service with allowPrivateTargets');
  });

  test.each(['localhost', '0x7f.1', '[::ffff:a9fe:a9fe]'])('%s is rejected as a URL, and in a restored webhook', async (host) => {
    const url = `https://${host}/hook`;
    const strict = start();
    await expect(hook(strict, url)).rejects.toThrow(/^400 .*private address/);
    const scan = ask(strict, '/asset/scan', { content: 'https://a.example/', callbackUrl: url });
    await expect(scan).rejects.toThrow(/^400 .*private address/);
    const lenient = start({ allowPrivateTargets: true });
    await hook(lenient, url);
    await happen(lenient);
    await strict.restore(lenient.snapshot());
    await strict.clock.advance(0);
    expect(strict.deliveries()[0]!.attempts).toEqual(atPrivate);
  });

  // IPv4 in IPv6 (RFC 4291), of translators (RFC 2765) and tunnels (RFC 4380); long, with a zone, malformed; reserved (RFC 6890).
  test('is recognized among addresses', () => {
    const [isPrivate, isPublic] = [
      [
        '::7f00:1 ::127.0.0.1 ::ffff:0:7f00:1 2001:0:7f00:1:: 0:0:0:0:0:0:0:1 0:0:0:0:0:FFFF:7F00:1',
        'FE80::1%eth0 1::2::3 1:2:3:4:5:6:7:8:9 2001:2::1 2001:1ff::1 2001:db8::1 3fff:fff::1 64:ff9b:1::1',
        '100::1 5f00::1 192.88.99.1 ::ffff:192.88.99.1 64:ff9b::10.0.0.1',
      ],
      [
        '8.8.8.8 100.128.0.1 172.32.0.1 192.88.98.1 ::ffff:8.8.8.8 ::ffff:808:808 2001:200::1',
        '2001:4860:4860::8888 2606:4700:4700:0:0:0:0:1111 3fff:1000::1 64:ff9b::8.8.8.8 fc.example',
      ],
    ].map((lines) => lines.flatMap((line) => line.split(' ')));
    expect(isPrivate!.filter((address) => !isPrivateAddress(address))).toEqual([]);
    expect(isPublic!.filter(isPrivateAddress)).toEqual([]);
  });

  test('is not reached through a name that resolves to it', async () => {
    const receiver = await serve([{ status: 204 }]);
    const { port } = new URL(receiver.origin);
    names.set('rebound.example', () => [{ address: '127.0.0.1', family: 4 }]);
    names.set('mapped.example', () => [{ address: '::ffff:127.0.0.1', family: 6 }]);
    names.set('both.example', () => [
      { address: '::1', family: 6 },
      { address: '10.1.2.3', family: 4 },
    ]);
    names.set('nothing.example', () => []);
    for (const name of names.keys()) expect(await errorOf(`https://${name}:${port}/`)).toEqual(atPrivate);
    expect(await errorOf(`https://rebound.example:${port}/`, { post: undefined as never })).toEqual(atPrivate);
    expect(receiver.connections()).toBe(0);
  });

  test('is checked in the same lookup that the connection uses', async () => {
    const receiver = await serve([{ status: 204 }]);
    const { port } = new URL(receiver.origin);
    let looks = 0;
    names.set('pinned.example', () => {
      looks++;
      return [{ address: '127.0.0.1', family: 4 }];
    });
    const service = start({ allowPrivateTargets: true });
    await hook(service, `http://pinned.example:${port}/`);
    await happen(service);
    await service.clock.advance(0);
    expect(receiver.requests).toMatchObject([{ headers: { host: `pinned.example:${port}` } }]);
    expect(looks).toBe(1);
  });

  test('is not reached by the callback of a scan', async () => {
    const receiver = await serve([{ status: 204 }]);
    const service = start();
    for (const callbackUrl of [receiver.origin, receiver.origin.replace('http', 'https'), 'no address at all'])
      await ask(service, '/asset/scan', { content: 'https://a.example/', callbackUrl }).catch(() => {});
    await service.clock.advance(60_000);
    expect(receiver.connections()).toBe(0);
  });

  const malformed = ['no address at all', 'http://hook.example/', 'javascript:alert(1)'];
  test.each(malformed)('is rejected as the callback of a scan, like %j', async (callbackUrl) => {
    await expect(ask(start(), '/asset/scan', { content: 'https://a.example/', callbackUrl })).rejects.toThrow('400');
  });
});

describe('a scan', () => {
  test('progresses with the clock and calls back once with its result', async () => {
    const receiver = await serve([{ status: 500 }]);
    const service = start({ allowPrivateTargets: true });
    const scan = { content: 'https://scam-mint.example/', callbackUrl: `${receiver.origin}/scan/a-long-random-part` };
    const { scanId, status } = await ask<{ scanId: number; status: string }>(service, '/asset/scan', scan);
    expect(status).toBe('PENDING');
    const result = () => ask(service, '/scan/result', { scanId });
    const seen: unknown[] = [];
    for (const ms of [0, 999, 1, 1_999, 1]) {
      await service.clock.advance(ms);
      seen.push([(await result())['status'], receiver.requests.length]);
    }
    expect(seen).toEqual([
      ['PENDING', 0],
      ['PENDING', 0],
      ['IN_PROGRESS', 0],
      ['IN_PROGRESS', 0],
      ['COMPLETED', 1],
    ]);
    await service.clock.advance(86_400_000);
    expect(receiver.requests).toHaveLength(1);
    const [request] = receiver.requests;
    expect(request).toMatchObject({ method: 'POST', url: '/scan/a-long-random-part' });
    expect(readScanCallback(request!.body)).toMatchObject({ scanId, status: 'COMPLETED', raw: { scan: await result() } });
    expect(await result()).toMatchObject({ output: { riskScore: 1, labels: [{ name: 'listed' }] } });
  });

  test('without a callback URL sends nothing', async () => {
    const { sent, post } = recorder();
    const service = start({ post });
    await ask(service, '/asset/scan', { content: 'https://a.example/' });
    await service.clock.advance(60_000);
    expect(sent).toEqual([]);
  });
});
