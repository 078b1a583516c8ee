import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Fleet, fleetScripts, listedHost, type Member, newFleet } from './redis-fleet.js';

fleetScripts();

const rowsKey = '{portcullis}:rows:1.1';

async function expectBlocks(member: Member, host = listedHost): Promise<void> {
  expect(await member.ask(`check ${host}`, new RegExp(`^${host} `))).toBe(`${host} blocked block`);
}

const closes = async (members: readonly Member[]): Promise<void> => {
  for (const member of members) {
    await member.ask('close', /^closed$/);
    expect(await member.ended).toBe(0);
    expect(member.lines.filter((line) => line.startsWith('unhandled'))).toEqual([]);
  }
};

/** Waits until Redis holds a list again. */
async function filled(fleet: Fleet): Promise<void> {
  for (const endMs = Date.now() + 30_000; Date.now() < endMs; await sleep(50)) {
    if ((await fleet.redis.run('HEXISTS', rowsKey, 'list:h:published/head')) === 1) return;
  }
  throw new Error('Redis was not filled again');
}

async function blocksSoon(member: Member, host: string): Promise<void> {
  for (const endMs = Date.now() + 30_000; Date.now() < endMs; await sleep(100)) {
    if ((await member.ask(`check ${host}`, new RegExp(`^${host} `))).endsWith('block')) return;
  }
  throw new Error(`${host} is not blocked:\n${member.lines.join('\n')}`);
}

test('eight processes share one sync, at the start and after each change', async () => {
  const fleet = await newFleet();
  const members = await fleet.startReady(8);
  const start = fleet.requests();
  expect(start['snapshot']).toBe(1);
  for (const member of members) await expectBlocks(member);
  // The confirmations of those hits asked for the version too.
  fleet.requests();
  await sleep(6_000);
  const { version = 0 } = fleet.requests();
  // Three polls in six seconds. Alone, eight processes would make 24.
  expect(version).toBeLessThanOrEqual(10);
  await fleet.publish(['new.example']);
  for (const member of members) await blocksSoon(member, 'new.example');
  const after = fleet.requests();
  expect(after['snapshot']).toBeUndefined();
  expect(after['recent']).toBe(1);
  console.log('requests of eight processes', { start, pollsIn6s: version, afterChange: after });
  expect(members.flatMap(({ lines }) => lines).filter((line) => /^(error|damaged)/.test(line))).toEqual([]);
  await closes(members);
});

test('a leader killed before any of its writes leaves a store that the next process completes', async () => {
  let deaths = 0;
  for (let dieAtWrite = 1; ; dieAtWrite++) {
    const fleet = await newFleet();
    const leader = fleet.start({ dieAtWrite, leaseMs: 500 });
    const how = await Promise.race([leader.ended, leader.said(/^ready$/)]);
    const [next] = await fleet.startReady(1);
    await expectBlocks(next!);
    await filled(fleet);
    expect(next!.lines.filter((line) => /^(error|damaged)/.test(line))).toEqual([]);
    // The next process loads the whole list from Redis.
    fleet.requests();
    const [last] = await fleet.startReady(1);
    await expectBlocks(last!);
    expect(fleet.requests()['snapshot']).toBeUndefined();
    await closes([next!, last!]);
    leader.process.kill('SIGKILL');
    await fleet.redis.end();
    if (how === 'ready') break;
    expect(how).toBe('SIGKILL');
    deaths++;
  }
  expect(deaths).toBeGreaterThan(4);
});

test('Redis killed during a storm of checks changes no answer, and is filled again without a download', async () => {
  const fleet = await newFleet();
  const members = await fleet.startReady(3);
  for (const member of members) await expectBlocks(member);
  fleet.requests();
  const storms = members.map((member) => member.ask(`storm 6000 ${listedHost}`, /^storm /));
  await sleep(1_000);
  await fleet.redis.kill();
  await sleep(3_000);
  await fleet.redis.start();
  for (const storm of await Promise.all(storms)) {
    const [, checks, wrong, worstMs] = storm.split(' ');
    console.log('storm', { checks, wrong, worstMs });
    expect(Number(checks)).toBeGreaterThan(1_000);
    expect(wrong).toBe('0');
  }
  expect(members.flatMap(({ lines }) => lines)).toContain('error store STORE_UNAVAILABLE');
  await filled(fleet);
  expect(fleet.requests()['snapshot']).toBeUndefined();
  await closes(members);
});

test('a process that starts while Redis is silent fetches the list itself, and uses Redis when it answers', async () => {
  const fleet = await newFleet();
  fleet.redis.process.kill('SIGSTOP');
  const members = await fleet.startReady(3);
  for (const member of members) await expectBlocks(member);
  expect(members[0]!.lines).toContain('error store STORE_UNAVAILABLE');
  fleet.redis.process.kill('SIGCONT');
  await filled(fleet);
  await fleet.publish(['later.example']);
  for (const member of members) await blocksSoon(member, 'later.example');
  await closes(members);
});

