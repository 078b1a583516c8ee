import { gzipSync } from 'node:zlib';
import { encodeArtifact, PrefixSet } from 'portcullis/assets';
import { buildList, signList } from 'portcullis/publish';
import { generateKeys, signerOf } from 'portcullis/sources';
import { applyDifference, encodeDifference } from '../src/core/prefixes/difference.js';
import { runNow } from '../src/core/slices.js';
import { distinctPrefixes, randomFrom } from './inputs.js';
import {
  countName,
  type Figures,
  type Group,
  type Question,
  type Results,
  type Row,
  type Settings,
  type Spread,
} from './question.js';

/** How many bytes does a client fetch to follow a list, and how many would any code need? */
export const differences: Question = {
  name: 'differences',
  title: 'Following a published list: bytes of its files over a year of changes, without the version documents',
  groups,
  rows,
};

const [before, after] = ['a snapshot a week', 'two snapshots a day, with differences'];
const clients = { 'every 5 minutes': 1, daily: 288, monthly: 30 * 288 };
const slotsPerDay = 288;

function groups(settings: Settings): Group[] {
  const [count, days] = settings.quick ? [20_000, 31] : [300_000, 330];
  const variants = [
    { name: before, measure: () => replay(count, days, { slots: 7 * slotsPerDay, hasDifferences: false }) },
    { name: after, measure: () => replay(count, days, { slots: slotsPerDay / 2, hasDifferences: true }) },
  ];
  return [{ name: `${countName(count)} entries, ${days} days`, variants, rounds: 1 }, wire];
}

/** What a daily client receives with the version document, which a list of this size makes most of. */
const wireCount = 20_000;
const wireDays = 31;
const wire: Group = {
  name: `${countName(wireCount)} entries, 1 % changed each day`,
  variants: [{ name: after, measure: measureWire }],
  rounds: 1,
};

async function measureWire(): Promise<Figures> {
  const policy = { slots: slotsPerDay / 2, hasDifferences: true };
  const figures = replay(wireCount, wireDays, policy, 10);
  // The first poll is not counted.
  const perDay = (bytes: number): number => bytes / (wireDays - 1);
  return {
    files: perDay(figures['daily']!),
    limit: perDay(figures['daily: limit']!),
    ...(await documentBytes()),
  };
}

/** New entries of 18 hours, the mean time for which a list has their whole hashes. */
const addedPerWindow = Math.round(wireCount * 0.01 * 0.55 * 0.75);

/** The version document that follows a new snapshot, compressed as `portcullis serve` and most static hosts send it. */
async function documentBytes(): Promise<Figures> {
  const names = (from: number): string[] => Array.from({ length: wireCount }, (_, at) => `n${from + at}.example`);
  const options = { listName: 'list', isPublicSuffix: () => false };
  const previous = await buildList(names(0), { ...options, now: () => 1_800_000_000_000 });
  const build = (hotEntries: number) =>
    buildList(names(addedPerWindow), { ...options, previous, hotEntries, now: () => 1_800_050_000_000 });
  const [list, withHot] = [await build(0), await build(256)];
  const signers = [await signerOf((await generateKeys()).privateKey)];
  const signed = await signList(list, { signers, now: () => 1_800_050_000_000 });
  const sizeOf = ({ files }: typeof list): number => {
    const document = [...files].find(({ name }) => name === 'version.json')!;
    return gzipSync(document.bytes, { level: 9 }).length;
  };
  return { unsigned: sizeOf(list), signed: sizeOf(signed), hot: sizeOf(withHot) + withHot.hot!.length };
}

