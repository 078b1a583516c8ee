import { expect, test } from 'vitest';
import { State } from '../../../src/servers/service/state/state.js';
import { expectLinear, manyOf, post } from './growth.js';
import { start } from './harness.js';

test.each([
  ['unreadable', (_: number, at: number) => ({ content: `no${at}.invalidtld0` })],
  ['unknown', (_: number, at: number) => ({ content: `u${at}.example`, status: 'ALLOWED' })],
  ['equal', () => ({ content: 'same.example' })],
  [
    'equal but for their spelling',
    (_: number, at: number) => ({ content: `${'/'.repeat(at % 2)}same.example${' '.repeat(at % 9)}` }),
  ],
  ['of an unknown brand', (_: number, at: number) => ({ content: `b${at}.example`, brandSlug: `brand-${at}` })],
])('the time of a report grows with its assets, not with their square that are %s', async (_, assetOf) => {
  const service = start();
  let round = 0;
  await expectLinear((size) => {
    round++;
    return post(service, '/report/create', { assets: manyOf(size, (at) => assetOf(round, at)) });
  });
});

test('undoing a change sorts a table once', async () => {
  await expectLinear(async (size) => {
    const state = new State();
    const ids = manyOf(size, (at) => state.add('groups', { organizationId: 1, name: `${at}` }).id);
    const { undo } = state.transact(() => {
      for (const id of ids) state.remove('groups', id);
    });
    undo();
    expect(state.all('groups').map(({ id }) => id)).toEqual(ids);
  });
});

// The checker of inputs passes a list of mistakes to a call as its arguments.
test('a list with more entries than a call can have arguments is answered', async () => {
  const service = start();
  const wrong = await post(service, '/asset/submit', `{"assets":[${'1,'.repeat(150_000)}1]}`);
  expect([wrong.status, await wrong.json()]).toMatchObject([400, { code: 'BAD_REQUEST' }]);
});

// It could not be written, so that every later answer with it failed.
test('a body that is nested too deeply is rejected', async () => {
  const service = start();
  const nested = (levels: number): string => `{"source":"CERTSTREAM","config":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
  expect((await post(service, '/detection/configs/create', nested(62))).status).toBe(200);
  for (const levels of [63, 100_000]) expect((await post(service, '/detection/configs/create', nested(levels))).status).toBe(400);
  expect((await post(service, '/detection/configs/list', {})).status).toBe(200);
});
