import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type ErrorCode, isPortcullisError } from 'portcullis';
import type { BuiltList, LoggedList, LogPolicy, LogSigner, LogStorage } from 'portcullis/publish';
import type { ParsedOptions } from '../arguments/arguments.js';
import type { OptionRows } from '../arguments/option-rows.js';
import type { CommandCall } from '../command.js';
import { exitCodes } from '../errors/exit-codes.js';
import { UsageError } from '../errors/usage.js';
import type { Confirm } from '../lists/confirming.js';
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
  /** Whether the published proof is of another log. */
  isOther(proof: string): boolean;
  /** Whether one of these witnesses is asked. */
  asks(witnesses: readonly string[]): boolean;
  append(list: BuiltList): Promise<NewlyLogged>;
}

type NewlyLogged = LoggedList & {
  /** `isNew`: the log began with this version. */
  readonly log: LoggedList['log'] & { readonly isNew: boolean };
};

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
    isOther: (proof) => !isOfLog(proof, signer.vkey),
    asks: (names) => policy?.witnesses.some(({ key }) => names.includes(key.name)) === true,
    async append(list) {
      const { logList } = await import('portcullis/publish');
      const proof = (await proofIn(listFolder)) ?? undefined;
      // Another log takes the place of the one that clients know only if that is meant.
      const previousProof = proof !== undefined && options.has('yes') && !isOfLog(proof, signer.vkey) ? undefined : proof;
      const storage = logFolder(directory);
      const isNew = !(await hasEntries(storage));
      if (isNew && previousProof === undefined)
        output.note(
          `a new log begins in ${directory}; if a log of this key exists elsewhere, put its files back here first: clients refuse two logs of one key`,
        );
      const logged = await logList(list, { signer, policy, previousProof, signal, storage }).catch((error: unknown) =>
        forPublisher(error, 'publish'),
      );
      for (const { name, problem } of logged.log.missing) output.warn(`no cosignature by ${name}: ${problem}`);
      return { ...logged, log: { ...logged.log, isNew } };
    },
  };
}

async function hasEntries(storage: LogStorage): Promise<boolean> {
  for (const path of ['checkpoint', 'tile/entries/000.p/1', 'tile/entries/000'])
    if ((await storage.read(path)) !== null) return true;
  return false;
}

/** Who has signed the checkpoint of a proof. */
const signersIn = (proof: string) =>
  [...proof.matchAll(/^\u2014 (\S+) (\S+)$/gm)].map(([, name = '', data = '']) => ({
    name,
    id: Buffer.from(data, 'base64').toString('hex', 0, 4),
  }));

/** Whether a proof names the key of a log. */
function isOfLog(proof: string, vkey: string): boolean {
  const [name, id] = vkey.split('+');
  return signersIn(proof).some((signer) => signer.name === name && signer.id === id);
}

/** The proof of the published version; `null` for a list without a log. */
export async function proofIn(listFolder: string): Promise<string | null> {
  return orNull(readFile(join(listFolder, proofName), 'utf8'));
}

/** What a publisher does next is not what a reader of the list does. */
export function forPublisher(error: unknown, work: 'publish' | 'refresh'): never {
  if (!isPortcullisError(error)) throw error;
  const { code, message } = error;
  const next = (
    {
      LOG_FORKED: 'compare with what others see: portcullis log verify <URL of the list>',
      LOG_NOT_WITNESSED:
        work === 'publish'
          ? 'clients keep the version that they have'
          : 'clients refuse the present proof when its cosignatures are older than they allow, seven days by default',
      CONFLICT: 'run it again when the other process has ended',
      LOG_PROOF_INVALID: 'publish the list again with --log',
      SIGNATURE_MISSING: 'publish the list with --sign and --log',
      INVALID_ARTIFACT: 'put back the files of the log from where the list is hosted: entries and full tiles never change',
    } as Partial<Record<ErrorCode, string>>
  )[code];
  throw next === undefined ? error : new UsageError(message, next, { code, exitCode: exitCodes.network });
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

/** Refuses what clients that demand the log of the published list would refuse. */
export async function requireLogged(listFolder: string, log: OpenLog | null, confirm: Confirm): Promise<void> {
  const proof = await proofIn(listFolder);
  if (proof === null) return;
  if (log === null) {
    const what = 'the published list has a log, and the new version would not be in it';
    return confirm(what, 'log this one too, with --log', 'UNLOGGED_LIST');
  }
  // Its own refusal, with the reason, is that of logList.
  if (log.isOther(proof)) return confirm.warn('the published list is in another log, and clients keep to the log that they know');
  const [origin = ''] = proof.slice(proof.indexOf('\n\n') + 2).split('\n');
  const witnesses = signersIn(proof).flatMap(({ name }) => (name === origin ? [] : [name]));
  if (witnesses.length === 0 || log.asks(witnesses)) return;
  const what = `the published version is cosigned by ${witnesses.join(', ')}, and none of them would be asked for the new one`;
  confirm(what, 'name them with --log-policy', 'UNCOSIGNED_LIST');
}
