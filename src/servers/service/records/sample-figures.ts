/**
 * The figures of metrics, health checks and queues: made up, consistent with each other, and always the same, because no document says
 * how the real service computes them (decision 0024).
 */
const blocked = [
  { date: '2026-05-11', type: 'URL', brand: null, count: 5 },
  { date: '2026-05-12', type: 'URL', brand: 'example-wallet', count: 3 },
  { date: '2026-05-12', type: 'TWITTER', brand: 'example-wallet', count: 2 },
  { date: '2026-05-13', type: 'TELEGRAM', brand: null, count: 1 },
  { date: '2026-05-13', type: 'ADDRESS', brand: null, count: 1 },
] as const;

type Axis = 'date' | 'type' | 'brand';

/** Blocked threats by one axis, in the order above. */
export function blockedBy<Name extends Axis>(axis: Name): { key: (typeof blocked)[number][Name]; count: number }[] {
  const keys = [...new Set(blocked.map((row) => row[axis]))];
  return keys.map((key) => ({ key, count: sum((row) => row[axis] === key) }));
}

export const blockedByType: { type: string; count: number }[] = blockedBy('type').map(({ key, count }) => ({ type: key, count }));
export const blockedByDay: { date: string; count: number }[] = blockedBy('date').map(({ key, count }) => ({ date: key, count }));

export const firstDate: string = blocked[0].date;
export const lastDate: string = blocked[blocked.length - 1]!.date;

const newThreats = sum(() => true);
const [domainThreats, twitterThreats, telegramThreats] = ['URL', 'TWITTER', 'TELEGRAM'].map((type) =>
  sum((row) => row.type === type),
) as [number, number, number];

/** The totals of an organization. */
export const totals = {
  reports: 9,
  newThreats,
  threatsWatchlisted: 2,
  takedownsFiled: 6,
  takedownsCompleted: 4,
  domainThreats,
  twitterThreats,
  telegramThreats,
  otherThreats: newThreats - domainThreats - twitterThreats - telegramThreats,
} as const;

/** Median takedown times, quickest first, as the documents order them. */
export const takedownTimes = [
  { assetType: 'PAGE', ...medianOf(720, 1) },
  { assetType: 'URL', ...medianOf(1_440, 3) },
];

/** The same for two neighboring months; other months have none. */
export const takedownMonths = [
  { period: '2026-04', ...medianOf(1_800, 2) },
  { period: '2026-05', ...medianOf(1_440, 3) },
] as const;

export function medianOf(minutes: number | null, count: number) {
  return {
    medianTakedownMinutes: minutes,
    medianTakedownHours: minutes === null ? null : minutes / 60,
    medianTakedownDays: minutes === null ? null : minutes / 1_440,
    count,
  };
}

/** What each health check returns besides its id; the thresholds in days are the documented defaults. */
export const healthchecks = {
  'detections.silent-configs': { observed: 0, threshold: { minResults: 1, lookbackHours: 168 } },
  'reviewing.backlog': { observed: 1, threshold: { warnCount: 25, failCount: 100 } },
  'reviewing.old-proposals': { observed: 0, threshold: { warnDays: 7, failDays: 14 } },
  'takedowns.todo-volume': { observed: 1, threshold: { warnCount: 10, failCount: 50 } },
  'takedowns.in-progress-volume': { observed: 1, threshold: { warnCount: 25, failCount: 100 } },
  'takedowns.stale-in-progress': { observed: 0, threshold: { staleDays: 7 } },
  'takedowns.cancelled-count': { observed: 0, threshold: { warnCount: 3, failCount: 10, lookbackDays: 7 } },
  'takedowns.automation-off': { observed: null, threshold: { warnDays: 30, failDays: 60 } },
  'assets.dead-asset-spike': { observed: 1, threshold: { baselineDays: 7, minSpikeCount: 10, multiplier: 3 } },
} as const;

/** How long the only entry of a queue has waited: less than a day, as its bucket says. */
const waitedMs = 6 * 3_600_000;

/** A queue of reviews or takedowns at a time. provisional: all names. */
export const queueAt = (atMs: number) => ({
  count: 1,
  staleCount: 0,
  oldestSince: new Date(atMs - waitedMs).toISOString(),
  ages: [
    { name: 'UNDER_1_DAY', count: 1 },
    { name: 'DAYS_1_TO_3', count: 0 },
    { name: 'DAYS_3_TO_7', count: 0 },
    { name: 'DAYS_7_TO_14', count: 0 },
    { name: 'OVER_14_DAYS', count: 0 },
  ],
  sla: [
    { name: 'OVERDUE', count: 0 },
    { name: 'DUE_WITHIN_1_DAY', count: 1 },
    { name: 'DUE_LATER', count: 0 },
  ],
});

function sum(isCounted: (row: (typeof blocked)[number]) => boolean): number {
  return blocked.filter(isCounted).reduce((total, { count }) => total + count, 0);
}
