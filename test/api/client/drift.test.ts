import fc from 'fast-check';
import { allOperations, createClient } from 'portcullis/client';
import { describe, expect, test } from 'vitest';
import type { Answer } from '../../support/scripted-server.js';
import { connect, thrownBy } from './client-harness.js';
import { connectLoose } from './loose-client.js';
import { report, samples } from './operation-samples.js';

/**
 * Ways in which a service answers otherwise than its document says. Each is either an error or an answer: an error that is taken for an
 * answer lets a scam through, and an answer that is taken for an error breaks programs that worked.
 */

const node = { createClient };
const envelope = { message: 'The list is down.', code: 'INTERNAL_SERVER_ERROR' };
const blocked = { status: 'BLOCKED', source: 'seal', sources: [{ source: 'seal', status: 'BLOCKED' }] };
const parseError = { status: 'UNKNOWN', source: 'seal', sources: [], code: 'parse-error', message: 'Not an asset.' };
const created = { id: 1, createdAt: '2026-03-04T05:06:07.890Z', organization: null };
const page = { reports: [report], nextCursor: null, totalCount: 1 };
const refused = { asset: 'a', errorType: 'DUPLICATE_ASSETS', message: 'Twice.', suggestion: 'Once.' };
const check = ['assetCheck', { content: 'a.example' }] as const;
const create = ['reportCreate', { assets: [{ content: 'a.example' }] }] as const;
const list = ['organizationReportsList', { limit: 1 }] as const;
const remove = ['organizationAssetsRemove', { assetId: 5 }] as const;
const review = ['organizationProposalsReview', samples.organizationProposalsReview!.input!] as const;
const add = ['organizationAssetsAdd', { assets: [{ content: 'a' }] }] as const;
const hook = ['webhookConfig', { url: 'https://a.example' }] as const;
const scan = ['scanResult', { scanId: 1 }] as const;
const unblock = ['assetUnblock', { content: 'a' }] as const;
const search = ['assetSearch', { assetId: 5 }] as const;
const backlog = ['healthchecksReviewingBacklog'] as const;

type Call = readonly [name: string, input?: object];
type Row = readonly [way: string, call: Call, answer: Answer, outcome: object | string];

/** A code, and what the message says. */
type Failing = readonly [way: string, call: Call, body: unknown, code: string, message: string, answer?: Answer];

