import { createServer, type RequestListener } from 'node:http';
import { runInNewContext } from 'node:vm';
import express from 'express';
import express4 from 'express4';
import fc from 'fast-check';
import { type Blocklist, createBlocklist } from 'portcullis';
import { findAssets } from 'portcullis/assets';
import { expressScreen, type Picked } from 'portcullis/middleware';
import { textSource } from 'portcullis/sources';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { originOf } from '../../support/listen.js';
import { frameworkRoutes, postJson } from './framework-routes.js';

/** A server may hand what a client sent straight to a screen. Whatever its shape, nothing listed passes. */
const listed = 'https://evil.example/claim';
const good = 'https://good.example';

let blocklist: Blocklist;
beforeAll(async () => {
  blocklist = createBlocklist({ sources: [textSource({ id: 'mine', text: 'evil.example\n' })], pollMs: 0 });
  await blocklist.ready();
});
afterAll(() => blocklist.close());

const names = [
  'texts',
  'assets',
  'content',
  'type',
  'chain',
  'text',
  'asset',
  'html',
  '0',
  'length',
  'toString',
  '__proto__',
  '',
];
const key = fc.constantFrom(...names, listed);
const leaf = fc.constantFrom<unknown>(
  listed,
  `see ${listed}`,
  'evil.example',
  good,
  'hello',
  '',
  'NPM',
  'URL',
  'eip155:1',
  0,
  true,
  null,
);
const { value: anyJson } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
    fc.record({ texts: fc.array(tie('value'), { maxLength: 3 }) }),
    fc.record({ assets: fc.array(tie('value'), { maxLength: 3 }) }),
    fc.record({ texts: tie('value'), assets: tie('value') }, { requiredKeys: [] }),
    fc.record({ content: tie('value'), type: tie('value'), chain: tie('value') }, { requiredKeys: ['content'] }),
  ),
}));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const hasOnly = (value: Record<string, unknown>, allowed: readonly string[]): boolean => {
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((name) => allowed.includes(name));
};
/** Whether everything in it is a text, or a link. */
const isReadable = (value: unknown): boolean => {
  if (typeof value === 'string') return true;
  if (!isObject(value) || !hasOnly(value, ['texts', 'assets'])) return false;
  const { texts = [], assets = [] } = value;
  return (
    Array.isArray(texts) && texts.every((text) => typeof text === 'string') && Array.isArray(assets) && assets.every(isGoodAsset)
  );
};
const isGoodAsset = (asset: unknown): boolean =>
  asset === good || (isObject(asset) && hasOnly(asset, ['content', 'type']) && asset['content'] === good && hasGoodType(asset));
const hasGoodType = ({ type }: Record<string, unknown>): boolean => type === undefined || type === 'URL';
const hasHint = (value: unknown): boolean => /"(type|chain)":/.test(JSON.stringify(value));

describe.each(Object.entries(frameworkRoutes))('%s', (_, start) => {
  test('lets a body pass if everything in it is read and clear, and no other', async () => {
    const origin = await start(blocklist, (body) => (body as { text: Picked }).text);
    await fc.assert(
      fc.asyncProperty(anyJson, async (value) => {
        const answer = await postJson(origin, { text: value });
        await answer.arrayBuffer();
        if (JSON.stringify(value).includes('evil.example')) expect(answer.status).toBeOneOf([422, 400]);
        else if (isReadable(value)) expect(answer.status).toBe(200);
        // Some other hints fit.
        else if (!hasHint(value)) expect(answer.status).toBeOneOf([422, 400]);
      }),
    );
  });

  test('lets only texts pass where the list says so', async () => {
    const origin = await start(blocklist, (body) => ({ texts: [(body as { text: string }).text] }));
    await fc.assert(
      fc.asyncProperty(anyJson, async (value) => {
        const answer = await postJson(origin, { text: value });
        await answer.arrayBuffer();
        const isClean = typeof value === 'string' && !value.includes('evil.example');
        expect(answer.status).toBeOneOf(isClean ? [200] : [422, 400]);
      }),
    );
  });

  // What the property found, or a review before it.
  test.each([
    { text: [`claim at ${listed}`] },
    { text: {} },
    { text: { texts: [], html: listed } },
    { text: { asset: [listed] } },
    { text: { text: listed } },
    { text: { assets: [{ content: good, url: listed }] } },
    { text: { assets: [{ content: 'evil.example', type: 'NPM' }] } },
    { text: null },
    {},
  ])('rejects %j', async (body) => {
    const origin = await start(blocklist, (sent) => (sent as { text: Picked }).text);
    expect((await postJson(origin, body)).status).toBe(422);
  });
});

