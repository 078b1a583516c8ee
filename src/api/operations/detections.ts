import * as z from 'zod/mini';
import { day, draft, flag, id, instant, number, numberOrText, open, provisional, text, time } from './fields.js';
import { between, loose, made, strict, unshown } from './kinds.js';
import { type About, read, write } from './operation.js';
import { assetRef, brandRef } from './records.js';
import * as enums from './value-lists.js';

const settings = /* @__PURE__ */ made(() => loose({}));
/** Filters the command line has; their names on the wire are provisional. */
const filters = /* @__PURE__ */ made(() => ({ source: provisional(text), includeDisabled: provisional(flag) }));

/** Detection configs and the threats they find. */
export const detections = /* @__PURE__ */ made(() => ({
  /** What the detection sources found for the organization. */
  list: read('detectionList', 'POST /detection/list', {
    slugAs: 'slug',
    paging: { style: 'cursor', items: 'detections', pageMax: 100 },
    input: strict({
      slug: text,
      cursor: z.optional(z.nullable(numberOrText)),
      limit: z.optional(between(1, 100)),
      filters: z.optional(
        z.array(
          strict({
            property: open('detectionProperty'),
            operator: enums.detectionOperator,
            value: z.array(text),
          }),
        ),
      ),
      query: z.optional(text),
      startDate: z.optional(instant),
      endDate: z.optional(instant),
    }),
    output: z.object({
      detections: z.array(
        z.object({
          id: number,
          threatContent: text,
          source: open('detectionSource'),
          createdAt: time,
          confidence: open('detectionConfidence'),
          reportStatus: open('detectionReported'),
          asset: assetRef,
          score: draft(number),
          reason: draft(z.nullable(text)),
          configId: draft(z.nullable(number)),
          reportedAt: draft(z.nullable(time)),
          brands: draft(z.array(brandRef)),
        }),
      ),
      nextCursor: z.optional(z.nullable(numberOrText)),
    }),
  }),
  /** The sources an organization can set up, each with the JSON Schema of its settings. */
  sourcesList: read('detectionSourcesList', 'GET /detection/sources', {
    slugAs: 'slug',
    input: loose({ slug: provisional(text) }),
    output: unshown,
  }),
  /** The organization's sources with their schedules and settings. */
  configsList: read('detectionConfigsList', 'POST /detection/configs/list', {
    slugAs: 'slug',
    input: loose({ slug: provisional(text) }),
    output: unshown,
  }),
  /** Let a source look for threats to the organization. */
  configsCreate: write('detectionConfigsCreate', 'POST /detection/configs/create', {
    slugAs: 'slug',
    input: strict({
      slug: provisional(text),
      source: open('detectionSource'),
      title: z.optional(text),
      description: z.optional(text),
      cron: z.optional(text),
      config: z.optional(settings),
      brandId: z.optional(id),
    }),
    output: unshown,
  }),
  /** Change schedule, status or settings of a source. `DISABLED` stops one for good. */
  configsUpdate: write('detectionConfigsUpdate', 'POST /detection/configs/update', {
    slugAs: 'slug',
    input: loose({
      slug: provisional(text),
      configId: id,
      status: z.optional(enums.detectionConfigStatus),
      title: provisional(text),
      description: provisional(text),
      cron: provisional(text),
      config: provisional(settings),
      mergeConfig: provisional(flag),
    }),
    output: unshown,
  }),
  /** Delete one of the organization's own configs. The last one of a default source comes back by itself. */
  configsDelete: write('detectionConfigsDelete', 'POST /detection/configs/delete', {
    slugAs: 'slug',
    input: strict({ slug: provisional(text), configId: id }),
    output: unshown,
  }),
  /** Run configs now; the answer has a status for each. */
  configsRun: write('detectionConfigsRun', 'POST /detection/configs/run', {
    slugAs: 'slug',
    input: loose({ slug: provisional(text), configId: provisional(id), ...filters }),
    output: unshown,
  }),
  /** Do the configs still find something? With `run` they are run first. */
  configsValidate: write('detectionConfigsValidate', 'POST /detection/configs/validate', {
    slugAs: 'slug',
    input: loose({
      slug: provisional(text),
      minResults: provisional(number),
      lookbackHours: provisional(number),
      run: provisional(flag),
      ...filters,
    }),
    output: unshown,
  }),
  /** Configs that find nothing, sources that find too much, queries that have grown old. */
  drift: read('detectionDrift', 'POST /detection/drift', {
    slugAs: 'slug',
    input: loose({
      slug: provisional(text),
      configId: provisional(id),
      lookbackHours: provisional(number),
      ...filters,
    }),
    output: unshown,
  }),
  /** Confirmed threats that were blocked for the key's organization, of the last day if no days are given. */
  threatsList: read('threatsList', 'POST /threats/list', {
    paging: { style: 'next_page', items: 'threats', pageMax: 100 },
    input: strict({
      query: z.optional(text),
      startDate: z.optional(day),
      endDate: z.optional(day),
      assetType: z.optional(z.array(enums.assetType)),
      sorting: z.optional(z.array(strict({ key: enums.threatSortKey, direction: enums.sortDirection }))),
      per_page: z.optional(between(1, 100)),
      next_page: z.optional(text),
    }),
    output: z.object({
      threats: z.array(
        z.object({
          id: number,
          content: text,
          type: open('assetType'),
          blockedAt: time,
          livenessStatus: draft(z.nullable(open('livenessStatus'))),
        }),
      ),
      next_page: z.optional(z.nullable(numberOrText)),
    }),
  }),
}));

export const aboutDetections: About<typeof detections> = {
  list: ['What the detection sources found for the organization.', 'provisional public public public'],
  sourcesList: [
    'The sources an organization can set up, each with the JSON Schema of its settings.',
    'provisional public - provisional',
  ],
  configsList: ["The organization's sources with their schedules and settings.", 'provisional public provisional provisional'],
  configsCreate: ['Let a source look for threats to the organization.', 'provisional public public provisional'],
  configsUpdate: [
    'Change schedule, status or settings of a source. `DISABLED` stops one for good.',
    'provisional public provisional provisional',
  ],
  configsDelete: [
    "Delete one of the organization's own configs. The last one of a default source comes back by itself.",
    'provisional public public provisional',
    { destructive: true },
  ],
  configsRun: ['Run configs now; the answer has a status for each.', 'provisional public provisional provisional'],
  configsValidate: [
    'Do the configs still find something? With `run` they are run first.',
    'provisional public provisional provisional',
  ],
  drift: [
    'Configs that find nothing, sources that find too much, queries that have grown old.',
    'provisional public provisional provisional',
  ],
  threatsList: [
    "Confirmed threats that were blocked for the key's organization, of the last day if no days are given.",
    'provisional public public public',
    { scoped: 'org' },
  ],
};
