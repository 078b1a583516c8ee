import { expect, test } from 'vitest';
import { networkOf } from '../../../src/core/assets/web/network-of.js';
import { ask, confirm, expectRefused, relayed, relayOf, upstreamOf, v2Confirm, versionPath } from './relay-harness.js';

test('limits each client, refills its rate and tells it how long to wait', async () => {
  const { relay, clock, events } = await relayed({ clientPerMinute: 3 });
  const from = (address: string): Promise<Response> => ask(relay, versionPath, {}, { address });
  for (let at = 0; at < 3; at++) expect((await from('192.0.2.1')).status).toBe(200);
  const refused = await from('192.0.2.1');
  expect(refused.headers.get('retry-after')).toBe('20');
  expect(refused.headers.get('access-control-allow-origin')).toBe('*');
  await expectRefused(refused, 429, 'TOO_MANY_REQUESTS');
  expect((await from('192.0.2.2')).status).toBe(200);
  clock.nowMs += 20_000;
  expect([(await from('192.0.2.1')).status, (await from('192.0.2.1')).status]).toEqual([200, 429]);
  for (let at = 0; at < 5; at++) await from('192.0.2.1');
  clock.nowMs += 60_000;
  for (let at = 0; at < 4; at++) await from('192.0.2.1');
  expect(events.filter(({ type }) => type === 'rate-limited')).toEqual([
    { type: 'rate-limited', scope: 'client', count: 1 },
    { type: 'rate-limited', scope: 'client', count: 7 },
  ]);
  expect(JSON.stringify(events)).not.toContain('192.0.2');
});

