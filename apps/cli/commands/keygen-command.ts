import { open, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { generateKeys } from 'portcullis/sources';
import type { Command } from '../command.js';
import { exitCodes } from '../errors/exit-codes.js';
import { UsageError } from '../errors/usage.js';

export const keygen: Command = {
  summary: 'Make a pair of keys to sign a published list with.',
  positionals: '<file>',
  examples: [
    ['keygen list.key', 'Writes the private key to list.key and the public key to list.key.pub'],
    ['keygen next.key --json', 'Writes another pair, for a rotation, and prints the public key as JSON'],
  ],
  options: {},
  notes:
    'The private key is readable only by you (mode 0600); keep it off the host that serves the list. Clients get the public key.\nAn existing file is never replaced.',

  async run({ positionals, output }) {
    const [given] = positionals;
    if (given === undefined || positionals.length > 1) throw new UsageError('one file is needed', 'portcullis keygen <file>');
    const file = resolve(given);
    const { publicKey, privateKey } = await generateKeys();
    await create(file, privateKey, 0o600);
    try {
      await create(`${file}.pub`, `${publicKey}\n`, 0o644);
    } catch (error) {
      // A private key without its public one is of no use.
      await rm(file, { force: true });
      throw error;
    }
    const result = { privateKey: file, publicKeyFile: `${file}.pub`, publicKey };
    await output.result(result, () => {
      if (output.format !== 'human') return [result];
      return [
        `private key  ${file}`,
        `public key   ${publicKey}`,
        `             also in ${file}.pub`,
        '',
        `Sign with: portcullis publish <list> --out <folder> --sign ${given}`,
      ];
    });
    return exitCodes.ok;
  },
};

/** Creates the file with this mode, so that no other user can open it in between. */
async function create(file: string, text: string, mode: number): Promise<void> {
  try {
    const handle = await open(file, 'wx', mode);
    try {
      // The umask may have taken more away.
      await handle.chmod(mode);
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (cause) {
    const { code = 'UNEXPECTED' } = cause as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new UsageError(`${file} cannot be written`, 'choose a file in a folder that exists', { code });
    throw new UsageError(`${file} exists already`, 'choose another name; a replaced key could not be restored');
  }
}