class Message {
  readonly texts: readonly string[] = ['hello'];
}
const sparse: string[] = [];
sparse[1] = 'hello';
const foreign: Record<string, () => unknown> = {
  'a Buffer': () => Buffer.from(listed),
  URLSearchParams: () => new URLSearchParams({ texts: listed }),
  FormData: () => new FormData(),
  'a boxed string': () => new String(listed),
  'a list of strings': () => [listed],
  'a Map': () => new Map([['texts', [listed]]]),
  'an instance': () => new Message(),
  'inherited texts': () => Object.create({ texts: [] }),
  'a symbol beside texts': () => ({ texts: [], [Symbol('html')]: listed }),
  'undefined texts': () => ({ texts: undefined }),
  'undefined assets': () => ({ assets: undefined }),
  'a promise of a text': () => ({ texts: [Promise.resolve(listed)] }),
  'a Set of texts': () => ({ texts: new Set([listed]) }),
  'a list with a hole': () => ({ texts: sparse }),
  'assets with a hole': () => ({ assets: sparse }),
  'a number': () => 5n,
  'a function': () => () => listed,
  'an empty object': () => ({}),
  null: () => null,
  'an error': () => {
    throw new Error(listed);
  },
};
async function codeFor(pick: () => unknown): Promise<string> {
  const app = express();
  const screen = expressScreen(blocklist, pick as () => Picked);
  app.get('/', screen, (_request, response) => void response.json({ code: 'passed' }));
  const answer = await fetch(await originOf(createServer(app)));
  return ((await answer.json()) as { code: string }).code;
}

test.each(Object.entries(foreign))('%s is unreadable', async (_, pick) => {
  expect(await codeFor(pick)).toBe('CONTENT_UNREADABLE');
});

test('reads what cannot be enumerated, and what comes from another realm', async () => {
  expect(await codeFor(() => Object.defineProperty({}, 'texts', { value: [listed] }))).toBe('CONTENT_LISTED');
  expect(await codeFor(() => runInNewContext(`({ texts: ['${listed}'] })`))).toBe('CONTENT_LISTED');
  expect(await codeFor(() => runInNewContext(`({ texts: ['${good}'] })`))).toBe('passed');
  expect(await codeFor(() => Object.assign(Object.create(null), { assets: [good] }))).toBe('passed');
});

describe.each([
  ['Express 4', express4],
  ['Express 5', express],
] as const)('%s with other parsers of bodies', (_, version) => {
  const parsers = express;
  test.each([
    ['a form with a list', 'application/x-www-form-urlencoded', `text[]=${listed}`],
    ['a form with an object', 'application/x-www-form-urlencoded', `text[texts][]=hello&text[html]=${listed}`],
    ['a form with a field twice', 'application/x-www-form-urlencoded', `text=hello&text=${listed}`],
    ['bytes', 'application/octet-stream', listed],
    ['a type without a parser', 'text/x-unknown', listed],
  ])('%s is unreadable', async (__, type, body) => {
    const app = version();
    app.use(parsers.urlencoded({ extended: true }), parsers.raw());
    app.post(
      '/',
      expressScreen(
        blocklist,
        ({ body: parsed }: { body?: { text?: Picked } }) => (Buffer.isBuffer(parsed) ? parsed : parsed!.text) as Picked,
      ),
      (_request: express.Request, response: express.Response) => void response.end(),
    );
    const origin = await originOf(createServer(app as unknown as RequestListener));
    const answer = await fetch(origin, { method: 'POST', body, headers: { 'content-type': type } });
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([422, 'CONTENT_UNREADABLE']);
  });
});

test('a screen checks what findAssets finds, also of plain links, for which it takes a shorter way', async () => {
  const seen: unknown[] = [];
  const checkMany = async (inputs: Iterable<unknown>): Promise<never[]> => {
    seen.push(...inputs);
    return [];
  };
  const screen = expressScreen({ checkMany } as unknown as Blocklist, ({ text }: { text: string }) => ({ texts: [text] }), {
    policy: { undecided: 'pass' },
  });
  const piece = fc.oneof(
    { withCrossShrink: true },
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.constantFrom(
      ...[
        'https://evil.example',
        'http://Evil.Example:80/a/../b',
        'https://evil.com.Thanks',
        'https://evil.com+',
        'https://1.2.3.4/a',
      ],
      ...[
        'https://a.b@c.example',
        'https://localhost',
        'https://t.me/someone',
        'hxxps://evil[.]example',
        'evil.example',
        '0.0.1234',
      ],
      ...[
        'https://x.com/a?url=https%3A%2F%2Fevil.example',
        `https://evil.example/${'5'.repeat(64)}`,
        'a@evil.example',
        'https://ipfs.io/ipfs/b',
      ],
    ),
    fc.constantFrom('. ', ' ', ', ', '"', '(', ')', '\\n', '/', '%20', 'https://'),
    fc.string({ maxLength: 4 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (pieces) => {
      const text = pieces.join('');
      seen.length = 0;
      const response = { statusCode: 200, once() {}, removeListener() {}, setHeader() {}, end() {} };
      await screen({ text }, response as never, () => {});
      const found = findAssets(text).flatMap(({ plain, shorter }) => (shorter === undefined ? [plain] : [plain, shorter]));
      expect(seen).toEqual(found);
    }),
    { numRuns: 2_000 },
  );
});
