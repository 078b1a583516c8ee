import { links, listedHosts, TextPool } from './inputs.js';
import { collectGarbage, watched } from './measure.js';
import {
  compared,
  countName,
  type Figures,
  type Group,
  limited,
  type Question,
  type Results,
  type Row,
  type Settings,
} from './question.js';

/** What does publishing cost on top of the hashing, which every publisher needs? And how much memory does it take? */
export const publish: Question = {
  name: 'publish',
  title: 'Publishing a list: every file of it, from lines of text',
  groups,
  rows,
};

const ours = 'buildList, all files';
const floor = 'canonicalizeUrl + hashOf of each';
const budget = { [floor]: { ratio: 3, limit: '≤ 3 ×' } };
const maxBlockMs = 50;
const largeCount = 10_000_000;
const maxLargeMs = 60_000;
const large = `${countName(largeCount)} assets`;

function groups(settings: Settings): Group[] {
  const count = settings.quick ? 20_000 : 1_000_000;
  return [
    {
      name: `${countName(count)} assets`,
      variants: [
        { name: ours, measure: () => timePublishing(count) },
        { name: floor, measure: () => timeHashing(assetsOf(count)) },
      ],
    },
    ...(settings.full ? [{ name: large, variants: [{ name: ours, measure: timeLarge }], rounds: 1 }] : []),
  ];
}

function rows(results: Results, settings: Settings): Row[] {
  const [first, ...others] = groups(settings);
  const ofLarge = others.flatMap(({ name }) => {
    const spread = (figure: string): Row['value'] => results.spread(name, ours, figure);
    return [
      limited(`${name}: ${ours}`, 'ms', spread('ms'), maxLargeMs, '≤ 60 s'),
      limited(`${name}: longest block`, 'ms', spread('blockMs'), maxBlockMs, `≤ ${maxBlockMs} ms`),
    ];
  });
  const ofFirst = [first!].flatMap((group) => {
    const spread = (figure: string): Row['value'] => results.spread(group.name, ours, figure);
    return [
      ...compared(results, group, 'ms', 'ms', budget),
      limited(`${group.name}: longest block`, 'ms', spread('blockMs'), maxBlockMs, `≤ ${maxBlockMs} ms`),
      { what: `${group.name}: memory at its peak, garbage included`, unit: 'B' as const, value: spread('peakBytes') },
      { what: `${group.name}: memory the result holds`, unit: 'B' as const, value: spread('heldBytes') },
    ];
  });
  return [...ofFirst, ...ofLarge];
}

/** Six hosts for every four links, most of which have a path. Some links occur twice. */
function assetsOf(count: number): string[] {
  const hosts = Math.round(count * 0.6);
  return [...listedHosts(hosts), ...links(count - hosts)];
}

/** A list that is too long to be kept as strings, in parts as a file comes. */
function* largeLines(): Iterable<Uint8Array> {
  for (let start = 0; start < largeCount; start += 2_000) {
    const lines = Array.from({ length: 2_000 }, (_, at) => {
      const host = `login-${(start + at).toString(36)}.scam-mint${at % 7}.example`;
      return at % 10 < 6 ? host : `https://${host}/wallet/${at}`;
    });
    yield new Uint8Array(Buffer.from(`${lines.join('\n')}\n`));
  }
}

async function timeLarge(): Promise<Figures> {
  const { buildList } = await import('portcullis/publish');
  let list: { files: Iterable<{ bytes: Uint8Array }>; report: { listed: number } } | undefined;
  const built = await watched(async () => {
    list = await buildList({ format: 'lines', data: largeLines() });
  });
  const startMs = performance.now();
  let fileBytes = 0;
  for (const { bytes } of list?.files ?? []) fileBytes += bytes.length;
  if (list?.report.listed !== largeCount || fileBytes < largeCount * 32) throw new Error('the list is incomplete');
  return { ms: built.ms + performance.now() - startMs, blockMs: built.blockMs };
}

/** The input as bytes, like a file or a download. */
function linesOf(count: number): Uint8Array {
  return new Uint8Array(Buffer.from(assetsOf(count).join('\n')));
}

/** Measured once and cold, like every real build. */
async function timePublishing(count: number): Promise<Figures> {
  const { buildList } = await import('portcullis/publish');
  const data = linesOf(count);
  // The strings behind the lines become garbage only when their stack frames are gone.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  const before = usedBytes();
  let peakBytes = 0;
  const look = (): void => {
    peakBytes = Math.max(peakBytes, usedBytes() - before);
  };
  let fileBytes = 0;
  let list: { files: Iterable<{ bytes: Uint8Array }>; report: { entries: number } } | undefined;
  const built = await watched(async () => {
    list = await buildList({ format: 'lines', data }, { onProgress: look });
  });
  const startMs = performance.now();
  for (const { bytes } of list?.files ?? []) fileBytes += bytes.length;
  const filesMs = performance.now() - startMs;
  look();
  if (list?.report.entries !== count || fileBytes < count * 25) throw new Error('the list is incomplete');
  collectGarbage();
  return { ms: built.ms + filesMs, blockMs: built.blockMs, peakBytes, heldBytes: usedBytes() - before };
}

async function timeHashing(assets: readonly string[]): Promise<Figures> {
  const { canonicalizeUrl, hashOf } = await import('portcullis/assets');
  const pool = new TextPool(assets);
  const texts = Array.from(assets, (_, index) => pool.fresh(index));
  collectGarbage();
  const startMs = performance.now();
  let sum = 0;
  for (const text of texts) sum += hashOf(canonicalizeUrl(text) ?? '')[0] ?? 0;
  const ms = performance.now() - startMs;
  return { ms, sum };
}

function usedBytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
