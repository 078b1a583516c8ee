import { hashOf } from 'portcullis/assets';
import { type BuiltList, buildList } from 'portcullis/publish';
import { WholeHashes } from 'portcullis/sources';
import { randomFrom } from './inputs.js';
import type { Figures, Group, Question, Results, Row, Settings } from './question.js';

/**
 * What do the whole hashes of the newest entries cost, and how many hits do they answer without a question? A list is published every hour, by the
 * publisher itself; new entries come at any time, and a tenth of them is taken back after a day.
 */
export const hot: Question = {
  name: 'hot',
  title: 'Whole hashes of the newest entries: bytes of their files, and hits that need no question',
  groups,
  rows,
};

const hourMs = 3_600_000;
const startMs = 1_800_000_000_000;

/** New entries a day: a list that people keep by hand, one of the largest lists of wallets, and a feed of machines. */
const rates = [40, 200, 2_000];
const limits = [64, 256, 1_024, 4_096];
/** Hours since an entry was first published. */
const ages = [1, 6, 12, 24, 48];

function groups({ quick }: Settings): Group[] {
  return rates.map((rate) => ({
    name: nameOf(rate),
    variants: limits.map((limit) => ({ name: `${limit} hashes`, measure: () => replay(rate, limit, quick ? 3 : 6) })),
    rounds: 1,
  }));
}

const nameOf = (rate: number): string => `${rate} new entries a day`;

/** The first day and a half is not counted: no snapshot is older than a day then. */
async function replay(rate: number, maxHashes: number, days: number): Promise<Figures> {
  const random = randomFrom(9);
  const born = new Map<string, number>();
  const old = Array.from({ length: 10_000 }, (_, at) => `old-${at}.example`);
  let list: BuiltList | undefined;
  let before = '';
  let [bytes, recentBytes] = [0, 0];
  const hits = ages.map(() => ({ all: 0, known: 0 }));
  for (let hour = 0; hour < days * 24; hour++) {
    for (let more = rate / 24; more > 0; more--) if (random() < more * 2 ** 32) born.set(`new-${born.size}.example`, hour);
    const listed = [...born].filter(([name, at]) => hour - at < 24 || !name.endsWith('7.example')).map(([name]) => name);
    list = await buildList([...old, ...listed], {
      previous: list,
      hotEntries: maxHashes,
      isPublicSuffix: () => false,
      now: () => startMs + hour * hourMs,
    });
    if (hour < 36) continue;
    const { hot: file, recent } = list.version;
    if (file !== undefined && file.sha256 !== before) bytes += list.hot!.length;
    before = file?.sha256 ?? '';
    recentBytes += [...list.files].find(({ name }) => name.includes(recent.token))!.bytes.length;
    const hashes = list.hot === null ? null : new WholeHashes(list.hot);
    for (const name of listed) {
      const age = ages.findIndex((limit) => hour - born.get(name)! < limit);
      if (age < 0) continue;
      hits[age]!.all++;
      if (hashes?.has(hashOf(name))) hits[age]!.known++;
    }
  }
  const perDay = (total: number): number => total / (days - 1.5);
  const shares = hits.map(({ all, known }, at) => [`age ${at}`, (100 * known) / all] as const);
  return { bytes: perDay(bytes), recentBytes: perDay(recentBytes), ...Object.fromEntries(shares) };
}

function rows(results: Results, settings: Settings): Row[] {
  return groups(settings).flatMap(({ name: group, variants }) => [
    {
      what: `${group}: recent entries alone`,
      unit: 'B' as const,
      value: results.spread(group, variants[0]!.name, 'recentBytes'),
    },
    ...variants.map(({ name }): Row => {
      const share = (at: number): string => `${Math.round(results.spread(group, name, `age ${at}`).median)} %`;
      const parts = ages.map((age, at) => `${ages[at - 1] ?? 0} to ${age} h ${share(at)}`);
      return {
        what: `… at most ${name} more; hits without a question by age: ${parts.join(', ')}`,
        unit: 'B',
        value: results.spread(group, name, 'bytes'),
      };
    }),
  ]);
}
