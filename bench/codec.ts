import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { distinctPrefixes } from './inputs.js';
import { collectGarbage, watched } from './measure.js';
import {
  countName,
  type Figures,
  type Group,
  limited,
  type Question,
  type Results,
  type Row,
  type Settings,
  spreadOf,
} from './question.js';

/** How large is an encoded list, and how long does decoding block everything else? */
export const codec: Question = { name: 'codec', title: 'Artifacts: size, and time to decode', groups, rows };

const encodings = ['raw', 'hex', 'json', 'portcullis', 'portcullis-rice'] as const;
const maxLimitRatio = 1.01;
const maxBlockMs = 50;
const decodes = 5;

function groups(settings: Settings): Group[] {
  return [...sizesOf(settings).map((size) => sizeGroup(size, settings)), decodeGroup(settings)];
}

function rows(results: Results, settings: Settings): Row[] {
  return [...sizesOf(settings).flatMap((size) => sizeRows(results, size, settings)), ...decodeRows(results, settings)];
}

function sizesOf(settings: Settings): number[] {
  return settings.quick ? [10_000] : [10_000, 100_000, 1_000_000];
}

/** Sizes do not vary, so one process and one round are enough. */
function sizeGroup(size: number, settings: Settings): Group {
  const variants = [{ name: 'sizes', measure: () => sizesAt(size, settings) }];
  return { name: `${countName(size)} entries`, variants, rounds: 1 };
}

function decodeGroup(settings: Settings): Group {
  const count = settings.quick ? 50_000 : 1_000_000;
  return {
    name: `decode ${countName(count)}`,
    prepare: () => writeArtifacts(count, settings),
    variants: encodings.map((encoding) => ({
      name: encoding,
      measure: () => decodeTimes(encoding, count, settings),
    })),
  };
}

async function sizesAt(size: number, settings: Settings): Promise<Figures> {
  const { encodeArtifact, PrefixSet } = await import('portcullis/assets');
  const set = PrefixSet.from(distinctPrefixes(size));
  const artifacts = encodings.map((encoding) => [encoding, encodeArtifact(set, { encoding })] as const);
  const sizes = artifacts.map(([encoding, bytes]) => [encoding, bytes.length]);
  const packed = artifacts
    .filter(([encoding]) => encoding === 'raw' || encoding === 'json')
    .flatMap(([encoding, bytes]) => [
      [`${encoding} + gzip`, gzipSync(bytes, { level: 9 }).length],
      [`${encoding} + brotli`, brotliCompressSync(bytes, { params: brotliParams(settings) }).length],
    ]);
  return { ...Object.fromEntries([...sizes, ...packed]), limit: informationLimit(size) };
}

/** The strongest setting, because a list is compressed once and fetched often. */
function brotliParams(settings: Settings): Record<number, number> {
  return { [constants.BROTLI_PARAM_QUALITY]: settings.quick ? 4 : constants.BROTLI_MAX_QUALITY };
}

function sizeRows(results: Results, size: number, settings: Settings): Row[] {
  const { name } = sizeGroup(size, settings);
  const bytes = (figure: string): number => results.spread(name, 'sizes', figure).median;
  const most = bytes('limit') * maxLimitRatio + bytes('portcullis') - 4 * size;
  const line = (figure: string): Row => ({ what: `${name}: ${figure}`, unit: 'B', value: spreadOf([bytes(figure)]) });
  const rice = limited(`${name}: portcullis-rice`, 'B', spreadOf([bytes('portcullis-rice')]), most, `≤ ${Math.floor(most)}`);
  const others = [...encodings.filter((encoding) => encoding !== 'portcullis-rice'), ...packedNames];
  return [rice, ...['limit', ...others].map((figure) => withRatio(line(figure), rice.value.median))];
}

const packedNames = ['raw + gzip', 'raw + brotli', 'json + gzip', 'json + brotli'];

function withRatio(row: Row, ours: number): Row {
  return { ...row, ratio: spreadOf([ours / row.value.median]) };
}

/**
 * The smallest possible average size, in bytes, of `count` numbers out of 2^32 if all sets are equally likely: log2 of
 * the binomial coefficient. Stirling's series keeps the digits that a difference of three log-gamma values near 9e10
 * would lose. (It agrees with the sum of a million logarithms to 15 digits.)
 */
function informationLimit(count: number): number {
  const all = 2 ** 32;
  const part = count / all;
  const entropy = -count * Math.log(part) - (all - count) * Math.log1p(-part);
  const root = -0.5 * Math.log(2 * Math.PI * count * (1 - part));
  const series = (1 / all - 1 / count - 1 / (all - count)) / 12;
  return (entropy + root + series) / Math.LN2 / 8;
}

/** In a separate process, because encoding would warm up code that decoding shares, and leave garbage. */
async function writeArtifacts(count: number, settings: Settings): Promise<Figures> {
  const { encodeArtifact, PrefixSet } = await import('portcullis/assets');
  const set = PrefixSet.from(distinctPrefixes(count));
  await mkdir(settings.scratch, { recursive: true });
  for (const encoding of encodings) await writeFile(fileOf(encoding, settings), encodeArtifact(set, { encoding }));
  return {};
}

/** A user waits for the first decode of a process. The later ones are warm. */
async function decodeTimes(encoding: Encoding, count: number, settings: Settings): Promise<Figures> {
  const { decodeArtifact } = await import('portcullis/assets');
  const bytes = new Uint8Array(await readFile(fileOf(encoding, settings)));
  const decode = async (): Promise<void> => {
    const { size } = await decodeArtifact(bytes, { encoding, count });
    if (size !== count) throw new Error(`${encoding}: ${size} of ${count} entries were decoded`);
  };
  collectGarbage();
  const first = await watched(decode);
  const later = [];
  for (let index = 0; index < decodes; index++) later.push(await watched(decode));
  return {
    firstMs: first.ms,
    laterMs: spreadOf(later.map(({ ms }) => ms)).median,
    blockMs: Math.max(first.blockMs, ...later.map(({ blockMs }) => blockMs)),
  };
}

function decodeRows(results: Results, settings: Settings): Row[] {
  const { name } = decodeGroup(settings);
  return encodings.flatMap((encoding) => {
    const spread = (figure: string): Row['value'] => results.spread(name, encoding, figure);
    return [
      { what: `${name}: ${encoding}, first time`, unit: 'ms', value: spread('firstMs') },
      { what: `${name}: ${encoding}, later`, unit: 'ms', value: spread('laterMs') },
      limited(`${name}: ${encoding}, longest block`, 'ms', spread('blockMs'), maxBlockMs, `≤ ${maxBlockMs} ms`),
    ];
  });
}

type Encoding = (typeof encodings)[number];

function fileOf(encoding: Encoding, settings: Settings): string {
  return join(settings.scratch, `list.${encoding}`);
}
