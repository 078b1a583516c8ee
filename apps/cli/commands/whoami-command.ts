import type { Command, CommandCall } from '../command.js';
import { exitCodes } from '../errors/exit-codes.js';
import { configDirectory, readConfig } from '../service/cli-config.js';
import { keepOrganization, keyFor, openClient, serviceOptions } from '../service/connection.js';
import { type Organization, organizationsOf, slugsOf } from '../service/organizations.js';
import { shownLines } from '../terminal/show-value.js';

export const whoami: Command = {
  summary: 'Show which service is used, where the key comes from, and which organizations it can act for. Never prints the key.',
  positionals: '',
  examples: [
    ['whoami', 'Uses the environment and the stored login'],
    ['whoami --local', 'Uses the key of the sample data'],
  ],
  options: serviceOptions,
  notes: 'Exit codes: 0 the key is valid; 2 there is no key, or it was rejected; 3 no service URL is configured.',

  async run(call) {
    const { output, options, env, signal } = call;
    const isLocal = options.has('local');
    const config = await readConfig(env);
    const apiUrl = isLocal ? null : (options.text('url') ?? (env['PORTCULLIS_API_URL'] || config.apiUrl) ?? null);
    const key = isLocal ? 'sample' : (await keyFor(apiUrl, env)).from;
    const hasKey = key !== 'none' && key !== 'other-service';
    const canAsk = isLocal || (hasKey && apiUrl !== null);
    const result = {
      apiUrl,
      key,
      organization: options.text('org') ?? config.defaultOrg ?? (env['PORTCULLIS_ORG'] || null),
      organizations: canAsk ? await organizationsFor(call, signal) : null,
      configDirectory: configDirectory(env),
    };
    await output.result(result, () =>
      output.format === 'human' ? shownLines(result, output) : [{ ...result, organizations: slugsOf(result.organizations) }],
    );
    if (apiUrl === null && !isLocal) output.note('no service URL is configured; set --url or PORTCULLIS_API_URL');
    if (key === 'none') output.note('no key is configured; set PORTCULLIS_API_KEY, or store one with: portcullis login');
    if (key === 'other-service')
      output.note('the stored key belongs to another service; store one for this service with: portcullis login');
    if (!hasKey) return exitCodes.authentication;
    return canAsk ? exitCodes.ok : exitCodes.usage;
  },
};

async function organizationsFor(call: CommandCall, signal: AbortSignal): Promise<readonly Organization[]> {
  const { client, close } = await openClient(call);
  try {
    const organizations = await organizationsOf(client, signal);
    if (organizations.some(({ slug }) => slug === call.options.text('org'))) await keepOrganization(call);
    return organizations;
  } finally {
    await close();
  }
}
