import type { Command } from './command.js';

interface Entry {
  readonly summary: string;
  /** Loaded when it is called: no command waits for what another needs. */
  readonly load: () => Promise<Command>;
}

const entry = (name: string, summary: string, load: Entry['load']): readonly [string, Entry] => [name, { summary, load }];

/** Every command, in the order of the help. */
export const commands: ReadonlyMap<string, Entry> = new Map([
  entry('check', 'Check links, addresses and other assets', async () => (await import('./commands/check-command.js')).check),
  entry('explain', 'Show how an input is read, and why', async () => (await import('./commands/explain-command.js')).explain),
  entry('screen', 'Check any number of lines, as a stream', async () => (await import('./commands/screen-command.js')).screen),
  entry('parse', 'Find links, addresses and numbers in a text', async () => (await import('./commands/parse-command.js')).parse),
  entry('sync', 'Fetch what is new of a list, and keep a copy', async () => (await import('./commands/sync-command.js')).sync),
  entry('status', 'Show the stored copy of a list', async () => (await import('./commands/status-command.js')).status),
  entry('doctor', 'See whether all is well', async () => (await import('./commands/doctor-command.js')).doctor),
  entry('publish', 'Make the files of a list of your own', async () => (await import('./commands/publish-command.js')).publish),
  entry(
    'serve',
    'Serve a service, a list or a relay, and a page',
    async () => (await import('./commands/serve-command.js')).serve,
  ),
  entry('demo', 'See it work on this machine', async () => (await import('./commands/demo-command.js')).demo),
  entry('api', 'Call any operation of the service', async () => (await import('./commands/api-command.js')).api),
  entry('openapi', 'Print what is known of it as OpenAPI', async () => (await import('./commands/openapi-command.js')).openapi),
  entry('login', 'Store a key for the service', async () => (await import('./commands/login-command.js')).login),
  entry('logout', 'Forget the stored key', async () => (await import('./commands/logout-command.js')).logout),
  entry('whoami', 'Show whose key is used, and where', async () => (await import('./commands/whoami-command.js')).whoami),
  entry('webhook', 'Verify deliveries, or listen for them', async () => (await import('./commands/webhook-command.js')).webhook),
  entry(
    'completions',
    'Print completions for a shell',
    async () => (await import('./commands/completions-command.js')).completions,
  ),
]);
