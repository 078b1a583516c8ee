import { flag, number, open, provisional, text, time } from './fields.js';
import { array, loose, made, object, record, unshown } from './kinds.js';
import * as z from './zod.js';

/**
 * The answers of operations whose document shows none. All names and shapes are our proposal: those of the embedded service. Rows only
 * have their types, because bundles do not need them; the documentation has them all.
 */

const organizationRef = /* @__PURE__ */ made(() =>
  object({
    /** The id. */
    id: number,
    /** The organization, by its slug. */
    slug: text,
    /** The name. */
    name: text,
  }),
);
const user = /* @__PURE__ */ made(() =>
  object({
    /** The id. */
    id: number,
    /** The full name. */
    fullName: text,
    /** The email address. */
    email: text,
    /** The role. */
    role: open('reporterRole'),
  }),
);

export const validateAnswer = /* @__PURE__ */ made(() =>
  loose({
    /** Whether the key is valid. An invalid key may also be an `UNAUTHORIZED` error. */
    valid: provisional(flag),
    /** What the key belongs to: `organization` or `user`. */
    kind: provisional(text),
    /** The user of the key; `null` for the key of an organization. */
    userId: provisional(z.nullable(number)),
    /** The organizations that the key can act for. */
    organizations: provisional(array(organizationRef)),
  }),
);

export const userMeAnswer = /* @__PURE__ */ made(() =>
  loose({
    /** The user who owns the key; `null` for the key of an organization. */
    user: provisional(z.nullable(user)),
    /** The organizations that the key can act for. */
    organizations: provisional(array(organizationRef)),
  }),
);

export const userMeUpdateAnswer = /* @__PURE__ */ made(() =>
  loose({
    /** The user after the change. */
    user: provisional(user),
  }),
);

export const changelogAnswer = /* @__PURE__ */ made(() =>
  loose({
    /** The latest changes, newest first. */
    changes: provisional(
      array(
        object({
          /** The id of the asset. */
          assetId: number,
          /** The type of the asset. */
          type: open('assetType'),
          /** The asset in its normalized form. */
          content: text,
          /** Its status before the change. */
          previousStatus: open('assetStatus'),
          /** Its status after the change. */
          status: open('assetStatus'),
          /** When it changed, in ISO 8601. */
          changedAt: time,
        }),
      ),
    ),
  }),
);

export const unblockAnswer = /* @__PURE__ */ made(() =>
  loose({
    /** `UNBLOCKED`, or `DISPUTED` if the block is another organization's. */
    outcome: provisional(text),
    /** The id of the asset. */
    assetId: provisional(number),
    /** The dispute that was opened instead. */
    disputeId: provisional(text),
  }),
);

export const scanAnswer = /* @__PURE__ */ made(() =>
  loose({
    /** The id of the scan, for `scanResult`. */
    scanId: provisional(number),
    /** How far the scan is. */
    status: provisional(open('scanStatus')),
  }),
);

export const scanResultAnswer = /* @__PURE__ */ made(() =>
  loose({
    /** The id of the scan. */
    id: provisional(number),
    /** How far the scan is. */
    status: provisional(open('scanStatus')),
    /** When the scan was started, in ISO 8601. */
    createdAt: provisional(time),
    /** The data that the scan gathered. */
    enrichments: provisional(array(unshown)),
    /** The result; `null` until the scan is complete. */
    output: provisional(
      z.nullable(
        object({
          /** Whether the site answers. */
          liveness: open('livenessStatus'),
          /** The labels that matched, each with its score. */
          labels: array(
            object({
              /** The name. */
              name: text,
              /** From 0 to 1. */
              score: number,
            }),
          ),
          /** From 0 to 1. */
          riskScore: number,
        }),
      ),
    ),
  }),
);

export const confirmAnswer = /* @__PURE__ */ made(() =>
  loose({
    /** The full hashes of blocked expressions, as hex, by the prefix that was asked for. */
    hashes: provisional(record(array(text))),
  }),
);

export const webhookAnswer = /* @__PURE__ */ made(() =>
  loose({
    /** The id of the webhook. */
    id: provisional(number),
    /** Where events are sent. */
    url: provisional(text),
    /** The events that are sent. */
    events: provisional(array(open('webhookEvent'))),
    /** The secret that signs deliveries. It is shown only here, so store it. */
    secret: provisional(text),
  }),
);

export const sourcesAnswer = /* @__PURE__ */ made(() =>
  loose({
    /** The sources that fit the organization. */
    sources: provisional(
      array(
        loose({
          /** The key of the source, for `configsCreate`. */
          source: open('detectionSource'),
          /** What it finds. */
          description: provisional(text),
          /** Where it can be configured: `organization` or `global`. */
          scopes: provisional(array(text)),
          /** `pull` if it is polled, `push` if it calls the service. */
          kind: provisional(text),
          /** The types of assets it finds; `null` for all. */
          assetTypes: provisional(z.nullable(array(open('assetType')))),
          /** Whether a config names a brand. */
          brandScoped: provisional(flag),
          /** The schedule of a config without its own; `null` for a source that is pushed. */
          defaultCron: provisional(z.nullable(text)),
          /** The JSON Schema of its settings. This name is published. */
          configSchema: z.optional(unshown),
        }),
      ),
    ),
  }),
);

const config = /* @__PURE__ */ made(() =>
  loose({
    /** The id of the config. */
    id: number,
    /** The source it configures. */
    source: open('detectionSource'),
    /** Its title. */
    title: z.nullable(text),
    /** Its description. */
    description: z.nullable(text),
    /** When it runs, as a cron expression. */
    cron: z.nullable(text),
    /** The settings of the source. */
    config: loose({}),
    /** The brand it looks for. */
    brandId: z.nullable(number),
    /** Whether it runs. */
    status: open('detectionConfigStatus'),
  }),
);

