import type { FullOperation } from 'portcullis/client';
import { createClient } from 'portcullis/client';
import type { CommandCall } from '../command.js';
import { apiOf } from '../service/connection.js';

/** The request that a write would send. */
export interface PlannedRequest {
  readonly operation: string;
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly query: Readonly<Record<string, readonly string[]>>;
  /** The body as sent; for a file only its size and type. */
  readonly body: unknown;
}

/** Lets the client make the request for a `fetch` that sends nothing. The client has no key, so none can be printed. */
export async function plannedRequest(
  { name }: FullOperation,
  input: Record<string, unknown>,
  call: CommandCall,
  paths: Readonly<Record<string, string>>,
): Promise<PlannedRequest> {
  const { baseUrl, org } = call.options.has('local')
    ? { baseUrl: 'http://localhost', org: call.options.text('org') }
    : await apiOf(call);
  let planned: PlannedRequest | undefined;
  const client = createClient({
    baseUrl,
    paths,
    ...(org && { slug: org }),
    fetch: async (url, { method = 'GET', body = null, headers = {} } = {}) => {
      const { pathname, searchParams } = new URL(url);
      const query = Object.fromEntries([...searchParams.keys()].map((key) => [key, searchParams.getAll(key)]));
      const type = (headers as Record<string, string>)['content-type'];
      const sent = typeof body === 'string' ? JSON.parse(body) : body && { bytes: (body as Uint8Array).byteLength, type };
      planned = { operation: name, method, url, path: pathname, query, body: sent };
      return Response.json(null);
    },
  });
  try {
    await client.request(name, input as never, { signal: call.signal, retry: false });
  } catch (error) {
    // The answer to a planned request is not one of the operation's.
    if (planned === undefined) throw error;
  } finally {
    await client.close();
  }
  return planned!;
}
