import { DurableObject } from 'cloudflare:workers';

/** Most keys in one page, as in Cloudflare's own KV. */
const maxPage = 1_000;

/** Answers the requests that workerd's KV binding sends, from rows on disk. */
export class Rows extends DurableObject {
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    const { storage } = this.ctx;
    const key = decodeURIComponent(pathname.slice(1));
    if (request.method === 'PUT') {
      await storage.put(key, await request.text());
      // The row is on disk before the writer learns that it is.
      await storage.sync();
      return new Response(null);
    }
    if (request.method === 'DELETE') {
      await storage.delete(key);
      await storage.sync();
      return new Response(null);
    }
    if (key !== '') {
      const text = await storage.get(key);
      return text === undefined ? new Response('Not Found', { status: 404 }) : new Response(text);
    }
    const limit = Math.min(Number(searchParams.get('key_count_limit') ?? maxPage), maxPage);
    const after = searchParams.get('cursor');
    const options = { prefix: searchParams.get('prefix') ?? '', limit: limit + 1, ...(after && { startAfter: after }) };
    const names = [...(await storage.list(options)).keys()];
    const isComplete = names.length <= limit;
    const page = names.slice(0, limit);
    return Response.json({
      keys: page.map((name) => ({ name })),
      list_complete: isComplete,
      ...(!isComplete && { cursor: page.at(-1) }),
    });
  }
}

export default {
  fetch: (request, { ROWS }) => ROWS.get(ROWS.idFromName('lists')).fetch(request),
};
