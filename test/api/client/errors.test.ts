import fc from 'fast-check';
import * as node from 'portcullis/client';
import { describe, expect, test } from 'vitest';
import * as web from '../../../src/entry/client.js';
import { anyCodePoint, foreignJson } from '../../support/arbitraries.js';
import type { Answer } from '../../support/scripted-server.js';
import { clientAt, connect, type Entry, enough, failed, found, platforms, thrownBy } from './client-harness.js';

async function errorOf(entry: Entry, answer: Answer): Promise<node.PortcullisError> {
  const { client } = await connect(entry, [answer]);
  const error = await thrownBy(() => client.assets.check({ content: 'scam.example' }));
  expect(node.isPortcullisError(error)).toBe(true);
  expect(web.isPortcullisError(error)).toBe(true);
  expect(error).toBeInstanceOf(Error);
  expect(error.operation).toBe('assetCheck');
  return error;
}

const codes: [number, node.ErrorCode][] = [
  [400, 'BAD_REQUEST'],
  [401, 'UNAUTHORIZED'],
  [403, 'FORBIDDEN'],
  [404, 'NOT_FOUND'],
  [409, 'CONFLICT'],
  [422, 'UNPROCESSABLE_CONTENT'],
  [429, 'TOO_MANY_REQUESTS'],
  [500, 'INTERNAL_SERVER_ERROR'],
  [502, 'INTERNAL_SERVER_ERROR'],
  [418, 'UNEXPECTED_STATUS'],
];

const refusedAsset = {
  asset: 'scam.example',
  errorType: 'ALREADY_BLOCKED',
  message: 'is blocked already',
  suggestion: 'leave it out',
};

