import { createClient } from 'portcullis/client';
import { expect, test } from 'vitest';
import { serve } from '../scripted-server.js';

const clientOf = (origin: string) => createClient({ baseUrl: `${origin}/v2`, apiKey: 'a-key' });

test('reads every page of a list with a cursor, the largest pages there are', async () => {
  const server = await serve([
    { body: { reports: [{ id: 3 }, { id: 2 }], nextCursor: 7, totalCount: 3 } },
    { body: { reports: [{ id: 1 }], nextCursor: null, totalCount: 3 } },
  ]);
  const ids: unknown[] = [];
  for await (const { id } of clientOf(server.origin).reports.listAll({ slug: 'acme' })) ids.push(id);
  expect(ids).toEqual([3, 2, 1]);
  expect(server.requests.map(({ url }) => url)).toEqual([
    '/v2/organization/reports?slug=acme&limit=20',
    '/v2/organization/reports?slug=acme&limit=20&cursor=7',
  ]);
});
