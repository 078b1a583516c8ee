import { day, draft, flag, id, instant, number, numberOrText, open, provisional, text, time } from './fields.js';
import { array, between, loose, made, object, objects, optionalItems, strict, typed } from './kinds.js';
import { type About, read, write } from './operation.js';
import * as answers from './provisional-answers.js';
import { type AssetRefSchema, assetRef, type BrandRefSchema, brandRef } from './records.js';
import * as enums from './value-lists.js';
import * as z from './zod.js';

const settings = /* @__PURE__ */ made(() => loose({}));
/** Filters known from the service's command line; their field names are provisional. */
const filters = /* @__PURE__ */ made(() => ({
  /** Only configs of this source. */ source: provisional(text),
  /** Disabled configs too. */ includeDisabled: provisional(flag),
}));

/** Detection configs and the threats they find. */
export const detections = /* @__PURE__ */ made(() => ({
  /** List what the detection sources found for the organization. */
  list: read('detectionList', 'POST', {
    slugAs: 'slug',
    paging: { style: 'cursor', items: 'detections', maxPageSize: 100 },
    input: strict({
      /** The organization, by its slug. */ slug: text,
      /** Where the page starts; `null` for the first one. */ cursor: z.optional(z.nullable(numberOrText)),
      /** Items of one page. */ limit: z.optional(between(1, 100)),
      /** What the detections must match. */ filters: optionalItems({
        /** What is compared. */ property: open('detectionProperty'),
        /** Whether the value must, or must not, be among those of the filter. */ operator: enums.detectionOperator,
        /** The values of the filter. */ value: array(text),
      }),
      /** Only what contains this text. */ query: z.optional(text),
      /** Only detections made from this time on. */ startDate: z.optional(instant),
      /** Only detections made up to this time. */ endDate: z.optional(instant),
    }),
    output: object({
      /** The detections. */ detections: objects({
        id: number,
        /** What was found. */ threatContent: text,
        /** The source that found it. */ source: open('detectionSource'),
        createdAt: time,
        /** How sure the detection is. */ confidence: open('detectionConfidence'),
        /** Whether the asset was reported. */ reportStatus: open('detectionReported'),
        /** The asset of the detection. */ asset: assetRef as AssetRefSchema,
        /** The score of the detection, from 0 to 1. */ score: draft(number),
        /** Why it was detected. */ reason: draft(z.nullable(text)),
        /** The config that found it, by its id. */ configId: draft(z.nullable(number)),
        /** When it was reported, in ISO 8601. */ reportedAt: draft(z.nullable(time)),
        /** The brands it concerns. */ brands: draft(array(brandRef as BrandRefSchema)),
      }),
      /** Where the next page starts; `null` or absent on the last one. */ nextCursor: z.optional(z.nullable(numberOrText)),
    }),
  }),
  /** List the sources an organization can configure, each with the JSON Schema of its settings. */
  sourcesList: read('detectionSourcesList', 'GET /detection/sources', {
    slugAs: 'slug',
    input: loose({
      /** The organization, by its slug. */ slug: provisional(text),
    }),
    output: typed<answers.SourcesAnswer>(),
  }),
  /** List the organization's configured sources, with their schedules and settings. */
  configsList: read('detectionConfigsList', 'POST', {
    slugAs: 'slug',
    input: loose({
      /** The organization, by its slug. */ slug: provisional(text),
    }),
    output: typed<answers.ConfigsAnswer>(),
  }),
  /** Configure a source to look for threats to the organization. */
  configsCreate: write('detectionConfigsCreate', 'POST', {
    slugAs: 'slug',
    input: strict({
      /** The organization, by its slug. */ slug: provisional(text),
      /** The source to configure. */ source: open('detectionSource'),
      /** The title of the config. */ title: z.optional(text),
      /** The description of the config. */ description: z.optional(text),
      /** When it runs, as a cron expression. */ cron: z.optional(text),
      /** The settings of the source. */ config: z.optional(settings),
      /** The brand to look for, by its id. */ brandId: z.optional(id),
    }),
    output: typed<answers.ConfigAnswer>(),
  }),
  /** Change the schedule, status or settings of a configured source. `DISABLED` stops it permanently. */
  configsUpdate: write('detectionConfigsUpdate', 'POST', {
    slugAs: 'slug',
    input: loose({
      /** The organization, by its slug. */ slug: provisional(text),
      /** The config, by its id. */ configId: id,
      /** `DISABLED` stops the config permanently. */ status: z.optional(enums.detectionConfigStatus),
      /** The new title. */ title: provisional(text),
      /** The new description. */ description: provisional(text),
      /** When it runs, as a cron expression. */ cron: provisional(text),
      /** The settings of the source. */ config: provisional(settings),
      /** Merge the settings with those that exist, instead of replacing them. */ mergeConfig: provisional(flag),
    }),
    output: typed<answers.ConfigAnswer>(),
  }),
  /** Delete one of the organization's own configs. The last one of a default source is recreated automatically. */
  configsDelete: write('detectionConfigsDelete', 'POST', {
    slugAs: 'slug',
    input: strict({
      /** The organization, by its slug. */ slug: provisional(text),
      /** The config, by its id. */ configId: id,
    }),
    output: typed<answers.ConfigDeleteAnswer>(),
  }),
  /** Run configs now. The response has a status for each. */
  configsRun: write('detectionConfigsRun', 'POST', {
    slugAs: 'slug',
    input: loose({
      /** The organization, by its slug. */ slug: provisional(text),
      /** Only this config, by its id. */ configId: provisional(id),
      ...filters,
    }),
    output: typed<answers.RunAnswer>(),
  }),
  /** Check whether the configs still find anything. With `run` they are run first. */
  configsValidate: write('detectionConfigsValidate', 'POST', {
    slugAs: 'slug',
    input: loose({
      /** The organization, by its slug. */ slug: provisional(text),
      /** How much a config must find. */ minResults: provisional(number),
      /** How many hours are looked at. */ lookbackHours: provisional(number),
      /** Run the configs first. */ run: provisional(flag),
      ...filters,
    }),
    output: typed<answers.ConfigsValidateAnswer>(),
  }),
  /** List configs that find nothing, sources that find too much, and outdated queries. */
  drift: read('detectionDrift', 'POST', {
    slugAs: 'slug',
    input: loose({
      /** The organization, by its slug. */ slug: provisional(text),
      /** Only this config, by its id. */ configId: provisional(id),
      /** How many hours are looked at. */ lookbackHours: provisional(number),
      ...filters,
    }),
    output: typed<answers.DriftAnswer>(),
  }),
  /** List confirmed threats blocked for the key's organization; without dates, those of the last day. */
  threatsList: read('threatsList', 'POST', {
    paging: { style: 'next_page', items: 'threats', maxPageSize: 100 },
    input: strict({
      /** Only what contains this text. */ query: z.optional(text),
      /** Only threats blocked on this day or later. */ startDate: z.optional(day),
      /** Only threats blocked on this day or earlier. */ endDate: z.optional(day),
      /** Only these asset types. */ assetType: z.optional(array(enums.assetType)),
      /** The order of the items; the first key counts most. */ sorting: optionalItems({
        /** What the items are sorted by. */ key: enums.threatSortKey,
        /** The direction. */ direction: enums.sortDirection,
      }),
      /** Items of one page. */ per_page: z.optional(between(1, 100)),
      /** Where the page starts: the `next_page` of the page before it. */ next_page: z.optional(text),
    }),
    output: object({
      /** The threats. */ threats: objects({
        id: number,
        /** The asset as text, such as a link or an address. */ content: text,
        /** The type of asset. */ type: open('assetType'),
        /** When it was blocked, in ISO 8601. */ blockedAt: time,
        /** Whether the site answers; `null` if it was never checked. */
        livenessStatus: draft(z.nullable(open('livenessStatus'))),
      }),
      /** Where the next page starts; `null` or absent on the last one. */ next_page: z.optional(z.nullable(numberOrText)),
    }),
  }),
}));

