import { flag, number, open, provisional, provisionalObjects, text, time } from './fields.js';
import { array, loose, made, madeLoose, madeObject, object, objectOrNull, objects, record, unshown } from './kinds.js';
import * as z from './zod.js';

/**
 * The answers of operations whose document shows none. All names and shapes are our proposal: those of the embedded service. Rows only
 * have their types, as interfaces (see `records.ts`), because bundles do not need the schemas; the documentation has them all.
 */

const organizationRef = /* @__PURE__ */ madeObject(() => ({
  id: number,
  /** Its slug, which names it in other calls. */ slug: text,
  name: text,
}));
const user = /* @__PURE__ */ madeObject(() => ({
  id: number,
  fullName: text,
  /** The email address. */ email: text,
  role: open('reporterRole'),
}));

export const validateAnswer = /* @__PURE__ */ madeLoose(() => ({
  /** Whether the key is valid. An invalid key may also be an `UNAUTHORIZED` error. */ valid: provisional(flag),
  /** What the key belongs to: `organization` or `user`. */ kind: provisional(text),
  /** The user of the key; `null` for the key of an organization. */ userId: provisional(z.nullable(number)),
  /** The organizations that the key can act for. */ organizations: provisional(array(organizationRef)),
}));
export interface ValidateAnswer extends z.output<typeof validateAnswer> {}

export const userMeAnswer = /* @__PURE__ */ madeLoose(() => ({
  /** The user who owns the key; `null` for the key of an organization. */ user: provisional(z.nullable(user)),
  /** The organizations that the key can act for. */ organizations: provisional(array(organizationRef)),
}));
export interface UserMeAnswer extends z.output<typeof userMeAnswer> {}

export const userMeUpdateAnswer = /* @__PURE__ */ madeLoose(() => ({
  /** The user after the change. */ user: provisional(user),
}));
export interface UserMeUpdateAnswer extends z.output<typeof userMeUpdateAnswer> {}

export const changelogAnswer = /* @__PURE__ */ madeLoose(() => ({
  /** The latest changes, newest first. */ changes: provisionalObjects({
    /** The id of the asset. */ assetId: number,
    /** The type of the asset. */ type: open('assetType'),
    /** The asset in its normalized form. */ content: text,
    /** Its status before the change. */ previousStatus: open('assetStatus'),
    /** Its status after the change. */ status: open('assetStatus'),
    /** When it changed, in ISO 8601. */ changedAt: time,
  }),
}));
export interface ChangelogAnswer extends z.output<typeof changelogAnswer> {}

export const unblockAnswer = /* @__PURE__ */ madeLoose(() => ({
  /** `UNBLOCKED`, or `DISPUTED` if the block is another organization's. */ outcome: provisional(text),
  /** The id of the asset. */ assetId: provisional(number),
  /** The dispute that was opened instead. */ disputeId: provisional(text),
}));
export interface UnblockAnswer extends z.output<typeof unblockAnswer> {}

export const scanAnswer = /* @__PURE__ */ madeLoose(() => ({
  /** The id of the scan, for `scanResult`. */ scanId: provisional(number),
  /** How far the scan is. */ status: provisional(open('scanStatus')),
}));
export interface ScanAnswer extends z.output<typeof scanAnswer> {}

export const scanResultAnswer = /* @__PURE__ */ madeLoose(() => ({
  /** The id of the scan. */ id: provisional(number),
  /** How far the scan is. */ status: provisional(open('scanStatus')),
  /** When the scan was started, in ISO 8601. */ createdAt: provisional(time),
  /** The data that the scan gathered. */ enrichments: provisional(array(unshown)),
  /** The result; `null` until the scan is complete. */ output: provisional(
    objectOrNull({
      /** Whether the site answers. */ liveness: open('livenessStatus'),
      /** The labels that matched, each with its score. */ labels: objects({
        /** The name of the label. */ name: text,
        /** How well it matches, from 0 to 1. */ score: number,
      }),
      /** The risk, from 0 to 1. */ riskScore: number,
    }),
  ),
}));
export interface ScanResultAnswer extends z.output<typeof scanResultAnswer> {}

export const confirmAnswer = /* @__PURE__ */ madeLoose(() => ({
  /** The full hashes of blocked expressions, as hex, by the prefix that was asked for. */
  hashes: provisional(record(array(text))),
}));
export interface ConfirmAnswer extends z.output<typeof confirmAnswer> {}

