import { readScanCallback, verifyWebhook } from 'portcullis/webhooks';
import { afterEach, describe, expect, expectTypeOf, test } from 'vitest';
import { codeOf, deliver, header, secret, signatureOf, updated } from './webhook-harness.js';

describe('an event', () => {
  const escalated = {
    type: 'asset.status-escalated',
    created_at: '2026-03-01T12:00:00Z',
    data: { asset_id: 7, content: 'evil.example', type: 'url', status: 'UNKNOWN', proposal_id: 8, organization_id: 9 },
  };

  test('has its name under type or event', () => {
    expect(deliver({ event: 'debug.test', created_at: '2026-03-01T12:00:00Z', data: {} })).toMatchObject({
      type: 'debug.test',
      name: 'debug.test',
      data: {},
    });
    expect(deliver({ type: null, event: 'debug.test' }).type).toBe('debug.test');
    expect(deliver({ type: 'a', event: 'debug.test' }).name).toBe('a');
    expect(deliver({ type: 'debug.test', data: [] })).toMatchObject({ type: 'debug.test', data: {} });
  });

  test('has the asset type in upper case, and is otherwise as sent', () => {
    const event = deliver(escalated);
    expect(event.data).toEqual({ ...escalated.data, type: 'URL' });
    expect(event.raw).toEqual(escalated);
  });

  test('keeps unknown keys and statuses', () => {
    const data = { ...updated.data, status: 'PARKED', note: { deep: [1] } };
    expect(deliver({ ...updated, more: 1, data })).toMatchObject({ type: updated.type, data, raw: { more: 1 } });
  });

  test('is returned unchanged if its name is unknown', () => {
    for (const name of ['asset.deleted', 'unknown', '__proto__', 'constructor', 'toString', 'Asset.Status-Updated']) {
      for (const data of [{ a: 1 }, [1], 'text', null]) {
        expect(deliver({ type: name, created_at: 'x', data })).toMatchObject({
          type: 'unknown',
          name,
          data,
          issues: [],
          createdAtMs: null,
        });
      }
      expect(deliver({ type: name }).data).toBeUndefined();
    }
  });

  const threat = { type: 'organization.threat-detection-added', data: { organization_id: 1, threat_detection_result_id: 2 } };
  test.each([updated, escalated, threat])('$type with a missing or wrong key is returned as unknown, with the issue', (sent) => {
    expect(deliver(sent).type).toBe(sent.type);
    for (const key of Object.keys(sent.data)) {
      for (const wrong of [undefined, null, {}, [], true, ...(key.endsWith('_id') ? ['7', 1.5, 1e16] : [7])]) {
        const data = { ...sent.data, [key]: wrong };
        const event = deliver({ ...sent, data });
        expect(event).toMatchObject({ type: 'unknown', name: sent.type, issues: [{ path: `data.${key}` }] });
        expect(event.data).toEqual(JSON.parse(JSON.stringify(data)));
      }
    }
    for (const data of [undefined, null, [], 'x', 1]) {
      expect(deliver({ ...sent, data })).toMatchObject({ type: 'unknown', name: sent.type, issues: [{ path: 'data' }] });
    }
    const empty = deliver({ ...sent, data: {} });
    const paths = empty.type === 'unknown' ? empty.issues.map(({ path }) => path) : [];
    expect(paths.sort()).toEqual(
      Object.keys(sent.data)
        .map((key) => `data.${key}`)
        .sort(),
    );
  });

  test.each<[unknown, number | null]>([
    ['2026-03-01T12:00:00Z', Date.UTC(2026, 2, 1, 12)],
    ['2026-03-01T12:00:00.5Z', Date.UTC(2026, 2, 1, 12, 0, 0, 500)],
    ['2026-03-01T12:00:00.123456789Z', Date.UTC(2026, 2, 1, 12, 0, 0, 123)],
    ['2026-03-01 12:00:00+02:00', Date.UTC(2026, 2, 1, 10)],
    ['2026-03-01T12:00:00', null],
    ['2026-03-01', null],
    ['2026-13-01T12:00:00Z', null],
    ['yesterday', null],
    ['', null],
    [1772366400, null],
    [null, null],
    [{}, null],
  ])('converts created_at %j to createdAtMs %j', (created, expected) => {
    expect(deliver({ ...updated, created_at: created }).createdAtMs).toBe(expected);
  });

  test.each([
    '',
    ' ',
    'null',
    '1',
    '"debug.test"',
    '[]',
    '[{"type":"debug.test"}]',
    '{}',
    '{"type":""}',
    '{"type":5}',
    '{"data":{}}',
    '{"type":"debug.test"',
    '\ufeff{"type":"debug.test"}',
    '<html>',
    '{"__proto__":{"type":"debug.test"}}',
  ])('cannot be %j', (text) => {
    expect(codeOf(() => deliver(text))).toBe('INVALID_WEBHOOK');
  });

  test('cannot be malformed UTF-8', () => {
    for (const hex of ['ff', 'c0af', 'eda080', '7b2274797065223a22ff227d']) {
      const body = new Uint8Array(Buffer.from(hex, 'hex'));
      const run = () => verifyWebhook(body, { [header]: signatureOf(body, secret) }, { secrets: secret });
      expect(codeOf(run)).toBe('INVALID_WEBHOOK');
      expect(run).toThrow(/UTF-8/);
    }
  });

  test('may be nested to any depth', () => {
    const deep = 100_000;
    for (const text of [
      `{"type":"debug.test","data":{"a":${'['.repeat(deep)}${']'.repeat(deep)}}}`,
      `{"type":"other","data":${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}}`,
      '['.repeat(deep),
    ]) {
      expect(codeOf(() => deliver(text))).toMatch(/^(none|INVALID_WEBHOOK)$/);
    }
  });

  test('does not change prototypes', () => {
    const text =
      '{"type":"asset.status-updated","data":{"asset_id":7,"type":"url","content":"x","status":"BLOCKED",' +
      '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}},"__proto__":{"polluted":1}}';
    const event = deliver(text);
    expect(event.type).toBe('asset.status-updated');
    expect(Object.getPrototypeOf(event.data)).toBe(Object.prototype);
    expect(Object.keys(event.data as object)).toEqual(['asset_id', 'type', 'content', 'status', 'constructor']);
    expect(Object.assign({}, event.data)).not.toHaveProperty('polluted');
    expect({}).not.toHaveProperty('polluted');
    expect(Object.keys(event.raw)).toContain('__proto__');
  });

  describe('with properties on Object.prototype', () => {
    afterEach(() => {
      for (const key of ['type', 'event', 'asset_id']) Reflect.deleteProperty(Object.prototype, key);
    });
    test('does not take them as its own', () => {
      Object.assign(Object.prototype, { type: 'debug.test', event: 'debug.test', asset_id: 7 });
      expect(codeOf(() => deliver('{"data":{}}'))).toBe('INVALID_WEBHOOK');
      const { asset_id: _, ...data } = updated.data;
      expect(deliver({ ...updated, data }).type).toBe('unknown');
    });
  });

  test('is narrowed by its type', () => {
    const event = deliver(updated);
    switch (event.type) {
      case 'asset.status-updated':
        expectTypeOf(event.data.asset_id).toEqualTypeOf<number>();
        expectTypeOf(event.data).not.toHaveProperty('proposal_id');
        expectTypeOf<'BLOCKED'>().toExtend<typeof event.data.status>();
        expectTypeOf(event.data.status).toExtend<string>();
        break;
      case 'asset.status-escalated':
        expectTypeOf(event.data.proposal_id).toEqualTypeOf<number>();
        break;
      case 'organization.threat-detection-added':
        expectTypeOf(event.data.threat_detection_result_id).toEqualTypeOf<number>();
        break;
      case 'debug.test':
        expectTypeOf(event.data).toEqualTypeOf<Readonly<Record<string, unknown>>>();
        break;
      case 'unknown':
        expectTypeOf(event.data).toEqualTypeOf<unknown>();
        expectTypeOf(event.name).toEqualTypeOf<string>();
        break;
      default:
        expectTypeOf(event).toEqualTypeOf<never>();
    }
    expect(event.type).toBe('asset.status-updated');
  });
});

