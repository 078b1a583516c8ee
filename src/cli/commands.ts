import type { Command } from './command.js';

interface Entry {
  readonly summary: string;
  /** Loaded when it is called: no command waits for what another needs. */
  readonly load: () => Promise<Command>;
}

/** Every command, in the order of the help. */
export const commands: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  [
    'check',
    { summary: 'Check links, addresses and other assets', load: async () => (await import('./commands/check.js')).check },
  ],
  [
    'explain',
    {
      summary: 'Show how an input is read, and why the verdict is what it is',
      load: async () => (await import('./commands/explain.js')).explain,
    },
  ],
  [
    'serve',
    {
      summary: 'Serve the embedded service, a published list or a relay, with a page to see it work',
      load: async () => (await import('./commands/serve.js')).serve,
    },
  ],
  ['demo', { summary: 'See it work on this machine', load: async () => (await import('./commands/demo.js')).demo }],
  ['api', { summary: 'Call any operation of the service', load: async () => (await import('./commands/api.js')).api }],
  [
    'openapi',
    {
      summary: 'Print what is known of the service as OpenAPI',
      load: async () => (await import('./commands/openapi.js')).openapi,
    },
  ],
  ['login', { summary: 'Store a key for the service', load: async () => (await import('./commands/login.js')).login }],
  ['logout', { summary: 'Forget the stored key', load: async () => (await import('./commands/logout.js')).logout }],
  ['whoami', { summary: 'Show whose key is used, and where', load: async () => (await import('./commands/whoami.js')).whoami }],
  [
    'webhook',
    {
      summary: 'Verify deliveries of webhooks, or listen for them',
      load: async () => (await import('./commands/webhook.js')).webhook,
    },
  ],
  [
    'completions',
    { summary: 'Print completions for a shell', load: async () => (await import('./commands/completions.js')).completions },
  ],
]);
