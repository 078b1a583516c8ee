import { get } from 'node:http';
import { PortcullisError } from 'portcullis';
import { createService } from 'portcullis/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { pageFiles } from '../../../apps/cli/playground/page-files.js';
import { createPlayground } from '../../../apps/cli/playground/playground.js';
import { sampleExamples } from '../../../apps/shared/playground-config.js';
import { builtPage, type Served, servePlayground } from './harness.js';

const origin = 'http://127.0.0.1:4000';

/** A playground whose relay and actions only record that they were called. */
async function recorded(more: { path?: string; canAct?: boolean; fails?: Error } = {}) {
  const done: string[] = [];
  const act = (name: string) => async (content: string) => {
    if (more.fails) throw more.fails;
    done.push(`${name} ${content}`);
  };
  const playground = await createPlayground({
    relay: { fetch: async (request) => new Response(new URL(request.url).pathname) },
    ...(more.canAct !== false && { actions: { block: act('block'), allow: act('allow') } }),
    ...(more.path !== undefined && { path: more.path }),
    origin,
    folder: builtPage(),
  });
  return { done, ask: (path: string, init?: RequestInit) => playground.fetch(new Request(origin + path, init)) };
}

/** A request as the page sends it. */
const post = (body: string, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json', ...headers },
  body,
});
const named = JSON.stringify({ content: 'evil.example' });

test('a body that does not arrive in time gets 408, and is not read further', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let isCancelled = false;
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"content":')),
    cancel: () => {
      isCancelled = true;
    },
  });
  const { ask, done } = await recorded();
  const answer = ask('/actions/block', { ...post(''), body, duplex: 'half' } as RequestInit);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([(await answer).status, isCancelled, done, vi.getTimerCount()]).toEqual([408, true, [], 0]);
});

