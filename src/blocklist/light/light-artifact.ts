import { toHex } from '../../core/bytes.js';
import { digestOf } from '../../core/hashing/sha256.js';
import { AscendingSet } from '../../core/prefixes/ascending-set.js';
import { decodeContainer, readHeader } from '../../core/prefixes/container.js';
import { invalidArtifact } from '../../core/prefixes/invalid.js';
import { runInSlices, type Sliced } from '../../core/slices.js';
import type { DecodePrefixes } from '../sources/source-artifact.js';

/** `decodeArtifact` for containers with entries of 4 bytes, the form in which `buildList` publishes. */
export const decodeLight: DecodePrefixes = (bytes, expected, { signal }) => runInSlices(decoding(bytes, expected), signal);

function* decoding(bytes: Uint8Array, { count, sha256, algorithm }: Parameters<DecodePrefixes>[1]): Sliced<AscendingSet> {
  if (sha256 !== undefined && toHex(yield* digestOf(bytes)) !== sha256) throw invalidArtifact('the checksum does not match');
  const header = readHeader(bytes);
  const isExpected = header.entryBytes === 4 && header.count === count && header.algorithm === algorithm;
  if (!isExpected) throw invalidArtifact('its header does not match the version document');
  return yield* AscendingSet.ofAscending((yield* decodeContainer(bytes, header)).high);
}
