import { unusable } from '../../core/http/http-api.js';
import { maxEntries } from '../../core/limits.js';
import { shardCounts } from '../formats/shards.js';
import type { ArtifactRef, VersionDocument } from '../formats/version-document.js';

type Json = Readonly<Record<string, unknown>>;

/** `versionOf` for documents as `buildList` writes them: each name has one spelling, and every file a checksum. */
export function lightVersionOf(answer: unknown, mayFetch: (url: string) => boolean, folder: string): VersionDocument {
  const fileOf = (name: string): { readonly url: string; readonly sha256: string } & Json => {
    const ref = Object(Object(answer)[name]) as Json;
    const sha256 = requireText(ref['sha256'], /^[0-9a-f]{64}$/);
    const given = requireText(ref['url'], /^(https?:\/\/[^\s\\]+|(?!\.)[\w.-]+(\/(?!\.)[\w.-]+)*)$/);
    const url = /^https?:/.test(given) ? given : `${folder}/${given}`;
    if (!mayFetch(url)) throw unusable('has a file URL that must not be fetched');
    return { ...ref, url, sha256 };
  };
  const partOf = (name: string): ArtifactRef => {
    const { token, count, url, sha256 } = fileOf(name);
    return { token: requireText(token, /^[\w-]{1,64}$/), count: requireWhole(count, maxEntries), url, sha256 };
  };
  const { algoVersion, sequence, expiresAtMs, shards } = Object(answer) as Json;
  if (shardCounts.indexOf(shards as 1) < 0) throw invalid();
  return {
    algoVersion: requireText(algoVersion, /^.{1,64}$/),
    snapshot: partOf('snapshot'),
    recent: partOf('recent'),
    confirm: fileOf('confirm'),
    shards: shards as 1,
    sequence: requireWhole(sequence),
    ...(expiresAtMs !== undefined && { expiresAtMs: requireWhole(expiresAtMs) }),
  };
}

/** The latest time of a `Date`. */
const maxTimeMs = 8.64e15;

function requireText(value: unknown, form: RegExp): string {
  if (typeof value === 'string' && form.test(value)) return value;
  throw invalid();
}

function requireWhole(value: unknown, max = maxTimeMs): number {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max) return value as number;
  throw invalid();
}

const invalid = () => unusable('is not the version document of a published list');