export const webhookAnswer = /* @__PURE__ */ madeLoose(() => ({
  /** The id of the webhook. */ id: provisional(number),
  /** Where events are sent. */ url: provisional(text),
  /** The events that are sent. */ events: provisional(array(open('webhookEvent'))),
  /** The secret that signs deliveries. It is shown only here, so store it. */ secret: provisional(text),
}));
export interface WebhookAnswer extends z.output<typeof webhookAnswer> {}

export const sourcesAnswer = /* @__PURE__ */ madeLoose(() => ({
  /** The sources that fit the organization. */ sources: provisional(
    array(
      loose({
        /** The key of the source, for `configsCreate`. */ source: open('detectionSource'),
        /** What it finds. */ description: provisional(text),
        /** Where it can be configured: `organization` or `global`. */ scopes: provisional(array(text)),
        /** `pull` if it is polled, `push` if it calls the service. */ kind: provisional(text),
        /** The types of assets it finds; `null` for all. */ assetTypes: provisional(z.nullable(array(open('assetType')))),
        /** Whether a config names a brand. */ brandScoped: provisional(flag),
        /** The schedule of a config without its own; `null` for a source that is pushed. */
        defaultCron: provisional(z.nullable(text)),
        /** The JSON Schema of its settings. This name is published. */ configSchema: z.optional(unshown),
      }),
    ),
  ),
}));
export interface SourcesAnswer extends z.output<typeof sourcesAnswer> {}

const config = /* @__PURE__ */ madeLoose(() => ({
  /** The id of the config. */ id: number,
  /** The source it configures. */ source: open('detectionSource'),
  /** Its title. */ title: z.nullable(text),
  /** Its description. */ description: z.nullable(text),
  /** When it runs, as a cron expression. */ cron: z.nullable(text),
  /** The settings of the source. */ config: loose({}),
  /** The brand it looks for. */ brandId: z.nullable(number),
  /** Whether it runs. */ status: open('detectionConfigStatus'),
  createdAt: time,
  /** When it last ran, in ISO 8601; `null` before the first run. */ lastRunAt: z.nullable(time),
}));

export const configsAnswer = /* @__PURE__ */ madeLoose(() => ({
  /** The configured sources. */ sources: provisionalObjects({
    /** The key of the source. */ source: open('detectionSource'),
    /** Its configs. */ configs: array(config),
  }),
}));
export interface ConfigsAnswer extends z.output<typeof configsAnswer> {}

export const configAnswer = /* @__PURE__ */ madeLoose(() => ({
  /** The config after the call. */ config: provisional(config),
}));
export interface ConfigAnswer extends z.output<typeof configAnswer> {}

export const configDeleteAnswer = /* @__PURE__ */ madeLoose(() => ({
  /** Whether it was deleted. */ success: provisional(flag),
  /** The id of the deleted config. */ configId: provisional(number),
}));
export interface ConfigDeleteAnswer extends z.output<typeof configDeleteAnswer> {}

export const runAnswer = /* @__PURE__ */ madeLoose(() => ({
  /** One entry for each config. */ runs: provisionalObjects({
    /** The id of the config. */ configId: number,
    /** The source that the config configures. */ source: open('detectionSource'),
    /** `COMPLETED` or `SKIPPED`. */ status: text,
    /** How many detections the run added. */ newDetections: number,
  }),
}));
export interface RunAnswer extends z.output<typeof runAnswer> {}

const validity = /* @__PURE__ */ madeObject(() => ({
  /** The id of the config. */ configId: number,
  /** The source that the config configures. */ source: open('detectionSource'),
  /** The title of the config. */ title: z.nullable(text),
  /** How much it found. */ resultCount: number,
  /** Whether that is enough. */ ok: flag,
}));

export const configsValidateAnswer = /* @__PURE__ */ madeLoose(() => ({
  /** How much a config must find. */ minResults: provisional(number),
  /** How many hours were looked at. */ lookbackHours: provisional(number),
  /** How many configs were checked. */ checked: provisional(number),
  /** One entry for each config. */ results: provisional(array(validity)),
  /** The configs that found too little. This name is published. */ failures: z.optional(array(validity)),
}));
export interface ConfigsValidateAnswer extends z.output<typeof configsValidateAnswer> {}

