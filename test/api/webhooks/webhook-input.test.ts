import fc from 'fast-check';
import {
  readScanCallback,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookOptions,
  webhookFingerprint,
} from 'portcullis/webhooks';
import { describe, expect, test } from 'vitest';
import { anyCodePoint } from '../../support/arbitraries.js';
import { codeOf, deliver, header, secret, signatureOf, updated } from './webhook-harness.js';

describe('verifyWebhook', () => {
  const text = JSON.stringify(updated);
  const headers = { [header]: signatureOf(text, secret) };

  test.each<[string, unknown]>([
    ['a parsed object', updated],
    ['a parsed array', [updated]],
    ['an object without a prototype', Object.assign(Object.create(null), updated)],
  ])('asks for the raw body when given %s', (_, body) => {
    for (const run of [
      () => verifyWebhook(body as string, headers, { secrets: secret }),
      () => webhookFingerprint(body as string),
    ]) {
      expect(run).toThrow(TypeError);
      expect(run).toThrow(/raw body.*express\.raw.*Fastify.*request\.text/);
    }
  });

  test.each<[string, () => unknown]>([
    ['no body', () => verifyWebhook(undefined as unknown as string, headers, { secrets: secret })],
    ['null', () => verifyWebhook(null as unknown as string, headers, { secrets: secret })],
    ['an ArrayBuffer', () => verifyWebhook(new ArrayBuffer(8) as unknown as string, headers, { secrets: secret })],
    ['a Uint16Array', () => verifyWebhook(new Uint16Array(8) as unknown as Uint8Array, headers, { secrets: secret })],
    ['no headers', () => verifyWebhook(text, undefined as unknown as WebhookHeaders, { secrets: secret })],
    ['a string as headers', () => verifyWebhook(text, 'x' as unknown as WebhookHeaders, { secrets: secret })],
    ['flat headers', () => verifyWebhook(text, [header, 'x'] as unknown as WebhookHeaders, { secrets: secret })],
    [
      'a list with forEach',
      () => verifyWebhook(text, { forEach: [1].forEach.bind([1]) } as unknown as WebhookHeaders, { secrets: secret }),
    ],
  ])('throws a TypeError for %s', (_, run) => {
    expect(codeOf(run)).toBe('TypeError');
  });

  test.each<[string, () => unknown]>([
    ['no options', () => verifyWebhook(text, headers, undefined as unknown as WebhookOptions)],
    ['a number as scheme', () => deliver(text, { scheme: 1 as unknown as 'standard' })],
    ['a list as header', () => deliver(text, { header: [header] as unknown as string })],
    ['a string as toleranceMs', () => deliver(text, { toleranceMs: '1' as unknown as number })],
    ['a number as now', () => deliver(text, { now: 1 as unknown as () => number })],
  ])('refuses %s', (_, run) => {
    expect(codeOf(run)).toBe('INVALID_INPUT');
  });

  test('lists the known schemes if the scheme is unknown', () => {
    expect(codeOf(() => deliver(text, { scheme: 'jws' as 'standard' }))).toBe('INVALID_INPUT');
    expect(() => deliver(text, { scheme: 'jws' as 'standard' })).toThrow(/body-hmac.*standard/);
  });

  test('accepts a body of one mebibyte and not a byte more', () => {
    const fill = (length: number) => `{"type":"x","data":"${'a'.repeat(length - 22)}"}`;
    const most = fill(1024 * 1024);
    expect(most.length).toBe(1024 * 1024);
    expect(deliver(most).name).toBe('x');
    const more = fill(1024 * 1024 + 1);
    for (const body of [more, Buffer.from(more), 'é'.repeat(600_000), 'a'.repeat(50_000_000)]) {
      expect(codeOf(() => verifyWebhook(body, { [header]: 'sha256=' }, { secrets: secret }))).toBe('LIMIT_EXCEEDED');
      expect(codeOf(() => webhookFingerprint(body))).toBe('LIMIT_EXCEEDED');
      expect(codeOf(() => readScanCallback(body))).toBe('LIMIT_EXCEEDED');
    }
  });

  test('throws only its own errors for any arguments', () => {
    const anyHeaders = fc.oneof(
      fc.dictionary(
        fc.oneof(fc.constantFrom(header, 'webhook-id', 'webhook-signature', 'webhook-timestamp'), fc.string()),
        fc.anything(),
      ),
      fc.array(fc.tuple(fc.string(), fc.string())),
      fc.anything(),
    );
    const anyOptions = fc.oneof(
      fc.record(
        {
          secrets: fc.oneof(fc.string(), fc.array(fc.string()), fc.constant('A'.repeat(32)), fc.anything()),
          scheme: fc.constantFrom('standard', 'body-hmac', 'x', undefined),
          header: fc.oneof(fc.string(), fc.constant(undefined)),
          toleranceMs: fc.oneof(fc.double(), fc.anything()),
        },
        { requiredKeys: [] },
      ),
      fc.anything(),
    );
    const anyBody = fc.oneof(fc.string({ unit: anyCodePoint }), fc.uint8Array(), fc.json(), fc.anything());
    fc.assert(
      fc.property(anyBody, anyHeaders, anyOptions, (body, given, options) => {
        const run = () => verifyWebhook(body as string, given as WebhookHeaders, options as WebhookOptions);
        expect(codeOf(run)).toMatch(/^(SIGNATURE_MISSING|SIGNATURE_INVALID|INVALID_INPUT|TypeError)$/);
        expect(codeOf(() => readScanCallback(body as object))).toMatch(/^(none|INVALID_WEBHOOK|TypeError)$/);
      }),
    );
  });

  test('returns the event or INVALID_WEBHOOK for any signed JSON', () => {
    const name = fc.oneof(fc.constantFrom(updated.type, 'debug.test', 'organization.threat-detection-added'), fc.string());
    const envelope = fc.record(
      { type: name, created_at: fc.anything(), data: fc.oneof(fc.constant(updated.data), fc.object()) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), envelope), (value) => {
        let sent: string;
        try {
          sent = JSON.stringify(value) ?? 'null';
        } catch {
          return;
        }
        expect(codeOf(() => expect(deliver(sent).raw).toEqual(JSON.parse(sent)))).toMatch(/^(none|INVALID_WEBHOOK)$/);
      }),
    );
  });
});