test('shares one rate between clients that cannot be identified, and ignores their headers', async () => {
  const { relay } = await relayed({ sharedPerMinute: 5, clientPerMinute: 1 });
  const from = (at: number): Promise<Response> =>
    ask(relay, versionPath, { headers: { 'x-forwarded-for': `192.0.2.${at}`, 'x-real-ip': `${at}`, forwarded: `for=${at}` } });
  const statuses: number[] = [];
  for (let at = 0; at < 7; at++) statuses.push((await from(at)).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
});

test("identifies a client by the entry that the operator's own proxies wrote", async () => {
  const { relay } = await relayed({ trustForwardedFor: 2, clientPerMinute: 1, sharedPerMinute: 2 });
  const from = async (header?: string): Promise<number> =>
    (
      await ask(relay, versionPath, header === undefined ? {} : { headers: { 'x-forwarded-for': header } }, {
        address: '127.0.0.1',
      })
    ).status;
  expect(await from('192.0.2.1, 10.0.0.1')).toBe(200);
  // Entries that a client adds itself are further left, and do not make it another client.
  for (const made of ['6.6.6.6', '7.7.7.7, 8.8.8.8']) expect(await from(`${made}, 192.0.2.1, 10.0.0.2`)).toBe(429);
  expect(await from('192.0.2.2, 10.0.0.1')).toBe(200);
  // A header that is missing or too short did not come through the proxies, so the address counts, as docs/relay.md says.
  expect([await from('192.0.2.9'), await from(), await from(', 10.0.0.1'), await from('192.0.2.9')]).toEqual([
    200, 429, 429, 429,
  ]);
});

// Every client without the header used to share one high rate.
test.each([
  ['no option', {}],
  ['trustForwardedFor', { trustForwardedFor: 1 }],
  ['clientOf that returns null', { clientOf: () => null }],
  [
    'clientOf that throws',
    {
      clientOf: () => {
        throw new Error('no header');
      },
    },
  ],
])('counts a client that has only an address by it, with %s', async (_, options) => {
  const { relay } = await relayed({ ...options, clientPerMinute: 1, sharedPerMinute: 9 });
  const from = async (address: string): Promise<number> => (await ask(relay, versionPath, {}, { address })).status;
  expect([await from('192.0.2.1'), await from('192.0.2.1'), await from('192.0.2.2')]).toEqual([200, 429, 200]);
});

test('identifies a client by clientOf', async () => {
  const clientOf = ({ headers }: Request): string | null => {
    const name = headers.get('x-installation');
    if (name === 'throws') throw new Error(name);
    return name;
  };
  const { relay } = await relayed({ clientOf, clientPerMinute: 1, sharedPerMinute: 2 });
  const from = async (name: string): Promise<number> =>
    (await ask(relay, versionPath, { headers: { 'x-installation': name } })).status;
  expect([await from('a'), await from('b'), await from('a')]).toEqual([200, 200, 429]);
  expect([await from('throws'), await from(''), await from('throws')]).toEqual([200, 200, 429]);
});

test('charges a confirmation by its prefixes', async () => {
  const { asked, relay } = await relayed({ clientPerMinute: 10 });
  const many = Array.from({ length: 90 }, (_, at) => `b00000${String(at).padStart(2, '0')}`);
  expect((await confirm(relay, many, 3, { address: '192.0.2.1' })).status).toBe(200);
  expect((await confirm(relay, many.slice(0, 11), 3, { address: '192.0.2.1' })).status).toBe(429);
  expect((await confirm(relay, many.slice(0, 11), 3, { address: '192.0.2.2' })).status).toBe(200);
  expect(asked(v2Confirm)).toHaveLength(1);
});

test('charges at most the whole rate for one confirmation', async () => {
  const { server } = await upstreamOf();
  const many = Array.from({ length: 1_000 }, (_, at) => at.toString(16).padStart(8, '0'));
  for (const clientPerMinute of [1, 2, 50]) {
    const { relay, clock } = relayOf(server.origin, { clientPerMinute });
    const from = async (prefixes: readonly string[]): Promise<number> =>
      (await confirm(relay, prefixes, 3, { address: '192.0.2.1' })).status;
    expect([await from(many), await from(many.slice(0, 1))]).toEqual([200, 429]);
    clock.nowMs += 60_000;
    expect(await from(many.slice(0, 20))).toBe(200);
  }
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:5678', '192.0.2.1'],
  ['"192.0.2.1"', '192.0.2.1'],
  [' "192.0.2.1:5678" ', '192.0.2.1'],
  ['192.000.002.001', '192.0.2.1'],
  ['::ffff:192.0.2.001', '192.0.2.1'],
  ['192.100.20.10:080', '192.100.20.10'],
  ['"[2001:db8::1]:443"', '2001:db8:0:0::/64'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:FFFF:c000:0201', '192.0.2.1'],
  ['[::ffff:c000:201]:443', '192.0.2.1'],
  ['64:ff9b::192.0.2.1', '192.0.2.1'],
  ['2001:db8::192.0.2.1', '2001:db8:0:0::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:0db8:0000:0000:1:2:3:4', '2001:db8:0:0::/64'],
  ['[2001:DB8::5]:443', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['2001:db8:0:1::', '2001:db8:0:1::/64'],
  ['', ''],
  ['unknown', 'unknown'],
])('counts address %j as client %j', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test('rejects confirmations beyond upstreamPerMinute, and answers cached ones', async () => {
  const { asked, relay, events } = await relayed({ upstreamPerMinute: 2 });
  for (const prefix of ['a0000001', 'a0000002']) expect((await confirm(relay, [prefix])).status).toBe(200);
  const refused = await confirm(relay, ['a0000003']);
  expect(refused.headers.get('retry-after')).toBe('30');
  await expectRefused(refused, 503, 'SERVICE_UNAVAILABLE');
  // Cached prefixes are still answered.
  expect((await confirm(relay, ['a0000001', 'a0000002'])).status).toBe(200);
  expect(asked(v2Confirm)).toHaveLength(2);
  expect(events).toContainEqual({ type: 'rate-limited', scope: 'upstream', count: 1 });
});
