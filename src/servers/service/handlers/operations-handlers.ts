import { Problem } from '../http/problem.js';
import { pendingProposals, takedownsIn, type Waiting } from '../records/queues.js';
import { dayMs, type Handlers, iso, isoOrNull, organizationOf } from './handler-context.js';

const hourMs = 3_600_000;

/** How old what waits is: a bucket ends before its number of days. provisional: names and edges. */
const buckets = [
  { name: 'UNDER_1_DAY', days: 1 },
  { name: 'DAYS_1_TO_3', days: 3 },
  { name: 'DAYS_3_TO_7', days: 7 },
  { name: 'DAYS_7_TO_14', days: 14 },
  { name: 'OVER_14_DAYS', days: Number.POSITIVE_INFINITY },
] as const;

export const operationsHandlers: Handlers<'operationsQueuesSnapshot'> = {
  // provisional: the answer. Nothing is promised to anybody here, so nothing is counted by what was.
  operationsQueuesSnapshot(call, { windowHours = 24 }) {
    if (windowHours < 0) throw new Problem(400, 'windowHours must not be negative.');
    const organization = organizationOf(call);
    const nowMs = call.clock.now();
    return {
      takenAt: iso(nowMs),
      windowHours,
      reviewing: queueOf(pendingProposals(call, organization)),
      takedowns: {
        todo: queueOf(takedownsIn(call, organization, 'TODO')),
        inProgress: queueOf(takedownsIn(call, organization, 'IN_PROGRESS')),
      },
    };

    function queueOf(waiting: readonly Waiting[]) {
      const ages = waiting.map(({ sinceMs }) => nowMs - sinceMs);
      return {
        count: waiting.length,
        staleCount: ages.filter((age) => age > windowHours * hourMs).length,
        oldestSince: isoOrNull(waiting[0]?.sinceMs ?? null),
        ages: buckets.map(({ name, days }, at) => {
          const from = (buckets[at - 1]?.days ?? 0) * dayMs;
          return { name, count: ages.filter((age) => age >= from && age < days * dayMs).length };
        }),
      };
    }
  },
};
