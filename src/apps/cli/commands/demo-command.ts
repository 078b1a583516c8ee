import type { Command } from '../command.js';

export const demo: Command = {
  summary:
    'See it work: a service, a relay and a list on this machine; checks with the network and without; then a page to try it in.',
  positionals: '',
  examples: [['demo', 'On a terminal the page is served until Ctrl-C']],
  options: { port: { value: 'port', text: 'Of the page; otherwise any that is free' } },

  run: async (call) => (await import('../demonstration.js')).demonstrate(call),
};
