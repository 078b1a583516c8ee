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
]);
