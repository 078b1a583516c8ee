import { createService } from 'portcullis/service';
import { describe, expect, test } from 'vitest';
import { checkedFetch } from './checked-fetch.js';
import { everyOperation } from './every-operation.js';
import { headersWith } from './harness.js';

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

describe('through the default connection pool, over HTTP,', () => everyOperation());

describe('through a fetch that checks traffic against the OpenAPI document, over HTTP,', () => {
  const wrong: string[] = [];
  everyOperation({ fetch: checkedFetch(wrong), wrong });
});
