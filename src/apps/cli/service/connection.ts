import type { ClientOptions } from '../../../api/client/client-types.js';
import type { Client } from '../../../api/client/web-client.js';
import type { Service } from '../../../servers/service/service.js';
import type { Call, OptionRows } from '../command.js';
import { UsageError } from '../errors/usage.js';
import { readConfig, storedKey, writeConfig } from './cli-config.js';

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
export async function apiOf({ options, env, output }: Pick<Call, 'options' | 'env' | 'output'>): Promise<Api> {
  const config = await readConfig(env);
  const baseUrl = options.text('url') ?? (env['PORTCULLIS_API_URL'] || config.apiUrl);
  if (baseUrl === undefined) {
    throw new UsageError('where is the service?', 'give --url or PORTCULLIS_API_URL, or try --local');
  }
  const org = options.text('org') ?? config.defaultOrg ?? (env['PORTCULLIS_ORG'] || undefined);
  const { apiKey, from } = await keyFor(baseUrl, env);
  if (from === 'of another') output.warn('the stored key is for another service, and is not sent to this one');
  return { baseUrl, apiKey, org };
}

/** Where a key comes from. */
export type KeyOrigin = 'environment' | 'stored' | 'of another' | 'none';

/** The environment's beats the stored one, which goes to the service it was stored for and to no other. */
export async function keyFor(
  baseUrl: string | null,
  env: Call['env'],
): Promise<{ readonly apiKey: string | undefined; readonly from: KeyOrigin }> {
  const given = env['PORTCULLIS_API_KEY'];
  if (given) return { apiKey: given, from: 'environment' };
  const stored = await storedKey(env);
  if (stored === undefined) return { apiKey: undefined, from: 'none' };
  const isFor = stored.apiUrl === null || baseUrl === null || originOf(stored.apiUrl) === originOf(baseUrl);
  return isFor ? { apiKey: stored.apiKey, from: 'stored' } : { apiKey: undefined, from: 'of another' };
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

/** Kept for later calls, once the service has answered one for it. */
export async function keepOrganization({ options, env, output }: Pick<Call, 'options' | 'env' | 'output'>): Promise<void> {
  const defaultOrg = options.text('org');
  if (defaultOrg === undefined || options.has('dry-run') || options.has('local')) return;
  try {
    if (defaultOrg !== (await readConfig(env)).defaultOrg) await writeConfig(env, { defaultOrg });
  } catch {
    output.warn('the organization of --org could not be kept for later calls');
  }
}

export interface OpenClient {
  readonly client: Client;
  close(): Promise<void>;
}

/** A client of the service a call names; both libraries load only here. */
export async function openClient(call: Call, more: Pick<ClientOptions, 'onEvent' | 'paths'> = {}): Promise<OpenClient> {
  const { options } = call;
  if (!options.has('local')) {
    const { createClient } = await import('../../../api/client/node-client.js');
    if (options.has('state')) throw new UsageError('--state belongs to --local');
    const { baseUrl, apiKey, org } = await apiOf(call);
    const client = createClient({ ...more, baseUrl, ...(apiKey && { apiKey }), ...(org && { slug: org }) });
    return { client, close: () => client.close() };
  }
  // Node's own would load a pool of connections, which nobody needs here.
  const { createClient } = await import('../../../api/client/web-client.js');
  const service = await embedded(call);
  const slug = options.text('org');
  const client = createClient({
    ...more,
    baseUrl: 'http://localhost',
    apiKey: service.key,
    fetch: fetchOf(service),
    ...(slug && { slug }),
  });
  const close = async (): Promise<void> => {
    await client.close();
    await service.close();
  };
  return { client, close };
}

/** A network that leads to a service in this process. */
export function fetchOf(service: Pick<Service, 'fetch'>): (url: string, init?: object) => Promise<Response> {
  return (url, init) => service.fetch(url, init as RequestInit);
}

/** The embedded service of a call with `--local`. */
export async function embedded({ options }: Call) {
  if (options.has('url')) throw new UsageError('--local and --url contradict each other');
  const { createService } = await import('../../../servers/service/node-service.js');
  const file = options.text('state');
  return createService(file === undefined ? {} : { state: { file } });
}
