/**
 * Adds rows to docs/vectors/portcullis-1.json for new inputs. Existing rows keep their expressions, because other expressions would
 * be a new algorithm; the tool fails and names a row that would change. Support for a new asset type may add expressions in front.
 *
 * tsx tools/make-vectors.ts
 */
import { readFile, writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { canonicalizeUrl, detectAssets, expressionsOf, hashOf, normalizeAsset } from '../src/entry/assets.js';
import { vectorInputs } from './vector-inputs.js';

interface Vector {
  readonly input: string;
  readonly [column: string]: unknown;
}

const path = new URL('../docs/vectors/portcullis-1.json', import.meta.url);

const kept = JSON.parse(await readFile(path, 'utf8').catch(() => '{"vectors":[]}')) as { vectors: Vector[] };
const byInput = new Map(kept.vectors.map((row) => [row.input, row]));
const rows = vectorInputs.map((input) => {
  const row = vectorOf(input);
  const before = byInput.get(input);
  if (before !== undefined && !isDeepStrictEqual(kernelOf(before), kernelOf(row, before))) {
    throw new Error(`the row of ${JSON.stringify(input)} would change; fix the code, or give the algorithm a new name`);
  }
  return row;
});
const lost = kept.vectors.find(({ input }) => !vectorInputs.includes(input));
if (lost !== undefined)
  throw new Error(
    `the row of ${JSON.stringify(lost.input)} has no input in tools/vector-inputs.ts; add it again, because rows are never removed`,
  );

const about =
  'Inputs of docs/algorithm.md and what portcullis-1 makes of them: the readings, the canonical link, the expressions most ' +
  'specific first, and their SHA-256. Run by the tests against two implementations.';
await writeFile(path, `${JSON.stringify({ algorithm: 'portcullis-1', about, vectors: rows }, null, 1)}\n`);

/** The expressions of a row that must not change: if there are new ones in front, the last ones, as many as before. */
function kernelOf(row: Vector, before: Vector = row): unknown {
  const expressions = row['expressions'] as readonly string[];
  const { length } = before['expressions'] as readonly string[];
  return [row['canonicalUrl'], length === 0 ? [] : expressions.slice(-length)];
}

function vectorOf(input: string): Vector {
  const first = normalizeAsset(input);
  const expressions = expressionsOf(input);
  return {
    input,
    ...('refused' in first ? { refused: first.refused } : { assets: detectAssets(input) }),
    canonicalUrl: canonicalizeUrl(input),
    expressions,
    hashes: expressions.map((expression) => Buffer.from(hashOf(expression)).toString('hex')),
  };
}
