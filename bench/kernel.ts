import { createHash, hash } from 'node:crypto';
import { longExpressions, shortExpressions, TextPool, wideExpressions } from './inputs.js';
import { timed } from './measure.js';
import {
  compared,
  type Figures,
  type Group,
  type Limits,
  type Question,
  type Results,
  type Row,
  type Settings,
} from './question.js';

/** How long does it take to compute the prefix of an expression, given a string? */
export const kernel: Question = { name: 'kernel', title: 'The first 32 bits of SHA-256 of a string', groups, rows };

type PrefixOf = (text: string) => number;

const ours = 'prefixOf';
const noble = '@noble/hashes sha256(utf8ToBytes(text))';
const textCount = 8_192;
const budget = { [noble]: { ratio: 0.3, limit: '≤ 0.3 ×' } };

const implementations: Record<string, () => PrefixOf | Promise<PrefixOf>> = {
  [ours]: async () => (await import('portcullis/core')).prefixOf,
  [noble]: async () => {
    const { sha256 } = await import('@noble/hashes/sha2.js');
    const { utf8ToBytes } = await import('@noble/hashes/utils.js');
    return (text) => firstWord(sha256(utf8ToBytes(text)));
  },
  "node:crypto createHash('sha256')": () => (text) => createHash('sha256').update(text).digest().readUInt32BE(0),
  "node:crypto hash('sha256', text, 'buffer')": () => (text) => hash('sha256', text, 'buffer').readUInt32BE(0),
};

/** The inputs of a group: texts, and how a decoded text becomes the string to hash. */
interface Shape {
  texts: () => string[];
  cut?: (text: string) => string;
  limits?: Limits;
}

/** Precedes the expressions that are passed as a substring of a longer string. */
const front = 'https://';

const shapes: Record<string, Shape> = {
  '≤ 55 ASCII': { texts: () => shortExpressions(textCount), limits: budget },
  // V8 does not copy a substring of 13 or more characters but points into the whole string. A link's expressions arrive so.
  '≤ 55 ASCII, substring': {
    texts: () => shortExpressions(textCount).map((text) => front + text),
    cut: (text) => text.substring(front.length),
    limits: budget,
  },
  '200 ASCII': { texts: () => longExpressions(textCount, 200) },
  'not ASCII': { texts: () => wideExpressions(textCount) },
};

function groups(settings: Settings): Group[] {
  return Object.entries(shapes).map(([name, shape]) => ({
    name,
    sameAnswer: true,
    variants: Object.entries(implementations).map(([variant, load]) => ({
      name: variant,
      measure: async () => timeKernel(await load(), shape, settings),
    })),
  }));
}

function rows(results: Results, settings: Settings): Row[] {
  return groups(settings).flatMap((group) => compared(results, group, 'ns', 'ns', shapes[group.name]?.limits));
}

function timeKernel(prefixOf: PrefixOf, shape: Shape, settings: Settings): Figures {
  const pool = new TextPool(shape.texts());
  const cut = shape.cut ?? ((text: string): string => text);
  const batch: string[] = [];
  const prepare = (from: number, to: number): void => {
    for (let index = from; index < to; index++) batch[index - from] = cut(pool.fresh(index));
  };
  const run = (from: number, to: number): number => {
    let sum = 0;
    for (let index = 0; index < to - from; index++) sum += prefixOf(batch[index] ?? '');
    return sum;
  };
  return timed({ count: pool.count, batch: 2_048, prepare, run }, settings);
}

function firstWord(digest: Uint8Array): number {
  return (((digest[0] ?? 0) << 24) | ((digest[1] ?? 0) << 16) | ((digest[2] ?? 0) << 8) | (digest[3] ?? 0)) >>> 0;
}