export const driftAnswer = /* @__PURE__ */ madeLoose(() => ({
  /** How many hours were looked at. */ lookbackHours: provisional(number),
  /** How many configs were checked. */ checked: provisional(number),
  /** What should be changed. */ signals: provisional(array(unshown)),
}));
export interface DriftAnswer extends z.output<typeof driftAnswer> {}

const byType = /* @__PURE__ */ madeObject(() => ({
  /** The asset type. */ type: text,
  /** How many there are. */ count: number,
}));
const byDay = /* @__PURE__ */ madeObject(() => ({
  /** The day, as `YYYY-MM-DD`. */ date: text,
  /** How many there are. */ count: number,
}));
/** The range that the figures are of, in ISO 8601. */
const range = /* @__PURE__ */ made(() => ({
  /** The start of the range, in ISO 8601. */ startDate: provisional(time),
  /** The end of the range, in ISO 8601. */ endDate: provisional(time),
}));

export const summaryAnswer = /* @__PURE__ */ madeLoose(() => ({
  ...range,
  /** The totals by name, as in `list`. */ metrics: provisional(record(number)),
  /** What was blocked, by asset type. */ blockedByType: provisional(array(byType)),
  /** What was blocked, by day. */ blockedByDay: provisional(array(byDay)),
  /** What was blocked, by brand. */ blockedByBrand: provisionalObjects({
    /** The brand; `null` for what has none. */ brand: z.nullable(text),
    /** How many there are. */ count: number,
  }),
}));
export interface SummaryAnswer extends z.output<typeof summaryAnswer> {}

export const breakdownAnswer = /* @__PURE__ */ madeLoose(() => ({
  ...range,
  /** The axis of the groups. */ by: provisional(open('breakdownAxis')),
  /** The sum of all groups. */ totalCount: provisional(number),
  /** One group for each value of the axis. */ groups: provisionalObjects({
    /** The value of the axis; `null` for what has none. */ key: z.nullable(text),
    /** How many there are. */ count: number,
  }),
}));
export interface BreakdownAnswer extends z.output<typeof breakdownAnswer> {}

export const foundAnswer = /* @__PURE__ */ madeLoose(() => ({
  ...range,
  /** How many threats were found. */ found: provisional(number),
  /** How they were found. */ foundBy: provisional(
    object({
      /** Found by reports. */ reports: number,
      /** Found by detection. */ detections: number,
    }),
  ),
  /** How many were found on each day. */ foundByDay: provisional(array(byDay)),
}));
export interface FoundAnswer extends z.output<typeof foundAnswer> {}

export const firstSourceAnswer = /* @__PURE__ */ madeLoose(() => ({
  /** The sum of all sources. */ totalCount: provisional(number),
  /** How many threats each source reported first. */ sources: provisionalObjects({
    /** Where it comes from. */ source: open('reportSource'),
    /** How many there are. */ count: number,
  }),
}));
export interface FirstSourceAnswer extends z.output<typeof firstSourceAnswer> {}

const bucket = /* @__PURE__ */ madeObject(() => ({
  /** The bucket. */ name: text,
  /** How many wait in it. */ count: number,
}));
const queue = /* @__PURE__ */ madeLoose(() => ({
  /** How many wait. */ count: number,
  /** How many have waited too long. */ staleCount: number,
  /** Since when the oldest has waited, in ISO 8601. */ oldestSince: z.nullable(time),
  /** How many have waited how long, such as `UNDER_1_DAY`. */ ages: array(bucket),
  /** How many are how close to the end of the promised response time, such as `OVERDUE`. */ sla: array(bucket),
}));

export const queuesAnswer = /* @__PURE__ */ madeLoose(() => ({
  /** The time of the snapshot, in ISO 8601. */ takenAt: provisional(time),
  /** After how many hours a wait is too long. */ windowHours: provisional(number),
  /** What waits for review. */ reviewing: provisional(queue),
  /** What waits for takedown, by status. */ takedowns: provisional(
    object({
      /** What has not been started. */ todo: queue,
      /** What is in progress. */ inProgress: queue,
    }),
  ),
}));
export interface QueuesAnswer extends z.output<typeof queuesAnswer> {}
