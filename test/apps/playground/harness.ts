import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createClient } from 'portcullis/client';
import { createRelay } from 'portcullis/relay';
import { createService, type ServedService } from 'portcullis/testing';
import { inject } from 'vitest';
import { serviceActions } from '../../../apps/cli/playground/actions.js';
import { createPlayground, type Playground } from '../../../apps/cli/playground/playground.js';
import { listenWith } from '../../../src/servers/service/http/listen.js';

const versionTtlMs = 1_000;

/** The folder of the built page. */
export function builtPage(): URL {
  return pathToFileURL(join(inject('builtApps'), 'playground/'));
}

export interface Served {
  readonly url: string;
  readonly service: ServedService;
  /** While it is set, the relay answers with 503. */
  isDown: boolean;
}

/**
 * A service, its relay and the page, combined as the command line does it.
 *
 * @param isQuick Whether the relay's clock passes its reuse of a version after each action, so that the page need not wait for that
 */
export async function servePlayground({ path = '/', isDown = false, isQuick = false } = {}): Promise<{
  served: Served;
  close(): Promise<void>;
}> {
  const service = createService({ limits: { reviewsPerDay: 1_000 } });
  const client = createClient({
    baseUrl: 'http://localhost',
    apiKey: service.key,
    fetch: service.fetch,
  });
  const actions = serviceActions({ client, publish: () => service.publish() });
  let passedMs = 0;
  const passing = (act: (content: string) => Promise<void>) => async (content: string) => {
    await act(content);
    if (isQuick) passedMs += versionTtlMs;
  };
  let playground: Playground | undefined;
  const listening = await listenWith(async (request) => playground!.fetch(request), {});
  const served = { url: listening.url + path, service, isDown };
  const relay = createRelay({
    baseUrl: 'http://localhost',
    apiKey: service.key,
    publicUrl: `${listening.url}${path}blocklist`,
    versionTtlMs,
    confirmTtlMs: 0,
    now: () => Date.now() + passedMs,
    fetch: service.fetch,
  });
  playground = await createPlayground({
    relay: {
      fetch: (request) => (served.isDown ? Promise.resolve(new Response(null, { status: 503 })) : relay.fetch(request)),
    },
    actions: { block: passing(actions.block), allow: passing(actions.allow) },
    path,
    origin: listening.url,
    folder: builtPage(),
  });
  const close = async (): Promise<void> => {
    await listening.close();
    await relay.close();
    await client.close();
    await service.close();
  };
  return { served, close };
}
