import type { Command } from '../command.js';

export const demo: Command = {
  summary:
    'See a demonstration: a service, a relay and a list on this machine, checks with and without a network, and a page to try.',
  positionals: '',
  examples: [['demo', 'On a terminal, serves the page until Ctrl-C']],
  options: { port: { value: 'port', text: 'The port of the page; defaults to any free one' } },

  run: async (call) => (await import('../demonstration.js')).demonstrate(call),
};
