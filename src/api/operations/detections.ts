import * as z from 'zod/mini';
import { day, draft, flag, id, instant, number, numberOrText, open, provisional, text, time } from './fields.js';
import { array, between, loose, made, object, strict, typed } from './kinds.js';
import { type About, read, write } from './operation.js';
import {
  configAnswer,
  configDeleteAnswer,
  configsAnswer,
  configsValidateAnswer,
  driftAnswer,
  runAnswer,
  sourcesAnswer,
} from './provisional-answers.js';
import { assetRef, brandRef } from './records.js';
import * as enums from './value-lists.js';

const settings = /* @__PURE__ */ made(() => loose({}));
/** Filters known from the service's command line; their field names are provisional. */
const filters = /* @__PURE__ */ made(() => ({ source: provisional(text), includeDisabled: provisional(flag) }));

/** Detection configs and the threats they find. */
export const detections = /* @__PURE__ */ made(() => ({
  /** List what the detection sources found for the organization. */
  list: read('detectionList', 'POST', {
    slugAs: 'slug',
    paging: { style: 'cursor', items: 'detections', maxPageSize: 100 },
    input: strict({
      slug: text,
      cursor: z.optional(z.nullable(numberOrText)),
      limit: z.optional(between(1, 100)),
      filters: z.optional(
        array(
          strict({
            property: open('detectionProperty'),
            operator: enums.detectionOperator,
            value: array(text),
          }),
        ),
      ),
      query: z.optional(text),
      startDate: z.optional(instant),
      endDate: z.optional(instant),
    }),
    output: object({
      detections: array(
        object({
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
          brands: draft(array(brandRef)),
        }),
      ),
      nextCursor: z.optional(z.nullable(numberOrText)),
    }),
  }),
  /** List the sources an organization can configure, each with the JSON Schema of its settings. */
  sourcesList: read('detectionSourcesList', 'GET /detection/sources', {
    slugAs: 'slug',
    input: loose({ slug: provisional(text) }),
    output: typed<typeof sourcesAnswer>(),
  }),
  /** List the organization's configured sources, with their schedules and settings. */
  configsList: read('detectionConfigsList', 'POST', {
    slugAs: 'slug',
    input: loose({ slug: provisional(text) }),
    output: typed<typeof configsAnswer>(),
  }),
  /** Configure a source to look for threats to the organization. */
  configsCreate: write('detectionConfigsCreate', 'POST', {
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
    output: typed<typeof configAnswer>(),
  }),
  /** Change the schedule, status or settings of a configured source. `DISABLED` stops it permanently. */
  configsUpdate: write('detectionConfigsUpdate', 'POST', {
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
    output: typed<typeof configAnswer>(),
  }),
  /** Delete one of the organization's own configs. The last one of a default source is recreated automatically. */
  configsDelete: write('detectionConfigsDelete', 'POST', {
    slugAs: 'slug',
    input: strict({ slug: provisional(text), configId: id }),
    output: typed<typeof configDeleteAnswer>(),
  }),
  /** Run configs now. The response has a status for each. */
  configsRun: write('detectionConfigsRun', 'POST', {
    slugAs: 'slug',
    input: loose({ slug: provisional(text), configId: provisional(id), ...filters }),
    output: typed<typeof runAnswer>(),
  }),
  /** Check whether the configs still find anything. With `run` they are run first. */
  configsValidate: write('detectionConfigsValidate', 'POST', {
    slugAs: 'slug',
    input: loose({
      slug: provisional(text),
      minResults: provisional(number),
      lookbackHours: provisional(number),
      run: provisional(flag),
      ...filters,
    }),
    output: typed<typeof configsValidateAnswer>(),
  }),
  /** List configs that find nothing, sources that find too much, and outdated queries. */
  drift: read('detectionDrift', 'POST', {
    slugAs: 'slug',
    input: loose({
      slug: provisional(text),
      configId: provisional(id),
      lookbackHours: provisional(number),
      ...filters,
    }),
    output: typed<typeof driftAnswer>(),
  }),
  /** List confirmed threats blocked for the key's organization; without dates, those of the last day. */
  threatsList: read('threatsList', 'POST', {
    paging: { style: 'next_page', items: 'threats', maxPageSize: 100 },
    input: strict({
      query: z.optional(text),
      startDate: z.optional(day),
      endDate: z.optional(day),
      assetType: z.optional(array(enums.assetType)),
      sorting: z.optional(array(strict({ key: enums.threatSortKey, direction: enums.sortDirection }))),
      per_page: z.optional(between(1, 100)),
      next_page: z.optional(text),
    }),
    output: object({
      threats: array(
        object({
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
  list: ['List what the detection sources found for the organization.', 'provisional public public public'],
  sourcesList: [
    'List the sources an organization can configure, each with the JSON Schema of its settings.',
    'provisional public - provisional',
    { output: sourcesAnswer },
  ],
  configsList: [
    "List the organization's configured sources, with their schedules and settings.",
    'provisional public provisional provisional',
    { output: configsAnswer },
  ],
  configsCreate: [
    'Configure a source to look for threats to the organization.',
    'provisional public public provisional',
    { output: configAnswer },
  ],
  configsUpdate: [
    'Change the schedule, status or settings of a configured source. `DISABLED` stops it permanently.',
    'provisional public provisional provisional',
    { output: configAnswer },
  ],
  configsDelete: [
    "Delete one of the organization's own configs. The last one of a default source is recreated automatically.",
    'provisional public public provisional',
    { destructive: true, output: configDeleteAnswer },
  ],
  configsRun: [
    'Run configs now. The response has a status for each.',
    'provisional public provisional provisional',
    { output: runAnswer },
  ],
  configsValidate: [
    'Check whether the configs still find anything. With `run` they are run first.',
    'provisional public provisional provisional',
    { output: configsValidateAnswer },
  ],
  drift: [
    'List configs that find nothing, sources that find too much, and outdated queries.',
    'provisional public provisional provisional',
    { output: driftAnswer },
  ],
  threatsList: [
    "List confirmed threats blocked for the key's organization; without dates, those of the last day.",
    'provisional public public public',
    { scoped: 'org' },
  ],
};
