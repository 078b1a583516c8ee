import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { BuiltList, LoggedList, LogPolicy, LogSigner } from 'portcullis/publish';
import type { ParsedOptions } from '../arguments/arguments.js';
import type { OptionRows } from '../arguments/option-rows.js';
import type { CommandCall } from '../command.js';
import { UsageError } from '../errors/usage.js';
import { isReadableByOthers } from '../lists/file-mode.js';
import { textFileOf } from '../lists/open-file.js';
import { orNull } from '../lists/replace-file.js';
import { inLog, logFolder } from './log-folder.js';

/** More than `readLogPolicy` reads. */
const maxPolicyBytes = 262_144;

export const proofName = 'version.proof';

export const logOptions: OptionRows = {
  log: {
    value: 'folder',
    text: 'With --sign: append this version to the transparency log in this folder, usually log/ in the folder of the list',
  },
  'log-key': { value: 'file', text: 'With --log: the private key of the log, from keygen --log' },
  'log-policy': { value: 'file', text: 'With --log: the witnesses that must cosign, in the form of c2sp.org/tlog-policy' },
};

/** The log of a call. */
export interface OpenLog {
  readonly directory: string;
  /** Runs while no other process publishes to this log. */
  locked<T>(run: () => Promise<T>): Promise<T>;
  append(list: BuiltList): Promise<LoggedList>;
}

/** The log that the options name; `null` without `--log`. */
export async function logFor(listFolder: string, call: CommandCall): Promise<OpenLog | null> {
  const { options, output, signal } = call;
  const given = options.text('log');
  if (given === undefined) {
    const other = ['log-key', 'log-policy'].find((name) => options.has(name));
    if (other !== undefined) throw new UsageError(`--${other} needs --log`);
    return null;
  }
  const keyFile = options.text('log-key');
  if (keyFile === undefined)
    throw new UsageError('--log needs --log-key', 'make a key with: portcullis keygen <file> --log <origin>');
  if (!options.has('sign')) throw new UsageError('--log needs --sign', 'only a signed list can be logged; see docs/security.md');
  const signer = await signerIn(keyFile);
  if (await isReadableByOthers(keyFile)) output.warn(`other users can read ${keyFile}; chmod 600 ${keyFile}`);
  const policy = await policyIn(options);
  const directory = resolve(given);
  return {
    directory,
    locked: (run) => inLog(directory, signal, run),
    async append(list) {
      const { logList } = await import('portcullis/publish');
      const proof = (await proofIn(listFolder)) ?? undefined;
      // Another log takes the place of the one that clients know only if that is meant.
      const previousProof = proof !== undefined && options.has('yes') && !isOfLog(proof, signer.vkey) ? undefined : proof;
      const logged = await logList(list, { signer, policy, previousProof, signal, storage: logFolder(directory) });
      for (const { name, problem } of logged.log.missing) output.warn(`no cosignature by ${name}: ${problem}`);
      return logged;
    },
  };
}

/** Whether a proof names the key of a log. */
function isOfLog(proof: string, vkey: string): boolean {
  const [name, id] = vkey.split('+');
  const lines = [...proof.matchAll(/^\u2014 (\S+) (\S+)$/gm)];
  return lines.some(([, by, data = '']) => by === name && Buffer.from(data, 'base64').toString('hex', 0, 4) === id);
}

/** The proof of the published version; `null` for a list without a log. */
export async function proofIn(listFolder: string): Promise<string | null> {
  return orNull(readFile(join(listFolder, proofName), 'utf8'));
}

export async function policyIn(options: ParsedOptions): Promise<LogPolicy | undefined> {
  const file = options.text('log-policy');
  if (file === undefined) return undefined;
  const { readLogPolicy } = await import('portcullis/publish');
  return readLogPolicy(await textFileOf(file, '--log-policy', maxPolicyBytes));
}

async function signerIn(file: string): Promise<LogSigner> {
  const { logSignerOf } = await import('portcullis/publish');
  try {
    return await logSignerOf(await readFile(file, 'utf8'));
  } catch (cause) {
    const next = 'make one with: portcullis keygen <file> --log <origin>';
    throw new UsageError(`${file} cannot be used as the key of a log: ${(cause as Error).message}`, next);
  }
}

/** Clients that demand a log would refuse the new version. */
export async function requireLogged(listFolder: string, log: OpenLog | null, isMeant: boolean): Promise<void> {
  if (isMeant || log !== null || (await proofIn(listFolder)) === null) return;
  const next = 'log this one too, with --log, or confirm with --yes';
  throw new UsageError('the published list has a log, and the new version would not be in it', next, { code: 'UNLOGGED_LIST' });
}
