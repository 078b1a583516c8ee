import { flag, number, open, provisional, text } from './fields.js';
import { loose, made, madeObject, object, objects, strict, unshown } from './kinds.js';
import { type About, read } from './operation.js';
import { healthcheckSeverity } from './value-lists.js';
import * as z from './zod.js';

/** The types of the last four are not published. */
const result = /* @__PURE__ */ madeObject(() => ({
  /** The id of the check. */ id: open('healthcheckId'),
  /** What the check found: `ok`, `warn` or `fail`. */ severity: open('healthcheckSeverity', healthcheckSeverity),
  /** What was measured. */ observed: z.optional(unshown),
  /** What it was compared with. */ threshold: z.optional(unshown),
  /** What is wrong, in the checks that name it. */ findings: z.optional(unshown),
  /** What to do about it. */ suggestedAction: z.optional(unshown),
}));

/** All checks take a slug and thresholds (names provisional), return the same shape, and have paths like `/healthchecks/area/the-rest`. */
function check<const Name extends string, const Extra extends z.core.$ZodLooseShape>(name: Name, thresholds: Extra) {
  const words = /([a-z])([A-Z])/;
  const path = name
    .replace(words, '$1/$2')
    .replace(words, '$1/$2')
    .replace(/([a-z])([A-Z])/g, '$1-$2');
  return read(name, `POST /${path.toLowerCase()}`, {
    slugAs: 'slug',
    input: loose({
      /** The organization, by its slug. */ slug: provisional(text),
      ...thresholds,
    }),
    essential: 'severity',
    output: result,
  });
}

const lookback = /* @__PURE__ */ made(() => ({
  /** How much a config must find. */ minResults: provisional(number),
  /** How many hours are looked at. */ lookbackHours: provisional(number),
}));
const spike = /* @__PURE__ */ made(() => ({
  /** How many days before are compared with. */ baselineDays: z.optional(number),
  /** From how many on a rise counts. */ minSpikeCount: z.optional(number),
}));

/** Health checks of an organization. */
export const healthchecks = /* @__PURE__ */ made(() => ({
  /** List the available checks; some are announced but not implemented. */
  list: read('healthchecksList', 'POST', {
    input: strict({}),
    essential: 'checks.implemented',
    output: object({
      /** The checks. */ checks: objects({
        /** The id of the check. */ id: open('healthcheckId'),
        /** Whether the check can be called. */ implemented: flag,
        /** Why it cannot be called. */ notImplementedReason: z.optional(text),
      }),
    }),
  }),
  /** Check for enabled configs that found too little recently. */
  detectionsSilentConfigs: check('healthchecksDetectionsSilentConfigs', lookback),
  /** Check how many proposals await review. */
  reviewingBacklog: check('healthchecksReviewingBacklog', {}),
  /** Check for proposals that have waited too long, and name the oldest. Warns after 7 days, fails after 14. */
  reviewingOldProposals: check('healthchecksReviewingOldProposals', {}),
  /** Check how many takedowns have not been started. */
  takedownsTodoVolume: check('healthchecksTakedownsTodoVolume', {}),
  /** Check how many takedowns are in progress, regardless of age. */
  takedownsInProgressVolume: check('healthchecksTakedownsInProgressVolume', {}),
  /** Check for takedowns in progress for more than 7 days, and name the oldest. */
  takedownsStaleInProgress: check('healthchecksTakedownsStaleInProgress', {}),
  /** Check how many takedowns were cancelled recently. */
  takedownsCancelledCount: check('healthchecksTakedownsCancelledCount', {}),
  /** Check whether takedowns are on while their automation is off. Warns after 30 days, fails after 60. */
  takedownsAutomationOff: check('healthchecksTakedownsAutomationOff', {}),
  /** Check for a rise in dead assets compared with the previous days. */
  assetsDeadAssetSpike: check('healthchecksAssetsDeadAssetSpike', spike),
  /** Check whether the organization has no contact URL. */
  organizationMissingContactUrl: check('healthchecksOrganizationMissingContactUrl', {}),
}));

export const aboutHealthchecks: About<typeof healthchecks> = {
  list: ['provisional public - public'],
  detectionsSilentConfigs: ['provisional public provisional public'],
  reviewingBacklog: ['provisional public provisional public'],
  reviewingOldProposals: ['provisional public provisional public'],
  takedownsTodoVolume: ['provisional public provisional public'],
  takedownsInProgressVolume: ['provisional public provisional public'],
  takedownsStaleInProgress: ['provisional public provisional public'],
  takedownsCancelledCount: ['provisional public provisional public'],
  takedownsAutomationOff: ['provisional public provisional public'],
  assetsDeadAssetSpike: ['provisional public provisional public'],
  organizationMissingContactUrl: ['provisional public provisional public'],
};