const errors: readonly Failing[] = [
  // The envelope of the document, with a successful status.
  ['the error at the top', check, envelope, 'INTERNAL_SERVER_ERROR', 'The list is down.'],
  ['the error under error', check, { error: envelope }, 'INTERNAL_SERVER_ERROR', 'The list is down.'],
  ['the error under error, beside a status', check, { ...blocked, error: envelope }, 'INTERNAL_SERVER_ERROR', 'down'],
  ['the error beside a status', check, { ...blocked, ...envelope }, 'INTERNAL_SERVER_ERROR', 'The list is down.'],
  ['the error in data', check, { data: envelope }, 'INTERNAL_SERVER_ERROR', 'The list is down.'],
  ['the error under error in data', check, { data: { error: envelope } }, 'INTERNAL_SERVER_ERROR', 'The list is down.'],
  ['an error with 201', create, envelope, 'INTERNAL_SERVER_ERROR', 'down', { status: 201 }],
  ['an error with 202', create, envelope, 'INTERNAL_SERVER_ERROR', 'down', { status: 202 }],
  ['an error with 206', check, envelope, 'INTERNAL_SERVER_ERROR', 'down', { status: 206 }],
  ['an error sent as text', check, envelope, 'INTERNAL_SERVER_ERROR', 'down', { headers: { 'content-type': 'text/plain' } }],
  ['a rejected key', check, { message: 'No.', code: 'UNAUTHORIZED' }, 'UNAUTHORIZED', 'No.'],
  ['a missing permission', check, { message: 'No.', code: 'FORBIDDEN' }, 'FORBIDDEN', 'No.'],
  ['a missing asset', check, { error: { message: 'No.', code: 'NOT_FOUND' } }, 'NOT_FOUND', 'No.'],
  ['a conflict', create, { message: 'No.', code: 'CONFLICT' }, 'CONFLICT', 'No.'],
  ['a rate limit', check, { message: 'No.', code: 'TOO_MANY_REQUESTS' }, 'TOO_MANY_REQUESTS', 'No.'],
  ['a bad request', create, { message: 'No.', code: 'BAD_REQUEST', issues: [{ message: 'x' }] }, 'BAD_REQUEST', 'No.'],
  [
    'rejected assets',
    create,
    { message: 'No.', code: 'UNPROCESSABLE_CONTENT', data: { errors: [refused] } },
    'UNPROCESSABLE_CONTENT',
    'No.',
  ],
  ['a code of its own', check, { message: 'Later.', code: 'MAINTENANCE' }, 'INVALID_RESPONSE', 'Later. (MAINTENANCE)'],
  ['one of our own codes', check, { message: 'Later.', code: 'INVALID_INPUT' }, 'INVALID_RESPONSE', 'Later. (INVALID_INPUT)'],
  ['a code that is a number', check, { message: 'Later.', code: 503 }, 'INVALID_RESPONSE', 'Later.'],
  ['a code without a message', check, { error: { code: 'NOT_FOUND' } }, 'NOT_FOUND', 'answered 200 with an error'],
  ['a message without a code', check, { message: 'Later.' }, 'INVALID_RESPONSE', 'Later.'],
  ['a message under error without a code', check, { error: { message: 'Later.' } }, 'INVALID_RESPONSE', 'Later.'],
  // Other conventions.
  ['a text as error', check, { error: 'Later.' }, 'INVALID_RESPONSE', 'Later.'],
  ['a text as error, beside a status', check, { ...blocked, error: 'Later.' }, 'INVALID_RESPONSE', 'Later.'],
  ['error: true', check, { error: true, message: 'Later.' }, 'INVALID_RESPONSE', 'Later.'],
  ['status: error', check, { status: 'error', message: 'Later.' }, 'INVALID_RESPONSE', 'Later.'],
  ['status: fail', check, { status: 'fail', data: { content: 'x' } }, 'INVALID_RESPONSE', 'with an error'],
  ['success: false', create, { success: false, message: 'Later.' }, 'INVALID_RESPONSE', 'Later.'],
  ['success: false, with an id', remove, { success: false, id: 5 }, 'INVALID_RESPONSE', 'error'],
  ['the error of a framework', check, { statusCode: 500, error: 'Internal Server Error' }, 'INVALID_RESPONSE', 'Internal Server'],
  ['problem details', check, { type: 'about:blank', title: 'Down', status: 503 }, 'INVALID_RESPONSE', 'Down'],
  ['problem details with a detail', check, { title: 'Down', detail: 'Since noon.' }, 'INVALID_RESPONSE', 'Since noon.'],
  ['the errors of GraphQL', check, { data: null, errors: [{ message: 'Down' }] }, 'INVALID_RESPONSE', 'Down'],
  ['status: ERROR', check, { status: 'ERROR', message: 'Later.' }, 'INVALID_RESPONSE', 'Later.'],
  ['status: Failure', check, { ...blocked, status: 'Failure' }, 'INVALID_RESPONSE', 'with an error'],
  ['a status of HTTP as text', check, { ...blocked, status: '500' }, 'INVALID_RESPONSE', 'with an error'],
  ['success as status', check, { ...blocked, status: 'success' }, 'INVALID_RESPONSE', 'status'],
  ['a code as status', check, { status: 'UNAUTHORIZED', message: 'No.' }, 'INVALID_RESPONSE', 'No.'],
  ['a status with nothing but a message', check, { status: 'DOWN', message: 'Later.' }, 'INVALID_RESPONSE', 'Later.'],
  ['a status in lower case', check, { ...blocked, status: 'blocked' }, 'INVALID_RESPONSE', 'status'],
  ['a status with spaces', check, { ...blocked, status: ' BLOCKED ' }, 'INVALID_RESPONSE', 'status'],
  ['a status with a Cyrillic letter', check, { ...blocked, status: '\u0412LOCKED' }, 'INVALID_RESPONSE', 'status'],
  ['a status with a zero-width space', check, { ...blocked, status: 'BLOCKED\u200b' }, 'INVALID_RESPONSE', 'status'],
  ['a review in lower case', review, { proposal: { id: 1, reviewStatus: 'approved' } }, 'INVALID_RESPONSE', 'reviewStatus'],
  [
    'an error beside an id',
    create,
    { id: 1, code: 'RATE_LIMITED', message: 'Slow down.' },
    'INVALID_RESPONSE',
    'Slow down. (RATE_LIMITED)',
  ],
  ['success around a failure', remove, { success: true, data: { success: false } }, 'INVALID_RESPONSE', 'error'],
  [
    'an error in data, beside an id',
    create,
    { id: 'req_1', data: { error: { code: 'FORBIDDEN', message: 'No.' } } },
    'FORBIDDEN',
    'No.',
  ],
  ['two answers', check, { ...blocked, data: { status: 'UNKNOWN' } }, 'INVALID_RESPONSE', 'status'],
  ['two lists', list, { reports: [], data: { reports: [report] } }, 'INVALID_RESPONSE', 'reports'],
  ['two ids', create, { id: 'req_1', data: { id: 5 } }, 'INVALID_RESPONSE', 'id'],
  ['a list of texts', list, { ...page, reports: ['a'] }, 'INVALID_RESPONSE', 'reports'],
  // Answers without what their caller decides by.
  ['an empty object', check, {}, 'INVALID_RESPONSE', 'without a usable status'],
  ['null', check, 'null', 'INVALID_RESPONSE', 'without a usable status'],
  ['a list', check, [blocked], 'INVALID_RESPONSE', 'without a usable status'],
  ['a text', check, '"BLOCKED"', 'INVALID_RESPONSE', 'without a usable status'],
  ['true', check, 'true', 'INVALID_RESPONSE', 'without a usable status'],
  ['an empty body', check, '', 'INVALID_RESPONSE', 'an empty body'],
  ['a login page', check, '<!doctype html><title>Login</title>', 'INVALID_RESPONSE', 'HTML'],
  ['a status that is null', check, { ...blocked, status: null }, 'INVALID_RESPONSE', 'status'],
  ['a status that is empty', check, { ...blocked, status: '' }, 'INVALID_RESPONSE', 'status'],
  ['a status that is a number', check, { ...blocked, status: 200 }, 'INVALID_RESPONSE', 'status'],
  ['a status that is a flag', check, { ...blocked, status: true }, 'INVALID_RESPONSE', 'status'],
  ['a status of another name', check, { assetStatus: 'BLOCKED' }, 'INVALID_RESPONSE', 'status'],
  ['a result instead of data', check, { result: blocked }, 'INVALID_RESPONSE', 'status'],
  ['data in data', check, { data: { data: blocked } }, 'INVALID_RESPONSE', 'status'],
  ['data that is a list', check, { data: [blocked] }, 'INVALID_RESPONSE', 'status'],
  ['data that is a text', check, { data: 'BLOCKED' }, 'INVALID_RESPONSE', 'status'],
  ['a report without an id', create, { createdAt: created.createdAt }, 'INVALID_RESPONSE', 'without a usable id'],
  ['a report whose id is null', create, { ...created, id: null }, 'INVALID_RESPONSE', 'without a usable id'],
  ['no list', list, { nextCursor: null, totalCount: 0 }, 'INVALID_RESPONSE', 'without a usable reports'],
  ['a list that is null', list, { ...page, reports: null }, 'INVALID_RESPONSE', 'reports'],
  ['a list that is an object', list, { ...page, reports: { 0: report } }, 'INVALID_RESPONSE', 'reports'],
  ['a list of another name', list, { items: [report] }, 'INVALID_RESPONSE', 'reports'],
  ['a bare list', list, [report], 'INVALID_RESPONSE', 'reports'],
  ['a list with null in it', list, { ...page, reports: [null] }, 'INVALID_RESPONSE', 'reports'],
  ['a missing asset', search, { reports: [] }, 'INVALID_RESPONSE', 'asset.status'],
  ['an asset without a status', search, { asset: { id: 5 } }, 'INVALID_RESPONSE', 'asset.status'],
  ['a parsed nothing', ['assetParse', { content: 'x' }], {}, 'INVALID_RESPONSE', 'content'],
  ['a result without success', add, { results: [{ content: 'a' }] }, 'INVALID_RESPONSE', 'results.success'],
  ['one result of two', add, { results: [{ success: true }, {}] }, 'INVALID_RESPONSE', 'success'],
  ['success as a text', remove, { success: 'yes', id: 5 }, 'INVALID_RESPONSE', 'success'],
  ['a review without its proposal', review, { review: {} }, 'INVALID_RESPONSE', 'proposal.reviewStatus'],
  [
    'an upload without its URL',
    ['attachmentUpload', samples.attachmentUpload!.input!],
    { attachments: [{ fileName: 'a' }] },
    'INVALID_RESPONSE',
    'attachments.url',
  ],
  ['a check without severity', backlog, { id: 'reviewing.backlog', observed: 5 }, 'INVALID_RESPONSE', 'severity'],
  [
    'checks that do not say whether they exist',
    ['healthchecksList'],
    { checks: [{ id: 'a' }] },
    'INVALID_RESPONSE',
    'checks.implemented',
  ],
  ['organizations without slugs', ['userOrgs'], { organizations: [{ id: 1 }] }, 'INVALID_RESPONSE', 'organizations.slug'],
  // Answers that no document shows.
  ['an error where nothing is published', ['validate'], { message: 'No.', code: 'UNAUTHORIZED' }, 'UNAUTHORIZED', 'No.'],
  ['an error of its own there', hook, { code: 'limit', message: 'Full.' }, 'INVALID_RESPONSE', 'Full. (limit)'],
  ['a text as error there', scan, { error: 'Gone.' }, 'INVALID_RESPONSE', 'Gone.'],
  ['status: error there', ['userMe'], { status: 'error', message: 'Later.' }, 'INVALID_RESPONSE', 'Later.'],
  ['data: null there', ['userMe'], { data: null }, 'INVALID_RESPONSE', 'without an answer'],
  ['an empty body there', ['validate'], '', 'INVALID_RESPONSE', 'an empty body'],
  ['null there', ['userMe'], 'null', 'INVALID_RESPONSE', 'without an answer'],
  ['an empty list there', ['userMe'], [], 'INVALID_RESPONSE', 'without an answer'],
  ['a text there', hook, '"done"', 'INVALID_RESPONSE', 'without an answer'],
  ['a message there', unblock, { message: 'Forbidden' }, 'INVALID_RESPONSE', 'Forbidden'],
  ['a list of errors there', unblock, { errors: [{ message: 'x' }] }, 'INVALID_RESPONSE', 'x'],
  ['problem details there', ['assetScan', { content: 'a' }], { status: 400, title: 'Bad', type: 'x' }, 'INVALID_RESPONSE', 'Bad'],
  ['the error of a framework there', ['userMe'], { statusCode: 500, error: 'Oh.' }, 'INVALID_RESPONSE', 'Oh.'],
  ['success: false there', ['userMe'], { user: {}, success: false }, 'INVALID_RESPONSE', 'with an error'],
  ['the code of a status there', scan, { id: 7, code: 'FORBIDDEN' }, 'FORBIDDEN', 'with an error'],
  ['success without content where something is read', ['validate'], { success: true }, 'INVALID_RESPONSE', 'without an answer'],
  ['data in data there', ['validate'], { data: { data: { valid: true } } }, 'INVALID_RESPONSE', 'without an answer'],
  ['HTML there', ['userMe'], '<html>', 'INVALID_RESPONSE', 'HTML'],
];

