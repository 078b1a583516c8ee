/**
 * Adds rows to docs/vectors/portcullis-1.json and those of the tables for new inputs. Existing rows keep their expressions, because other expressions would
 * be a new algorithm; the tool fails and names a row that would change. Support for a new asset type may add expressions in front.
 *
 * tsx tools/make-vectors.ts
 */
import { readFile, writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { canonicalizeUrl, detectAssets, expressionsOf, hashOf, normalizeAsset } from '../src/entry/assets.js';
import { tableVectorInputs } from './table-vector-inputs.js';
import { vectorInputs } from './vector-inputs.js';

interface Vector {
  readonly input: string;
  readonly [column: string]: unknown;
}

await write(
  'portcullis-1',
  'Inputs of docs/algorithm.md and what portcullis-1 makes of them: the readings, the canonical link, the expressions most ' +
    'specific first, and their SHA-256. Run by the tests against two implementations.',
  vectorInputs.map(vectorOf),
);
for (const [name, inputs] of Object.entries(tableVectorInputs))
  await write(
    name,
    `Texts for the rows of a table of docs/algorithm.md, and what portcullis-1 makes of them.`,
    [...new Set(inputs)].map((input) => ({ input, canonicalUrl: canonicalizeUrl(input), expressions: expressionsOf(input) })),
  );

async function write(name: string, about: string, rows: readonly Vector[]): Promise<void> {
  const path = new URL(`../docs/vectors/${name}.json`, import.meta.url);
  const kept = JSON.parse(await readFile(path, 'utf8').catch(() => '{"vectors":[]}')) as { vectors: Vector[] };
  const byInput = new Map(rows.map((row) => [row.input, row]));
  for (const before of kept.vectors) {
    const row = byInput.get(before.input);
    const shown = JSON.stringify(before.input);
    if (row === undefined)
      throw new Error(`the row of ${shown} of ${name} has no input; add it again, because rows are never removed`);
    if (!isDeepStrictEqual(kernelOf(before), kernelOf(row, before)))
      throw new Error(`the row of ${shown} of ${name} would change; fix the code, or give the algorithm a new name`);
  }
  const lines = rows.map((row) =>
    name === 'portcullis-1' ? JSON.stringify(row, null, 1).replace(/^/gm, '  ') : `  ${JSON.stringify(row)}`,
  );
  await writeFile(
    path,
    `{\n "algorithm": "portcullis-1",\n "about": ${JSON.stringify(about)},\n "vectors": [\n${lines.join(',\n')}\n ]\n}\n`,
  );
}

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