describe('readScanCallback', () => {
  test.each<[object, number | string | null, string | null]>([
    [{ scanId: 5, status: 'DONE' }, 5, 'DONE'],
    [{ scan_id: 'abc' }, 'abc', null],
    [{ id: 6, status: 'x' }, 6, 'x'],
    [{ scan: { id: 7, status: 'y' }, id: 1, status: 'z' }, 7, 'y'],
    [{ data: { scanId: 8, status: 'w' } }, 8, 'w'],
    [{ id: 'delivery', data: { scanId: 9 } }, 9, null],
    [{ type: 't', data: { scan: { id: 10 } } }, 10, null],
    [{ scanId: null, id: 11 }, 11, null],
    [{ scanId: 1.5, status: 4 }, null, null],
    [{ scanId: '', status: '' }, null, null],
    [{ scanId: 'x'.repeat(257) }, null, null],
    [{ scan: [{ id: 1 }], data: [{ id: 1 }] }, null, null],
    [{}, null, null],
  ])('finds in %j the scan %j and the status %j', (sent, scanId, status) => {
    const text = JSON.stringify(sent);
    for (const body of [sent, text, Buffer.from(text), new Uint8Array(Buffer.from(text))]) {
      expect(readScanCallback(body)).toEqual({ provisional: true, scanId, status, raw: sent });
    }
  });

  test('rejects anything but an object', () => {
    for (const body of ['', '[]', 'null', '5', '{', new Uint8Array([0xff]), []]) {
      expect(codeOf(() => readScanCallback(body))).toBe('INVALID_WEBHOOK');
    }
    for (const body of [undefined, null, 5, true])
      expect(codeOf(() => readScanCallback(body as unknown as object))).toBe('TypeError');
  });

  test('ignores prototypes', () => {
    expect(readScanCallback('{"__proto__":{"scanId":5}}').scanId).toBeNull();
    expect(readScanCallback(Object.create({ scanId: 5 })).scanId).toBeNull();
  });
});
