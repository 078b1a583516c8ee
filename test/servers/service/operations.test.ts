import { createService } from 'portcullis/testing';
import { describe, expect, test } from 'vitest';
import { checkedFetch } from './checked-fetch.js';
import { everyOperation } from './every-operation.js';
import { headersWith } from './harness.js';
import { undeclaredFields } from './undeclared-fields.js';

test('the checker reports traffic that does not match the OpenAPI document', async () => {
  const service = createService();
  const { url } = await service.listen();
  const wrong: string[] = [];
  const send = checkedFetch(wrong);
  const post = (path: string, body: object) =>
    send(url + path, { method: 'POST', headers: headersWith(service.key), body: JSON.stringify(body) });
  await post('/asset/check', { content: 'https://a.example/' });
  expect(wrong).toEqual([]);
  await post('/asset/check', { content: 5 });
  await post('/asset/list', { type: 'BOAT' });
  await post('/nowhere', {});
  await send(`${url}/organization/reports?limit=21`, { headers: { 'x-api-key': service.key } });
  expect(wrong.map((text) => text.split(':')[0])).toEqual([
    'post /asset/check',
    'post /asset/list',
    'post /nowhere is not described',
    'get /organization/reports limit',
  ]);
  await service.close();
});

test('the checker reports a field that the type of an answer lacks, at any depth and in any item', () => {
  const tasks = [{ id: 1 }, { id: 2, extra: 1 }];
  expect(undeclaredFields('assetSearch', { asset: null, takedown: { tasks }, extra: {} })).toEqual([
    'assetSearch.takedown.tasks.extra',
    'assetSearch.extra',
  ]);
  // Fields whose names depend on the content, and payloads that are not published.
  expect(undeclaredFields('assetBlocklistConfirm', { hashes: { '70ab53a7': [] } })).toEqual([]);
  expect(undeclaredFields('scanResult', { enrichments: [{ any: 1 }] })).toEqual([]);
});

describe('through a fetch that checks traffic against the OpenAPI document, over HTTP,', () => {
  const wrong: string[] = [];
  everyOperation({ fetch: checkedFetch(wrong), wrong });
});
