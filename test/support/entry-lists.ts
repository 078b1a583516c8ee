import fc from 'fast-check';
import { HashSet, PrefixSet } from 'portcullis/assets';
import { bytesOf, oracleList, word } from './oracle/artifact.js';

export function setOf(entries: readonly string[], entryBytes: 4 | 8): PrefixSet | HashSet {
  return entryBytes === 4
    ? PrefixSet.from(entries.map((entry) => Number.parseInt(entry, 16)))
    : HashSet.from(entries.map(bytesOf));
}

const half = fc
  .oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 0xffff_ffff }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 9 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0xffff_fff0, max: 0xffff_ffff }) },
  )
  .map(word);
const algorithm = fc.stringMatching(/^[a-z0-9][a-z0-9.-]{0,63}$/);

/** A list of any algorithm, with entries of either length. */
export const anyList = fc.oneof(
  fc.tuple(fc.array(half, { maxLength: 60 }), algorithm).map(([entries, name]) => oracleList(entries, 4, name)),
  fc.tuple(fc.array(fc.tuple(half, half), { maxLength: 60 }), algorithm).map(([halves, name]) =>
    oracleList(
      halves.map((parts) => parts.join('')),
      8,
      name,
    ),
  ),
);
