import { readFile } from 'node:fs/promises';
import type { BuiltList } from 'portcullis/publish';
import type { Signer } from 'portcullis/sources';
import type { ParsedOptions } from '../arguments/arguments.js';
import { UsageError } from '../errors/usage.js';
import type { Output } from '../terminal/output.js';
import { isReadableByOthers } from './file-mode.js';

const dayMs = 86_400_000;

/** The list, signed with the keys of `--sign`. */
export async function signedList(
  list: BuiltList,
  options: ParsedOptions,
  output: Output,
  ohttpKeys: Uint8Array | undefined,
): Promise<BuiltList> {
  const files = options.all('sign');
  const days = options.number('valid-days', 0.01, 365, 'any');
  if (files.length === 0) {
    if (days !== undefined) throw new UsageError('--valid-days needs --sign');
    return list;
  }
  const { signList } = await import('portcullis/publish');
  const signers: Signer[] = [];
  for (const file of files) {
    signers.push(await signerIn(file));
    if (await isReadableByOthers(file)) output.warn(`other users can read ${file}; chmod 600 ${file}`);
  }
  return signList(list, { signers, ohttpKeys, lifetimeMs: days === undefined ? undefined : Math.round(days * dayMs) });
}

async function signerIn(file: string): Promise<Signer> {
  const { signerOf } = await import('portcullis/sources');
  try {
    return await signerOf(await readFile(file, 'utf8'));
  } catch (cause) {
    throw new UsageError(
      `${file} cannot be used as a key: ${(cause as Error).message}`,
      'make one with: portcullis keygen <file>',
    );
  }
}

/** The public keys of `--public-key`, each given as it is or in a file. */
export async function publicKeysOf(options: ParsedOptions): Promise<readonly string[] | undefined> {
  if (!options.has('public-key')) return undefined;
  const keys: string[] = [];
  for (const given of options.all('public-key')) {
    const key = /^[A-Za-z0-9+/]{43}=$/.test(given) ? given : (await fileText(given)).trim();
    if (/PRIVATE KEY/.test(key))
      throw new UsageError('--public-key has a private key', 'give the file that ends in .pub, and keep the private key secret');
    keys.push(key);
  }
  return keys;
}

async function fileText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const next = 'give the key itself, or the file that keygen wrote';
    throw new UsageError(`--public-key cannot be read: ${(cause as Error).message}`, next);
  }
}
