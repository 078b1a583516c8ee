import { type ServedService, type ServerOptions, type Snapshot, sampleKeys } from 'portcullis/testing';
import { describe, expect, test, vi } from 'vitest';
import { ask, dayMs, happen, hookUrl, recorder, startMs, start as startService } from './harness.js';

const start = (options: ServerOptions = {}) => startService({ post: recorder().post, ...options });

const content = 'https://new-mint.example/';

/** Calls that depend on random numbers and on time. */
async function live(service: ServedService): Promise<unknown[]> {
  const answers: unknown[] = [];
  const say = async (...of: [string, object?]) => answers.push(await ask(service, ...of));
  await say('/webhook/config', { url: hookUrl });
  await say('/asset/blocklist/version');
  await say('/report/create', { assets: [{ content }] });
  const { proposals } = ((await ask(service, '/organization/reports?limit=1')).body['reports'] as never)[0] as {
    proposals: { id: number; asset: { id: number } }[];
  };
  const [{ id, asset }] = proposals as [{ id: number; asset: { id: number } }];
  await say(`/organization/proposals/${id}/review`, { assetId: asset.id, decision: 'APPROVE', label: 'General Phishing' });
  await say('/attachment/upload?fileName=a.txt', { any: 'bytes' });
  await say('/asset/scan', { content, callbackUrl: `${hookUrl}scan` });
  await service.clock.advance(dayMs);
  await say('/takedowns/list', {});
  await say('/metrics/summary', {});
  await say('/organization/assets', { assets: [{ content: 'https://mine.example/' }] });
  await say('/asset/blocklist/version');
  await service.clock.advance(0);
  return answers;
}

/** Answers that show the state of a service. */
async function shown(service: ServedService): Promise<unknown[]> {
  const [version, ...answers] = await Promise.all([
    ask(service, '/asset/blocklist/version'),
    ask(service, '/asset/search', { content }),
    ask(service, '/organization/reports?limit=20'),
    ask(service, '/organization/assets'),
    ask(service, '/takedowns/list', {}),
    ask(service, '/asset/changelog', {}),
    ask(service, '/metrics/summary', {}),
    ask(service, '/user/orgs', {}, { key: sampleKeys.user }),
    ask(service, '/operations/queues/snapshot', {}),
  ]);
  const { url } = (version!.body as unknown as { recent: { url: string } }).recent;
  return [version, ...answers, Buffer.from(await (await service.fetch(url)).arrayBuffer()).toString('hex'), service.deliveries()];
}

describe('a seed', () => {
  test('gives the same calls the same state and the same responses', async () => {
    const [one, two] = [start({ seed: 7 }), start({ seed: 7 })];
    expect(await live(one)).toEqual(await live(two));
    expect(one.snapshot()).toEqual(two.snapshot());
    expect(one.requests()).toEqual(two.requests());
  });

  test('changes the secrets, and nothing else in the responses', async () => {
    const [one, two] = [start({ seed: 7 }), start({ seed: 8 })];
    const [a, b] = [await live(one), await live(two)].map((answers) => JSON.stringify(answers)) as [string, string];
    expect(a).not.toBe(b);
    const plain = (text: string) => text.replace(/[0-9a-f]{32,}/g, '…');
    expect(plain(a)).toBe(plain(b));
  });

  test('has no effect with the option random', async () => {
    const service = start({ random: () => 0 });
    const { body } = await ask(service, '/webhook/config', { url: hookUrl });
    expect(body).toMatchObject({ secret: `whs_${'0'.repeat(48)}` });
  });
});