export const aboutDetections: About<typeof detections> = {
  list: ['provisional public public public'],
  sourcesList: ['provisional public - provisional', { output: answers.sourcesAnswer }],
  configsList: ['provisional public provisional provisional', { output: answers.configsAnswer }],
  configsCreate: [
    'provisional public public provisional',
    {
      effect: [
        'stays',
        'Adds a config whose runs start by its schedule; detection_configs_delete removes it, but nothing that it found.',
      ],
      output: answers.configAnswer,
    },
  ],
  configsUpdate: [
    'provisional public provisional provisional',
    {
      effect: ['changes', 'Overwrites the schedule, status or settings of a config; DISABLED stops it permanently.'],
      output: answers.configAnswer,
    },
  ],
  configsDelete: [
    'provisional public public provisional',
    { effect: ['ends', 'Deletes the config.'], output: answers.configDeleteAnswer },
  ],
  configsRun: [
    'provisional public provisional provisional',
    { effect: ['stays', 'Starts runs of the configs; no operation stops them.'], output: answers.runAnswer },
  ],
  configsValidate: [
    'provisional public provisional provisional',
    {
      effect: ['stays', 'With run it starts runs of the configs; no operation stops them.'],
      output: answers.configsValidateAnswer,
    },
  ],
  drift: ['provisional public provisional provisional', { output: answers.driftAnswer }],
  threatsList: ['provisional public public public', { scoped: 'org' }],
};
