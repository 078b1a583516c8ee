import { createBlocklist } from 'portcullis';
import { createClient } from 'portcullis/client';
import { createRelay, type RelayOptions } from 'portcullis/relay';
import { createService, type ServerOptions } from 'portcullis/testing';
import { expect, onTestFinished, test } from 'vitest';

const dayMs = 86_400_000;
/** Calibration runs in the background, and takes long on a busy machine. */
const patient = { timeout: 60_000 };
const publicUrl = 'https://relay.example/list';
const names = Array.from({ length: 12 }, (_, at) => `evil-${at}.example`);

/** A service with a dozen entries that are five days old, and a relay in front of it. */
async function relayed(options: Partial<RelayOptions> = {}, served: ServerOptions = {}) {
  const clock = { nowMs: Date.UTC(2026, 0, 1) };
  const now = (): number => clock.nowMs;
  const service = createService({ now, data: 'empty', limits: { reviewsPerDay: 100 }, ...served });
  const { url } = await service.listen();
  const client = createClient({ baseUrl: url, apiKey: service.key });
  await client.reports.create({ title: 'Many', assets: names.map((content) => ({ content })) });
  const [report] = (await client.reports.list({ limit: 1 })).reports;
  for (const { id: proposalId, asset } of report!.proposals!) {
    await client.reports.proposalsReview({ proposalId, assetId: asset.id, decision: 'APPROVE', label: 'General Phishing' });
  }
  await service.publish();
  clock.nowMs += 5 * dayMs;
  const before = service.requests().length;
  const relay = createRelay({ baseUrl: url, apiKey: service.key, publicUrl, now, ...options });
  const fetch = async (target: string, init?: object): Promise<Response> => relay.fetch(new Request(target, init));
  onTestFinished(async () => {
    await Promise.all([client.close(), relay.close()]);
    await service.close();
  });
  const lookedUp = () =>
    service
      .requests()
      .slice(before)
      .filter(({ url: asked }) => asked.endsWith('/asset/list')).length;
  const calibration = async () =>
    ((await (await fetch(`${publicUrl}/asset/blocklist/version`)).json()) as { calibration?: unknown }).calibration;
  return { service, fetch, clock, now, lookedUp, calibration };
}

test('a relay scores each snapshot once and publishes the score to clients', async () => {
  const { fetch, now, lookedUp, calibration } = await relayed();
  await expect.poll(calibration, patient).toEqual({ samples: 12, found: 12 });
  for (let time = 0; time < 5; time++) await calibration();
  expect(lookedUp()).toBe(2);
  const blocklist = createBlocklist({ baseUrl: publicUrl, fetch, now, pollMs: 0 });
  await blocklist.ready();
  expect(blocklist.status().sources[0]?.list?.calibration).toEqual({ outcome: 'passed', samples: 12, found: 12 });
  await blocklist.close();
});

test('a client picks up a score that is published after its first sync', async () => {
  const { fetch, now, calibration } = await relayed();
  const blocklist = createBlocklist({ baseUrl: publicUrl, fetch, now, pollMs: 0 });
  await blocklist.ready();
  await expect.poll(calibration, patient).toBeDefined();
  await blocklist.sync();
  expect(blocklist.status().sources[0]?.list?.calibration.outcome).toBe('passed');
  await blocklist.close();
});

test('a wrong algorithm mapping is detected and reported to clients', async () => {
  const algorithms = { 'portcullis-1': 'safe-browsing-4' };
  const { fetch, now, calibration } = await relayed({ algorithms }, { encoding: 'raw' });
  await expect.poll(calibration, patient).toEqual({ samples: 12, found: 0 });
  const blocklist = createBlocklist({ baseUrl: publicUrl, fetch, now, pollMs: 0, algorithms });
  const events: unknown[] = [];
  blocklist.on('mismatch', (event) => events.push(event));
  await blocklist.ready();
  expect(events).toEqual([{ source: 'service', samples: 12, found: 0 }]);
  expect(blocklist.test('fine.example')).toMatchObject({ status: 'unknown', reason: 'algorithm-mismatch' });
  await blocklist.close();
});

test('a relay does not ask a failing service for samples again within the hour', async () => {
  const { service, lookedUp, calibration, clock } = await relayed();
  service.faults.add({ kind: 'status', status: 500, on: '/asset/list', times: 1_000 });
  expect(await calibration()).toBeUndefined();
  await expect.poll(lookedUp, patient).toBeGreaterThan(0);
  const asked = lookedUp();
  clock.nowMs += 120_000;
  expect(await calibration()).toBeUndefined();
  expect(lookedUp()).toBe(asked);
  service.faults.clear();
  clock.nowMs += 3_600_000;
  await expect.poll(calibration, patient).toBeDefined();
});

test('calibrate: false requests no samples', async () => {
  const { lookedUp, calibration } = await relayed({ calibrate: false });
  for (let time = 0; time < 3; time++) expect(await calibration()).toBeUndefined();
  expect(lookedUp()).toBe(0);
});