describe('a snapshot', () => {
  test('is plain JSON and a copy', async () => {
    const service = start();
    await live(service);
    const snapshot = service.snapshot();
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot);
    const copy = structuredClone(snapshot);
    for (const rows of Object.values(snapshot.tables)) (rows as unknown[]).length = 0;
    expect(service.snapshot()).toEqual(copy);
  });

  test('has the sample data at once', () => {
    expect(start().snapshot().tables.keys).toHaveLength(2);
  });

  test('restored in another service gives the same responses', async () => {
    const [from, to] = [start(), start({ seed: 99, data: 'empty' })];
    await live(from);
    const kept = JSON.parse(JSON.stringify(from.snapshot())) as Snapshot;
    await to.clock.advance(dayMs);
    await to.restore(kept);
    expect(to.snapshot()).toEqual(kept);
    expect(await shown(to)).toEqual(await shown(from));
  });

  test.each([{}, { nextId: 1, tables: { keys: 'x' } }, { tables: {} }, { nextId: 1, random: 0, tables: { users: 5 } }])(
    'is rejected and changes nothing if it is invalid: %j',
    async (snapshot) => {
      const service = start();
      const before = service.snapshot();
      await expect(service.restore(snapshot as never)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      expect(service.snapshot()).toEqual(before);
    },
  );

  test('restored in the same service gives later records the same ids', async () => {
    const service = start();
    await service.publish();
    const kept = service.snapshot();
    const report = () => ask(service, '/report/create', { assets: [{ content: 'https://later.example/' }] });
    const first = await report();
    await service.restore(kept);
    expect(service.snapshot()).toEqual(kept);
    expect(await report()).toEqual(first);
  });

  test('contains the position of the random numbers, so that no secret is repeated', async () => {
    const [from, to] = [start(), start()];
    const secretOf = async (service: ServedService) =>
      (await ask(service, '/webhook/config', { url: hookUrl })).body['secret'] as unknown as string;
    const secrets = [await secretOf(from)];
    await to.restore(from.snapshot());
    secrets.push(await secretOf(to), await secretOf(from));
    expect(secrets[1]).not.toBe(secrets[0]);
    expect(secrets[2]).toBe(secrets[1]);
  });

  test('restored in a service with other keys takes the keys of that service', async () => {
    const from = start({ keys: { old: ['example-wallet'], both: ['example-wallet'] } });
    const to = start({ keys: { both: ['example-exchange'], new: ['a-new-one'] } });
    await to.restore(from.snapshot());
    const slugs = async (key: string) => {
      const { status, body } = await ask(to, '/validate', undefined, { key });
      return status === 200 ? (body['organizations'] as unknown as { slug: string }[]).map(({ slug }) => slug) : status;
    };
    const found = await Promise.all(['old', 'both', 'new', to.key].map(slugs));
    expect(found).toEqual([401, ['example-exchange'], ['a-new-one'], ['example-wallet']]);
  });

  test('restored with an overdue delivery sends it at once', async () => {
    let status = 500;
    const times: number[] = [];
    const service = start({
      post: async () => {
        times.push(service.clock.now() - startMs);
        return status;
      },
    });
    await happen(service);
    await service.clock.advance(0);
    const kept = service.snapshot();
    await service.clock.advance(1_000);
    await service.restore(kept);
    status = 204;
    await service.clock.advance(0);
    expect(times).toEqual([0, 1_000, 1_000]);
    expect(service.deliveries().map((delivery) => delivery.status)).toEqual(['SUCCESS']);
  });

  test('taken during calls contains each of them completely or not at all', async () => {
    const service = start();
    const calls = Array.from({ length: 20 }, (_, at) =>
      ask(service, '/report/create', { assets: ['a', 'b'].map((name) => ({ content: `https://${name}${at}.example/` })) }),
    );
    for (let at = 0; at < 50; at++) {
      const { reports = [], proposals = [] } = service.snapshot().tables;
      expect(proposals).toHaveLength(2 * reports.length);
      await Promise.resolve();
    }
    expect((await Promise.all(calls)).every(({ status }) => status === 200)).toBe(true);
  });
});

describe('reset', () => {
  test('cancels planned deliveries', async () => {
    const { sent, post } = recorder(500);
    const service = start({ post });
    await ask(service, '/webhook/config', { url: hookUrl });
    await ask(service, '/asset/scan', { content, callbackUrl: `${hookUrl}scan` });
    await service.reset();
    await service.clock.advance(dayMs);
    expect(sent).toEqual([]);
  });

  test('leaves the service like a new one: its state, ids, random numbers and clock, without requests, deliveries and faults', async () => {
    const [used, fresh] = [start(), start()];
    const secret = async (service: ServedService) => {
      const { status, body } = await ask(service, '/webhook/config', { url: hookUrl });
      return [status, body['secret']];
    };
    await live(used);
    used.faults.add({ kind: 'status', times: 100 });
    await used.reset();
    expect([used.requests(), used.deliveries(), used.clock.now()]).toEqual([[], [], startMs]);
    expect(used.snapshot()).toEqual(fresh.snapshot());
    expect(await secret(used)).toEqual(await secret(fresh));
  });

  test('is not affected by a delivery that was in progress', async () => {
    let release: (status: number) => void = () => {};
    const post = vi.fn(() => new Promise<number>((resolve) => (release = resolve)));
    const service = start({ post });
    await happen(service);
    await vi.waitFor(() => expect(post).toHaveBeenCalled(), 30_000);
    await service.reset();
    release(204);
    await service.clock.advance(0);
    await ask(service, '/validate');
    expect(service.deliveries()).toEqual([]);
  });
});

