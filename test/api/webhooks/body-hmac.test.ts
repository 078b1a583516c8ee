import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { verifyWebhook, type WebhookEvent, type WebhookHeaders } from 'portcullis/webhooks';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { anyCodePoint } from '../../support/arbitraries.js';
import { codeOf, deliver, header, secret, signatureOf, updated } from './webhook-harness.js';

describe('the scheme body-hmac', () => {
  const text = JSON.stringify(updated);
  const value = signatureOf(text, secret);
  const verify = (headers: WebhookHeaders, body: string | Uint8Array = text): WebhookEvent =>
    verifyWebhook(body, headers, { secrets: secret });
  const codeFor = (signature: string, body: string | Uint8Array = text): string =>
    codeOf(() => verify({ [header]: signature }, body));

  test('returns the event of a valid signature', () => {
    expect(deliver(updated)).toEqual({
      type: 'asset.status-updated',
      name: 'asset.status-updated',
      createdAtMs: Date.UTC(2026, 2, 1, 12),
      id: null,
      fingerprint: createHash('sha256').update(text).digest('hex'),
      data: { asset_id: 7, type: 'URL', content: 'evil.example', status: 'BLOCKED' },
      raw: updated,
    });
  });

  test.each<[string, WebhookHeaders]>([
    ['a Headers', new Headers({ 'X-Some-Signature': value })],
    ['a Map', new Map([['X-Some-Signature', value]])],
    ['pairs', [['X-Some-Signature', value]]],
    ['an object', { 'X-Some-Signature': value }],
    ['an object in lower case', { 'x-some-signature': value, host: undefined }],
    ['an object in upper case', { 'X-SOME-SIGNATURE': value }],
    ['an object without a prototype', Object.assign(Object.create(null), { 'x-some-signature': value })],
    ['a list of values', { 'x-some-signature': ['sha256=00', value] }],
    ['pairs with a list of values', [['x-some-signature', [value]]]],
    ['an object with only forEach', { forEach: (visit) => visit(value, 'X-Some-Signature') }],
    ['upper-case digits', { [header]: `sha256=${value.slice(7).toUpperCase()}` }],
    [
      'a request with other signatures',
      { 'x-a-signature': `sha256=${'0'.repeat(64)}`, [header]: value, 'x-b-signature': 'none' },
    ],
    [
      'a request with fifteen others',
      Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`x-${at}-signature`, at === 9 ? value : 'none'])),
    ],
  ])('finds the signature in %s', (_, headers) => {
    expect(verify(headers).type).toBe('asset.status-updated');
    expect(verifyWebhook(text, headers, { secrets: [secret], scheme: 'body-hmac' }).type).toBe('asset.status-updated');
  });

  test.each<[string, WebhookHeaders, string]>([
    ['no header', {}, 'SIGNATURE_MISSING'],
    [
      'no header named X-…-Signature',
      { 'x-signature': value, 'some-signature': value, 'x-some-signature-2': value },
      'SIGNATURE_MISSING',
    ],
    ['an empty value', { [header]: '' }, 'SIGNATURE_MISSING'],
    ['no value', { [header]: undefined }, 'SIGNATURE_MISSING'],
    ['no values', { [header]: [] }, 'SIGNATURE_MISSING'],
    ['a number as its value', { [header]: 5 as unknown as string }, 'SIGNATURE_MISSING'],
    ['the digits alone', { [header]: value.slice(7) }, 'SIGNATURE_INVALID'],
    ['another hash function', { [header]: value.replace('sha256', 'sha512') }, 'SIGNATURE_INVALID'],
    ['SHA256 in upper case', { [header]: value.replace('sha256', 'SHA256') }, 'SIGNATURE_INVALID'],
    ['one digit too few', { [header]: value.slice(0, -1) }, 'SIGNATURE_INVALID'],
    ['one byte too few', { [header]: value.slice(0, -2) }, 'SIGNATURE_INVALID'],
    ['one byte too many', { [header]: `${value}00` }, 'SIGNATURE_INVALID'],
    ['white space', { [header]: ` ${value}` }, 'SIGNATURE_INVALID'],
    ['a line break', { [header]: `${value}\n` }, 'SIGNATURE_INVALID'],
    ['only zeros', { [header]: `sha256=${'0'.repeat(64)}` }, 'SIGNATURE_INVALID'],
    ['base64', { [header]: `sha256=${Buffer.from(value.slice(7), 'hex').toString('base64')}` }, 'SIGNATURE_INVALID'],
    [
      'seventeen signatures',
      Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`x-${at}-signature`, value])),
      'LIMIT_EXCEEDED',
    ],
    ['300,000 values', { [header]: new Array<string>(300_000).fill(value) }, 'LIMIT_EXCEEDED'],
  ])('rejects %s', (_, headers, code) => {
    expect(codeOf(() => verify(headers))).toBe(code);
  });

  test('finds the signature in a header joined with commas', () => {
    for (const both of [`${value}, sha256=00`, `sha256=00,${value}`]) {
      expect(verify({ [header]: both }).name).toBe('asset.status-updated');
    }
    expect(codeFor('sha256=00, sha256=11')).toBe('SIGNATURE_INVALID');
  });

  test('looks only at the header that is named', () => {
    const headers = { 'x-right-signature': value, 'x-wrong-signature': `sha256=${'0'.repeat(64)}`, signature: value };
    const withHeader = (name: string) => () => verifyWebhook(text, headers, { secrets: secret, header: name });
    expect(withHeader('X-Right-Signature')().type).toBe('asset.status-updated');
    expect(withHeader('signature')().type).toBe('asset.status-updated');
    expect(codeOf(withHeader('x-wrong-signature'))).toBe('SIGNATURE_INVALID');
    expect(codeOf(withHeader('x-absent-signature'))).toBe('SIGNATURE_MISSING');
    expect(withHeader('x-absent-signature')).toThrow(/x-absent-signature, but it has another/);
    expect(() => verifyWebhook(text, {}, { secrets: secret, header: 'X-A' })).toThrow(/no header x-a$/);
    for (const name of ['', ' ', 'a b', 'x:y', 'ü']) expect(codeOf(withHeader(name))).toBe('INVALID_INPUT');
  });

  test('rejects a body with any byte changed', () => {
    const bytes = new Uint8Array(Buffer.from(text));
    for (let at = 0; at < bytes.length; at++) {
      const changed = bytes.slice();
      changed[at]! ^= 1 << (at & 7);
      expect(codeFor(value, changed)).toBe('SIGNATURE_INVALID');
    }
    for (const other of [bytes.slice(1), bytes.slice(0, -1), new Uint8Array([...bytes, 0x20]), new Uint8Array(0)]) {
      expect(codeFor(value, other)).toBe('SIGNATURE_INVALID');
    }
  });

  test('rejects a signature with any character changed', () => {
    for (let at = 0; at < value.length; at++) {
      for (const replacement of ['0', '1', 'g', '=', ' ']) {
        if (value[at] === replacement) continue;
        const changed = value.slice(0, at) + replacement + value.slice(at + 1);
        expect(codeFor(changed)).toBe('SIGNATURE_INVALID');
      }
    }
  });

  test('rejects a character that is not a digit, even where its bits would match', () => {
    // An invalid digit decodes to -1, all ones, which would match a byte of ones.
    const ones = Array.from({ length: 200 }, (_, at) => String(at)).filter((body) => signatureOf(body, secret).includes('ff', 7));
    expect(ones.length).toBeGreaterThan(5);
    for (const body of ones) {
      const right = signatureOf(body, secret);
      for (let at = 7; at < right.length; at++) {
        const wrong = `${right.slice(0, at)}g${right.slice(at + 1)}`;
        expect(codeFor(wrong, body)).toBe('SIGNATURE_INVALID');
      }
    }
  });

  test('agrees with Node for bodies of every length around a block', () => {
    // Around the block size of SHA-256 the padding changes.
    for (let length = 0; length < 140; length++) {
      const body = randomBytes(length);
      expect(codeFor(signatureOf(body, secret), body)).toBe('INVALID_WEBHOOK');
    }
  });

  test('agrees with HMAC-SHA256 for any body and secret', () => {
    // This includes secrets longer than a block, which are hashed first.
    const anySecret = fc
      .string({ unit: anyCodePoint, minLength: 1, maxLength: 100 })
      .filter((text) => text === text.trim() && text !== '');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), anySecret, anySecret, (body, right, wrong) => {
        const headers = { [header]: signatureOf(body, right) };
        const code = (secrets: string | string[]): string => codeOf(() => verifyWebhook(body, headers, { secrets }));
        // The signature is valid, but random bytes are not an event.
        expect(code(right)).toBe('INVALID_WEBHOOK');
        expect(code([wrong, right])).toBe('INVALID_WEBHOOK');
        if (wrong !== right) expect(code(wrong)).toBe('SIGNATURE_INVALID');
      }),
    );
  });

  test('accepts bytes, a Buffer, a view into other bytes and a string alike', () => {
    const wide = JSON.stringify({ ...updated, data: { ...updated.data, content: 'bücher.example/😀' } });
    const around = Buffer.from(`xx${wide}xx`);
    const middle = around.subarray(2, around.length - 2);
    const bodies = [wide, Buffer.from(wide), new Uint8Array(Buffer.from(wide)), middle];
    const events = bodies.map((body) => verify({ [header]: signatureOf(wide, secret) }, body));
    for (const event of events) expect(event).toEqual(events[0]);
    expect(events[0]?.raw).toEqual(JSON.parse(wide));
  });

  test('reads a string with a lone surrogate as it was signed', () => {
    const lone = '{"type":"x","data":"\ud800"}';
    expect(verify({ [header]: signatureOf(lone, secret) }, lone).data).toBe('\ufffd');
  });

  test('checks the age of an event only with toleranceMs', () => {
    const at = (now: number, toleranceMs?: number) => () => deliver(updated, { now: () => now, toleranceMs });
    const createdAtMs = Date.parse(updated.created_at);
    expect(at(createdAtMs + 10 ** 12)().type).toBe('asset.status-updated');
    for (const ageMs of [0, 1000, -1000]) expect(at(createdAtMs + ageMs, 1000)().createdAtMs).toBe(createdAtMs);
    for (const ageMs of [1001, -1001]) expect(codeOf(at(createdAtMs + ageMs, 1000))).toBe('TIMESTAMP_OUT_OF_RANGE');
    expect(at(createdAtMs + 1001, 1000)).toThrow(/past/);
    expect(at(createdAtMs - 1001, 1000)).toThrow(/future/);
    expect(codeOf(at(Number.NaN, 1000))).toBe('INVALID_INPUT');
    const times = [createdAtMs, Number.NaN];
    expect(codeOf(() => deliver(updated, { now: () => times.shift()!, toleranceMs: 1000 }))).toBe('TIMESTAMP_OUT_OF_RANGE');
    expect(at(0, Number.POSITIVE_INFINITY)().type).toBe('asset.status-updated');
    const without = { type: 'debug.test', data: {} };
    expect(codeOf(() => deliver(without, { toleranceMs: 1000 }))).toBe('TIMESTAMP_OUT_OF_RANGE');
    expect(deliver(without, { toleranceMs: Number.POSITIVE_INFINITY }).createdAtMs).toBeNull();
    expect(deliver(without).createdAtMs).toBeNull();
  });

  test('uses the clock of the machine by default', () => {
    vi.useFakeTimers({ now: Date.parse(updated.created_at) + 500 });
    onTestFinished(() => void vi.useRealTimers());
    expect(deliver(updated, { toleranceMs: 500 }).type).toBe('asset.status-updated');
    expect(codeOf(() => deliver(updated, { toleranceMs: 499 }))).toBe('TIMESTAMP_OUT_OF_RANGE');
  });
});

