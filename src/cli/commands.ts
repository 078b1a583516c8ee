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
    'sync',
    { summary: 'Fetch what is new of a list, and keep a copy', load: async () => (await import('./commands/sync.js')).sync },
  ],
  ['status', { summary: 'Show the stored copy of a list', load: async () => (await import('./commands/status.js')).status }],
  ['doctor', { summary: 'See whether all is well', load: async () => (await import('./commands/doctor.js')).doctor }],
  [
    'parse',
    { summary: 'Find links, addresses and numbers in a text', load: async () => (await import('./commands/parse.js')).parse },
  ],
  [
    'screen',
    { summary: 'Check any number of lines, as a stream', load: async () => (await import('./commands/screen.js')).screen },
  ],
  [
    'publish',
    { summary: 'Make the files of a list of your own', load: async () => (await import('./commands/publish.js')).publish },
  ],
]);