test.each(errors.map((row) => [...row, {}] as const))(
  '%s is an error: %j',
  async (_, [name, input], body, code, message, answer) => {
    const { loose } = await connectLoose([{ headers: { 'x-request-id': 'r-1' }, ...answer, body }]);
    const error = await thrownBy(() => loose.request(name, input));
    expect(error).toMatchObject({ code, operation: name, status: answer?.status ?? 200 });
    expect(error.message).toContain(message);
  },
);

const unchanged = (way: string, call: Call, body: object): Row => [way, call, { body }, body];

const answers: readonly Row[] = [
  unchanged('further fields', check, { ...blocked, score: { of: [1] } }),
  unchanged('a code of its own beside a status', check, parseError),
  unchanged('a message beside a status', check, { ...blocked, message: 'Seen.' }),
  unchanged('error: null', check, { ...blocked, error: null }),
  unchanged('error: false', check, { ...blocked, error: false }),
  unchanged('an empty error', check, { ...blocked, error: '' }),
  unchanged('success: true', check, { ...blocked, success: true }),
  unchanged('a new status', check, { ...blocked, status: 'QUARANTINED' }),
  unchanged('a new source', check, { ...blocked, source: 'new-feed' }),
  unchanged('missing fields that decide nothing', check, { status: 'BLOCKED' }),
  unchanged('fields of another type', check, { status: 'BLOCKED', sources: 'none' }),
  ['the answer in data', check, { body: { data: blocked } }, blocked],
  ['the answer in data, beside others', check, { body: { data: blocked, success: true, meta: {} } }, { ...blocked, meta: {} }],
  unchanged('data beside the answer', check, { ...blocked, data: { a: 1 } }),
  ['JSON sent as HTML', check, { body: blocked, headers: { 'content-type': 'text/html' } }, blocked],
  ['a byte order mark', check, { body: `\ufeff${JSON.stringify(blocked)}` }, blocked],
  ['203', check, { status: 203, body: blocked }, blocked],
  ['201 for a new report', create, { status: 201, body: created }, created],
  unchanged('an id that is a text', create, { ...created, id: 'r_1' }),
  unchanged('an id that is a number', ['disputeCreate', { content: 'a' }], { id: 5 }),
  unchanged('ids that are texts in a list', list, { ...page, reports: [{ ...report, id: '9' }] }),
  unchanged('an empty list', list, { reports: [] }),
  ['a page in data', list, { body: { data: page } }, page],
  unchanged('an unknown asset', search, { asset: null }),
  ['no asset in a text', ['assetParse', { content: 'x' }], { body: 'null' }, 'null'],
  unchanged('a failed result', add, { results: [{ success: false }] }),
  unchanged('a failed health check', backlog, { severity: 'fail', status: 'open' }),
  ['204 there', ['userMeUpdate', {}], { status: 204 }, {}],
  unchanged('another shape there', ['userMe'], { profile: { name: 'A' } }),
  unchanged('a list there', ['assetChangelog'], [{ id: 1 }]),
  ['a list in data there', ['assetChangelog'], { body: { data: [{ id: 1 }] } }, [{ id: 1 }]],
  ['an object in data there', ['validate'], { body: { data: { valid: true }, success: true } }, { valid: true }],
  ['success around an answer', check, { body: { status: 'success', data: blocked } }, blocked],
  ['OK around an answer', check, { body: { status: 'OK', code: 0, message: 'OK', data: blocked } }, blocked],
  ['success around success', remove, { body: { success: true, data: { success: true, id: 5 } } }, { success: true, id: 5 }],
  unchanged('success alone there', unblock, { success: true, message: 'Done.' }),
  unchanged('success around nothing there', unblock, { status: 'success', data: null }),
  unchanged('an empty list of changes', ['assetChangelog'], []),
  unchanged('data as one field of several there', hook, { id: 7, secret: 's', data: { events: [] } }),
  unchanged('data that is null, beside others there', scan, { id: 7, status: 'PENDING', data: null }),
  unchanged('a scan that names its error', scan, { id: 7, status: 'FAILED', error: 'unreachable' }),
  unchanged('a scan that names a code', scan, { id: 7, code: 'DNS', message: 'x' }),
  ['code 200 around an answer', check, { body: { code: 200, message: 'OK', data: blocked } }, blocked],
  [
    'fields beside a wrapped answer',
    list,
    { body: { success: true, data: { reports: [report] }, nextCursor: 4 } },
    { reports: [report], nextCursor: 4 },
  ],
  unchanged('the status of a scan alone', scan, { status: 'PENDING' }),
  ['the status of a scan in data', scan, { body: { success: true, data: { status: 'PENDING' } } }, { status: 'PENDING' }],
  unchanged('the status of a scan beside data', scan, { status: 'COMPLETED', data: { riskScore: 1 } }),
  unchanged('a failed scan with the code of a status', scan, { status: 'FAILED', success: false, error: { code: 'NOT_FOUND' } }),
  unchanged('a secret beside data there', hook, { success: true, data: { id: 7 }, meta: { secret: 's' } }),
  unchanged('an empty name in data there', hook, { id: 7, data: { '': 1 } }),
  unchanged('a failed scan', scan, { id: 1, status: 'FAILED' }),
];