function wireRows(results: Results): Row[] {
  const [files, limit, unsigned, signed, hot] = ['files', 'limit', 'unsigned', 'signed', 'hot'].map((figure) =>
    results.spread(wire.name, after, figure),
  ) as [Spread, Spread, Spread, Spread, Spread];
  const row = (what: string, document?: Spread, budget?: number): Row => {
    const bytes = files.median + (document?.median ?? 0);
    const ratio = bytes / limit.median;
    return {
      what: `${what}: ${ratio.toFixed(2)} × the limit`,
      unit: 'B',
      value: { median: bytes, min: bytes, max: bytes, samples: [bytes] },
      ...(budget !== undefined && { budget: { limit: `≤ ${budget} × the limit`, met: ratio <= budget } }),
    };
  };
  return [
    { what: `a day, ${wire.name}: information limit`, unit: 'B', value: limit },
    row('files'),
    row('files and compressed version document, unsigned', unsigned, 2.4),
    row('files and compressed version document, signed', signed),
    row('files, compressed version document and whole hashes of the newest entries, unsigned', hot),
  ];
}

function rows(results: Results, settings: Settings): Row[] {
  const rows = groups(settings)
    .slice(0, 1)
    .flatMap(({ name: group }) =>
      Object.keys(clients).flatMap((client) => {
        const limit = results.spread(group, after, `${client}: limit`);
        const row = (variant: string): Row => {
          const value = results.spread(group, variant, client);
          const ratio = { ...value, median: value.median / limit.median, min: value.min / limit.min, max: value.max / limit.max };
          const isTarget = variant === after && client === 'daily' && !settings.quick;
          const budget = { limit: '≤ 1.5 × the limit', met: ratio.median <= 1.5 };
          return {
            what: `polls ${client}, ${variant}: ${ratio.median.toFixed(2)} × the limit`,
            unit: 'B',
            value,
            ...(isTarget && { budget }),
          };
        };
        return [{ what: `polls ${client}: information limit`, unit: 'B' as const, value: limit }, row(before), row(after)];
      }),
    );
  return [...rows, ...wireRows(results)];
}

interface Policy {
  /** Time between two snapshots, in slots of five minutes. */
  readonly slots: number;
  readonly hasDifferences: boolean;
}

interface Client {
  readonly every: number;
  /** The slot of its polls. */
  readonly phase: number;
  snapshot: number;
  recentSlot: number;
  list: Uint32Array;
  bytes: number;
  limitBits: number;
}

/**
 * Every day 0.1 to 0.5 % of the list changes, or `permille`, at any time of the day: 55 % are additions and 45 % removals of any entries. The files are
 * encoded as the publisher does, and fetched as the source does.
 */
function replay(count: number, days: number, policy: Policy, permille?: number): Figures {
  const random = randomFrom(15);
  const fresh = distinctPrefixes(count * 3);
  let used = count;
  const members = Array.from(fresh.subarray(0, count));
  const snapshots: { list: Uint32Array; bytes: number; difference: Uint8Array | null }[] = [];
  let recent = new Set<number>();
  let recentSlot = 0;
  const all = Object.values(clients).map(
    (every, at): Client => ({
      every,
      phase: (at * 101) % every,
      snapshot: -1,
      recentSlot: -1,
      list: new Uint32Array(0),
      bytes: 0,
      limitBits: 0,
    }),
  );
  let left = { added: 0, removed: 0 };
  for (let slot = 0; slot < days * slotsPerDay; slot++) {
    if (slot % slotsPerDay === 0) {
      const changes = (members.length * (permille ?? 1 + (random() % 401) / 100)) / 1_000;
      left = { added: Math.round(changes * 0.55), removed: Math.round(changes * 0.45) };
    }
    const slotsLeft = slotsPerDay - (slot % slotsPerDay);
    const [add, remove] = [shareOf(left.added, slotsLeft, random), shareOf(left.removed, slotsLeft, random)];
    left = { added: left.added - add, removed: left.removed - remove };
    const length = members.length;
    for (let at = 0; at < remove; at++) {
      const place = random() % members.length;
      recent.delete(members[place]!);
      members[place] = members[members.length - 1]!;
      members.pop();
    }
    for (let at = 0; at < add; at++) {
      members.push(fresh[used]!);
      recent.add(fresh[used++]!);
    }
    if (add > 0) recentSlot = slot;
    if (slot % policy.slots === 0) {
      const list = Uint32Array.from(members).sort();
      const last = snapshots.at(-1)?.list;
      const difference = last && policy.hasDifferences ? runNow(encodeDifference(last, list, null)) : null;
      snapshots.push({ list, bytes: fileBytes(list), difference });
      [recent, recentSlot] = [new Set(), slot];
    }
    for (const client of all) {
      if (slot % client.every !== client.phase) continue;
      const isFirst = client.snapshot < 0;
      const fetched = poll(client, snapshots, recent, recentSlot);
      if (!isFirst) client.bytes += fetched;
      if (!isFirst && client.every === 1) client.limitBits += bitsOf(length, remove, add);
      if (client.every === 1) continue;
      const list = Uint32Array.from(members).sort();
      if (!isFirst) client.limitBits += bitsBetween(client.list, list);
      client.list = list;
    }
  }
  return Object.fromEntries(
    Object.keys(clients).flatMap((name, at) => [
      [name, all[at]!.bytes],
      [`${name}: limit`, all[at]!.limitBits / 8],
    ]),
  );
}

