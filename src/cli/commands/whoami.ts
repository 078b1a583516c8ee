import type { Call, Command } from '../command.js';
import { configDirectory, readConfig, storedKey } from '../config.js';
import { exitCodes } from '../exit.js';
import { type Organization, organizationsOf } from '../organizations.js';
import { openClient, serviceOptions } from '../service.js';
import { shownText } from '../shown.js';
import { noWords } from '../usage.js';

export const whoami: Command = {
  summary: 'Show which service is used, where the key comes from, and which organizations it reaches; never the key.',
  positionals: '',
  examples: [
    ['whoami', 'By environment and stored login'],
    ['whoami --local', 'The key of the sample data'],
  ],
  options: serviceOptions,
  notes: 'Exit codes: 0 the key is valid, 2 there is none or it is refused.',

  async run(call) {
    const { output, options, env, positionals, signal } = call;
    noWords(positionals, 'portcullis whoami');
    const isLocal = options.has('local');
    const config = await readConfig(env);
    const apiUrl = isLocal ? null : (options.text('url') ?? (env['PORTCULLIS_API_URL'] || config.apiUrl) ?? null);
    const key = isLocal ? 'sample' : await keyOriginOf(env);
    const canAsk = isLocal || (key !== 'none' && apiUrl !== null);
    const result = {
      apiUrl,
      key,
      organization: options.text('org') ?? config.defaultOrg ?? (env['PORTCULLIS_ORG'] || null),
      organizations: canAsk ? await asked(call, signal) : null,
      configDirectory: configDirectory(env),
    };
    await output.result(result, () =>
      output.format === 'human'
        ? shownText(result, output)
        : [{ ...result, organizations: result.organizations?.map(({ slug }) => slug).join(', ') }],
    );
    if (apiUrl === null && !isLocal) output.note('no service is known: give --url or PORTCULLIS_API_URL');
    if (key === 'none') output.note('there is no key: set PORTCULLIS_API_KEY, or store one with: portcullis login');
    return key === 'none' ? exitCodes.authentication : exitCodes.ok;
  },
};

async function keyOriginOf(env: Call['env']): Promise<'environment' | 'stored' | 'none'> {
  if (env['PORTCULLIS_API_KEY']) return 'environment';
  return (await storedKey(env)) === undefined ? 'none' : 'stored';
}

async function asked(call: Call, signal: AbortSignal): Promise<readonly Organization[]> {
  const { client, close } = await openClient(call);
  try {
    return await organizationsOf(client, signal);
  } finally {
    await close();
  }
}
