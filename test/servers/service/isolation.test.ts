import { createService, type ServedService, type ServerOptions, type Snapshot, sampleKeys } from 'portcullis/service';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkedFetch } from './checked-fetch.js';

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 4, 15, 12);

function start(options: ServerOptions = {}): ServedService {
  const service = createService({ now: () => startMs, post: async () => 204, ...options });
  onTestFinished(() => service.close().catch(() => {}));
  return service;
}

async function ask(service: ServedService, path: string, body?: object, key: string = service.key) {
  const [method, at] = path.split(' ') as [string, string];
  const wrong: string[] = [];
  const response = await checkedFetch(wrong, { send: (url, init) => service.fetch(url, init), mayBeRefused: true })(
    `http://localhost${at}`,
    {
      method,
      headers: { 'x-api-key': key },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    },
  );
  expect(wrong).toEqual([]);
  return { status: response.status, body: (await response.json()) as Record<string, never> };
}

const content = 'https://new-mint.example/';

/** A bit of everything, with chance and time in it. */
async function live(service: ServedService): Promise<unknown[]> {
  const answers: unknown[] = [];
  const say = async (...of: [string, object?]) => answers.push(await ask(service, ...of));
  await say('POST /webhook/config', { url: 'https://hook.example/' });
  await say('GET /asset/blocklist/version');
  await say('POST /report/create', { assets: [{ content }] });
  const { proposals } = ((await ask(service, 'GET /organization/reports?limit=1')).body['reports'] as never)[0] as {
    proposals: { id: number; asset: { id: number } }[];
  };
  const [{ id, asset }] = proposals as [{ id: number; asset: { id: number } }];
  await say(`POST /organization/proposals/${id}/review`, { assetId: asset.id, decision: 'APPROVE', label: 'General Phishing' });
  await say('POST /attachment/upload?fileName=a.txt', { any: 'bytes' });
  await say('POST /asset/scan', { content, callbackUrl: 'https://hook.example/scan' });
  await service.clock.advance(dayMs);
  await say('POST /takedowns/list', {});
  await say('POST /metrics/summary', {});
  await say('POST /organization/assets', { assets: [{ content: 'https://mine.example/' }] });
  await say('GET /asset/blocklist/version');
  await service.clock.advance(0);
  return answers;
}

/** Questions that show what a service knows. */
async function shown(service: ServedService): Promise<unknown[]> {
  const [version, ...answers] = await Promise.all([
    ask(service, 'GET /asset/blocklist/version'),
    ask(service, 'POST /asset/search', { content }),
    ask(service, 'GET /organization/reports?limit=20'),
    ask(service, 'GET /organization/assets'),
    ask(service, 'POST /takedowns/list', {}),
    ask(service, 'POST /asset/changelog', {}),
    ask(service, 'POST /metrics/summary', {}),
    ask(service, 'POST /user/orgs', {}, sampleKeys.user),
    ask(service, 'POST /operations/queues/snapshot', {}),
  ]);
  const { url } = (version!.body as unknown as { recent: { url: string } }).recent;
  return [version, ...answers, Buffer.from(await (await service.fetch(url)).arrayBuffer()).toString('hex'), service.deliveries()];
}

describe('the same seed and the same calls', () => {
  test('give the same state and the same answers', async () => {
    const [one, two] = [start({ seed: 7 }), start({ seed: 7 })];
    expect(await live(one)).toEqual(await live(two));
    expect(one.snapshot()).toEqual(two.snapshot());
    expect(one.requests()).toEqual(two.requests());
  });

  test('with another seed give other secrets and the same answers otherwise', async () => {
    const [one, two] = [start({ seed: 7 }), start({ seed: 8 })];
    // What comes after depends on the pace of a takedown, which is chance too.
    const [a, b] = [await live(one), await live(two)].map((answers) => JSON.stringify(answers.slice(0, 6))) as [string, string];
    expect(a).not.toBe(b);
    const plain = (text: string) => text.replace(/[0-9a-f]{32,}/g, '…');
    expect(plain(a)).toBe(plain(b));
  });

  test('a random of one’s own takes the place of the seeded one', async () => {
    const service = start({ random: () => 0 });
    expect((await ask(service, 'POST /webhook/config', { url: 'https://hook.example/' })).body).toMatchObject({
      secret: `whs_${'0'.repeat(48)}`,
    });
  });
});