test.each(answers)('%s is an answer: %j', async (_, [name, input], answer, outcome) => {
  const { loose } = await connectLoose([answer]);
  expect(await loose.request(name, input)).toEqual(outcome === 'null' ? null : outcome);
});

test('there are at least 60 ways, and each has its own name', () => {
  const names = [...errors, ...answers].map(([way, [name]]) => `${way} ${name}`);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(60);
});

describe('for every operation', () => {
  const rows = allOperations.filter(({ path }) => path !== null);
  const published = rows.filter(({ essential }) => essential !== '');

  test('whose response is published there is an essential field', () => {
    const without = rows.filter(({ essential }) => essential === '').map(({ name, provenance }) => [name, provenance.output]);
    expect(without.filter(([, output]) => output !== 'provisional')).toEqual([]);
    expect(published.length).toBeGreaterThan(40);
  });

  test('an error is an error', async () => {
    const { loose } = await connectLoose([{ body: envelope }]);
    for (const { name } of rows) {
      const error = await thrownBy(() => loose.request(name, samples[name]!.input));
      expect(error, name).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', operation: name });
    }
  });

  test('the documented response is an answer, alone and in data', async () => {
    let body: unknown;
    const { loose } = await connectLoose(() => ({ body }));
    for (const { name } of published) {
      const { input, answer } = samples[name]!;
      for (body of [answer, { data: answer }]) expect(await loose.request(name, input), name).toEqual(answer);
    }
  });

  test.each([{}, [], 'null', '"text"', '5', 'false', { message: 'no' }, { data: {} }])(
    '%j is an error if something is published',
    async (body) => {
      const { loose } = await connectLoose([{ body }]);
      for (const { name } of published) {
        // Nothing is the documented answer to a text that contains no asset.
        if (name === 'assetParse' && body === 'null') continue;
        const error = await thrownBy(() => loose.request(name, samples[name]!.input));
        expect(error, name).toMatchObject({ code: 'INVALID_RESPONSE', operation: name });
      }
    },
  );
});

