import { PortcullisError } from 'portcullis';
import type { Client, ClientOptions } from 'portcullis/client';
import type { ServedService } from 'portcullis/testing';
import { isKey } from '../../../src/core/http/api-key.js';
import type { OptionRows } from '../arguments/option-rows.js';
import type { CommandCall } from '../command.js';
import { UsageError } from '../errors/usage.js';
import { readConfig, storedCredentials, writeConfig } from './cli-config.js';
import { requireUrl } from './given-url.js';
import { currentToken } from './stored-sign-in.js';

/** Which service a command uses, and for which organization. */
export const serviceOptions: OptionRows = {
  local: { text: 'The embedded service with its sample data; nothing leaves this machine' },
  state: { value: 'file', text: 'With --local: keep the state of the service in this file' },
  url: { value: 'url', text: 'The URL of the API; defaults to PORTCULLIS_API_URL, then to the stored one' },
  org: { value: 'slug', text: 'The organization to act for; remembered for later calls' },
};

type CallSettings = Pick<CommandCall, 'options' | 'env' | 'output'>;

/** A key, or what gives the token of a sign-in. */
export type ApiKey = string | (() => Promise<string>);

export interface Api {
  readonly baseUrl: string;
  readonly apiKey: ApiKey | undefined;
  readonly org: string | undefined;
}

/** The URL of the API, if one is configured. */
export async function serviceAddress({ options, env }: Pick<CommandCall, 'options' | 'env'>): Promise<string | undefined> {
  return addressIn(await readConfig(env), { options, env });
}

const addressIn = (
  config: { readonly apiUrl?: string },
  { options, env }: Pick<CommandCall, 'options' | 'env'>,
): string | undefined => options.text('url') ?? (env['PORTCULLIS_API_URL'] || config.apiUrl);

/** Settings from options, then environment, then stored files. The key is never an option. */
export async function apiOf(
  { options, env, output }: CallSettings,
  next = 'set --url or PORTCULLIS_API_URL, or try --local',
): Promise<Api> {
  const config = await readConfig(env);
  const baseUrl = addressIn(config, { options, env });
  if (baseUrl === undefined) {
    throw new UsageError('no service URL is configured', next);
  }
  const org = options.text('org') ?? config.defaultOrg ?? (env['PORTCULLIS_ORG'] || undefined);
  requireUrl(baseUrl);
  const { apiKey, from } = await keyFor(baseUrl, env);
  if (typeof apiKey === 'string' && !isKey(apiKey)) {
    const key = from === 'environment' ? 'PORTCULLIS_API_KEY' : 'the stored key';
    throw new PortcullisError('INVALID_INPUT', `${key} must be visible ASCII without spaces`);
  }
  if (from === 'other-service')
    output.warn('the stored key belongs to another service and was not sent; store one with: portcullis login --url <url>');
  return { baseUrl, apiKey, org };
}

/** Where a key comes from; `other-service` is a stored key that must not be sent to this service, or whose service is not recorded. */
export type KeyOrigin = 'environment' | 'stored' | 'other-service' | 'none';

/** The key of the environment, or else the stored one, which goes only to the service it was stored for. */
export async function keyFor(
  baseUrl: string | null,
  env: CommandCall['env'],
): Promise<{ readonly apiKey: ApiKey | undefined; readonly from: KeyOrigin }> {
  const given = env['PORTCULLIS_API_KEY'];
  if (given) return { apiKey: given, from: 'environment' };
  const stored = await storedCredentials(env);
  if (stored === undefined) return { apiKey: undefined, from: 'none' };
  const isFor = stored.apiUrl !== null && (baseUrl === null || addressOf(stored.apiUrl) === addressOf(baseUrl));
  if (!isFor) return { apiKey: undefined, from: 'other-service' };
  return { apiKey: 'signIn' in stored ? () => currentToken(env) : stored.apiKey, from: 'stored' };
}

/** One host may have several services, each below a path of its own. */
function addressOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/$/, '');
}

/** Remembers `--org`, once the service has answered a call that named it. */
export async function keepOrganization({ options, env, output }: CallSettings): Promise<void> {
  const defaultOrg = options.text('org');
  if (defaultOrg === undefined || options.has('dry-run') || options.has('local')) return;
  try {
    if (defaultOrg !== (await readConfig(env)).defaultOrg) await writeConfig(env, { defaultOrg });
  } catch {
    output.warn('the organization in --org could not be stored for later calls');
  }
}

export interface OpenClient {
  readonly client: Client;
  close(): Promise<void>;
}

/** A client of the service that a call names. */
export async function openClient(call: CommandCall, more: Pick<ClientOptions, 'onEvent' | 'paths'> = {}): Promise<OpenClient> {
  const { options } = call;
  const { createClient } = await import('portcullis/client');
  if (!options.has('local')) {
    if (options.has('state')) throw new UsageError('--state needs --local');
    const { baseUrl, apiKey, org } = await apiOf(call);
    const client = createClient({ ...more, baseUrl, ...(apiKey && { apiKey }), ...(org && { slug: org }) });
    return { client, close: () => client.close() };
  }
  const service = await embedded(call);
  const slug = options.text('org');
  const api = { baseUrl: 'http://localhost', apiKey: service.key, fetch: service.fetch };
  const client = createClient({ ...more, ...api, ...(slug && { slug }) });
  const close = async (): Promise<void> => {
    await client.close();
    await service.close();
  };
  return { client, close };
}

/** The embedded service of a call with `--local`. */
export async function embedded({ options }: CommandCall): Promise<ServedService> {
  if (options.has('url')) throw new UsageError('--local and --url cannot be combined');
  const { createService } = await import('portcullis/testing');
  const file = options.text('state');
  return createService(file === undefined ? {} : { state: { file } });
}
