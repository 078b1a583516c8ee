import { getHttpOperationsFromSpec } from '@stoplight/prism-http';
import { createServer } from '@stoplight/prism-http-server';
import { openApi } from 'portcullis/client';

/** What the proxy needs of a logger; it has nothing to say that its answers do not. */
const quiet = { level: 'silent', child: () => quiet } as Record<string, unknown>;
for (const level of ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'success']) quiet[level] = () => {};

/** The published document, with the one operation whose route is only a proposal. */
function published(): object {
  const document = JSON.parse(JSON.stringify(openApi())) as { paths: Record<string, object> };
  const sources = document.paths['/metrics/found'];
  return { ...document, paths: { ...document.paths, '/metrics/blocked-by-first-report-source': sources } };
}

/**
 * A proxy that knows only the OpenAPI document, by authors who never saw this project. It answers a request that the document does not
 * allow with 401 or 422 and `application/problem+json`, and an answer that it does not allow with 500; everything else passes.
 */
export async function contractChecker(upstream: string): Promise<{ url: string; close(): Promise<unknown> }> {
  const operations = await getHttpOperationsFromSpec(published());
  const config = {
    isProxy: true,
    upstream: new URL(upstream),
    validateRequest: true,
    validateResponse: true,
    checkSecurity: true,
    errors: true,
    mock: false,
    upstreamProxy: undefined,
  } as const;
  const proxy = createServer(operations, { cors: false, components: { logger: quiet as never }, config: config as never });
  return { url: await proxy.listen(0, '127.0.0.1'), close: () => proxy.close() };
}
