import type { Client } from '../../../api/client/web-client.js';
import { isPortcullisError } from '../../../core/errors.js';
import type { Call, Command } from '../command.js';
import { exitCodes } from '../errors/exit.js';
import { UsageError } from '../errors/usage.js';
import { wholeOf } from '../lists/input-lines.js';
import { readConfig, storeKey, writeConfig } from '../service/cli-config.js';
import { type Organization, organizationsOf } from '../service/organizations.js';
import { askHidden } from '../terminal/prompt.js';

/** Keys have some dozens of characters; a file that was piped in by mistake has more. */
const keyBytesMax = 4_096;

export const login: Command = {
  summary: 'Store a key for the service, in a file that only you can read.',
  positionals: '',
  wordsHint: 'a key is never given on the command line: pipe it in',
  examples: [
    ['login --url https://api.example/v2', 'Asks for the key, and shows nothing of it'],
    ['login < key.txt', 'From a file; so may a password manager pipe it'],
  ],
  options: {
    url: { value: 'url', text: 'Where the API is; kept for later calls' },
    org: { value: 'slug', text: 'The organization to act for; kept for later calls' },
    'no-verify': { text: 'Store it without asking the service whether it is valid' },
  },
  notes:
    'The service has a login with a code for a browser, which is not public; so a key is taken.\nIn the environment, PORTCULLIS_API_KEY goes before the stored key.',

  async run(call) {
    const { options, output, env, signal } = call;
    const stored = await readConfig(env);
    const apiUrl = options.text('url') ?? (env['PORTCULLIS_API_URL'] || stored.apiUrl);
    if (apiUrl === undefined && !options.has('no-verify')) {
      throw new UsageError('where is the service?', 'give --url or PORTCULLIS_API_URL, or --no-verify to store the key only');
    }
    const apiKey = await givenKey(call);
    const { createClient } = await import('../../../api/client/node-client.js');
    // It refuses a key and an address that cannot be sent, whether the service is asked or not.
    const client = createClient({ baseUrl: apiUrl ?? 'http://localhost', apiKey });
    try {
      const isVerified = !options.has('no-verify');
      const organizations = isVerified ? await verified(client, signal) : null;
      const defaultOrg = options.text('org');
      if (defaultOrg !== undefined && organizations !== null && !organizations.some(({ slug }) => slug === defaultOrg)) {
        output.warn('the key does not reach the organization of --org');
      }
      await storeKey(env, { apiKey, apiUrl: apiUrl ?? null });
      await writeConfig(env, { ...(apiUrl !== undefined && { apiUrl }), ...(defaultOrg !== undefined && { defaultOrg }) });
      const result = { status: 'ok', verified: isVerified, apiUrl: apiUrl ?? null, organizations };
      await output.result(result, () =>
        output.format === 'human' ? loggedIn(isVerified, organizations) : [{ ...result, organizations: slugsOf(organizations) }],
      );
      if (env['PORTCULLIS_API_KEY']) output.warn('PORTCULLIS_API_KEY is set, and goes before the stored key');
      return exitCodes.ok;
    } finally {
      await client.close();
    }
  },
};

async function givenKey(call: Call): Promise<string> {
  const { input, options } = call;
  const isAsked = input.isTerminal;
  if (isAsked && (options.has('no-input') || !call.output.isTerminal)) {
    throw new UsageError('there is no key on standard input', 'portcullis login < key.txt');
  }
  const key = isAsked ? await askHidden(call, 'Key: ', keyBytesMax) : textOf(await wholeOf(input, keyBytesMax, 'the key'));
  if (key.trim() === '') throw new UsageError('there is no key on standard input', 'portcullis login < key.txt');
  return key.trim();
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError('the key is no text');
  }
}

/** Any key may ask whether it is valid. Which organizations it reaches is a courtesy. */
async function verified(client: Client, signal: AbortSignal): Promise<readonly Organization[] | null> {
  const answer = (await client.account.validate({}, { signal })) as { valid?: unknown } | null;
  if (answer?.valid === false) throw new UsageError('the service says that the key is not valid', undefined, refused);
  try {
    return await organizationsOf(client, signal);
  } catch (error) {
    if (isPortcullisError(error) && error.status !== undefined) return null;
    throw error;
  }
}

const refused = { code: 'UNAUTHORIZED', exitCode: exitCodes.authentication };

const slugsOf = (organizations: readonly Organization[] | null): string =>
  (organizations ?? []).map(({ slug }) => slug).join(', ');

function loggedIn(isVerified: boolean, organizations: readonly Organization[] | null): string {
  if (!isVerified) return 'The key is stored; nobody was asked whether it is valid.';
  return `The key is valid and stored.${organizations === null ? '' : ` Organizations: ${slugsOf(organizations) || 'none'}`}`;
}
