import type { Command, CommandEntry } from './command.js';

const entry = (name: string, summary: string, load: () => Promise<Command>): readonly [string, CommandEntry] => [
  name,
  { summary, load },
];

/** Every command, in the order of the help. */
export const commands: ReadonlyMap<string, CommandEntry> = new Map([
  entry('check', 'Check links, addresses and other assets', async () => (await import('./commands/check-command.js')).check),
  entry('explain', 'Show how an input is read, and why', async () => (await import('./commands/explain-command.js')).explain),
  entry('screen', 'Check any number of lines as a stream', async () => (await import('./commands/screen-command.js')).screen),
  entry('parse', 'Find links, addresses and numbers in text', async () => (await import('./commands/parse-command.js')).parse),
  entry('sync', 'Update the stored copy of a list', async () => (await import('./commands/sync-command.js')).sync),
  entry('status', 'Show the stored copy of a list', async () => (await import('./commands/status-command.js')).status),
  entry('doctor', 'Diagnose problems', async () => (await import('./commands/doctor-command.js')).doctor),
  entry('publish', 'Publish your own list as files', async () => (await import('./commands/publish-command.js')).publish),
  entry('keygen', 'Make keys to sign a published list', async () => (await import('./commands/keygen-command.js')).keygen),
  entry('log', 'Verify the log of a published list', async () => (await import('./commands/log-command.js')).log),
  entry('serve', 'Serve a service, a list or a relay', async () => (await import('./commands/serve-command.js')).serve),
  entry('demo', 'Run a demonstration on this machine', async () => (await import('./commands/demo-command.js')).demo),
  entry('mcp', 'Serve the operations as tools for agents', async () => (await import('./commands/mcp-command.js')).mcp),
  entry('api', 'Call any operation of the service', async () => (await import('./commands/api-command.js')).api),
  entry('openapi', 'Print the API as OpenAPI', async () => (await import('./commands/openapi-command.js')).openapi),
  entry('login', 'Store a key for the service', async () => (await import('./commands/login-command.js')).login),
  entry('logout', 'Delete the stored key', async () => (await import('./commands/logout-command.js')).logout),
  entry('whoami', 'Show which service and key are used', async () => (await import('./commands/whoami-command.js')).whoami),
  entry('webhook', 'Verify webhooks, or listen for them', async () => (await import('./commands/webhook-command.js')).webhook),
  entry('completions', 'Print shell completions', async () => {
    return (await import('./commands/completions-command.js')).completionsOf(commands);
  }),
]);