describe('whatever is around an answer', () => {
  const outcome = fc.constantFrom<unknown>('success', 'OK', 'ok', 'ERROR', 200, true, null);
  const marksWith = (status: fc.Arbitrary<unknown>): fc.Arbitrary<object> => {
    const fields = { status, success: fc.boolean(), code: outcome, message: fc.string(), error: outcome };
    return fc.record({ ...fields, id: fc.integer(), source: fc.string() }, { requiredKeys: [] });
  };
  const marks = marksWith(outcome);
  const layer = fc.tuple(fc.constantFrom('data', 'result', 'asset'), marks);
  const innermost = fc.tuple(fc.constant('data'), marksWith(fc.constantFrom('UNKNOWN', 'ALLOWED')));
  const wrapped = (core: object): fc.Arbitrary<object> =>
    fc
      .tuple(fc.option(innermost), fc.array(layer, { maxLength: 2 }))
      .map(([first, others]) =>
        [...(first ? [first] : []), ...others].reduce<object>((inner, [name, beside]) => ({ ...beside, [name]: inner }), core),
      );

  test('a block is found, or the call fails', async () => {
    let body: unknown;
    const { loose } = await connectLoose(() => ({ body }));
    const spelled = fc.constantFrom('BLOCKED', 'BLOCKED', 'blocked', 'Blocked', ' BLOCKED', 'BLOCKED\n');
    const bodies = fc.tuple(spelled, marks).chain(([status, beside]) => wrapped({ ...beside, status }));
    await fc.assert(
      fc.asyncProperty(bodies, async (next) => {
        body = next;
        const answer = await loose.request(...check).catch(() => ({ status: 'BLOCKED' }));
        expect(answer).toMatchObject({ status: 'BLOCKED' });
      }),
    );
  });

  test('a block on either side of data is found, or the call fails', async () => {
    let body: unknown;
    const { loose } = await connectLoose(() => ({ body }));
    const values = fc.constantFrom('BLOCKED', 'blocked', 'UNKNOWN', 'ALLOWED', 'success', 'NEW');
    const bodies = fc
      .tuple(marks, values, marks, values)
      .map(([a, outer, b, inner]) => ({ ...a, status: outer, data: { ...b, status: inner } }));
    await fc.assert(
      fc.asyncProperty(bodies, async (next) => {
        body = next;
        const found = await loose.request(...check).catch(() => null);
        const isBlocked = /blocked/i.test(next.status) || /blocked/i.test(next.data.status);
        if (found !== null && isBlocked) expect(found).toMatchObject({ status: 'BLOCKED' });
      }),
    );
  });

  test('a secret is passed on, or the call fails', async () => {
    let body: unknown;
    const { loose } = await connectLoose(() => ({ body }));
    const bodies = marks.chain((beside) => wrapped({ ...beside, secret: 'shown-once' }));
    await fc.assert(
      fc.asyncProperty(bodies, async (next) => {
        body = next;
        const answer = await loose.request('webhookConfig', { url: 'https://a.example' }).catch(() => 'shown-once');
        expect(JSON.stringify(answer)).toContain('shown-once');
      }),
    );
  });
});