describe('secrets', () => {
  const text = JSON.stringify(updated);
  const check = (secrets: unknown, signedWith: string, scheme?: 'standard') => () =>
    verifyWebhook(text, { [header]: signatureOf(text, signedWith) }, { secrets: secrets as string, scheme });

  test('may be several, and one match is enough', () => {
    for (const signer of ['old', 'new', 'next']) expect(check(['old', 'new', 'next'], signer)().type).toBe(updated.type);
    expect(codeOf(check(['old', 'new'], 'next'))).toBe('SIGNATURE_INVALID');
    const sixteen = Array.from({ length: 16 }, (_, at) => `secret-${at}`);
    expect(check(sixteen, 'secret-15')().type).toBe(updated.type);
    expect(codeOf(check([...sixteen, 'one-more'], 'secret-0'))).toBe('INVALID_INPUT');
  });

  test('may be given twice', () => {
    expect(check([secret, secret], secret)().type).toBe(updated.type);
  });

  test.each<[unknown]>([
    [''],
    [[]],
    [['right', '']],
    [' right'],
    ['right\n'],
    [undefined],
    [null],
    [5],
    [['right', undefined]],
    [[['right']]],
    [Buffer.from('right')],
  ])('%j are rejected, even without a signature', (secrets) => {
    expect(codeOf(check(secrets, 'right'))).toBe('INVALID_INPUT');
    expect(codeOf(() => verifyWebhook(text, {}, { secrets: secrets as string }))).toBe('INVALID_INPUT');
    expect(codeOf(check(secrets, 'right', 'standard'))).toBe('INVALID_INPUT');
  });

  test('do not appear in errors, nor do the body and the signature', () => {
    const hidden = 'sEcReT-tHaT-hIdEs';
    const marked = { type: 'marked-body', data: { mark: 'marked-body' } };
    const body = JSON.stringify(marked);
    const good = { [header]: signatureOf(body, hidden) };
    const runs = [
      () => verifyWebhook(`${body} `, good, { secrets: hidden }),
      () => verifyWebhook(`${body}}`, { [header]: signatureOf(`${body}}`, hidden) }, { secrets: hidden }),
      () => verifyWebhook(body, {}, { secrets: hidden }),
      () => verifyWebhook(body, good, { secrets: [` ${hidden}`] }),
      () => verifyWebhook(body, good, { secrets: hidden, scheme: 'standard' }),
      () => verifyWebhook(body, good, { secrets: hidden, scheme: hidden as 'standard' }),
      () => verifyWebhook(body, good, { secrets: new Array<string>(20).fill(hidden) }),
      () => verifyWebhook(marked as unknown as string, good, { secrets: hidden }),
    ];
    for (const run of runs) {
      try {
        run();
        expect.unreachable();
      } catch (error) {
        const shown = JSON.stringify(error, Object.getOwnPropertyNames(error)).toLowerCase();
        expect(shown).toContain('message');
        for (const word of [hidden, 'marked-body', signatureOf(body, hidden).slice(7)])
          expect(shown).not.toContain(word.toLowerCase());
      }
    }
  });
});
