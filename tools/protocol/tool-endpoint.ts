import { createBlocklist } from 'portcullis';
import { createClient } from 'portcullis/client';
import { createToolServer } from 'portcullis/mcp';
import { createService, listen } from 'portcullis/testing';

/** A tool server on loopback over an embedded service. It adds the credentials itself, because the official checks send none. */
export async function startEndpoint(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const service = createService();
  const api = { baseUrl: 'http://localhost', fetch: service.fetch };
  const blocklist = createBlocklist({ ...api, apiKey: service.key });
  const tools = createToolServer({
    blocklist,
    clientFor: (apiKey) => createClient({ ...api, apiKey }),
    paths: service.paths,
  });
  const listening = await listen(
    (request) => {
      const headers = new Headers(request.headers);
      headers.set('x-api-key', service.key);
      return tools.fetch(new Request(request, { headers }));
    },
    { port: 0, host: '127.0.0.1' },
  );
  return {
    url: `${listening.url}/mcp`,
    close: async () => {
      await listening.close();
      await blocklist.close();
      await service.close();
    },
  };
}