describe('two services', () => {
  test('share no data, keys, clocks, requests or faults', async () => {
    const [one, two] = [start({ keys: { 'key-of-one': ['one'] } }), start()];
    await ask(two, '/validate');
    const before = two.snapshot();
    await live(one);
    one.faults.add({ kind: 'status', status: 500, times: 100 });
    expect((await ask(one, '/validate', undefined, { key: 'key-of-one' })).status).toBe(500);
    expect((await ask(two, '/validate', undefined, { key: 'key-of-one' })).status).toBe(401);
    expect((await ask(two, '/validate')).status).toBe(200);
    expect(two.snapshot()).toEqual(before);
    expect([one.clock.now() - startMs, two.clock.now() - startMs]).toEqual([dayMs, 0]);
    expect(two.requests()).toHaveLength(3);
    expect(two.deliveries()).toEqual([]);
  });

  test('do not serve the attachments of each other', async () => {
    const [one, two] = [start({ seed: 1 }), start({ seed: 2 })];
    await ask(one, '/validate');
    const upload = async (service: ServedService) => {
      const { body } = await ask(service, '/attachment/upload?fileName=a.txt', {});
      return (body['attachments'] as unknown as [{ url: string }])[0].url;
    };
    const [ofOne] = [await upload(one), await upload(two)];
    expect((await one.fetch(ofOne)).status).toBe(200);
    expect((await two.fetch(ofOne)).status).toBe(404);
  });

  test('count moving tokens separately', async () => {
    const tokens = async () => {
      const service = start();
      service.faults.add({ kind: 'moving-token' });
      return (await ask(service, '/asset/blocklist/version')).body['snapshot'];
    };
    expect(await tokens()).toEqual(await tokens());
  });
});

describe('one service', () => {
  test('keeps the latest requests, as many as its limit allows', async () => {
    const service = start({ limits: { requestsKept: 3 } });
    for (const at of [1, 2, 3, 4, 5]) await ask(service, `/validate?at=${at}`);
    const kept = service.requests().map(({ url, status, operation }) => [url, status, operation]);
    expect(kept).toEqual([3, 4, 5].map((at) => [`/validate?at=${at}`, 400, 'validate']));
  });

  test('has only organizations, a user and keys with data: empty', async () => {
    const service = start({ data: 'empty' });
    expect((await ask(service, '/asset/blocklist/version')).body).toMatchObject({
      snapshot: { count: 0 },
      recent: { count: 0 },
    });
    const filled = Object.entries(service.snapshot().tables).filter(([, rows]) => rows.length > 0);
    expect(filled.map(([name]) => name)).toEqual(['organizations', 'users', 'keys', 'lists', 'artifacts']);
  });

  test('rejects everything once it is closed, and can be closed twice', async () => {
    const service = start();
    await ask(service, '/validate');
    await service.close();
    const calls = [service.fetch('http://localhost/validate'), service.publish(), service.reset(), service.listen()];
    for (const call of await Promise.allSettled(calls)) expect(call).toMatchObject({ reason: { code: 'CLOSED' } });
    await service.close();
  });

  test('has a clock that only moves forward, and adds up two concurrent calls', async () => {
    const service = start();
    for (const ms of [-1, Number.NaN]) await expect(service.clock.advance(ms)).rejects.toThrow('forward');
    await Promise.all([service.clock.advance(5), service.clock.advance(10)]);
    expect(service.clock.now()).toBe(startMs + 15);
  });

  test('runs concurrent calls one after the other', async () => {
    const service = start();
    const statuses = await Promise.all(
      Array.from({ length: 10 }, () => ask(service, '/organization/asset-groups', { name: 'Sites' })),
    );
    expect(statuses.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  });
});