describe('a snapshot', () => {
  test('is plain JSON, and no part of the service', async () => {
    const service = start();
    await live(service);
    const snapshot = service.snapshot();
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot);
    const copy = structuredClone(snapshot);
    for (const rows of Object.values(snapshot.tables)) (rows as unknown[]).length = 0;
    expect(service.snapshot()).toEqual(copy);
  });

  // The data is made a moment later, and what is kept of before is a service without a key.
  test('has the data from the first moment', () => {
    expect(start().snapshot().tables.keys).toHaveLength(2);
  });

  test('that is restored in another service gives the same answers', async () => {
    const [from, to] = [start(), start({ seed: 99, data: 'empty' })];
    await live(from);
    const kept = JSON.parse(JSON.stringify(from.snapshot())) as Snapshot;
    await to.clock.advance(dayMs);
    await to.restore(kept);
    expect(to.snapshot()).toEqual(kept);
    expect(await shown(to)).toEqual(await shown(from));
  });

  test('that is restored takes back what came later', async () => {
    const service = start();
    await live(service);
    const kept = service.snapshot();
    const before = await shown(service);
    await ask(service, 'POST /asset/unblock', { content });
    await ask(service, 'POST /report/create', { assets: [{ content: 'https://later.example/' }] });
    expect(await shown(service)).not.toEqual(before);
    await service.restore(kept);
    expect(await shown(service)).toEqual(before);
    expect(service.snapshot().tables).toEqual(kept.tables);
  });

  test('that is none loses nothing', async () => {
    const service = start();
    const before = await shown(service);
    await expect(service.restore({} as Snapshot)).rejects.toThrow();
    const after = await shown(service);
    const sorted = (answers: unknown[]) => answers.map((answer) => [...JSON.stringify(answer)].sort().join(''));
    expect(sorted(after)).toEqual(sorted(before));
  });

  // What was removed is put back at the end, the last first: from then on nothing is in the order of its id, and pages leave things out.
  test('that is none leaves the order of things', async () => {
    const service = start();
    const page = async () =>
      (await ask(service, 'POST /asset/list', { type: 'URL', per_page: 2 })).body as unknown as { next_page: string };
    const before = await page();
    await service.restore({} as Snapshot).catch(() => {});
    expect(await page()).toEqual(before);
  });

  // Whatever has tables is taken, and what is no record becomes one without an id.
  test.each([{}, { nextId: 1, tables: { keys: 'x' } }, { tables: {} }])('that is none is refused: %j', async (snapshot) => {
    const service = start();
    await expect(service.restore(snapshot as never)).rejects.toMatchObject({ name: 'PortcullisError' });
  });

  // `restore` keeps the highest id it has ever given, so `nextId` is not the one of the snapshot and the next record gets another id.
  test('that is restored is exact: it and what follows are as they were', async () => {
    const service = start();
    await service.publish();
    const kept = service.snapshot();
    const report = () => ask(service, 'POST /report/create', { assets: [{ content: 'https://later.example/' }] });
    const first = await report();
    await service.restore(kept);
    expect(service.snapshot()).toEqual(kept);
    expect(await report()).toEqual(first);
  });

  test('holds where chance stands: no secret is given twice', async () => {
    const [from, to] = [start(), start()];
    const secretOf = async (service: ServedService) =>
      (await ask(service, 'POST /webhook/config', { url: 'https://hook.example/' })).body['secret'] as unknown as string;
    const secrets = [await secretOf(from)];
    await to.restore(from.snapshot());
    secrets.push(await secretOf(to), await secretOf(from));
    expect(secrets[1]).not.toBe(secrets[0]);
    expect(secrets[2]).toBe(secrets[1]);
  });

  test('from a service with other keys has the keys of the one it is restored in', async () => {
    const from = start({ keys: { old: ['example-wallet'], both: ['example-wallet'] } });
    const to = start({ keys: { both: ['example-exchange'], new: ['a-new-one'] } });
    await to.restore(from.snapshot());
    const slugs = async (key: string) => {
      const { status, body } = await ask(to, 'GET /validate', undefined, key);
      return status === 200 ? (body['organizations'] as unknown as { slug: string }[]).map(({ slug }) => slug) : status;
    };
    expect([await slugs('old'), await slugs('both'), await slugs('new'), await slugs(to.key)]).toEqual([
      401,
      ['example-exchange'],
      ['a-new-one'],
      ['example-wallet'],
    ]);
  });

  // Jobs planned for what was before stay planned under the same names, so a delivery that is overdue waits for their time.
  test('that is restored sends at once what was due in it', async () => {
    let status = 500;
    const times: number[] = [];
    const service = start({
      post: async () => {
        times.push(service.clock.now() - startMs);
        return status;
      },
    });
    await ask(service, 'POST /webhook/config', { url: 'https://hook.example/' });
    await ask(service, 'POST /organization/assets', { assets: [{ content: 'https://mine.example/' }] });
    await service.clock.advance(0);
    const kept = service.snapshot();
    await service.clock.advance(1_000);
    await service.restore(kept);
    status = 204;
    await service.clock.advance(0);
    expect(times).toEqual([0, 1_000, 1_000]);
    expect(service.deliveries().map((delivery) => delivery.status)).toEqual(['SUCCESS']);
  });

  test('while calls are under way is of before or after each of them', async () => {
    const service = start();
    const calls = Array.from({ length: 20 }, (_, at) =>
      ask(service, 'POST /report/create', {
        assets: [{ content: `https://a${at}.example/` }, { content: `https://b${at}.example/` }],
      }),
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
  test('brings the data back and forgets requests, deliveries and faults', async () => {
    const [used, fresh] = [start(), start()];
    await live(used);
    used.faults.add({ kind: 'status', times: 100 });
    await used.reset();
    expect(used.requests()).toEqual([]);
    expect(used.deliveries()).toEqual([]);
    await ask(fresh, 'GET /validate');
    expect((await ask(used, 'GET /validate')).status).toBe(200);
    const bare = ({ tables }: Snapshot) =>
      Object.entries(tables).map(([name, rows]) => [
        name,
        rows.map((row) => ('slug' in row ? row.slug : 'content' in row ? row.content : '')),
      ]);
    expect(bare(used.snapshot())).toEqual(bare(fresh.snapshot()));
  });

  test('ends what was planned', async () => {
    const sent: string[] = [];
    const service = start({
      post: async (url) => {
        sent.push(url);
        return 500;
      },
    });
    await ask(service, 'POST /webhook/config', { url: 'https://hook.example/' });
    await ask(service, 'POST /asset/scan', { content, callbackUrl: 'https://hook.example/scan' });
    await service.reset();
    await service.clock.advance(dayMs);
    expect(sent).toEqual([]);
  });

  // `reset` goes on with the ids of before.
  test('makes it as new: the state is that of a new service', async () => {
    const [used, fresh] = [start(), start()];
    await ask(used, 'POST /asset/submit', { assets: ['https://a.example/'] });
    await ask(fresh, 'GET /validate');
    await used.reset();
    expect(used.snapshot()).toEqual(fresh.snapshot());
  });

  // `reset` does not begin the random numbers anew.
  test('makes it as new: chance begins anew', async () => {
    const service = start();
    const secret = async () => (await ask(service, 'POST /webhook/config', { url: 'https://hook.example/' })).body['secret'];
    const first = await secret();
    await service.reset();
    expect(await secret()).toBe(first);
  });

  // `reset` leaves the clock where it was moved to.
  test('makes it as new: time is that of the given clock', async () => {
    const service = start();
    await service.clock.advance(dayMs);
    await service.reset();
    expect(service.clock.now()).toBe(startMs);
  });

  // A delivery that ends after the reset is written into the new state as a record without an id.
  test('is not undone by a delivery that was under way', async () => {
    let release: (status: number) => void = () => {};
    let sending = () => {};
    const sent = new Promise<void>((resolve) => (sending = resolve));
    const service = start({
      post: () => {
        sending();
        return new Promise((resolve) => (release = resolve));
      },
    });
    await ask(service, 'POST /webhook/config', { url: 'https://hook.example/' });
    await ask(service, 'POST /organization/assets', { assets: [{ content: 'https://mine.example/' }] });
    await sent;
    await service.reset();
    release(204);
    await service.clock.advance(0);
    await ask(service, 'GET /validate');
    expect(service.deliveries()).toEqual([]);
  });
});

describe('two services', () => {
  test('share no data, keys, clocks, requests or faults', async () => {
    const [one, two] = [start({ keys: { 'key-of-one': ['one'] } }), start()];
    await ask(two, 'GET /validate');
    const before = two.snapshot();
    await live(one);
    one.faults.add({ kind: 'status', status: 500, times: 100 });
    expect((await ask(one, 'GET /validate', undefined, 'key-of-one')).status).toBe(500);
    expect((await ask(two, 'GET /validate', undefined, 'key-of-one')).status).toBe(401);
    expect((await ask(two, 'GET /validate')).status).toBe(200);
    expect(two.snapshot()).toEqual(before);
    expect([one.clock.now() - startMs, two.clock.now() - startMs]).toEqual([dayMs, 0]);
    expect(two.requests()).toHaveLength(3);
    expect(two.deliveries()).toEqual([]);
  });

  test('know no file of the other', async () => {
    const [one, two] = [start({ seed: 1 }), start({ seed: 2 })];
    await ask(one, 'GET /validate');
    const upload = async (service: ServedService) => {
      const { body } = await ask(service, 'POST /attachment/upload?fileName=a.txt', {});
      return (body['attachments'] as unknown as [{ url: string }])[0].url;
    };
    const [ofOne] = [await upload(one), await upload(two)];
    expect((await one.fetch(ofOne)).status).toBe(200);
    expect((await two.fetch(ofOne)).status).toBe(404);
  });

  // The count behind moving tokens is one for all services of the process.
  test('share no count of moving tokens', async () => {
    const tokens = async () => {
      const service = start();
      service.faults.add({ kind: 'moving-token' });
      return (await ask(service, 'GET /asset/blocklist/version')).body['snapshot'];
    };
    expect(await tokens()).toEqual(await tokens());
  });
});

describe('one service', () => {
  test('keeps so many requests, the oldest forgotten first', async () => {
    const service = start({ limits: { requestsKept: 3 } });
    for (const at of [1, 2, 3, 4, 5]) await ask(service, `GET /validate?at=${at}`);
    expect(service.requests().map(({ url, status, operation }) => [url, status, operation])).toEqual([
      ['/validate?at=3', 400, 'validate'],
      ['/validate?at=4', 400, 'validate'],
      ['/validate?at=5', 400, 'validate'],
    ]);
  });

  test('has no data but organizations and keys if it is to be empty', async () => {
    const service = start({ data: 'empty' });
    expect((await ask(service, 'GET /asset/blocklist/version')).body).toMatchObject({
      snapshot: { count: 0 },
      recent: { count: 0 },
    });
    const filled = Object.entries(service.snapshot().tables).filter(([, rows]) => rows.length > 0);
    expect(filled.map(([name]) => name)).toEqual(['organizations', 'users', 'keys', 'lists', 'artifacts']);
  });

  test('refuses everything once it is closed', async () => {
    const service = start();
    await service.close();
    await expect(service.fetch('http://localhost/validate')).rejects.toMatchObject({ code: 'CLOSED' });
  });

  // Only requests are refused; with a file behind it the state would then differ from it.
  test('changes nothing more once it is closed', async () => {
    const service = start();
    await ask(service, 'GET /validate');
    await service.close();
    await expect(service.publish()).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(service.reset()).rejects.toMatchObject({ code: 'CLOSED' });
  });

  // The agent behind webhooks refuses to be closed again, with an error of its own.
  test('can be closed twice', async () => {
    const service = createService();
    await service.close();
    await expect(service.close()).resolves.toBeUndefined();
  });

  test('has a clock that moves forward only', async () => {
    const service = start();
    for (const ms of [-1, Number.NaN]) await expect(service.clock.advance(ms)).rejects.toThrow('forward');
    await service.clock.advance(5);
    expect(service.clock.now()).toBe(startMs + 5);
  });

  // Both look at the same time to begin from.
  test('moves time as far as it is told by two at once', async () => {
    const service = start();
    await Promise.all([service.clock.advance(10), service.clock.advance(10)]);
    expect(service.clock.now()).toBe(startMs + 20);
  });

  test('sees the same state whichever order calls end in', async () => {
    const service = start();
    const statuses = await Promise.all(
      Array.from({ length: 10 }, () => ask(service, 'POST /organization/asset-groups', { name: 'Sites' })),
    );
    expect(statuses.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  });
});
