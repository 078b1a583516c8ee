import type { Call, Command } from '../command.js';
import { exitCodes } from '../errors/exit.js';
import { configDirectory, readConfig } from '../service/cli-config.js';
import { keepOrganization, keyFor, openClient, serviceOptions } from '../service/connection.js';
import { type Organization, organizationsOf } from '../service/organizations.js';
import { shownText } from '../terminal/show-value.js';

export const whoami: Command = {
  summary: 'Show which service is used, where the key comes from, and which organizations it reaches; never the key.',
  positionals: '',
  examples: [
    ['whoami', 'By environment and stored login'],
    ['whoami --local', 'The key of the sample data'],
  ],
  options: serviceOptions,
  notes: 'Exit codes: 0 the key is valid, 2 there is none or it is refused, 3 nobody says where the service is.',

  async run(call) {
    const { output, options, env, signal } = call;
    const isLocal = options.has('local');
    const config = await readConfig(env);
    const apiUrl = isLocal ? null : (options.text('url') ?? (env['PORTCULLIS_API_URL'] || config.apiUrl) ?? null);
    const key = isLocal ? 'sample' : (await keyFor(apiUrl, env)).from;
    const hasKey = key !== 'none' && key !== 'of another';
    const canAsk = isLocal || (hasKey && apiUrl !== null);
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
    if (key === 'of another') output.note('the stored key is for another service; store one for this with: portcullis login');
    if (!hasKey) return exitCodes.authentication;
    // Nobody could be asked whether it is valid.
    return canAsk ? exitCodes.ok : exitCodes.usage;
  },
};

async function asked(call: Call, signal: AbortSignal): Promise<readonly Organization[]> {
  const { client, close } = await openClient(call);
  try {
    const organizations = await organizationsOf(client, signal);
    await keepOrganization(call);
    return organizations;
  } finally {
    await close();
  }
}
