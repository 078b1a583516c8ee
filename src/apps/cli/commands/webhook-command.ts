import { similarTo } from '../arguments/similar.js';
import type { Command } from '../command.js';
import { UsageError } from '../errors/usage.js';

const parts: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['verify', async () => (await import('../webhook/webhook-verify.js')).webhookVerify],
  ['listen', async () => (await import('../webhook/webhook-listen.js')).webhookListen],
]);

const usage = 'portcullis webhook verify, or portcullis webhook listen';

export const webhook: Command = {
  summary: 'Deliveries of webhooks: verify one, or listen for them on this machine.',
  positionals: '<verify|listen>',
  examples: [
    ['webhook verify --signature sha256=<hex> < body.json', 'Is this delivery real?'],
    ['webhook listen --port 8787', 'Print each event as it comes'],
    ['webhook verify --help', 'All options of one'],
  ],
  options: {},
  parts: {
    names: [...parts.keys()],
    of(name) {
      const load = parts.get(name);
      if (load !== undefined) return load();
      const similar = similarTo(name, parts.keys());
      throw new UsageError(
        'webhook has no such part',
        similar === undefined ? usage : `did you mean: portcullis webhook ${similar}`,
      );
    },
  },

  async run() {
    throw new UsageError('webhook verify, or webhook listen?', usage);
  },
};
