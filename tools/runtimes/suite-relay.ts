import { createRelay } from 'portcullis/relay';
import { createService, listen } from 'portcullis/testing';

/** A relay on loopback over an embedded service, and an address beside it that ends the relay. */
export interface SuiteRelay {
  readonly relayUrl: string;
  /** A request to it ends the relay. It answers any origin, because pages and extensions send it too. */
  readonly stopUrl: string;
  /** The requests that reached the relay. */
  requestCount(): number;
  close(): Promise<void>;
}

export async function startSuiteRelay(): Promise<SuiteRelay> {
  const service = createService();
  let count = 0;
  let fetchRelay: (request: Request) => Promise<Response> = async () => new Response(null, { status: 503 });
  const server = await listen(
    (request) => {
      count += 1;
      return fetchRelay(request);
    },
    { port: 0, host: '127.0.0.1' },
  );
  const relay = createRelay({
    baseUrl: 'http://localhost',
    apiKey: service.key,
    publicUrl: server.url,
    fetch: (url: string, init?: object) => service.fetch(url, init as RequestInit),
  });
  fetchRelay = (request) => relay.fetch(request);
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping ??= server.close();
    return stopping;
  };
  const control = await listen(
    async () => {
      await stop();
      return new Response('stopped', { headers: { 'access-control-allow-origin': '*' } });
    },
    { port: 0, host: '127.0.0.1' },
  );
  return {
    relayUrl: server.url,
    stopUrl: control.url,
    requestCount: () => count,
    async close() {
      await Promise.all([stop(), control.close()]);
      await relay.close();
      await service.close();
    },
  };
}
