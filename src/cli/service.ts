import type { ClientOptions } from '../client/types.js';
import type { Client } from '../client/web.js';
import type { Call, OptionRows } from './command.js';
import { readConfig, storedKey, writeConfig } from './config.js';
import { UsageError } from './usage.js';

/** Where the service of a command is, and for whom it acts. */
export const serviceOptions: OptionRows = {
  local: { text: 'The embedded service with its sample data; nothing leaves this machine' },
  state: { value: 'file', text: 'With --local: keep its state in this file' },
  url: { value: 'url', text: 'Where the API is; otherwise PORTCULLIS_API_URL, then the stored one' },
  org: { value: 'slug', text: 'The organization to act for; kept for later calls' },
};

export interface Api {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly org: string | undefined;
}

/** What flags, environment and stored files say, in this order. The key never comes from a flag. */
export async function apiOf({ options, env }: Pick<Call, 'options' | 'env'>): Promise<Api> {
  const config = await readConfig(env);
  const baseUrl = options.text('url') ?? (env['PORTCULLIS_API_URL'] || config.apiUrl);
  if (baseUrl === undefined) {
    throw new UsageError('where is the service?', 'give --url or PORTCULLIS_API_URL, or try --local');
  }
  const org = options.text('org');
  if (org !== undefined && org !== config.defaultOrg && !options.has('dry-run')) await writeConfig(env, { defaultOrg: org });
  return { baseUrl, apiKey: await keyOf(env), org: org ?? config.defaultOrg ?? (env['PORTCULLIS_ORG'] || undefined) };
}

/** The environment's beats the stored one. */
export async function keyOf(env: Call['env']): Promise<string | undefined> {
  return env['PORTCULLIS_API_KEY'] || storedKey(env);
}

export interface OpenClient {
  readonly client: Client;
  close(): Promise<void>;
}

/** A client of the service a call names; both libraries load only here. */
export async function openClient(call: Call, more: Pick<ClientOptions, 'onEvent' | 'paths'> = {}): Promise<OpenClient> {
  const { options } = call;
  if (!options.has('local')) {
    const { createClient } = await import('../client/server.js');
    if (options.has('state')) throw new UsageError('--state belongs to --local');
    const { baseUrl, apiKey, org } = await apiOf(call);
    const client = createClient({ ...more, baseUrl, ...(apiKey && { apiKey }), ...(org && { slug: org }) });
    return { client, close: () => client.close() };
  }
  // Node's own would load a pool of connections, which nobody needs here.
  const { createClient } = await import('../client/web.js');
  const service = await embedded(call);
  const slug = options.text('org');
  const client = createClient({
    ...more,
    baseUrl: 'http://localhost',
    apiKey: service.key,
    fetch: (url, init) => service.fetch(url, init as RequestInit),
    ...(slug && { slug }),
  });
  const close = async (): Promise<void> => {
    await client.close();
    await service.close();
  };
  return { client, close };
}

/** The embedded service of a call with `--local`. */
export async function embedded({ options }: Call) {
  if (options.has('url')) throw new UsageError('--local and --url contradict each other');
  const { createService } = await import('../service/server.js');
  const file = options.text('state');
  return createService(file === undefined ? {} : { state: { file } });
}
