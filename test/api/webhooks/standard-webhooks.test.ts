import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { verifyWebhook, type WebhookEvent, type WebhookHeaders, type WebhookOptions } from 'portcullis/webhooks';
import { describe, expect, test } from 'vitest';
import { codeOf, header, signatureOf, updated } from './webhook-harness.js';

describe('Standard Webhooks', () => {
  // The example of the specification; split, because scanners for leaked keys recognize it.
  const key = `${'whsec_'}MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`;
  const vector = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    time: '1614265330',
    body: '{"test": 2432232314}',
    signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const nowMs = 1614265330_000;

  const headersOf = (id: string, time: string, signature: string) => ({
    'Webhook-Id': id,
    'Webhook-Timestamp': time,
    'Webhook-Signature': signature,
  });
  /** The oracle for any key, id, time and body. */
  const sign = (id: string, time: string, body: string | Uint8Array, secretKey: string = key): string =>
    `v1,${createHmac('sha256', Buffer.from(secretKey.replace('whsec_', ''), 'base64'))
      .update(`${id}.${time}.`)
      .update(body)
      .digest('base64')}`;

  const verify = (body: string | Uint8Array, headers: WebhookHeaders, options: Partial<WebhookOptions> = {}): WebhookEvent =>
    verifyWebhook(body, headers, { secrets: key, scheme: 'standard', now: () => nowMs, ...options });

  const body = JSON.stringify(updated);
  const good = { id: 'msg_1', time: vector.time, signature: sign('msg_1', vector.time, body) };
  const goodHeaders = headersOf(good.id, good.time, good.signature);
  function standard(changes: Partial<typeof good> = {}, options: Partial<WebhookOptions> = {}): WebhookEvent {
    const { id, time } = { ...good, ...changes };
    const { signature = sign(id, time, body) } = changes;
    return verify(body, headersOf(id, time, signature), options);
  }

  test('accepts the published example', () => {
    expect(sign(vector.id, vector.time, vector.body)).toBe(vector.signature);
    const headers = headersOf(vector.id, vector.time, vector.signature);
    // It names no event, which is checked after the signature.
    expect(codeOf(() => verify(vector.body, headers))).toBe('INVALID_WEBHOOK');
    expect(codeOf(() => verify(`${vector.body} `, headers))).toBe('SIGNATURE_INVALID');
  });

  test('returns the event with its id', () => {
    expect(standard()).toMatchObject({ type: 'asset.status-updated', id: 'msg_1', createdAtMs: Date.parse(updated.created_at) });
  });

  test('reads the timestamp of the recommended envelope', () => {
    const text = JSON.stringify({ type: 'a.b', timestamp: '2022-11-03T20:26:10.344522Z', data: {} });
    const headers = headersOf('m', vector.time, sign('m', vector.time, text));
    expect(verify(text, headers).createdAtMs).toBe(Date.UTC(2022, 10, 3, 20, 26, 10, 344));
  });

  test('accepts a difference of exactly five minutes either way, or toleranceMs', () => {
    const at = (differenceMs: number, toleranceMs?: number) => () =>
      standard({}, { now: () => nowMs + differenceMs, toleranceMs });
    for (const differenceMs of [0, 300_000, -300_000]) expect(at(differenceMs)().type).toBe(updated.type);
    for (const differenceMs of [300_001, -300_001]) expect(codeOf(at(differenceMs))).toBe('TIMESTAMP_OUT_OF_RANGE');
    expect(codeOf(at(1, 0))).toBe('TIMESTAMP_OUT_OF_RANGE');
    expect(at(0, 0)().type).toBe(updated.type);
    expect(at(10 ** 13, Number.POSITIVE_INFINITY)().type).toBe(updated.type);
    for (const toleranceMs of [-1, Number.NaN]) expect(codeOf(at(0, toleranceMs))).toBe('INVALID_INPUT');
  });

  test('checks the time after the signature, so that a forgery is not reported as a replay', () => {
    const late = { now: () => nowMs + 10 ** 9 };
    expect(codeOf(() => standard({}, late))).toBe('TIMESTAMP_OUT_OF_RANGE');
    expect(codeOf(() => standard({ signature: sign('msg_1', vector.time, 'other') }, late))).toBe('SIGNATURE_INVALID');
    // The time is signed, so it cannot be renewed.
    const again = String(Number(vector.time) + 10 ** 6);
    expect(codeOf(() => standard({ ...good, time: again }, late))).toBe('SIGNATURE_INVALID');
    expect(codeOf(() => standard({ ...good, id: 'msg_2' }))).toBe('SIGNATURE_INVALID');
  });

  test('finds the valid signature among others', () => {
    const { signature: right } = good;
    const other = sign('msg_1', vector.time, 'other');
    for (const signature of [
      `${other} ${right}`,
      `${right} ${other}`,
      `v1a,abc ${right}`,
      `v2,${right.slice(3)} v1, ${right}  `,
    ]) {
      expect(standard({ signature }).type).toBe(updated.type);
    }
    const headers = { 'webhook-id': ['msg_1', 'msg_1'], 'webhook-timestamp': vector.time, 'webhook-signature': [other, right] };
    expect(verify(body, headers).id).toBe('msg_1');
  });

  test.each<[string, Partial<typeof good>, string]>([
    ['no id', { id: '' }, 'SIGNATURE_MISSING'],
    ['no time', { time: '' }, 'SIGNATURE_MISSING'],
    ['no signature', { signature: '' }, 'SIGNATURE_MISSING'],
    ['only spaces for a signature', { signature: '  ' }, 'SIGNATURE_MISSING'],
    ['only a signature of another version', { signature: `v1a,${'A'.repeat(44)}` }, 'SIGNATURE_INVALID'],
    ['a signature without a version', { signature: good.signature.slice(3) }, 'SIGNATURE_INVALID'],
    ['a signature without padding', { signature: good.signature.slice(0, -1) }, 'SIGNATURE_INVALID'],
    ['a signature in hex', { signature: `v1,${'0'.repeat(64)}` }, 'SIGNATURE_INVALID'],
    ['a full stop in the id', { id: 'msg.1' }, 'SIGNATURE_INVALID'],
    ['a space in the id', { id: 'msg 1' }, 'SIGNATURE_INVALID'],
    ['an id beyond ASCII', { id: 'müll' }, 'SIGNATURE_INVALID'],
    ['a very long id', { id: 'm'.repeat(257) }, 'SIGNATURE_INVALID'],
    ['a time with a fraction', { time: '1614265330.5' }, 'SIGNATURE_INVALID'],
    ['a time with an exponent', { time: '1e9' }, 'SIGNATURE_INVALID'],
    ['a negative time', { time: '-1614265330' }, 'SIGNATURE_INVALID'],
    ['a time in words', { time: '2021-02-25T15:02:10Z' }, 'SIGNATURE_INVALID'],
    ['a very long time', { time: '1'.repeat(13) }, 'SIGNATURE_INVALID'],
    ['seventeen signatures', { signature: 'v1,AAAA '.repeat(17) }, 'LIMIT_EXCEEDED'],
  ])('rejects %s, even if it is signed', (_, changes, code) => {
    expect(codeOf(() => standard(changes))).toBe(code);
  });

  test('rejects two different ids or times', () => {
    for (const extra of [{ 'webhook-id': 'msg_2' }, { 'webhook-timestamp': '1' }])
      expect(codeOf(() => verify(body, { ...goodHeaders, ...extra }))).toBe('SIGNATURE_INVALID');
  });

  test('parses the bytes it verified, even if the caller changes them meanwhile', () => {
    const bytes = new Uint8Array(Buffer.from(body));
    const changing = () => {
      bytes.fill(0x20);
      return nowMs;
    };
    expect(verify(bytes, goodHeaders, { now: changing }).raw).toEqual(updated);
    expect(bytes[0]).toBe(0x20);
  });

  test('rejects shifted boundaries between id, time and body', () => {
    // With shifted boundaries, the part of a signed event that an attacker chose would become the body.
    const inner = JSON.stringify({ type: 'debug.test', data: {} });
    const outer = `{"type":"x","data":"a.${vector.time}.${inner}`;
    const signature = sign('msg_1', '1', outer);
    const moved = headersOf(`msg_1.1.{"type":"x","data":"a`, vector.time, signature);
    expect(codeOf(() => verify(inner, moved))).toBe('SIGNATURE_INVALID');
  });

  test('rejects headers with any character changed', () => {
    for (const name of ['id', 'time', 'signature'] as const) {
      for (let at = 0; at < good[name].length; at++) {
        for (const replacement of 'A0=/+v\n') {
          if (good[name][at] === replacement) continue;
          const changed = { ...good, [name]: good[name].slice(0, at) + replacement + good[name].slice(at + 1) };
          expect(codeOf(() => standard(changed))).toMatch(/^SIGNATURE_(INVALID|MISSING)$/);
        }
      }
    }
    // Two bits of the last digit are unused, and must be zero.
    const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    const accepted = [...last].filter(
      (digit) => codeOf(() => standard({ ...good, signature: `${good.signature.slice(0, -2)}${digit}=` })) === 'none',
    );
    expect(accepted).toEqual([good.signature.at(-2)]);
  });

  test('agrees with HMAC-SHA256 for any key, id, time and body', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 24, maxLength: 64 }),
        fc.stringMatching(/^[a-zA-Z0-9_-]{1,40}$/),
        fc.integer({ min: 0, max: 10 ** 11 }),
        fc.uint8Array({ maxLength: 200 }),
        fc.boolean(),
        (bytes, id, seconds, content, prefixed) => {
          const secrets = (prefixed ? 'whsec_' : '') + Buffer.from(bytes).toString('base64');
          const headers = headersOf(id, String(seconds), sign(id, String(seconds), content, secrets));
          const options = { secrets, now: () => seconds * 1000 };
          expect(codeOf(() => verify(content, headers, options))).toBe('INVALID_WEBHOOK');
          const other = Buffer.from(bytes.map((byte) => byte ^ 1)).toString('base64');
          expect(codeOf(() => verify(content, headers, { ...options, secrets: other }))).toBe('SIGNATURE_INVALID');
        },
      ),
    );
  });

  test.each<[string, string]>([
    ['23 bytes', Buffer.alloc(23, 1).toString('base64')],
    ['65 bytes', Buffer.alloc(65, 1).toString('base64')],
    ['the prefix alone', 'whsec_'],
    ['the prefix twice', `whsec_${key}`],
    ['text', 'a-secret-of-the-webhook-that-is-no-base64'],
    ['the URL-safe alphabet', Buffer.alloc(24, 0xff).toString('base64').replaceAll('/', '_')],
    ['no padding', Buffer.alloc(25, 1).toString('base64').replaceAll('=', '')],
    ['padding in the middle', 'AAA=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['too much padding', `${'A'.repeat(33)}===`],
    ['unused bits', `${'A'.repeat(32)}AB==`],
  ])('rejects a secret of %s', (_, secrets) => {
    expect(codeOf(() => standard({}, { secrets }))).toBe('INVALID_INPUT');
  });

  test.each([24, 25, 26, 64])('accepts a secret of %i bytes', (length) => {
    const secrets = Buffer.alloc(length, 0xfb).toString('base64');
    expect(standard({ signature: sign('msg_1', vector.time, body, secrets) }, { secrets: [key, secrets] }).id).toBe('msg_1');
  });

  test('rejects the signature and options of the other scheme', () => {
    const headers = { [header]: signatureOf(body, key) };
    expect(codeOf(() => verify(body, headers))).toBe('SIGNATURE_MISSING');
    expect(codeOf(() => standard({}, { scheme: 'body-hmac' }))).toBe('SIGNATURE_MISSING');
    expect(codeOf(() => standard({}, { header: 'webhook-signature' }))).toBe('INVALID_INPUT');
  });
});
