import { ASSET_TYPES, type AssetType } from '../../core/assets/asset-types.js';
import { oneOf, type Plain } from './kinds.js';

/**
 * The value lists of the service. They are closed for inputs. Answers use `open('name')`, which accepts any string, because a new value
 * must not break a reader. Lists that the service's documentation calls incomplete are open in both directions, so that values that
 * work are not rejected.
 */
export const assetType: Plain<AssetType> = /* @__PURE__ */ oneOf(ASSET_TYPES);
export const assetStatus = /* @__PURE__ */ oneOf(['UNKNOWN', 'ALLOWED', 'BLOCKED']);
export const watchStatus = /* @__PURE__ */ oneOf(['ENABLED', 'DISABLED']);
export const livenessStatus = /* @__PURE__ */ oneOf(['ALIVE', 'DEAD', 'UNKNOWN']);
export const reportStatus = /* @__PURE__ */ oneOf(['TODO', 'IN_PROGRESS', 'CLOSED']);
export const imageDisplay = /* @__PURE__ */ oneOf(['VISIBLE', 'BLUR', 'HIDDEN']);
export const reportSource = /* @__PURE__ */ oneOf(['APP', 'API', 'CANARY_TOKEN', 'AUTO_DETECTION', 'ASSET_MANAGEMENT']);
// biome-ignore format: rows of words
export const reporterRole = /* @__PURE__ */ oneOf([
  'SUPERUSER', 'SYSTEM', 'CUSTOMER', 'SUPPORT', 'REVIEWER', 'REPORTER', 'MANAGER', 'READ_ONLY',
]);
/** Incomplete: one value is known. */
export const reporterConfidence = /* @__PURE__ */ oneOf(['HIGH']);
/** Incomplete: one value is known. */
export const enrichmentType = /* @__PURE__ */ oneOf(['content_and_metadata']);
export const actorKind = /* @__PURE__ */ oneOf(['human', 'automation']);
export const reviewFilter = /* @__PURE__ */ oneOf(['APPROVE', 'REJECT', 'SKIP', 'ESCALATE']);
export const proposalStatus = /* @__PURE__ */ oneOf(['PENDING', 'APPROVED', 'REJECTED']);
export const scanStatus = /* @__PURE__ */ oneOf(['PENDING', 'IN_PROGRESS', 'COMPLETED', 'FAILED']);
export const reviewDecision = /* @__PURE__ */ oneOf(['APPROVE', 'REJECT', 'WATCHLIST']);
// biome-ignore format: rows of words
export const blockLabel = /* @__PURE__ */ oneOf([
  'Brand Impersonation', 'Employee Impersonation', 'Fake Employee', 'Targeting Org Users', 'General Phishing', 'C2 Server',
  'False Positive',
]);
// biome-ignore format: rows of words
export const rejectReason = /* @__PURE__ */ oneOf([
  'irrelevant', 'no_malicious_activity', 'insufficient_evidence', 'not_targeting_org', 'decayed',
]);
export const watchlistReason = /* @__PURE__ */ oneOf(['DEAD', 'PARKING', 'NOT_ENOUGH_EVIDENCE', 'OTHER']);
/** Third-party feeds. The service uses its own slug in the same field, so this list is open. */
export const checkSource = /* @__PURE__ */ oneOf(['eth-phishing-detect', 'phishfort', 'seal', 'polkadot-phishing']);
// biome-ignore format: rows of words
export const checkReason = /* @__PURE__ */ oneOf([
  'not-found', 'unsupported-type', 'source-error', 'parent-domain', 'hosting-domain',
]);
export const checkCode = /* @__PURE__ */ oneOf(['parse-error', 'internal-scheme', 'internal-error']);
/** Incomplete. The spelling of the last four is from prose. */
// biome-ignore format: rows of words
export const takedownStatus = /* @__PURE__ */ oneOf([
  'TODO', 'IN_PROGRESS', 'COMPLETED', 'CANCELLED', 'PENDING_INPUT', 'PENDING_RETRACTION', 'RETRACTION_SENT', 'RETRACTED',
  'PENDING_EVIDENCE',
]);
/** Incomplete: one of several is known. */
export const takedownTaskType = /* @__PURE__ */ oneOf(['HOSTING_PROVIDER']);
/** Incomplete: one of several is known. */
export const takedownTaskStatus = /* @__PURE__ */ oneOf(['TODO']);
/** Incomplete: one of several is known. */
export const retractionStatus = /* @__PURE__ */ oneOf(['NOT_RETRACTED']);
// biome-ignore format: rows of words
export const takedownSortKey = /* @__PURE__ */ oneOf([
  'updatedAt', 'createdAt', 'takedownStatus', 'takedownUpdatedAt', 'assigneeId', 'brandId',
]);
export const threatSortKey = /* @__PURE__ */ oneOf(['id', 'blockedAt', 'content', 'type']);
export const sortDirection = /* @__PURE__ */ oneOf(['asc', 'desc']);
export const detectionConfidence = /* @__PURE__ */ oneOf(['none', 'low', 'medium', 'high']);
export const detectionReported = /* @__PURE__ */ oneOf(['REPORTED', 'NOT_REPORTED']);
/** Incomplete: there are more properties to filter by, whose names are not published. */
export const detectionProperty = /* @__PURE__ */ oneOf(['source', 'assetStatus', 'confidence', 'assetType']);
export const detectionOperator = /* @__PURE__ */ oneOf(['in', 'notIn']);
/** Incomplete, and also seen in lower case; `detections.sourcesList` returns the current list. */
// biome-ignore format: rows of words
export const detectionSource = /* @__PURE__ */ oneOf([
  'ASSET_CHECK', 'BING_SEARCH', 'CERTSTREAM', 'DNS_TWIST', 'DUCK_DUCK_GO_SEARCH', 'EXTERNAL', 'GOOGLE_SEARCH', 'GUESTBOOK',
  'MEDIUM_TAG_RSS', 'MOZILLA_ADDON_SEARCH', 'REDDIT_SUBREDDIT_SEARCH', 'TWITTER', 'TWITTER_POST_SEARCH', 'TWITTER_SEARCH',
  'URLSCAN', 'YAHOO_SEARCH', 'YOUTUBE_SEARCH',
]);
export const detectionConfigStatus = /* @__PURE__ */ oneOf(['ENABLED', 'DISABLED']);
export const brandType = /* @__PURE__ */ oneOf(['ORGANIZATION', 'INDIVIDUAL', 'PRODUCT']);
export const subscriptionStatus = /* @__PURE__ */ oneOf(['PROSPECT', 'POC', 'ACTIVE', 'INTEGRATION', 'INACTIVE']);
export const visibility = /* @__PURE__ */ oneOf(['PUBLIC', 'PRIVATE', 'DISABLED']);
export const reportVisibility = /* @__PURE__ */ oneOf(['PUBLIC', 'PRIVATE']);
// biome-ignore format: rows of words
export const metricsInclude = /* @__PURE__ */ oneOf([
  'reports', 'newThreats', 'threatsWatchlisted', 'takedownsFiled', 'takedownsCompleted', 'domainThreats', 'twitterThreats',
  'telegramThreats', 'otherThreats', 'blockedByType', 'blockedByDay',
]);
/** Provisional: the words of the service's command line, assumed to be those of the API. */
export const breakdownAxis = /* @__PURE__ */ oneOf(['day', 'type', 'brand']);
export const healthcheckSeverity = /* @__PURE__ */ oneOf(['ok', 'warn', 'fail']);
/** Incomplete. */
// biome-ignore format: rows of words
export const healthcheckId = /* @__PURE__ */ oneOf([
  'detections.silent-configs', 'reviewing.backlog', 'reviewing.old-proposals', 'takedowns.todo-volume',
  'takedowns.in-progress-volume', 'takedowns.stale-in-progress', 'takedowns.cancelled-count', 'takedowns.automation-off',
  'assets.dead-asset-spike', 'organization.missing-contact-url',
]);
export const webhookEvent = /* @__PURE__ */ oneOf([
  'asset.status-updated',
  'asset.status-escalated',
  'organization.threat-detection-added',
]);
export const trendDirection = /* @__PURE__ */ oneOf(['improved', 'worsened', 'unchanged']);

