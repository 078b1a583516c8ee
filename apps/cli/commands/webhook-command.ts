import { unknownName } from '../arguments/unknown-name.js';
import type { Command } from '../command.js';
import { UsageError } from '../errors/usage.js';

const parts: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['verify', async () => (await import('../webhook/webhook-verify.js')).webhookVerify],
  ['listen', async () => (await import('../webhook/webhook-listen.js')).webhookListen],
]);

const usage = 'use portcullis webhook verify or portcullis webhook listen';

export const webhook: Command = {
  summary: 'Verify a webhook, or listen for webhooks on this machine.',
  positionals: '<verify|listen>',
  examples: [
    ['webhook verify --signature sha256=<hex> < body.json', 'Verifies a webhook'],
    ['webhook listen --port 8787', 'Prints each event as it arrives'],
    ['webhook verify --help', 'Shows the options of a subcommand'],
  ],
  options: {},
  parts: {
    names: [...parts.keys()],
    of(name) {
      const load = parts.get(name);
      if (load !== undefined) return load();
      throw unknownName('subcommand', name, parts.keys(), 'portcullis webhook', usage);
    },
  },

  async run() {
    throw new UsageError('webhook needs a subcommand', usage);
  },
};
