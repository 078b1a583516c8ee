import { readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { GatewayKeys, GeneratedGatewayKeys, ObliviousGateway } from 'portcullis/ohttp';
import { fromBase64, toBase64 } from '../../../src/core/base64.js';
import { type GatewayKey, readKeyList } from '../../../src/core/ohttp/key-list.js';
import type { CommandCall } from '../command.js';
import { UsageError } from '../errors/usage.js';
import { confirming } from '../lists/confirming.js';
import { isReadableByOthers } from '../lists/file-mode.js';
import { ohttpKeysIn } from '../lists/list-folder.js';
import { textFileOf } from '../lists/open-file.js';
import { orNull, replaceFile, writeAside } from '../lists/replace-file.js';
import type { Output } from '../terminal/output.js';
import { lockedBy } from './folder-lock.js';

/**
 * The text of a file with the keys of a gateway; `null` if there is none.
 *
 * @param refused What happens to another file
 */
async function keyTextIn(file: string, refused: string): Promise<string | null> {
  const text = await orNull(readFile(file, 'utf8')).catch((cause: unknown) => {
    throw new UsageError(`${file} cannot be read`, undefined, { code: codeOf(cause) });
  });
  if (text === null) return null;
  // Before the mode, which is right for a list.
  if (keyListOf(text) !== null)
    fail(`${file} ${refused}: it has the list for clients, not the private keys`, 'give the file without .pub at its end');
  if (!text.includes('portcullis-ohttp-keys-'))
    fail(`${file} ${refused}: it has no keys of a gateway`, 'give one that was made with: portcullis keygen --ohttp <file>');
  if (await isReadableByOthers(file))
    fail(`other users can read ${file}`, `chmod 600 ${file}; make a new key if one of them may have read it`);
  return text;
}

/** The package names its own function and option before what is wrong. */
const problemOf = ({ message }: Error): string => message.replace(/^\w+: /, '');

/** Makes a key in a new file, or a newer one in a file that has some, and writes the list for clients beside it. */
export async function rotatedKeys(file: string, overlapMs: number | undefined): Promise<GeneratedGatewayKeys> {
  // The lock would make the folder.
  if (!(await stat(dirname(file)).catch(() => null))?.isDirectory()) return unwritable(file, 'ENOENT');
  // Of two rotations at once, the later one must keep the key of the other.
  const rotated = lockedBy(`${file}.lock`, async () => {
    const { generateGatewayKeys } = await import('portcullis/ohttp');
    const refused = 'was left as it is';
    const previous = (await keyTextIn(file, refused)) ?? undefined;
    const made = await generateGatewayKeys({ previous, overlapMs }).catch((cause: Error) =>
      fail(`${file} ${refused}: ${problemOf(cause)}`, 'choose another file, or repair this one'),
    );
    await writeBoth(file, previous, made);
    return made;
  });
  return rotated.catch((cause: unknown) => {
    throw cause instanceof UsageError ? cause : unwritable(file, codeOf(cause));
  });
}

/** Replaces the file and the list beside it, or neither. */
async function writeBoth(file: string, previous: string | undefined, { keys, keyList }: GeneratedGatewayKeys): Promise<void> {
  const secret = { mode: 0o600, isSynced: true };
  const list = `${file}.pub`;
  await writeAside(list, `${toBase64(keyList)}\n`, { mode: 0o644, isSynced: true }, async (temporary) => {
    await replaceFile(file, `${JSON.stringify(keys, null, 2)}\n`, secret);
    try {
      await rename(temporary, list);
    } catch (cause) {
      await (previous === undefined ? rm(file) : replaceFile(file, previous, secret));
      throw cause;
    }
  });
}

function unwritable(file: string, code: string): never {
  throw new UsageError(`${file} or a file beside it cannot be written`, 'choose a file in a folder that exists', { code });
}

const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? 'UNEXPECTED';

/** A list of a gateway's keys has at most 4,096 bytes. */
const maxListText = 8_192;

/** Clients that ask through a relay could not confirm a hit with a list that names no key. */
export async function gatewayKeysFor(directory: string, call: CommandCall): Promise<Uint8Array | undefined> {
  const { options } = call;
  const file = options.text('ohttp-keys');
  if (file !== undefined) {
    if (!options.has('sign')) fail('--ohttp-keys needs --sign', 'clients take the keys only from a signed list');
    return keyListIn(file);
  }
  if ((await ohttpKeysIn(directory)) !== null) {
    const what = 'the published list names the keys of a gateway, and the new one does not';
    confirming(call)(what, 'name them in this one too, with --ohttp-keys', 'GATEWAY_KEYS_DROPPED');
  }
  return undefined;
}

/** The list of keys that `keygen --ohttp` wrote beside the private ones. */
async function keyListIn(file: string): Promise<Uint8Array> {
  const text = await textFileOf(file, '--ohttp-keys', maxListText);
  const next = 'give the file that ends in .pub, which keygen --ohttp wrote';
  if (/privateKey/.test(text)) fail('--ohttp-keys has private keys', `${next}, and keep the private ones secret`);
  return keyListOf(text) ?? fail("--ohttp-keys is not a list of a gateway's keys", next);
}

function keyListOf(text: string): Uint8Array | null {
  const bytes = fromBase64(text.trim());
  return bytes !== null && readKeyList(bytes)?.length ? bytes : null;
}

function fail(what: string, next: string): never {
  throw new UsageError(what, next);
}

export interface OpenGateway {
  readonly gateway: ObliviousGateway;
  /** Warns if clients of the list in a folder use a key that the gateway does not have. */
  warnOfOtherKey(directory: string): Promise<void>;
  close(): Promise<void>;
}

/** How often a key file is looked at for a rotation, in milliseconds. */
const lookMs = 60_000;

/** A gateway with the keys of a file, which may be rotated while it runs. */
export async function openGateway(file: string, output: Output): Promise<OpenGateway> {
  const { obliviousGateway } = await import('portcullis/ohttp');
  const refused = 'cannot be used';
  let seen = await stateOf(file);
  const text = await keyTextIn(file, refused);
  if (text === null) throw new UsageError(`${file} does not exist`, `make it with: portcullis keygen --ohttp ${file}`);
  const gateway = await obliviousGateway({
    keys: text,
    onEvent: ({ name }) => output.alarm(`the gateway failed to answer a request: ${name}`),
  }).catch((cause: Error) =>
    fail(`${file} ${refused}: ${problemOf(cause)}`, `make a key with: portcullis keygen --ohttp <file>`),
  );
  const look = async (): Promise<void> => {
    const state = await stateOf(file);
    if (state === seen) return;
    const next = await keyTextIn(file, refused);
    if (next === null) throw new Error(`${file} is gone`);
    await gateway.update(next).catch((cause: Error) => Promise.reject(new Error(`${file} ${refused}: ${problemOf(cause)}`)));
    // Only now: what was wrong with the file may be put right without a change of its time.
    seen = state;
    output.note(`the keys in ${file} have changed; the list is now ${toBase64(gateway.keyList())}`);
  };
  const timer = setInterval(() => {
    look().catch(({ message }: Error) => output.alarm(`the gateway keeps its keys: ${message}`));
  }, lookMs);
  return {
    gateway,
    async warnOfOtherKey(directory) {
      const named = await ohttpKeysIn(directory);
      if (named === null) return;
      const used = keyUsedOf(named);
      const open = (JSON.parse(text) as GatewayKeys).keys.filter(({ notAfterMs }) => Date.now() < (notAfterMs ?? Infinity));
      if (open.some(({ id, publicKey }) => id === used?.id && publicKey === toBase64(used.publicKey))) return;
      output.warn(
        `the list names a key that ${file} does not have, so clients cannot confirm hits; publish it with --ohttp-keys ${file}.pub`,
      );
    },
    close: async () => clearInterval(timer),
  };
}

/** The key of a list that clients use. */
function keyUsedOf(list: string): GatewayKey | undefined {
  const bytes = fromBase64(list);
  return bytes === null ? undefined : readKeyList(bytes)?.[0];
}

async function stateOf(file: string): Promise<string> {
  const stats = await orNull(stat(file));
  return stats === null ? '' : [stats.mtimeMs, stats.ctimeMs, stats.ino, stats.mode].join(' ');
}
