import { toHex } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';
import { digestOf } from '../../core/hashing/sha256.js';
import { encodeEntries, encodings } from '../../core/prefixes/artifact.js';
import { runInSlices, type Sliced } from '../../core/slices.js';
import { algorithmNamed } from '../formats/version-document.js';
import type { EntrySet } from '../model/generation.js';
import type { Source } from '../model/source.js';
import type { TrustedKeys } from '../signatures/verifier.js';

/**
 * Verifies stored parts like downloaded files: encoded again, they must have the signed SHA-256. Files in a spelling that this package
 * would not write, such as indented JSON, cannot be made again.
 *
 * @param meanings The source's `algorithms`
 */
export function reopenWith(trust: TrustedKeys, meanings?: Readonly<Record<string, string>>): NonNullable<Source['reopen']> {
  /** Sets never change, and the newest list often has the snapshot of the one before. */
  const verified = new WeakMap<EntrySet, string>();

  return async (signed, { snapshot, recent, hot }) => {
    const version = await trust.open({ signed });
    const algorithm = algorithmNamed(version.algoVersion, meanings);
    for (const [set, { sha256 }] of [
      [snapshot, version.snapshot],
      [recent, version.recent],
    ] as const) {
      const mark = `${algorithm} ${sha256}`;
      if (verified.get(set) === mark) continue;
      if (!(await runInSlices(isFile(set, algorithm, sha256!)))) {
        throw otherList();
      }
      verified.set(set, mark);
    }
    if (hot !== undefined && toHex(await runInSlices(digestOf(hot.memoryBytes))) !== version.hot?.sha256) throw otherList();
    return version;
  };
}

function otherList(): PortcullisError {
  return new PortcullisError('INVALID_ARTIFACT', 'the stored list is not the one that was signed');
}

function* isFile(set: EntrySet, algorithm: string, sha256: string): Sliced<boolean> {
  const entries = yield* set.readEntries();
  for (const encoding of encodings) {
    const bytes = yield* encodeEntries(entries, { encoding, algorithm });
    if (toHex(yield* digestOf(bytes)) === sha256) return true;
  }
  return false;
}
