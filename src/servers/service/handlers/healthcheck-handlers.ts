import { facetsOf } from '../../../api/operations/kinds.js';
import { healthcheckId } from '../../../api/operations/value-lists.js';
import { Problem } from '../http/problem.js';
import { configsOf, detectionsOf, lookbackHours as lookbackHoursUsual } from '../records/detection-records.js';
import { round2 } from '../records/numbers.js';
import { pendingProposals, takedownsIn, type Waiting } from '../records/queues.js';
import { daysUntil, within } from '../records/ranges.js';
import { deathsOf, takedownsNow } from '../records/takedown-records.js';
import { threatsOf } from '../records/threats.js';
import { type Call, dayMs, type Handlers, iso, organizationOf } from './handler-context.js';

const hourMs = 3_600_000;

/** Offenders that are named at once, the worst first. */
const findingsMax = 10;

/**
 * Checks over what the service holds. Every threshold can be given. provisional: the names of those that no page has, and the kinds of
 * `observed` (a number, or `null` where there is nothing to observe), `threshold` (by name), `findings` (a list) and `suggestedAction`
 * (a sentence, or `null` where nothing is to be done). Days are the documented usual ones; counts are ours.
 */
export const healthcheckHandlers: Handlers<
  | 'healthchecksList'
  | 'healthchecksDetectionsSilentConfigs'
  | 'healthchecksReviewingBacklog'
  | 'healthchecksReviewingOldProposals'
  | 'healthchecksTakedownsTodoVolume'
  | 'healthchecksTakedownsInProgressVolume'
  | 'healthchecksTakedownsStaleInProgress'
  | 'healthchecksTakedownsCancelledCount'
  | 'healthchecksTakedownsAutomationOff'
  | 'healthchecksAssetsDeadAssetSpike'
  | 'healthchecksOrganizationMissingContactUrl'
> = {
  healthchecksList() {
    return { checks: checkIds.map((id) => ({ id, implemented: true })) };
  },

  healthchecksDetectionsSilentConfigs(call, input) {
    const threshold = thresholdsOf(input, { minResults: 1, lookbackHours: lookbackHoursUsual });
    const sinceMs = call.clock.now() - threshold.lookbackHours * hourMs;
    const silent = configsOf(call, organizationOf(call), {}).flatMap((config) => {
      const resultCount = detectionsOf(call.state, config).filter(({ createdAtMs }) => createdAtMs >= sinceMs).length;
      return resultCount < threshold.minResults
        ? [{ id: config.id, source: config.source, title: config.title, resultCount }]
        : [];
    });
    return {
      id: 'detections.silent-configs',
      severity: silent.length > 0 ? 'warn' : 'ok',
      observed: silent.length,
      threshold,
      findings: silent.slice(0, findingsMax),
      suggestedAction: silent.length > 0 ? 'Run these configs, give them other terms, or disable them.' : null,
    };
  },

  healthchecksReviewingBacklog(call, input) {
    const threshold = levelsOf(input, { warnCount: 25, failCount: 100 });
    const waiting = pendingProposals(call, organizationOf(call));
    return volume('reviewing.backlog', waiting.length, threshold, 'Decide the proposals that wait.');
  },

  healthchecksReviewingOldProposals(call, input) {
    const threshold = levelsOf(input, { warnDays: 7, failDays: 14 });
    const waiting = pendingProposals(call, organizationOf(call));
    return age(call, 'reviewing.old-proposals', waiting, threshold, 'Decide the oldest proposals first.');
  },

  healthchecksTakedownsTodoVolume(call, input) {
    const threshold = levelsOf(input, { warnCount: 10, failCount: 50 });
    const waiting = takedownsIn(call, organizationOf(call), 'TODO');
    return volume('takedowns.todo-volume', waiting.length, threshold, 'See to it that takedowns are begun.');
  },

  healthchecksTakedownsInProgressVolume(call, input) {
    const threshold = levelsOf(input, { warnCount: 25, failCount: 100 });
    const waiting = takedownsIn(call, organizationOf(call), 'IN_PROGRESS');
    return volume('takedowns.in-progress-volume', waiting.length, threshold, 'See what holds the takedowns up.');
  },

  healthchecksTakedownsStaleInProgress(call, input) {
    const { staleDays } = thresholdsOf(input, { staleDays: 7 });
    const waiting = takedownsIn(call, organizationOf(call), 'IN_PROGRESS');
    const levels = { warnDays: staleDays, failDays: Number.POSITIVE_INFINITY };
    const result = age(call, 'takedowns.stale-in-progress', waiting, levels, 'Ask the providers of the oldest takedowns again.');
    return { ...result, threshold: { staleDays } };
  },

  healthchecksTakedownsCancelledCount(call, input) {
    const { lookbackDays } = thresholdsOf(input, { lookbackDays: 7 });
    // Up to two in a week are as usual.
    const threshold = levelsOf(input, { warnCount: 3, failCount: 10 });
    const organization = organizationOf(call);
    const range = daysUntil(call.clock.now(), lookbackDays);
    const steps = takedownsNow(call)
      .filter((takedown) => takedown.organizationId === organization.id)
      .flatMap(({ history }) => history.filter(({ status, atMs }) => status === 'CANCELLED' && within(atMs, range)));
    const result = volume('takedowns.cancelled-count', steps.length, threshold, 'See why takedowns were cancelled.');
    return { ...result, threshold: { ...threshold, lookbackDays } };
  },

  healthchecksTakedownsAutomationOff(call, input) {
    const threshold = levelsOf(input, { warnDays: 30, failDays: 60 });
    const { services, takedownsAutomated, createdAtMs } = organizationOf(call);
    // Nothing here switches the automation, so it has been as it is from the beginning.
    const observed = services.takedowns && !takedownsAutomated ? daysSince(call, createdAtMs) : null;
    const severity = observed === null ? 'ok' : severityOf(observed, threshold.warnDays, threshold.failDays);
    return {
      id: 'takedowns.automation-off',
      severity,
      observed,
      threshold,
      findings: observed === null ? [] : [{ automated: false, since: iso(createdAtMs) }],
      suggestedAction: severity === 'ok' ? null : 'Switch the automation of takedowns on.',
    };
  },

  healthchecksAssetsDeadAssetSpike(call, input) {
    const threshold = thresholdsOf(input, { baselineDays: 7, minSpikeCount: 10, multiplier: 3 });
    if (threshold.baselineDays === 0) throw new Problem(400, 'baselineDays must be more than 0.');
    const { state, clock } = call;
    const deaths = deathsOf(call);
    const dead = threatsOf(state, organizationOf(call).id).flatMap(({ asset: { id, content } }) => {
      const atMs = deaths.get(id);
      return atMs === undefined ? [] : [{ id, content, atMs }];
    });
    const startMs = clock.now() - dayMs;
    const today = dead.filter(({ atMs }) => atMs > startMs).sort((a, b) => b.atMs - a.atMs || a.id - b.id);
    const before = daysUntil(startMs, threshold.baselineDays);
    const baseline = dead.filter(({ atMs }) => within(atMs, before)).length / threshold.baselineDays;
    const spike = today.length >= threshold.minSpikeCount && today.length > baseline * threshold.multiplier;
    return {
      id: 'assets.dead-asset-spike',
      severity: spike ? 'warn' : 'ok',
      observed: today.length,
      threshold: { ...threshold, baselinePerDay: round2(baseline) },
      findings: spike ? today.slice(0, findingsMax).map(({ id, content, atMs }) => ({ id, content, deadSince: iso(atMs) })) : [],
      suggestedAction: spike ? 'See whether the assets are gone or only out of reach.' : null,
    };
  },

  healthchecksOrganizationMissingContactUrl(call) {
    const { slug, contactUrl } = organizationOf(call);
    const missing = contactUrl === null || contactUrl === '';
    return {
      id: 'organization.missing-contact-url',
      severity: missing ? 'warn' : 'ok',
      observed: missing ? 1 : 0,
      threshold: { warnCount: 1 },
      findings: missing ? [{ slug, contactUrl: null }] : [],
      suggestedAction: missing ? 'Give the organization an address for contact.' : null,
    };
  },
};