describe('a list', () => {
  test.each([{}, { error: envelope }, { reports: 'none' }])('fails page by page as it fails at once: %j', async (body) => {
    const { client } = await connect(node, [{ body }]);
    const once = await thrownBy(() => client.reports.list({ limit: 20 }));
    const all = await thrownBy(() => client.reports.listAll().next());
    expect([all.code, all.message]).toEqual([once.code, once.message]);
  });

  test('yields the items before a page that is an error', async () => {
    const { client } = await connect(node, [{ body: { reports: [report], nextCursor: 5 } }, { body: envelope }]);
    const items: unknown[] = [];
    const error = await thrownBy(async () => {
      for await (const item of client.reports.listAll()) items.push(item);
    });
    expect([items, error.code]).toEqual([[report], 'INTERNAL_SERVER_ERROR']);
  });
});

describe('an error in a successful response', () => {
  test('shows no secret, however long it is', async () => {
    const key = 'key-of-the-tests';
    const message = `${'x'.repeat(1_995)}${key}${'y'.repeat(100_000)}`;
    const data = { errors: [{ ...refused, asset: key, [key]: { deep: [key, { deeper: { deepest: { tooDeep: key } } }] } }] };
    const { client } = await connect(node, [{ headers: { 'x-echo': key }, body: { message, code: 'CONFLICT', data } }]);
    const error = await thrownBy(() => client.reports.create({ assets: [{ content: 'a' }] }));
    expect(error.message.length).toBeLessThanOrEqual(2_000);
    expect(JSON.stringify({ ...error, message: error.message })).not.toContain(key);
    expect(error.assets).toEqual([{ ...refused, asset: '[key]', '[key]': { deep: ['[key]', {}] } }]);
  });

  test('is not retried, because the attempt succeeded', async () => {
    const { client, server } = await connect(node, [{ body: envelope }], { retry: { maxRetries: 3, delayMs: 1 } });
    await thrownBy(() => client.assets.check({ content: 'a' }));
    expect(server.requests).toHaveLength(1);
  });
});
