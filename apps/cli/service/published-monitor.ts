import { openMetrics } from 'portcullis/middleware';

/** Says whether a published list can be served, and how many entries it has. */
export function publishedMonitor(answer: (request: Request, context: object) => Promise<Response>, origin: string) {
  return async (request: Request): Promise<Response> => {
    const { method } = request;
    if (method !== 'GET' && method !== 'HEAD') return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } });
    const entries = await entriesOf(await answer(new Request(`${origin}/version.json`), {}));
    const response = new URL(request.url).pathname.startsWith('/healthz') ? healthOf(entries) : metricsOf(entries);
    return method === 'GET' ? response : new Response(null, response);
  };
}

/** `null` if the list cannot be read. */
async function entriesOf(response: Response): Promise<number | null> {
  if (!response.ok) return null;
  try {
    const { snapshot, recent } = (await response.json()) as { snapshot: { count: number }; recent: { count: number } };
    return snapshot.count + recent.count;
  } catch {
    return null;
  }
}

function healthOf(entries: number | null): Response {
  const isReady = entries !== null;
  const body = { ready: isReady, status: isReady ? 'ready' : 'no-list' };
  return Response.json(body, { status: isReady ? 200 : 503, headers: { 'cache-control': 'no-store' } });
}

function metricsOf(entries: number | null): Response {
  const loaded = { name: 'portcullis_list_loaded', type: 'gauge', help: '1 if the list can be read.' } as const;
  const size = { name: 'portcullis_list_entries', type: 'gauge', help: 'Entries of the list.' } as const;
  return openMetrics([
    { ...loaded, samples: [[{}, Number(entries !== null)]] },
    { ...size, samples: [[{}, entries ?? 0]] },
  ]);
}
