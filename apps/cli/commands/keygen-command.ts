import { open, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { generateKeys } from 'portcullis/sources';
import { toBase64 } from '../../../src/core/base64.js';
import type { Command, CommandCall } from '../command.js';
import { type ExitCode, exitCodes } from '../errors/exit-codes.js';
import { UsageError } from '../errors/usage.js';
import { rotatedKeys } from '../service/gateway-key-file.js';

/** Two lives of a signed list, so that a client has a newer one by then, and a day. */
const defaultOverlapDays = 7;

const dayMs = 86_400_000;

export const keygen: Command = {
  summary: 'Make a pair of keys to sign a published list or its log with, or a key for a gateway of Oblivious HTTP.',
  positionals: '<file>',
  examples: [
    ['keygen list.key', 'Writes the private key to list.key and the public key to list.key.pub'],
    ['keygen next.key --json', 'Writes another pair, for a rotation, and prints the public key as JSON'],
    ['keygen log.key --log lists.example/scam', 'Writes a pair for the log of a list, which is named so forever'],
    ['keygen --ohttp gateway.key', 'Writes a key for serve --ohttp; called again, adds a newer one to the file'],
  ],
  options: {
    log: {
      value: 'origin',
      text: 'Make the keys of a transparency log with this name: an address of yours without scheme, such as lists.example/scam',
    },
    ohttp: { text: 'Make a key for a gateway of Oblivious HTTP. If the file has one, the newer one replaces it for clients' },
    'overlap-days': {
      value: 'days',
      text: `With --ohttp: days for which a replaced key still opens requests; defaults to ${defaultOverlapDays}`,
    },
  },
  notes:
    'The private key is readable only by you (mode 0600); keep it off the host that serves the list. Clients get the public key.\nAn existing file is never replaced; only --ohttp adds to one.',

  async run(call) {
    const { positionals, options, output } = call;
    const [given] = positionals;
    if (given === undefined || positionals.length > 1) throw new UsageError('one file is needed', 'portcullis keygen <file>');
    const file = resolve(given);
    const origin = options.text('log');
    if (origin !== undefined && options.has('ohttp'))
      throw new UsageError('--log and --ohttp cannot be combined', 'make two files');
    if (options.has('ohttp')) return gatewayKey(call, given, file);
    if (options.has('overlap-days')) throw new UsageError('--overlap-days needs --ohttp');
    const { publicKey, privateKey } = origin === undefined ? await generateKeys() : await logKeys(origin);
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
        origin === undefined
          ? `Sign with: portcullis publish <list> --out <folder> --sign ${given}`
          : `Log with: portcullis publish <list> --out <folder> --sign <key> --log <folder>/log --log-key ${given}`,
      ];
    });
    return exitCodes.ok;
  },
};

async function logKeys(origin: string): Promise<{ readonly publicKey: string; readonly privateKey: string }> {
  const { generateLogKey } = await import('portcullis/publish');
  const { vkey, privateKey } = await generateLogKey(origin);
  return { publicKey: vkey, privateKey };
}

async function gatewayKey({ options, output }: CommandCall, given: string, file: string): Promise<ExitCode> {
  const days = options.number('overlap-days', 0, 365, 'any') ?? defaultOverlapDays;
  const { keys, keyList } = await rotatedKeys(file, Math.round(days * dayMs));
  const older = keys.keys.slice(1).map(({ id, notAfterMs }) => ({ id, notAfterMs }));
  const result = { privateKeys: file, keyListFile: `${file}.pub`, keyList: toBase64(keyList), id: keys.keys[0]!.id, older };
  await output.result(result, () => {
    if (output.format !== 'human') return [result];
    return [
      `private keys ${file}`,
      `key list     ${result.keyList}`,
      `             also in ${file}.pub`,
      ...older.map(
        ({ id, notAfterMs }) => `key ${String(id).padEnd(8)} opens requests until ${new Date(notAfterMs!).toISOString()}`,
      ),
      '',
      `Serve with:   portcullis serve --published <folder> --ohttp ${given}`,
      `Publish with: portcullis publish <list> --out <folder> --sign <key> --ohttp-keys ${given}.pub`,
      ...(older.length === 0 ? [] : ['A gateway that runs takes the new key within a minute; publish after that.']),
    ];
  });
  return exitCodes.ok;
}

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
