import { createBlocklist } from 'portcullis';
import { createClient } from 'portcullis/client';
import { createService, listen } from 'portcullis/testing';
import { toolFetch } from '../../src/servers/mcp/tool-http.js';
import { type Offer, offersOf } from '../../src/servers/mcp/tool-offer.js';
import { toolServerSettings } from '../../src/servers/mcp/tool-server-options.js';

/**
 * A tool server on loopback over an embedded service. It adds the credentials itself, because the official checks send none.
 *
 * @param extended What is offered besides
 */
export async function startEndpoint(
  extended: (offer: Offer) => Offer = (offer) => offer,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const service = createService();
  const api = { baseUrl: 'http://localhost', fetch: service.fetch };
  const blocklist = createBlocklist({ ...api, apiKey: service.key });
  const settings = toolServerSettings({
    blocklist,
    clientFor: (apiKey) => createClient({ ...api, apiKey }),
    paths: service.paths,
  });
  const fetch = toolFetch(settings, extended(offersOf(settings).http));
  const listening = await listen(
    (request) => {
      const headers = new Headers(request.headers);
      headers.set('x-api-key', service.key);
      return fetch(new Request(request, { headers }));
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