/** All that are known are implemented here. */
const { enum: checkIds } = facetsOf(healthcheckId) as { enum: readonly string[] };

type Severity = 'ok' | 'warn' | 'fail';

function severityOf(observed: number, warn: number, fail: number): Severity {
  return observed >= fail ? 'fail' : observed >= warn ? 'warn' : 'ok';
}

function volume(id: string, observed: number, threshold: { warnCount: number; failCount: number }, action: string) {
  const severity = severityOf(observed, threshold.warnCount, threshold.failCount);
  return { id, severity, observed, threshold, findings: [], suggestedAction: severity === 'ok' ? null : action };
}

/** By the age of the oldest, in days; the findings are all that are too old. */
function age(
  call: Call,
  id: string,
  waiting: readonly Waiting[],
  threshold: { warnDays: number; failDays: number },
  action: string,
) {
  const aged = waiting.map(({ sinceMs, ...rest }) => ({ ...rest, since: iso(sinceMs), days: daysSince(call, sinceMs) }));
  const observed = aged[0]?.days ?? null;
  const severity = observed === null ? 'ok' : severityOf(observed, threshold.warnDays, threshold.failDays);
  const findings = aged.filter(({ days }) => days >= threshold.warnDays).slice(0, findingsMax);
  return { id, severity, observed, threshold, findings, suggestedAction: severity === 'ok' ? null : action };
}

/** Whole days and two decimals, rounded down: a limit is not reached before its time. */
function daysSince({ clock }: Call, sinceMs: number): number {
  return Math.floor(((clock.now() - sinceMs) / dayMs) * 100) / 100;
}

/** Thresholds out of a loose input, or the usual ones. */
function thresholdsOf<Name extends string>(
  input: Readonly<Record<string, unknown>>,
  usual: Record<Name, number>,
): Record<Name, number> {
  const thresholds = { ...usual };
  for (const name of Object.keys(usual) as Name[]) {
    const value = input[name];
    if (value === undefined) continue;
    if (typeof value !== 'number' || !(value >= 0)) throw new Problem(400, `${name} must be a number that is not negative.`);
    thresholds[name] = value;
  }
  return thresholds;
}

/** The same for two levels. A second one that is not given is at least the first. */
function levelsOf<Name extends string>(
  input: Readonly<Record<string, unknown>>,
  usual: Record<Name, number>,
): Record<Name, number> {
  const levels = thresholdsOf(input, usual);
  const [warn, fail] = Object.keys(usual) as [Name, Name];
  if (levels[fail] >= levels[warn]) return levels;
  if (input[fail] !== undefined) throw new Problem(400, `${fail} is below ${warn}.`);
  return { ...levels, [fail]: levels[warn] };
}