describe.each(platforms)('%s', (_, entry) => {
  describe.each(codes)('a response with status %d', (status, code) => {
    const envelope = { code, message: 'In words.', issues: [{ path: 'assets[0].content', message: 'is missing' }] };

    test.each([
      ['at the top level', envelope],
      ['under "error"', { error: envelope }],
    ])('becomes an error with the fields %s of its body', async (__, body) => {
      const error = await errorOf(entry, { status, body });
      const { headers, ...fields } = error;
      expect(fields).toEqual({ name: 'PortcullisError', code, status, operation: 'assetCheck', issues: envelope.issues });
      expect(headers).toMatchObject({ 'content-type': 'application/json' });
      expect(error.message).toBe('In words.');
    });
  });

  describe.each(codes.filter(([status]) => [400, 418, 502].includes(status)))('a response with status %d', (status, code) => {
    const envelope = { code, message: 'In words.' };

    test.each([
      ['an empty body', ''],
      ['blanks', ' \r\n\t '],
      ['HTML', '<!doctype html><title>Error</title>'],
      ['text', 'upstream connect error'],
      ['JSON that is cut', JSON.stringify(envelope).slice(0, -5)],
      ['bytes', Buffer.from([0xff, 0xfe, 0x00, 0x80])],
      ['null', null],
      ['a list', [envelope]],
      ['an empty object', {}],
      ['a number', '42'],
      ['true', 'true'],
      ['a text as JSON', '"no"'],
      ['an envelope that is null', { error: null }],
      ['an envelope that is a list', { error: [] }],
      ['wrong types', { message: 5, code: {}, issues: 'none', data: 'none' }],
      ['wrong types one level down', { error: { message: ['a'], code: null, issues: [null, 5, 'a', []], data: { errors: 5 } } }],
      ['wrong types in lists', { issues: [{ path: {}, message: null }], data: { errors: [null, 'a', { asset: 5 }] } }],
    ])('becomes an error named by its status if its body is %s', async (__, body) => {
      const error = await errorOf(entry, { status, body });
      expect(error).toMatchObject({ code, status });
      expect(error.message).toMatch(`the service answered ${status} with `);
      for (const { path, message } of error.issues ?? []) expect([typeof path, typeof message]).toEqual(['string', 'string']);
      for (const asset of error.assets ?? [])
        expect(Object.values(asset).map((text) => typeof text)).toEqual(Array(4).fill('string'));
    });
  });

  test.each([
    ['at the top level', { message: 'No.', code: 'UNPROCESSABLE_CONTENT', data: { errors: [refusedAsset, refusedAsset] } }],
    ['under error', { error: { message: 'No.', code: 'UNPROCESSABLE_CONTENT', data: { errors: [refusedAsset, refusedAsset] } } }],
    ['beside error', { error: { message: 'No.' }, data: { errors: [refusedAsset, refusedAsset] } }],
  ])('lists the rejected assets of a report %s', async (__, body) => {
    const { client } = await connect(entry, [{ status: 422, body }]);
    const error = await thrownBy(() => client.reports.create({ assets: [{ content: 'scam.example' }] }));
    expect(error).toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
      message: 'No.',
      status: 422,
      operation: 'reportCreate',
      assets: [refusedAsset, refusedAsset],
    });
    expect(error).not.toHaveProperty('issues');
  });

  test('omits empty lists of issues and assets', async () => {
    const error = await errorOf(entry, { status: 422, body: { message: 'No.', issues: [], data: { errors: [] } } });
    expect(Object.keys(error).sort()).toEqual(['code', 'headers', 'name', 'operation', 'status']);
  });

  test('joins the path of an issue with dots', async () => {
    const issues = [
      { path: ['assets', 0, 'content'], message: 'is missing', code: 'invalid_type' },
      { path: [], message: 'all of it' },
    ];
    expect((await errorOf(entry, { status: 400, body: { message: 'No.', issues } })).issues).toEqual([
      { path: 'assets.0.content', message: 'is missing' },
      { path: '', message: 'all of it' },
    ]);
  });

  test.each<[string, number, node.ErrorCode, object, RegExp]>([
    ['keeps an unknown code', 403, 'FORBIDDEN', { message: 'No.', code: 'FEATURE_OFF' }, /^No\. \(FEATURE_OFF\)$/],
    ['keeps an unknown code without a message', 403, 'FORBIDDEN', { error: { code: 'FEATURE_OFF' } }, /FEATURE_OFF/],
    [
      'takes no code from the body',
      500,
      'INTERNAL_SERVER_ERROR',
      { message: 'Odd.', code: 'UNAUTHORIZED' },
      /^Odd\. \(UNAUTHORIZED\)$/,
    ],
    ['reads the text', 403, 'FORBIDDEN', { error: 'In words.' }, /^In words\.$/],
    // Regression: any value under `error` hid the message beside it.
    ...[null, [], {}].map((error): [string, number, node.ErrorCode, object, RegExp] => [
      'reads the message beside the error',
      400,
      'BAD_REQUEST',
      { error, message: 'In words.' },
      /^In words\.$/,
    ]),
  ])('%s of a %d, which is %s: %j', async (__, status, code, body, message) => {
    expect(await errorOf(entry, { status, body })).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  // Regression: `join` called the `toString` that the JSON contained.
  test.each([
    ['an object whose toString is a number', '[{"toString":1,"valueOf":1}]'],
    ['lists in lists', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
  ])('tolerates an issue path with %s', async (__, path) => {
    const body = `{"message":"No.","issues":[{"path":${path},"message":"is missing"}]}`;
    expect(await errorOf(entry, { status: 400, body })).toMatchObject({ code: 'BAD_REQUEST', message: 'No.' });
  });

  // Regression: the message said "no JSON, or JSON that is cut", which wrongly suggests a proxy.
  test.each(['{}', '[]', '{"detail":"no"}', 'null', '"no"', '5'])(
    'does not report JSON without the expected fields as malformed: %s',
    async (body) => {
      expect((await errorOf(entry, { status: 400, body })).message).not.toMatch(/not JSON|cut/);
    },
  );

  describe('a successful response', () => {
    test.each([200, 201, 202])('is INVALID_RESPONSE if its body is not JSON, with status %d', async (status) => {
      const cut = JSON.stringify(found).slice(0, -1);
      for (const body of ['', ' \n', '<!doctype html>', cut, 'OK', '{', 'undefined', 'NaN', '\u0000', '{}{}']) {
        const error = await errorOf(entry, { status, body });
        expect(error).toMatchObject({ code: 'INVALID_RESPONSE', status });
        expect(error.message).toMatch(`the service answered ${status} with `);
      }
    });

    test('is INVALID_RESPONSE if it has no body', async () => {
      expect(await errorOf(entry, { status: 204 })).toMatchObject({ code: 'INVALID_RESPONSE', status: 204 });
    });

    test('is described in the error as HTML or as empty', async () => {
      expect((await errorOf(entry, { body: '\n <html>' })).message).toContain('HTML');
      expect((await errorOf(entry, { body: '' })).message).toContain('empty');
    });

    test('may have no body if it says so, and its operation is a write whose response is undocumented', async () => {
      const { client: writer, events } = await connect(entry, [{ status: 204 }]);
      expect(await writer.account.userMeUpdate({})).toEqual({});
      expect(events).toEqual([]);
      for (const status of [200, 204]) {
        const { client } = await connect(entry, [{ status }]);
        expect(await thrownBy(() => client.account.validate())).toMatchObject({ code: 'INVALID_RESPONSE' });
      }
      const { client } = await connect(entry, [{ body: '<html>' }]);
      expect(await thrownBy(() => client.account.validate())).toMatchObject({ code: 'INVALID_RESPONSE' });
    });
  });

  test('returns a value or throws its own error for any status and body', async () => {
    let next: Answer = {};
    const { client } = await connect(entry, () => next);
    const status = fc.oneof(fc.integer({ min: 200, max: 599 }), fc.constantFrom(...codes.map(([code]) => code), 200));
    const envelope = fc.record(
      {
        message: foreignJson,
        code: fc.oneof(fc.constantFrom('BAD_REQUEST', 'parse-error'), foreignJson),
        issues: foreignJson,
        data: fc.oneof(fc.constant({ status: 'BLOCKED' }), foreignJson),
        error: foreignJson,
        status: fc.oneof(fc.constantFrom('BLOCKED', 'UNKNOWN', 'error'), foreignJson),
      },
      { requiredKeys: [] },
    );
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      foreignJson.map((value) => JSON.stringify(value)),
      envelope.map((value) => JSON.stringify(value)),
      fc.string({ unit: anyCodePoint }),
    );
    await fc.assert(
      fc.asyncProperty(status, body, async (answerStatus, answerBody) => {
        next = { status: answerStatus, body: answerBody };
        const outcome = await client.assets.check({ content: 'scam.example' }).then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        );
        if ('value' in outcome) {
          expect(answerStatus).toBeLessThan(300);
          // An oracle of its own: the answer has a status and is not an error.
          const { status: decided, error, code, message } = outcome.value as unknown as Record<string, unknown>;
          expect(decided).toEqual(expect.stringMatching(/^(?!error$|fail$)./s));
          expect(error === true || (typeof error === 'string' && error !== '')).toBe(false);
          expect(/^[A-Z]+_[A-Z_]+$/.test(String(code)) && typeof message === 'string' && message !== '').toBe(false);
          const parsed = JSON.parse(String(Buffer.from(answerBody as string)).replace(/^\uFEFF/, '')) as { data?: unknown };
          expect([parsed, parsed.data]).toContainEqual(outcome.value);
          return;
        }
        const error = outcome.error as node.PortcullisError;
        expect(node.isPortcullisError(error)).toBe(true);
        expect(error.operation).toBe('assetCheck');
        // A response that may not have a body and has one breaks the connection; the platform's fetch hides a 407.
        if (error.code !== 'NETWORK') expect(error.status).toBe(answerStatus);
        else expect([204, 205, 304, 407]).toContain(answerStatus);
      }),
    );
  });

  test.each([
    ['hides the methods of objects', '{"toString":"","valueOf":""}'],
    ['is nested deeper than the stack', `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
  ])('reads an answer whose fields hold a value that %s', async (_, value) => {
    for (const name of ['code', 'status', 'success', 'error', 'message']) {
      const { client } = await connect(entry, [{ body: `{"status":"BLOCKED","${name}":${value}}` }]);
      const outcome = await client.assets.check({ content: 'scam.example' }).catch((error: unknown) => error);
      expect(node.isPortcullisError(outcome) || (outcome as { status: unknown }).status === 'BLOCKED', name).toBe(true);
    }
  });

  test('throws only its own errors for any page', async () => {
    let next: Answer = {};
    const { client } = await connect(entry, () => next);
    // No cursor here, so that the list ends; cursors are tested below.
    const page = fc.oneof(fc.jsonValue(), fc.record({ assets: fc.jsonValue() }));
    await fc.assert(
      fc.asyncProperty(page, async (body) => {
        next = { body: JSON.stringify(body) };
        try {
          for await (const item of client.assets.listAll({ type: 'URL' })) void item;
        } catch (error) {
          expect(node.isPortcullisError(error)).toBe(true);
        }
      }),
    );
  });

  describe('names of Object.prototype properties', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', 'valueOf', ''];
    const before = Object.getOwnPropertyNames(Object.prototype);
    const untouched = (): void => {
      expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
      expect(Object.getPrototypeOf({})).toBe(Object.prototype);
    };

    test.each(names)('are not operations: %j', async (name) => {
      const { client, server } = await connect(entry, [{ body: found }]);
      const error = await thrownBy(() => client.request(name as 'assetCheck', { content: 'a' }));
      expect(error).toEqual(failed('INVALID_INPUT'));
      expect(error.message).not.toContain(name || 'undefined');
      expect(await thrownBy(() => node.watch(client, name as 'reports').next())).toMatchObject({ code: 'INVALID_INPUT' });
      expect(server.requests).toEqual([]);
    });

    test.each(names)('are rejected or dropped as fields of a strict input: %j', async (name) => {
      const { client, server } = await connect(entry, [{ body: found }]);
      const input = JSON.parse(`{"content":"a",${JSON.stringify(name)}:{"polluted":true}}`) as { content: string };
      const outcome = await client.assets.check(input).catch((error: unknown) => error);
      if (server.requests.length === 0) expect(outcome).toEqual(failed('INVALID_INPUT'));
      else expect(JSON.parse(String(server.requests[0]?.body))).toEqual({ content: 'a' });
      untouched();
    });

    // Regression: `shape[name]` found a method of every object instead of a schema.
    test.each(names)('are accepted as fields of a loose input: %j', async (name) => {
      const { client, server } = await connect(entry, [{ body: enough }], { slug: 'acme' });
      const input = JSON.parse(`{"content":"a",${JSON.stringify(name)}:{"polluted":true}}`) as { content: string };
      await client.assets.unblock(input);
      const sent = JSON.parse(String(server.requests[0]?.body)) as Record<string, unknown>;
      expect(sent).toMatchObject({ content: 'a', slug: 'acme' });
      expect(sent['polluted']).toBeUndefined();
      untouched();
    });

    test('are kept in a response', async () => {
      const body = `{${names.map((name) => `${JSON.stringify(name)}:{"polluted":true}`).join()},"status":"a","source":"b","sources":[]}`;
      const { client } = await connect(entry, [{ body }, { status: 400, body }]);
      const value = await client.assets.check({ content: 'a' });
      expect(Object.keys(value)).toEqual([...names, 'status', 'source', 'sources']);
      expect(JSON.stringify(value)).toBe(body);
      expect(await thrownBy(() => client.assets.check({ content: 'a' }))).toMatchObject({ code: 'BAD_REQUEST' });
      untouched();
    });

    test('are harmless in the body of an error', async () => {
      const polluted = '{"__proto__":{"polluted":true,"message":"no"},"constructor":{"prototype":{"polluted":true}}}';
      for (const body of [polluted, `{"error":${polluted}}`, `{"issues":[${polluted}],"data":{"errors":[${polluted}]}}`]) {
        const error = await errorOf(entry, { status: 422, body });
        expect(error.code).toBe('UNPROCESSABLE_CONTENT');
        expect((error as unknown as Record<string, unknown>)['polluted']).toBeUndefined();
      }
      untouched();
    });

    test.each(names)('are not operations in the option paths: %j', async (name) => {
      const paths = JSON.parse(`{${JSON.stringify(name)}:"/a"}`) as Record<string, string>;
      expect(await thrownBy(() => clientAt(entry, 'https://api.example', { paths }))).toEqual(failed('INVALID_INPUT'));
      untouched();
    });

    test.each(names.slice(0, -1))('are accepted as slugs: %j', async (slug) => {
      const { client, server } = await connect(entry, [{ body: enough }], { slug });
      await client.account.userOrgsGet();
      await client.reports.list({ limit: 1 });
      await client.assets.unblock({ content: 'a' });
      expect(server.requests[0]?.url).toBe(`/user/orgs/${slug}`);
      expect(server.requests[1]?.url).toBe(`/organization/reports?limit=1&slug=${slug}`);
      expect(JSON.parse(String(server.requests[2]?.body))).toEqual({ content: 'a', slug });
      untouched();
    });

    test('are not filled into a path from the prototype', async () => {
      for (const name of ['__proto__', 'constructor', 'toString']) {
        const { client, server } = await connect(entry, [{ body: enough }], { paths: { userOrgsGet: `/orgs/{${name}}` } });
        const outcome = await client.account.userOrgsGet({ slug: 'acme' }).catch((error: unknown) => error);
        if (server.requests.length === 0) expect(outcome).toMatchObject({ name: 'PortcullisError' });
        else expect(server.requests[0]?.url).not.toMatch(/native|object/);
      }
    });
  });

  test('rejects a path with a parameter that the input does not have', async () => {
    const { client, server } = await connect(entry, [{ body: enough }], { paths: { userOrgsGet: '/orgs/{organization}' } });
    expect(await thrownBy(() => client.account.userOrgsGet({ slug: 'acme' }))).toMatchObject({ code: 'INVALID_INPUT' });
    expect(server.requests).toEqual([]);
  });

  describe('a path parameter', () => {
    test.each(['', '.', '..', 'half \ud800', '\udc00'])('cannot be %j', async (slug) => {
      const { client, server } = await connect(entry, [{ body: enough }]);
      for (const work of [() => client.account.userOrgsGet({ slug }), () => client.account.userOrgsGet(undefined, { slug })])
        expect(await thrownBy(work)).toEqual(failed('INVALID_INPUT', { operation: 'userOrgsGet' }));
      expect(server.requests).toEqual([]);
    });

    test.each([
      ['%2e%2e', '%252e%252e'],
      ['.%2E', '.%252E'],
      ['a/b', 'a%2Fb'],
      ['../admin', '..%2Fadmin'],
      ['..\\admin', '..%5Cadmin'],
      ['a?b=c#d', 'a%3Fb%3Dc%23d'],
      ['a\r\nx-evil: 1', 'a%0D%0Ax-evil%3A%201'],
      [' ', '%20'],
      ['...', '...'],
      ['ä', '%C3%A4'],
    ])('is escaped into one segment: %j', async (slug, segment) => {
      const { client, server } = await connect(entry, [{ body: enough }]);
      await client.account.userOrgsGet({ slug });
      expect(server.requests[0]?.url).toBe(`/user/orgs/${segment}`);
      expect(server.requests[0]?.headers).not.toHaveProperty('x-evil');
    });

    test('arrives unchanged or is rejected, for any string', async () => {
      const { client, server } = await connect(entry, () => ({ body: enough }));
      await fc.assert(
        fc.asyncProperty(
          fc.string({
            unit: fc.oneof(fc.constantFrom(...'./%2e\\'), fc.string({ unit: anyCodePoint, maxLength: 1 })),
            maxLength: 8,
          }),
          async (slug) => {
            const { length } = server.requests;
            const error = await client.account.userOrgsGet({ slug }).then(
              () => undefined,
              (thrown: unknown) => thrown,
            );
            if (error === undefined) {
              const [, , , segment, ...more] = (server.requests[length]?.url ?? '').split('/');
              expect([decodeURIComponent(segment ?? ''), more]).toEqual([slug, []]);
            } else {
              expect(error).toMatchObject({ code: 'INVALID_INPUT' });
              expect(server.requests).toHaveLength(length);
            }
          },
        ),
      );
    });
  });
});
