import type { Command } from '../command.js';

export const demo: Command = {
  summary:
    'Run a demonstration: a service, a relay and a list on this machine, checks with and without a network, and a page to try.',
  positionals: '',
  examples: [
    ['demo', 'On a terminal, serves the page until Ctrl-C'],
    ['demo --json', 'Prints what each check found and sent, and ends'],
  ],
  options: { port: { value: 'port', text: 'The port for the page; defaults to any free port' } },

  run: async (call) => (await import('../demonstration.js')).demonstrate(call),
};
