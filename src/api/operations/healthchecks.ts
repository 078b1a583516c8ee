import * as z from 'zod/mini';
import { flag, number, open, provisional, text } from './fields.js';
import { loose, made, strict, unshown } from './kinds.js';
import { type About, type Route, read } from './operation.js';

/** The types of the last four are not published. */
const result = /* @__PURE__ */ made(() =>
  z.object({
    id: open('healthcheckId'),
    severity: open('healthcheckSeverity'),
    observed: z.optional(unshown),
    threshold: z.optional(unshown),
    findings: z.optional(unshown),
    suggestedAction: z.optional(unshown),
  }),
);

/** All checks take a slug and thresholds, whose names are provisional, and answer alike. */
function check<const Name extends string, const Extra extends z.core.$ZodLooseShape>(
  name: Name,
  route: Route,
  thresholds: Extra,
) {
  return read(name, route, {
    slugAs: 'slug',
    input: loose({ slug: provisional(text), ...thresholds }),
    output: result,
  });
}

const lookback = /* @__PURE__ */ made(() => ({ minResults: provisional(number), lookbackHours: provisional(number) }));
const spike = /* @__PURE__ */ made(() => ({ baselineDays: z.optional(number), minSpikeCount: z.optional(number) }));

/** Checks of how an organization works. */
export const healthchecks = /* @__PURE__ */ made(() => ({
  /** The checks there are; some are announced and not implemented. */
  list: read('healthchecksList', 'POST /healthchecks/list', {
    input: strict({}),
    output: z.object({
      checks: z.array(z.object({ id: open('healthcheckId'), implemented: flag, notImplementedReason: z.optional(text) })),
    }),
  }),
  /** Enabled configs that found too little of late. */
  detectionsSilentConfigs: check('healthchecksDetectionsSilentConfigs', 'POST /healthchecks/detections/silent-configs', lookback),
  /** How many proposals wait for review. */
  reviewingBacklog: check('healthchecksReviewingBacklog', 'POST /healthchecks/reviewing/backlog', {}),
  /** Proposals that have waited too long, the oldest by name. Warns after 7 days, fails after 14. */
  reviewingOldProposals: check('healthchecksReviewingOldProposals', 'POST /healthchecks/reviewing/old-proposals', {}),
  /** How many takedowns have not been begun. */
  takedownsTodoVolume: check('healthchecksTakedownsTodoVolume', 'POST /healthchecks/takedowns/todo-volume', {}),
  /** How many takedowns are under way, however old. */
  takedownsInProgressVolume: check(
    'healthchecksTakedownsInProgressVolume',
    'POST /healthchecks/takedowns/in-progress-volume',
    {},
  ),
  /** Takedowns under way for more than 7 days, the oldest by name. */
  takedownsStaleInProgress: check('healthchecksTakedownsStaleInProgress', 'POST /healthchecks/takedowns/stale-in-progress', {}),
  /** How many takedowns were cancelled of late. */
  takedownsCancelledCount: check('healthchecksTakedownsCancelledCount', 'POST /healthchecks/takedowns/cancelled-count', {}),
  /** Takedowns are on but their automation has been off for 30 days, or fails after 60. */
  takedownsAutomationOff: check('healthchecksTakedownsAutomationOff', 'POST /healthchecks/takedowns/automation-off', {}),
  /** More dead assets than usual, by the days before. */
  assetsDeadAssetSpike: check('healthchecksAssetsDeadAssetSpike', 'POST /healthchecks/assets/dead-asset-spike', spike),
  /** The organization has no address for contact. */
  organizationMissingContactUrl: check(
    'healthchecksOrganizationMissingContactUrl',
    'POST /healthchecks/organization/missing-contact-url',
    {},
  ),
}));

export const aboutHealthchecks: About<typeof healthchecks> = {
  list: ['The checks there are; some are announced and not implemented.', 'provisional public - public'],
  detectionsSilentConfigs: ['Enabled configs that found too little of late.', 'provisional public provisional public'],
  reviewingBacklog: ['How many proposals wait for review.', 'provisional public provisional public'],
  reviewingOldProposals: [
    'Proposals that have waited too long, the oldest by name. Warns after 7 days, fails after 14.',
    'provisional public provisional public',
  ],
  takedownsTodoVolume: ['How many takedowns have not been begun.', 'provisional public provisional public'],
  takedownsInProgressVolume: ['How many takedowns are under way, however old.', 'provisional public provisional public'],
  takedownsStaleInProgress: [
    'Takedowns under way for more than 7 days, the oldest by name.',
    'provisional public provisional public',
  ],
  takedownsCancelledCount: ['How many takedowns were cancelled of late.', 'provisional public provisional public'],
  takedownsAutomationOff: [
    'Takedowns are on but their automation has been off for 30 days, or fails after 60.',
    'provisional public provisional public',
  ],
  assetsDeadAssetSpike: ['More dead assets than usual, by the days before.', 'provisional public provisional public'],
  organizationMissingContactUrl: ['The organization has no address for contact.', 'provisional public provisional public'],
};