test.each([
  ['/', 'text/html; charset=utf-8'],
  ['/index.html', 'text/html; charset=utf-8'],
  ['/page.js', 'text/javascript; charset=utf-8'],
  ['/page.css', 'text/css; charset=utf-8'],
  ['/publish.html', 'text/html; charset=utf-8'],
  ['/publish-worker.js', 'text/javascript; charset=utf-8'],
  ['/config.json', 'application/json'],
])('serves %s as %s under a policy that allows only its own origin', async (path, type) => {
  const { ask } = await recorded();
  const answer = await ask(path);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe(type);
  const policy = answer.headers.get('content-security-policy') ?? '';
  // The page for publishers and its worker may connect to nothing.
  const connect = path.startsWith('/publish') ? [] : ["connect-src 'self'"];
  const rules = ["default-src 'none'", "script-src 'self'", "style-src 'self'", ...connect, "frame-ancestors 'none'"];
  expect(policy.includes('connect-src')).toBe(connect.length > 0);
  expect(policy.split('; ')).toEqual(expect.arrayContaining(rules));
  expect(policy).not.toContain('unsafe');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  expect((await answer.arrayBuffer()).byteLength).toBe(Number(answer.headers.get('content-length')));
  const head = await ask(path, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect(head.headers.get('content-length')).toBe(answer.headers.get('content-length'));
});

test('the pages have no inline script or style, and link only to their own files', async () => {
  const files = await pageFiles({ kind: 'published', url: '.', examples: [] }, builtPage());
  for (const name of ['index.html', 'publish.html']) {
    const html = new TextDecoder().decode(files.get(name));
    expect(html).not.toMatch(/<script(?![^>]*\bsrc="(?:page|publish)\.js")|<style|\sstyle=|\son\w+=/);
    expect(html).not.toMatch(/(?:src|href)="(?!page\.|publish\.|\.\/"|data:image\/svg|#)/);
  }
  const scripts = ['page.js', 'publish-worker.js', 'publish.js'];
  expect([...files.keys()].sort()).toEqual(
    ['config.json', 'index.html', 'page.css', ...scripts, 'publish.html', 'third-party.txt'].sort(),
  );
  expect(JSON.parse(new TextDecoder().decode(files.get('config.json')))).toEqual({ kind: 'published', url: '.', examples: [] });
  for (const name of scripts) {
    const script = new TextDecoder().decode(files.get(name));
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(/);
  }
});

const nowhere = '/nothing /../package.json /..%2fpackage.json /%2e%2e/config.json /page.js/ /files.ts //page.js /__proto__';
test.each(nowhere.split(' '))('answers 404 to %s', async (path) => {
  const { ask } = await recorded();
  const answer = await ask(path);
  expect(answer.status === 404 || new URL(origin + path).pathname === '/config.json').toBe(true);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
});

test('passes every path below blocklist/ to the relay', async () => {
  const { ask } = await recorded({ path: '/play/' });
  expect(await (await ask('/play/blocklist/asset/blocklist/version')).text()).toBe('/play/blocklist/asset/blocklist/version');
  expect((await ask('/blocklist/asset/blocklist/version')).status).toBe(404);
});

test('redirects a missing final slash and another name of this machine to the right URL', async () => {
  const { ask } = await recorded({ path: '/play/' });
  const slash = await ask('/play');
  expect([slash.status, new URL(slash.headers.get('location')!, `${origin}/play`).href]).toEqual([307, `${origin}/play/`]);
  const playground = await createPlayground({ relay: { fetch: async () => new Response() }, origin, folder: builtPage() });
  const named = await playground.fetch(new Request('http://localhost:4000/'));
  expect([named.status, named.headers.get('location')]).toEqual([307, `${origin}/`]);
});

test('runs the actions that its own page sends', async () => {
  const { ask, done } = await recorded();
  expect((await ask('/actions/block', post(named))).status).toBe(200);
  expect((await ask('/actions/allow', post(named, { 'content-type': 'application/json; charset=utf-8' }))).status).toBe(200);
  expect(done).toEqual(['block evil.example', 'allow evil.example']);
});

test.each<[string, RequestInit, number]>([
  ['another origin', post(named, { origin: 'https://evil.example' }), 403],
  ['the origin null', post(named, { origin: 'null' }), 403],
  ['another port of this machine', post(named, { origin: 'http://127.0.0.1:4001' }), 403],
  ['no origin', { ...post(named), headers: { 'content-type': 'application/json' } }, 403],
  ['the fetch site same-site', post(named, { 'sec-fetch-site': 'same-site' }), 403],
  ['a form content type', post(named, { 'content-type': 'text/plain' }), 415],
  ['a body that is too long', post(JSON.stringify({ content: 'a'.repeat(20_000) })), 413],
  ['malformed JSON', post('{'), 400],
  ['null', post('null'), 400],
  ['no content', post('{}'), 400],
  ['content that is not a string', post('{"content":1}'), 400],
  ['blank content', post('{"content":"  "}'), 400],
  ['malformed UTF-8', { ...post(''), body: new Uint8Array([0x22, 0xff, 0x22]) }, 400],
  ['GET', { method: 'GET', headers: { origin } }, 405],
  ['DELETE', { ...post(named), method: 'DELETE' }, 405],
])('rejects an action with %s', async (_, init, status) => {
  const { ask, done } = await recorded();
  const answer = await ask('/actions/block', init);
  expect(answer.status).toBe(status);
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  expect(Object.keys(await answer.json()).sort()).toEqual(['code', 'message']);
  expect(done).toEqual([]);
});

test('has no actions unless they are given, and does not reveal unexpected errors', async () => {
  const without = await recorded({ canAct: false });
  expect((await without.ask('/actions/block', post(named))).status).toBe(404);
  expect(await (await without.ask('/config.json')).json()).toMatchObject({ kind: 'relay', canAct: false });
  const failing = await recorded({ fails: new Error('key-example-wallet') });
  const answer = await failing.ask('/actions/block', post(named));
  expect([answer.status, (await answer.text()).includes('key')]).toEqual([500, false]);
});

test('rejects other methods for a file', async () => {
  const { ask } = await recorded();
  const answer = await ask('/page.js', { method: 'POST', body: '' });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test.each(['playground', '/playground', '/a b/', '//', '/../'])('rejects %s as its path', async (path) => {
  await expect(createPlayground({ relay: { fetch: async () => new Response() }, path })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  });
});

test('reports a page that is not built', async () => {
  const folder = new URL('./nowhere/', import.meta.url);
  await expect(pageFiles({ kind: 'published', url: '.', examples: [] }, folder)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

async function serve(): Promise<Served> {
  const { served, close } = await servePlayground();
  onTestFinished(close);
  return served;
}

/** The status of a request with another `Host` header. */
const statusFor = (url: string, host: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    get(url, { headers: { host } }, (answer) => resolve(answer.resume().statusCode)).on('error', reject);
  });

test('answers over HTTP only under the names of this machine', async () => {
  const { url } = await serve();
  const { host, port } = new URL(url);
  expect(await statusFor(url, host)).toBe(200);
  expect(await statusFor(url, `localhost:${port}`)).toBe(307);
  expect(await statusFor(url, `evil.example:${port}`)).toBe(403);
  expect(await statusFor(`${url}config.json`, 'evil.example')).toBe(403);
});

test('a block reaches the recent feed of the service, and an allow reaches its next snapshot', async () => {
  const { url, service } = await serve();
  const tokens = async () => {
    const answer = await service.fetch('http://localhost/asset/blocklist/version', { headers: { 'x-api-key': service.key } });
    const { snapshot, recent } = await answer.json();
    return { snapshot: snapshot.token, recent: recent.token, counts: [snapshot.count, recent.count] };
  };
  const act = async (name: string, content: string) => {
    const headers = { origin: new URL(url).origin, 'content-type': 'application/json' };
    const answer = await fetch(`${url}actions/${name}`, { method: 'POST', headers, body: JSON.stringify({ content }) });
    return [answer.status, await answer.json()];
  };
  const before = await tokens();
  expect(await act('block', 'https://new-mint.example/')).toEqual([200, { done: true }]);
  const blocked = await tokens();
  expect([blocked.snapshot === before.snapshot, blocked.counts]).toEqual([true, [before.counts[0], 1]]);
  expect(await act('block', 'https://new-mint.example/')).toMatchObject([422, { message: 'It is already BLOCKED.' }]);
  expect(await act('allow', 'new-mint.example')).toEqual([200, { done: true }]);
  const allowed = await tokens();
  // The content is the one from before, and the tokens are new: clients take one that comes back for an older version.
  const contentOf = (token: string): string => token.split('-')[0]!;
  expect([contentOf(allowed.snapshot), contentOf(allowed.recent)]).toEqual([
    contentOf(before.snapshot),
    contentOf(before.recent),
  ]);
  expect([allowed.counts, allowed.recent === before.recent]).toEqual([before.counts, false]);
  expect(await act('allow', 'scam-mint.example')).toEqual([200, { done: true }]);
  const lifted = await tokens();
  expect([lifted.snapshot === before.snapshot, lifted.counts]).toEqual([false, [before.counts[0] - 1, 0]]);
  expect(await act('allow', 'new-mint.example')).toMatchObject([400, {}]);
  const message = 'The asset is allowed; a review cannot block it.';
  expect(await act('block', 'https://example.com/')).toMatchObject([403, { message }]);
});

test('the listed examples are blocked in the sample data', async () => {
  const service = createService();
  onTestFinished(() => service.close());
  const statusOf = async (content: string) => {
    const headers = { 'x-api-key': service.key, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify({ content }) };
    return (await (await service.fetch('http://localhost/asset/check', init)).json()).status;
  };
  const listed = ['A listed link', 'A listed address', 'A subdomain of a listed site', 'A payment link'];
  const texts = sampleExamples.filter(({ name }) => listed.includes(name)).map(({ text }) => text);
  expect(await Promise.all(texts.map(statusOf))).toEqual(['BLOCKED', 'BLOCKED', 'BLOCKED', 'BLOCKED']);
});

test.each([
  [undefined, 502],
  [200, 502],
  [201, 502],
  [302, 502],
  [404, 404],
  [503, 503],
])('a failed action whose error has the status %s is answered with %i', async (status, expected) => {
  const { ask } = await recorded({ fails: new PortcullisError('INVALID_RESPONSE', 'the answer is unusable', { status }) });
  const answer = await ask('/actions/block', post(named));
  expect([answer.status, await answer.json()]).toEqual([
    expected,
    { code: 'INVALID_RESPONSE', message: 'the answer is unusable' },
  ]);
});