/** Bytes that a client fetches besides the version document. */
function poll(
  client: Client,
  snapshots: readonly { list: Uint32Array; bytes: number; difference: Uint8Array | null }[],
  recent: ReadonlySet<number>,
  recentSlot: number,
): number {
  let bytes = 0;
  const newest = snapshots.length - 1;
  if (client.snapshot !== newest) {
    const steps = client.snapshot < 0 ? [] : snapshots.slice(client.snapshot + 1).map(({ difference }) => difference);
    const total = steps.reduce((sum, step) => sum + (step?.length ?? Number.POSITIVE_INFINITY), 0);
    if (steps.length > 0 && total <= snapshots[newest]!.bytes / 2) {
      bytes += total;
      let made = snapshots[client.snapshot]!.list;
      for (const step of steps) made = runNow(applyDifference(made, step!));
      if (Buffer.compare(Buffer.from(made.buffer), Buffer.from(snapshots[newest]!.list.buffer)) !== 0)
        throw new Error('another list');
    } else bytes += snapshots[newest]!.bytes;
  }
  if (client.snapshot !== newest || client.recentSlot !== recentSlot) bytes += recentBytes(recent);
  client.snapshot = newest;
  client.recentSlot = recentSlot;
  return bytes;
}

const fileBytes = (entries: Iterable<number>): number =>
  encodeArtifact(PrefixSet.from(entries), { encoding: 'portcullis-rice' }).length;

/** The length depends on the number of entries and hardly on the entries. */
const recentSizes = new Map<number, number>();
function recentBytes(entries: ReadonlySet<number>): number {
  const known = recentSizes.get(entries.size) ?? fileBytes(entries);
  recentSizes.set(entries.size, known);
  return known;
}

function shareOf(left: number, slotsLeft: number, random: () => number): number {
  const exact = left / slotsLeft;
  return Math.min(left, Math.floor(exact) + ((random() % 1_000) / 1_000 < exact % 1 ? 1 : 0));
}

function bitsBetween(from: Uint32Array, to: Uint32Array): number {
  let same = 0;
  for (let a = 0, b = 0; a < from.length && b < to.length; ) {
    if (from[a] === to[b]) same++;
    const isBehind = from[a]! <= to[b]!;
    if (from[a]! >= to[b]!) b++;
    if (isBehind) a++;
  }
  return bitsOf(from.length, from.length - same, to.length - same);
}

/** The logarithm of the number of ways to remove and to add so many entries. */
const bitsOf = (length: number, removed: number, added: number): number =>
  logBinomial(length, removed) + logBinomial(2 ** 32 - length, added);

function logBinomial(n: number, k: number): number {
  let bits = 0;
  for (let at = 0; at < k; at++) bits += Math.log2((n - at) / (k - at));
  return bits;
}
