import { createHash } from 'node:crypto';
import { type BuildOptions, type BuiltList, buildList, type ListFile } from 'portcullis/publish';
import { decodeShard, type ShardCount } from '../../src/blocklist/formats/shards.js';

export const now = (): number => 1_700_000_000_000;
export const dayMs = 86_400_000;
export const quiet: BuildOptions = { isPublicSuffix: () => false, now };

export const build = (assets: readonly string[], options: BuildOptions = {}): Promise<BuiltList> =>
  buildList([...assets], { ...quiet, ...options });
export const names = (count: number, word = 'site'): string[] =>
  Array.from({ length: count }, (_, at) => `${word}-${at}.example`);
export const fileOf = (list: BuiltList, name: string): ListFile | undefined => [...list.files].find((file) => file.name === name);
export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** A single checksum over all files. */
export function digestOf(list: BuiltList): string {
  const digest = createHash('sha256');
  for (const { name, bytes } of list.files) digest.update(`${name}\n${bytes.length}\n`).update(bytes);
  return digest.digest('hex');
}

export const hashesIn = (list: BuiltList): string[] =>
  [...list.files].flatMap(({ name, bytes }) =>
    name.startsWith('confirm/') ? shardIn(name, bytes, list.version.shards).map(hex) : [],
  );

/** The hashes in a shard's file. */
export function shardIn(name: string, bytes: Uint8Array, shards: ShardCount): readonly Uint8Array[] {
  return decodeShard(bytes, name.startsWith('confirm/all-') ? 0 : Number.parseInt(name.slice(8), 16), shards);
}