/** All lists by name, for the documentation. A namespace import used as a value would keep them all in every bundle. */
// biome-ignore format: rows of words
export const lists = {
  assetType, assetStatus, watchStatus, livenessStatus, reportStatus, imageDisplay, reportSource, reporterRole, reporterConfidence,
  enrichmentType, actorKind, reviewFilter, proposalStatus, scanStatus, reviewDecision, blockLabel, rejectReason, watchlistReason,
  checkSource, checkReason, checkCode, takedownStatus, takedownTaskType, takedownTaskStatus, retractionStatus, takedownSortKey,
  threatSortKey, sortDirection, detectionConfidence, detectionReported, detectionProperty, detectionOperator, detectionSource,
  detectionConfigStatus, brandType, subscriptionStatus, visibility, reportVisibility, metricsInclude, breakdownAxis,
  healthcheckSeverity, healthcheckId, webhookEvent, trendDirection,
};

/** The lists that the service's documentation calls incomplete: a response may have other values already. */
// biome-ignore format: rows of words
export const incomplete: ReadonlySet<keyof typeof lists> = /* @__PURE__ */ new Set<keyof typeof lists>([
  'reporterConfidence', 'enrichmentType', 'checkSource', 'takedownStatus', 'takedownTaskType', 'takedownTaskStatus',
  'retractionStatus', 'detectionProperty', 'detectionSource', 'healthcheckId',
]);
