import { readFileSync } from 'node:fs';
import {
  bytesOf,
  checksPerDay,
  type DayOfFleet,
  dayOf,
  hitsPerDay,
  incidentOf,
  peakOf,
  relayPolls,
  sharedOf,
} from '../bench/capacity.js';
import type { Sizes } from '../bench/capacity-sizes.js';
import { hour, sharedTimes, usualFleet } from '../bench/fleet.js';

export const capacityMarks = ['<!-- capacity: made by `npm run docs:capacity` -->', '<!-- capacity end -->'] as const;

/** Measured with the library's encoders, because ten million entries take too long for each run. */
export function measuredSizes(): Sizes[] {
  return JSON.parse(readFileSync(new URL('../bench/capacity.json', import.meta.url), 'utf8')) as Sizes[];
}

/** The tables of docs/capacity.md, from the measured sizes and the simulated fleets. */
export function capacityTables(fleets: readonly number[] = [1, 100, 10_000]): string {
  const sizes = measuredSizes();
  const days = fleets.map((clients) => dayOf({ ...usualFleet, clients }));
  return [fileTable(sizes), requestTable(days), byteTable(days, sizes), hitTable(days, sizes)].join('\n');
}

function fileTable(sizes: readonly Sizes[]): string {
  const row = (what: string, bytes: (size: Sizes) => number): string[] => [what, ...sizes.map((size) => bytesText(bytes(size)))];
  return table(
    '### Bytes of each file',
    ['', ...sizes.map(({ count }) => entriesText(count))],
    [
      row('`version.json`', ({ version }) => version),
      row('snapshot', ({ snapshot }) => snapshot),
      row('difference to the next snapshot', ({ difference }) => difference),
      row('recent feed, just before the next snapshot', ({ recents }) => recents.at(-1)!),
      row('shard that answers a hit', ({ shard }) => shard),
      row('all shards, on the host', ({ shard, shards }) => shard * shards),
    ],
  );
}

function requestTable(days: readonly DayOfFleet[]): string {
  const after = (clients: number, kind: Parameters<typeof incidentOf>[1], hasStore?: boolean): number =>
    peakOf(incidentOf(clients, kind, hasStore).perSecond, 2 * hour);
  const perClient = (of: (day: DayOfFleet) => number): string[] => days.map((day) => numberText(of(day)));
  const sum = ({ perSecond }: DayOfFleet): number => perSecond.reduce((all, count) => all + count, 0);
  return table(
    '### Requests of the clients, files included',
    ['', ...days.map(({ clients }) => clientsText(clients))],
    [
      ['in a day', ...perClient(sum)],
      ['a second, on average', ...perClient((day) => sum(day) / 86_400)],
      ['busiest second of a day', ...perClient(({ perSecond }) => peakOf(perSecond))],
      ['… when all restart together, with a store', ...perClient(({ clients }) => after(clients, 'restart'))],
      ['… when all restart together, without one', ...perClient(({ clients }) => after(clients, 'restart', false))],
      ['… when the host is back after an hour without an answer', ...perClient(({ clients }) => after(clients, 'unreachable'))],
      ['… when it is back after an hour of 503', ...perClient(({ clients }) => after(clients, 'refused'))],
    ],
  );
}

function byteTable(days: readonly DayOfFleet[], sizes: readonly Sizes[]): string {
  const rows = days.flatMap((day) => {
    const row = (what: string, bytes: (size: Sizes) => number): string[] => [
      clientsText(day.clients),
      what,
      ...sizes.map((size) => bytesText(bytes(size))),
    ];
    const relay = sharedOf(relayPolls(day.roundsPerSecond));
    const store = sharedOf(sharedTimes(day.roundsPerSecond, usualFleet.pollMs).length);
    return [
      row('the folder, or its CDN', (size) => bytesOf(day, size, true)),
      row('the service, asked directly; or a relay', (size) => bytesOf(day, size, false)),
      row(`the service, behind a relay: ${numberText(relay.requests)} requests`, (size) => relay.bytes(size)),
      row(`the service, behind one Redis: ${numberText(store.requests)} requests`, (size) => store.bytes(size)),
      row('whoever serves all first snapshots', (size) => day.clients * size.snapshot),
    ];
  });
  return table('### Bytes in a day', ['clients', 'sent by', ...sizes.map(({ count }) => entriesText(count))], rows);
}

function hitTable(days: readonly DayOfFleet[], sizes: readonly Sizes[]): string {
  const rows = days.map(({ clients }) => [
    clientsText(clients),
    ...sizes.map(({ count, sums }) => {
      const hits = clients * hitsPerDay(count);
      return `${numberText(hits)}; at most ${numberText(hits * (1 + sums))} files`;
    }),
  ]);
  const head = ['clients', ...sizes.map(({ count }) => entriesText(count))];
  return table(`### Hits to confirm in a day, at ${numberText(checksPerDay)} checks a client`, head, rows);
}

function table(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [title, '', line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line), ''].join('\n');
}

const clientsText = (clients: number): string => (clients === 1 ? '1 client' : `${numberText(clients)} clients`);
const entriesText = (count: number): string => (count < 1e6 ? `${count / 1e3}k entries` : `${count / 1e6}M entries`);
const numberText = (value: number): string =>
  value < 10 ? String(Number(value.toPrecision(2))) : Math.round(value).toLocaleString('en-US');

function bytesText(bytes: number): string {
  const [unit, name] = (
    [
      [1e12, 'TB'],
      [1e9, 'GB'],
      [1e6, 'MB'],
      [1e3, 'kB'],
    ] as const
  ).find(([size]) => bytes >= size) ?? [1, 'B'];
  const value = bytes / unit;
  return `${value < 100 ? Number(value.toPrecision(3)) : Math.round(value)} ${name}`;
}
