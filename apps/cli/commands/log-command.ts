import { unknownName } from '../arguments/unknown-name.js';
import type { Command } from '../command.js';
import { UsageError } from '../errors/usage.js';

const parts: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['verify', async () => (await import('../log/log-verify.js')).logVerify],
  ['refresh', async () => (await import('../log/log-refresh.js')).logRefresh],
]);

const usage = 'use portcullis log verify or portcullis log refresh';

export const log: Command = {
  summary: 'Verify the transparency log of a published list, or collect fresh cosignatures for it.',
  positionals: '<verify|refresh>',
  examples: [
    ['log verify https://lists.example/scam --key log.key.pub', 'Reads and verifies the whole log, and shows each version'],
    ['log refresh public/list --key log.key.pub --log-policy policy.txt', 'Asks the witnesses again, without a new version'],
    ['log verify --help', 'Shows the options of a subcommand'],
  ],
  options: {},
  parts: {
    names: [...parts.keys()],
    of(name) {
      const load = parts.get(name);
      if (load !== undefined) return load();
      throw unknownName('subcommand', name, parts.keys(), 'portcullis log', usage);
    },
  },

  async run() {
    throw new UsageError('log needs a subcommand', usage);
  },
};