test('two leaders, one with a stale lease, end with one list', async () => {
  const fleet = await newFleet();
  const release = fleet.holdSnapshots();
  const first = fleet.start({ client: 'ioredis', leaseMs: 500 });
  while (fleet.requests()['snapshot'] === undefined) await sleep(20);
  first.process.kill('SIGSTOP');
  await sleep(1_000);
  release();
  const [second] = await fleet.startReady(1, { client: 'node-redis', leaseMs: 500 });
  await expectBlocks(second!);
  // It still believes that it holds the lock.
  first.process.kill('SIGCONT');
  await first.said(/^ready$/);
  await expectBlocks(first);
  await fleet.publish(['after.example']);
  for (const member of [first, second!]) await blocksSoon(member, 'after.example');
  for (const member of [first, second!]) expect(member.lines.filter((line) => line.startsWith('damaged'))).toEqual([]);
  await closes([first, second!]);
});

test('clocks that differ by hours cost a few version requests, and no answer', async () => {
  const fleet = await newFleet();
  const skews = [-3_600_000, 0, 3_600_000];
  const members = await Promise.all(skews.map(async (skewMs) => (await fleet.startReady(1, { skewMs }))[0]!));
  expect(fleet.requests()['snapshot']).toBe(1);
  await sleep(8_000);
  const { version = 0, snapshot } = fleet.requests();
  expect(snapshot).toBeUndefined();
  console.log('version requests of three skewed clocks in eight seconds, polls of two seconds:', version);
  expect(version).toBeLessThanOrEqual(3 * 8);
  await fleet.publish(['skewed.example']);
  for (const member of members) {
    await expectBlocks(member);
    await blocksSoon(member, 'skewed.example');
    expect(await member.ask('check not-listed.example', /^not-listed/)).toBe('not-listed.example clear allow');
  }
  await closes(members);
});

test('a process that finds only half of the chunks reports it, fetches the list, and repairs the store', async () => {
  const fleet = await newFleet();
  const [first] = await fleet.startReady(1, { pollMs: 600_000 });
  await expectBlocks(first!);
  const fields = (await fleet.redis.run('HKEYS', rowsKey)) as string[];
  const chunks = fields.filter((field) => field.startsWith('list:c:v:published/base/'));
  expect(chunks.length).toBeGreaterThan(1);
  await fleet.redis.run('HDEL', rowsKey, ...chunks.slice(0, chunks.length / 2));
  fleet.requests();
  const [second] = await fleet.startReady(1);
  await expectBlocks(second!);
  expect(second!.lines).toContain('damaged published/head');
  expect(fleet.requests()['snapshot']).toBe(1);
  const [third] = await fleet.startReady(1);
  await expectBlocks(third!);
  expect(third!.lines.filter((line) => line.startsWith('damaged'))).toEqual([]);
  expect(fleet.requests()['snapshot']).toBeUndefined();
  await closes([first!, second!, third!]);
});

test('a newer and an older release on one Redis each keep their own list', async () => {
  const fleet = await newFleet();
  const members = [fleet.start({}), fleet.start({}, 'next'), fleet.start({}), fleet.start({}, 'next')];
  await Promise.all(members.map((member) => member.said(/^ready$/)));
  expect(fleet.requests()['snapshot']).toBe(2);
  await fleet.publish(['both.example']);
  for (const member of members) {
    await blocksSoon(member, 'both.example');
    expect(member.lines.filter((line) => /^(error|damaged)/.test(line))).toEqual([]);
  }
  expect(fleet.requests()['recent']).toBe(2);
  expect(((await fleet.redis.run('KEYS', '*rows*')) as string[]).sort()).toEqual([rowsKey, '{portcullis}:rows:1.2']);
  await closes(members);
});

test('Redis that was flushed is filled again by one process, without a download', async () => {
  const fleet = await newFleet();
  const members = await fleet.startReady(4);
  fleet.requests();
  await fleet.redis.run('FLUSHALL');
  await filled(fleet);
  for (const member of members) await expectBlocks(member);
  expect(fleet.requests()['snapshot']).toBeUndefined();
  const [late] = await fleet.startReady(1);
  await expectBlocks(late!);
  expect(fleet.requests()['snapshot']).toBeUndefined();
  await fleet.publish(['after-flush.example']);
  for (const member of [...members, late!]) await blocksSoon(member, 'after-flush.example');
  await closes([...members, late!]);
});

test('Redis that lost its last writes in a fail-over is brought up to date', async () => {
  const fleet = await newFleet();
  const members = await fleet.startReady(2);
  await fleet.redis.run('SAVE');
  await fleet.publish(['lost.example']);
  for (const member of members) await blocksSoon(member, 'lost.example');
  await fleet.redis.kill();
  await fleet.redis.start();
  await sleep(3_000);
  for (const member of members) await blocksSoon(member, 'lost.example');
  const [late] = await fleet.startReady(1);
  await blocksSoon(late!, 'lost.example');
  expect(late!.lines.filter((line) => line.startsWith('damaged'))).toEqual([]);
  await closes([...members, late!]);
});

test('a full Redis is an event; the list answers from memory, and is stored when there is room', async () => {
  const fleet = await newFleet('--maxmemory-policy', 'noeviction');
  await fleet.redis.run('CONFIG', 'SET', 'maxmemory', '1');
  const members = await fleet.startReady(2);
  for (const member of members) {
    await expectBlocks(member);
    expect(member.lines).toContain('error store STORE_FULL');
    expect(await member.ask('status', /^status/)).toMatch(/^status false \d+$/);
  }
  await fleet.redis.run('CONFIG', 'SET', 'maxmemory', '0');
  await filled(fleet);
  await sleep(5_000);
  for (const member of members) expect(await member.ask('status', /^status/)).toMatch(/^status true \d+$/);
  await closes(members);
});
