import { readFile, stat } from 'node:fs/promises';
import type { GeneratedGatewayKeys, ObliviousGateway } from 'portcullis/ohttp';
import { fromBase64, toBase64 } from '../../../src/core/base64.js';
import { readKeyList } from '../../../src/core/ohttp/key-list.js';
import type { CommandCall } from '../command.js';
import { UsageError } from '../errors/usage.js';
import { isReadableByOthers } from '../lists/file-mode.js';
import type { Published } from '../lists/list-folder.js';
import { textFileOf } from '../lists/open-file.js';
import { orNull, replaceFile } from '../lists/replace-file.js';
import type { Output } from '../terminal/output.js';

/** The text of a file with the keys of a gateway; `null` if there is none. */
async function keyTextIn(file: string): Promise<string | null> {
  const text = await orNull(readFile(file, 'utf8')).catch((cause: unknown) => {
    throw new UsageError(`${file} cannot be read`, undefined, { code: codeOf(cause) });
  });
  if (text === null || !(await isReadableByOthers(file))) return text;
  throw new UsageError(`other users can read ${file}`, `chmod 600 ${file}; make a new key if one of them may have read it`);
}

/** Makes a key in a new file, or a newer one in a file that has some, and writes the list for clients beside it. */
export async function rotatedKeys(file: string, overlapMs: number | undefined): Promise<GeneratedGatewayKeys> {
  const { generateGatewayKeys } = await import('portcullis/ohttp');
  const previous = (await keyTextIn(file)) ?? undefined;
  const made = await generateGatewayKeys({ previous, overlapMs }).catch((cause: Error) => {
    throw new UsageError(`${file} was left as it is: ${cause.message}`, 'choose another file, or repair this one');
  });
  try {
    await replaceFile(file, `${JSON.stringify(made.keys, null, 2)}\n`, { mode: 0o600, isSynced: true });
    await replaceFile(`${file}.pub`, `${toBase64(made.keyList)}\n`, { mode: 0o644, isSynced: true });
  } catch (cause) {
    throw new UsageError(`${file} cannot be written`, 'choose a file in a folder that exists', { code: codeOf(cause) });
  }
  return made;
}

const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? 'UNEXPECTED';

/** A list of a gateway's keys has at most 4,096 bytes. */
const maxListText = 8_192;

/** Clients that ask through a relay could not confirm a hit with a list that names no key. */
export async function gatewayKeysFor(previous: Published | null, { options }: CommandCall): Promise<Uint8Array | undefined> {
  const file = options.text('ohttp-keys');
  if (file !== undefined) {
    if (!options.has('sign')) fail('--ohttp-keys needs --sign', 'clients take the keys only from a signed list');
    return keyListIn(file);
  }
  const { ohttpKeys } = (previous?.version ?? {}) as { readonly ohttpKeys?: unknown };
  if (ohttpKeys === undefined || options.has('dry-run') || options.has('yes')) return undefined;
  const next = 'name them in this one too, with --ohttp-keys, or confirm with --yes';
  return fail('the published list names the keys of a gateway, and the new one does not', next);
}

/** The list of keys that `keygen --ohttp` wrote beside the private ones. */
async function keyListIn(file: string): Promise<Uint8Array> {
  const text = (await textFileOf(file, '--ohttp-keys', maxListText)).trim();
  const next = 'give the file that ends in .pub, which keygen --ohttp wrote';
  if (/privateKey/.test(text)) fail('--ohttp-keys has private keys', `${next}, and keep the private ones secret`);
  const bytes = fromBase64(text);
  return bytes !== null && readKeyList(bytes)?.length ? bytes : fail("--ohttp-keys is not a list of a gateway's keys", next);
}

function fail(what: string, next: string): never {
  throw new UsageError(what, next);
}

export interface OpenGateway {
  readonly gateway: ObliviousGateway;
  close(): Promise<void>;
}

/** How often a key file is looked at for a rotation, in milliseconds. */
const lookMs = 60_000;

/** A gateway with the keys of a file, which may be rotated while it runs. */
export async function openGateway(file: string, output: Output): Promise<OpenGateway> {
  const { obliviousGateway } = await import('portcullis/ohttp');
  const text = await keyTextIn(file);
  if (text === null) throw new UsageError(`${file} does not exist`, `make it with: portcullis keygen --ohttp ${file}`);
  const gateway = await obliviousGateway({
    keys: text,
    onEvent: ({ name }) => output.alarm(`the gateway failed to answer a request: ${name}`),
  }).catch((cause: Error) =>
    fail(`${file} cannot be used: ${cause.message}`, 'make another with: portcullis keygen --ohttp <file>'),
  );
  let seen = await stateOf(file);
  const look = async (): Promise<void> => {
    const state = await stateOf(file);
    if (state === seen) return;
    seen = state;
    const next = await keyTextIn(file);
    if (next === null) throw new Error('it is gone');
    await gateway.update(next);
    output.note(`the keys in ${file} have changed; the list is now ${toBase64(gateway.keyList())}`);
  };
  const timer = setInterval(() => {
    look().catch((error: Error) => output.alarm(`${file} cannot be used; the gateway keeps its keys: ${error.message}`));
  }, lookMs);
  return { gateway, close: async () => clearInterval(timer) };
}

async function stateOf(file: string): Promise<string> {
  const stats = await orNull(stat(file));
  return stats === null ? '' : `${stats.mtimeMs} ${stats.ino}`;
}
