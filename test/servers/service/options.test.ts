import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createService, type ServerOptions, type ServiceOptions } from 'portcullis/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createService as createWebService } from '../../../src/servers/service/web-service.js';
import { ask, start } from './harness.js';

const refused = (options: unknown): unknown => {
  try {
    createService(options as ServerOptions);
  } catch (error) {
    return error;
  }
  return 'taken';
};

test.each([
  [{ seed: 1.5 }, 'seed'],
  [{ seed: Number.NaN }, 'seed'],
  [{ data: 'samples' }, 'data'],
  [{ source: '' }, 'source'],
  [{ encoding: 'zip' }, 'encoding'],
  [{ keys: { '': ['example-wallet'] } }, 'keys'],
  [{ keys: { 'two words': ['example-wallet'] } }, 'keys'],
  [{ keys: { 'key-example-wallet': ['example-wallet'] } }, 'keys'],
  [{ keys: { key: [''] } }, 'keys'],
  [{ limits: { reviewsPerDay: -1 } }, 'limits.reviewsPerDay'],
  [{ limits: { requestsKept: Number.NaN } }, 'limits.requestsKept'],
  [{ chats: { '': {} } }, 'chats'],
  [{ chats: { 'example-wallet': { discordGuildIds: [''] } } }, 'discordGuildIds'],
  [{ chats: { 'example-wallet': { telegramGroupIds: ['1'] }, other: { telegramGroupIds: ['1'] } } }, 'telegramGroupIds'],
  [{ chats: { 'example-wallet': { slackIds: ['1'] } } }, 'slackIds'],
  [{ state: 'disk' }, 'state'],
  [{ state: { file: '' } }, 'state.file'],
  [null, 'options'],
  [{ now: 5 }, 'now'],
  [{ random: 0.5 }, 'random'],
  [{ post: 5 }, 'post'],
  [{ isPublicSuffix: [] }, 'isPublicSuffix'],
  [{ allowPrivateTargets: 'yes' }, 'allowPrivateTargets'],
  [{ keys: { key: 'example-wallet' } }, 'keys[*]'],
  [{ keys: null }, 'keys'],
  [{ chats: null }, 'chats'],
  [{ chats: { 'example-wallet': null } }, 'chats'],
  [{ chats: { 'example-wallet': { discordGuildIds: [5] } } }, 'discordGuildIds'],
  [{ limits: { reviewsPerDay: 'x' } }, 'limits.reviewsPerDay'],
  [{ state: 5 }, 'state'],
  [{ state: null }, 'state'],
  [{ state: { file: 5 } }, 'state.file'],
])('%j is rejected with INVALID_INPUT', (options, name) => {
  expect(refused(options)).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining(name) });
});

test('no error message contains a key', () => {
  expect(String(refused({ keys: { 'my secret key': ['example-wallet'] } }))).not.toContain('secret');
});

test('a state in a file is rejected without Node', async () => {
  const create = createWebService as (options: ServiceOptions & { state?: unknown }) => { close(): Promise<void> };
  expect(() => create({ state: { file: 'state' } })).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  expect(() => create({ state: 'file' })).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  await create({ state: 'memory' }).close();
});

test("state 'file' is stored below the working directory", async () => {
  const [before, folder] = [process.cwd(), mkdtempSync(join(tmpdir(), 'state-'))];
  process.chdir(folder);
  onTestFinished(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  });
  const add = async (name: string): Promise<number> => {
    const service = createService({ state: 'file' });
    const { status } = await ask(service, '/organization/asset-groups', { name });
    await service.close();
    return status;
  };
  expect([await add('Sites'), await add('Sites'), await add('Others')]).toEqual([200, 409, 200]);
});

// RFC 2606 and RFC 6761.
test('the sample data has only names that are reserved for examples', async () => {
  const service = start();
  const { assets, users, organizations } = service.snapshot().tables;
  const hosts = assets!.filter(({ type }) => type !== 'ADDRESS').map(({ content }) => content.split('/')[0]!);
  expect(hosts.length).toBeGreaterThan(5);
  for (const host of hosts) expect(host).toMatch(/(^|\.)example(\.(com|net|org))?$|\.test$/);
  for (const { email } of users!) expect(email).toMatch(/@example\.com$/);
  for (const { slug } of organizations!) expect(slug).toMatch(/^example-/);
});

test('top-level domains and common second levels are blocked but not listed by default', async () => {
  const service = start();
  const { tables, ...counters } = service.snapshot();
  const [first, ...others] = tables.assets!.filter(({ status }) => status === 'BLOCKED');
  const assets = tables.assets!.map((asset) => (asset.id === first!.id ? { ...asset, content: 'co.uk' } : asset));
  await service.restore({ ...counters, tables: { ...tables, assets } });
  expect(await service.publish()).toEqual({
    listed: others.length,
    refused: [{ type: 'URL', content: 'co.uk', reason: 'public-suffix' }],
  });
});