export const configsAnswer = /* @__PURE__ */ made(() =>
  loose({
    /** The configured sources. */
    sources: provisional(
      array(
        object({
          /** The key of the source. */
          source: open('detectionSource'),
          /** Its configs. */
          configs: array(config),
        }),
      ),
    ),
  }),
);

export const configAnswer = /* @__PURE__ */ made(() =>
  loose({
    /** The config after the call. */
    config: provisional(config),
  }),
);

export const configDeleteAnswer = /* @__PURE__ */ made(() =>
  loose({
    /** Whether it was deleted. */
    success: provisional(flag),
    /** The id of the deleted config. */
    configId: provisional(number),
  }),
);

export const runAnswer = /* @__PURE__ */ made(() =>
  loose({
    /** One entry for each config. */
    runs: provisional(
      array(
        object({
          /** The id of the config. */
          configId: number,
          /** The source it configures. */
          source: open('detectionSource'),
          /** `COMPLETED` or `SKIPPED`. */
          status: text,
          /** How many detections the run added. */
          newDetections: number,
        }),
      ),
    ),
  }),
);

const validity = /* @__PURE__ */ made(() =>
  object({
    /** The id of the config. */
    configId: number,
    /** The source it configures. */
    source: open('detectionSource'),
    /** The title of the config. */
    title: z.nullable(text),
    /** How much it found. */
    resultCount: number,
    /** Whether that is enough. */
    ok: flag,
  }),
);

export const configsValidateAnswer = /* @__PURE__ */ made(() =>
  loose({
    /** How much a config must find. */
    minResults: provisional(number),
    /** The hours that are looked at. */
    lookbackHours: provisional(number),
    /** How many configs were checked. */
    checked: provisional(number),
    /** One entry for each config. */
    results: provisional(array(validity)),
    /** The configs that found too little. This name is published. */
    failures: z.optional(array(validity)),
  }),
);

export const driftAnswer = /* @__PURE__ */ made(() =>
  loose({
    /** The hours that were looked at. */
    lookbackHours: provisional(number),
    /** How many configs were checked. */
    checked: provisional(number),
    /** What should be changed. */
    signals: provisional(array(unshown)),
  }),
);

const byType = /* @__PURE__ */ made(() =>
  object({
    /** The type. */
    type: text,
    /** How many there are. */
    count: number,
  }),
);
const byDay = /* @__PURE__ */ made(() =>
  object({
    /** The day, as `YYYY-MM-DD`. */
    date: text,
    /** How many there are. */
    count: number,
  }),
);
/** The range that the figures are of, in ISO 8601. */
const range = /* @__PURE__ */ made(() => ({
  /** The start of the range, in ISO 8601. */
  startDate: provisional(time),
  /** The end of the range, in ISO 8601. */
  endDate: provisional(time),
}));

export const summaryAnswer = /* @__PURE__ */ made(() =>
  loose({
    ...range,
    /** The totals by name, as in `list`. */
    metrics: provisional(record(number)),
    /** What was blocked, by asset type. */
    blockedByType: provisional(array(byType)),
    /** What was blocked, by day. */
    blockedByDay: provisional(array(byDay)),
    /** What was blocked, by brand; `null` without one. */
    blockedByBrand: provisional(
      array(
        object({
          /** The brand; `null` without one. */
          brand: z.nullable(text),
          /** How many there are. */
          count: number,
        }),
      ),
    ),
  }),
);

export const breakdownAnswer = /* @__PURE__ */ made(() =>
  loose({
    ...range,
    /** The axis of the groups. */
    by: provisional(open('breakdownAxis')),
    /** The sum of all groups. */
    totalCount: provisional(number),
    /** One group for each value of the axis. */
    groups: provisional(
      array(
        object({
          /** The value of the axis; `null` without one. */
          key: z.nullable(text),
          /** How many there are. */
          count: number,
        }),
      ),
    ),
  }),
);

export const foundAnswer = /* @__PURE__ */ made(() =>
  loose({
    ...range,
    /** How many threats were found. */
    found: provisional(number),
    /** How they were found. */
    foundBy: provisional(
      object({
        /** Found by reports. */
        reports: number,
        /** Found by detection. */
        detections: number,
      }),
    ),
    /** How many were found on each day. */
    foundByDay: provisional(array(byDay)),
  }),
);

export const firstSourceAnswer = /* @__PURE__ */ made(() =>
  loose({
    /** The sum of all sources. */
    totalCount: provisional(number),
    /** How many threats each source reported first. */
    sources: provisional(
      array(
        object({
          /** Where it comes from. */
          source: open('reportSource'),
          /** How many there are. */
          count: number,
        }),
      ),
    ),
  }),
);

const queue = /* @__PURE__ */ made(() =>
  loose({
    /** How many wait. */
    count: number,
    /** How many have waited too long. */
    staleCount: number,
    /** Since when the oldest has waited, in ISO 8601. */
    oldestSince: z.nullable(time),
    /** How many have waited how long. */
    ages: array(
      object({
        /** The name. */
        name: text,
        /** How many there are. */
        count: number,
      }),
    ),
  }),
);

export const queuesAnswer = /* @__PURE__ */ made(() =>
  loose({
    /** The time of the snapshot, in ISO 8601. */
    takenAt: provisional(time),
    /** After how many hours a wait is too long. */
    windowHours: provisional(number),
    /** What waits for review. */
    reviewing: provisional(queue),
    /** What waits for takedown, by status. */
    takedowns: provisional(
      object({
        /** What has not been started. */
        todo: queue,
        /** What is in progress. */
        inProgress: queue,
      }),
    ),
  }),
);
