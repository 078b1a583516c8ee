import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createClient } from 'portcullis/client';
import { createRelay } from 'portcullis/relay';
import { createService, type ServedService } from 'portcullis/service';
import { onTestFinished } from 'vitest';
import { serviceActions } from '../../../src/apps/playground/actions.js';
import { createPlayground, type Playground } from '../../../src/apps/playground/playground.js';
import { listenWith } from '../../../src/servers/service/http/listen.js';
import { buildPage } from '../../../tools/build-page.js';

let built: Promise<URL> | undefined;

/** The page as the build makes it, made once for a file of tests. */
export function builtPage(): Promise<URL> {
  built ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'playground-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    await buildPage(folder);
    return pathToFileURL(`${folder}/`);
  })();
  return built;
}

export interface Served {
  readonly url: string;
  readonly service: ServedService;
  /** While it is set, the list's server answers nothing. */
  isDown: boolean;
}

/** A service, its relay and the page over them, as the command line puts them together. */
export async function servePlayground({ path = '/', isDown = false } = {}): Promise<Served> {
  const service = createService({ limits: { reviewsPerDay: 1_000 } });
  const client = createClient({
    baseUrl: 'http://localhost',
    apiKey: service.key,
    fetch: (url, init) => service.fetch(url, init as RequestInit),
  });
  let playground: Playground | undefined;
  const listening = await listenWith(async (request) => playground!.fetch(request), {});
  const served = { url: listening.url + path, service, isDown };
  const relay = createRelay({
    baseUrl: 'http://localhost',
    apiKey: service.key,
    publicUrl: `${listening.url}${path}blocklist`,
    versionTtlMs: 1_000,
    confirmTtlMs: 0,
    fetch: (url, init) => service.fetch(url, init as RequestInit),
  });
  playground = await createPlayground({
    relay: {
      fetch: (request) => (served.isDown ? Promise.resolve(new Response(null, { status: 503 })) : relay.fetch(request)),
    },
    actions: serviceActions({ client, publish: () => service.publish() }),
    path,
    origin: listening.url,
    folder: await builtPage(),
  });
  onTestFinished(async () => {
    await listening.close();
    await relay.close();
    await client.close();
    await service.close();
  });
  return served;
}
