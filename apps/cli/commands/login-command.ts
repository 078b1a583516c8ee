import { isPortcullisError } from 'portcullis';
import type { Client } from 'portcullis/client';
import type { Command, CommandCall } from '../command.js';
import { exitCodes } from '../errors/exit-codes.js';
import { UsageError } from '../errors/usage.js';
import { wholeTextOf } from '../lists/input-lines.js';
import { signInBy } from '../service/browser-sign-in.js';
import { readConfig, storeKey, storeSignIn, writeConfig } from '../service/cli-config.js';
import { type Organization, organizationsOf, slugsOf } from '../service/organizations.js';
import { revoke } from '../service/sign-in-server.js';
import { askHidden } from '../terminal/prompt.js';

/** Far more than a key has; rejects a file piped in by mistake. */
const maxKeyBytes = 4_096;

export const login: Command = {
  summary: 'Store a key for the service, or sign in with a browser; in a file that only you can read.',
  positionals: '',
  hidesArguments: true,
  argumentHint: 'do not pass a key as an argument; pipe it in: portcullis login < key.txt',
  examples: [
    ['login --url https://api.example/v2', 'Prompts for the key without showing it'],
    ['login < key.txt', 'Reads the key from a file or a password manager'],
    ['login --browser --url http://127.0.0.1:4040', 'Signs in with a browser, without storing a key'],
  ],
  options: {
    url: { value: 'url', text: 'The URL of the API; remembered for later calls' },
    org: { value: 'slug', text: 'The organization to act for; remembered for later calls' },
    browser: { text: 'Sign in with a browser on this machine instead of a key, if the service offers it' },
    'no-verify': { text: 'Store the key without checking it with the service' },
  },
  notes: 'PORTCULLIS_API_KEY overrides what is stored.',

  async run(call) {
    const { options, output, env, signal } = call;
    const stored = await readConfig(env);
    const apiUrl = options.text('url') ?? (env['PORTCULLIS_API_URL'] || stored.apiUrl);
    // A key is sent only to the service that it was stored for, so there must be one even if it is not asked.
    if (apiUrl === undefined) throw new UsageError('no service URL is configured', 'set --url or PORTCULLIS_API_URL');
    const isByBrowser = options.has('browser');
    if (isByBrowser && options.has('no-verify')) throw new UsageError('--browser and --no-verify cannot be combined');
    if (isByBrowser && !URL.canParse(apiUrl)) throw new UsageError('the URL is malformed', 'pass --url https://api.example/v2');
    const signIn = isByBrowser ? await signInBy(call, apiUrl) : undefined;
    const apiKey = signIn?.accessToken ?? (await givenKey(call));
    const { createClient } = await import('portcullis/client');
    // Rejects a malformed key or URL, even with --no-verify.
    const client = createClient({ baseUrl: apiUrl, apiKey });
    let isStored = false;
    try {
      const isVerified = !options.has('no-verify');
      const organizations = isVerified ? await verified(client, signal) : null;
      const defaultOrg = options.text('org');
      if (defaultOrg !== undefined && organizations !== null && !organizations.some(({ slug }) => slug === defaultOrg)) {
        output.warn('the key has no access to the organization in --org');
      }
      await (signIn === undefined ? storeKey(env, { apiKey, apiUrl }) : storeSignIn(env, apiUrl, signIn));
      isStored = true;
      await writeConfig(env, { apiUrl, ...(defaultOrg !== undefined && { defaultOrg }) });
      const result = { status: 'ok', verified: isVerified, apiUrl, organizations };
      await output.result(result, () =>
        output.format === 'human'
          ? [loggedIn(isByBrowser ? 'You are signed in' : isVerified ? 'The key is valid and stored' : null, organizations)]
          : [{ ...result, organizations: slugsOf(organizations) }],
      );
      if (env['PORTCULLIS_API_KEY']) output.warn('PORTCULLIS_API_KEY is set and overrides the stored key');
      return exitCodes.ok;
    } catch (error) {
      // What is not stored could not be ended later.
      if (signIn !== undefined && !isStored && !(await revoke(signIn))) {
        output.warn(
          `the sign-in could not be ended at the service; it is valid until ${new Date(signIn.expiresAtMs).toISOString()}`,
        );
      }
      throw error;
    } finally {
      await client.close();
    }
  },
};

async function givenKey(call: CommandCall): Promise<string> {
  const { input, options } = call;
  const isAsked = input.isTerminal;
  if (isAsked && (options.has('no-input') || !call.output.isTerminal)) throw noKey();
  const key = isAsked ? await askHidden(call, 'Key: ', maxKeyBytes) : await wholeTextOf(input, maxKeyBytes, 'the key');
  if (key.trim() === '') throw noKey();
  return key.trim();
}

function noKey(): UsageError {
  return new UsageError('no key on standard input', 'portcullis login < key.txt');
}

/**
 * The organizations of a key that the service proves to be valid, by saying so or by listing at least one; `null` if it lists none of
 * them. The form of both answers is provisional, so one of the two is enough.
 *
 * @throws if the key is invalid, or the service proves nothing
 */
async function verified(client: Client, signal: AbortSignal): Promise<readonly Organization[] | null> {
  const { valid } = Object(await client.account.validate({}, { signal })) as { valid?: unknown };
  if (/^(false|0)$/.test(String(valid))) throw new UsageError('the service rejected the key', undefined, rejected);
  let organizations: readonly Organization[] | null = null;
  try {
    organizations = await organizationsOf(client, signal);
  } catch (error) {
    // Only a service that answered leaves its organizations unknown.
    if (!isPortcullisError(error) || error.code === 'UNAUTHORIZED') throw error;
    if (error.status === undefined && error.code !== 'INVALID_RESPONSE') throw error;
  }
  if (valid === true || organizations?.length) return organizations;
  throw new UsageError(
    'the service does not say whether the key is valid; the key was not stored',
    'check --url, or store the key without asking the service: --no-verify',
    unproven,
  );
}

const rejected = { code: 'UNAUTHORIZED', exitCode: exitCodes.authentication };
const unproven = { code: 'INVALID_RESPONSE', exitCode: exitCodes.network };

function loggedIn(done: string | null, organizations: readonly Organization[] | null): string {
  if (done === null) return 'The key is stored but not verified.';
  if (organizations === null) return `${done}. The service does not list its organizations.`;
  return `${done}. Organizations: ${slugsOf(organizations) || 'none'}`;
}
