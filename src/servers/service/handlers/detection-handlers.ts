import { known } from '../../../core/errors.js';
import { Problem } from '../http/problem.js';
import { timesIn } from '../records/date-ranges.js';
import {
  type ConfigFilter,
  configOf,
  configsOf,
  configView,
  detectionFigures,
  detectionSources,
  reportedAtMs,
  requireConfig,
  requireCron,
  runConfig,
  sourceNamed,
} from '../records/detection-records.js';
import { pageBefore } from '../records/paging.js';
import { brandRef } from '../records/threats.js';
import type { AssetRecord, DetectionRecord } from '../state/state-tables.js';
import { type Handlers, type InputOf, iso, isoOrNull, organizationOf, requireBrand } from './handler-context.js';

export const detectionHandlers = {
  detectionList(call, input) {
    const organization = organizationOf(call);
    const { state } = call;
    const { filters = [], query = '' } = input;
    const unknown = filters.find(({ property }) => !filtered.has(property));
    if (unknown !== undefined) throw new Problem(400, `Detections cannot be filtered by ${unknown.property}.`);
    const isCreatedIn = timesIn(input);
    const found = state.where('detections', 'organizationId', organization.id).filter((detection) => {
      const asset = state.get('assets', detection.assetId)!;
      return (
        asset.content.toLowerCase().includes(query.toLowerCase()) &&
        isCreatedIn(detection.createdAtMs) &&
        filters.every((filter) => passes(filter, detection, asset))
      );
    });
    const page = pageBefore(found, input.cursor, input.limit ?? 50);
    return {
      detections: page.items.map((detection) => {
        const { id, content, type, status } = state.get('assets', detection.assetId)!;
        const atMs = reportedAtMs(state, organization.id, id);
        const brand = brandRef(state, state.get('configs', detection.configId)?.brandId ?? null);
        return {
          id: detection.id,
          threatContent: content,
          source: detection.source,
          createdAt: iso(detection.createdAtMs),
          reportStatus: atMs === null ? 'NOT_REPORTED' : 'REPORTED',
          asset: { id, type, content, status },
          ...detectionFigures(detection),
          configId: detection.configId,
          reportedAt: isoOrNull(atMs),
          brands: brand === null ? [] : [brand],
        };
      }),
      nextCursor: page.next,
    };
  },

  detectionSourcesList(call) {
    organizationOf(call);
    return { sources: detectionSources };
  },

  // provisional: the response. Sources without a config are left out.
  detectionConfigsList(call) {
    const configs = configsOf(call, organizationOf(call), { includeDisabled: true });
    const sources = detectionSources.map(({ source }) => ({
      source,
      configs: configs.filter((config) => config.source === source).map(configView),
    }));
    return { sources: sources.filter((source) => source.configs.length > 0) };
  },

  // provisional: the response. The schedule is kept and shown, and not followed.
  detectionConfigsCreate(call, input) {
    const organization = organizationOf(call);
    const source = sourceNamed(input.source);
    if (!source.scopes.includes('organization'))
      throw new Problem(400, `${source.source} cannot be configured for an organization.`);
    requireBrand(call, input.brandId);
    requireCron(source, input.cron);
    requireConfig(input.config);
    const added = call.state.add('configs', {
      organizationId: organization.id,
      source: source.source,
      title: input.title ?? null,
      description: input.description ?? null,
      cron: input.cron ?? source.defaultCron,
      config: input.config ?? {},
      brandId: input.brandId ?? null,
      status: 'ENABLED',
      createdAtMs: call.clock.now(),
      lastRunAtMs: null,
      deleted: false,
    });
    return { config: configView(added) };
  },

  // provisional: the response, and that settings are merged unless mergeConfig is false.
  detectionConfigsUpdate(call, input) {
    const { id, source, config: before } = configOf(call, organizationOf(call), input.configId);
    const { status, title, description, cron, config, mergeConfig = true } = input;
    requireCron(sourceNamed(source), cron);
    requireConfig(config);
    const changed = call.state.change('configs', id, {
      ...(config !== undefined && { config: mergeConfig ? { ...before, ...config } : config }),
      ...known({ status, title, description, cron }),
    });
    return { config: configView(changed) };
  },

  // provisional: the response. Its detections stay.
  detectionConfigsDelete(call, { configId }) {
    const { id } = configOf(call, organizationOf(call), configId);
    call.state.change('configs', id, { deleted: true, status: 'DISABLED' });
    return { success: true, configId: id };
  },

  // provisional: the response.
  detectionConfigsRun(call, input) {
    const configs = configsOf(call, organizationOf(call), { ...filterOf(input), includeDisabled: true });
    const runs = configs.map((config) => {
      const isSkipped = config.status === 'DISABLED' && input.includeDisabled !== true;
      return {
        configId: config.id,
        source: config.source,
        status: isSkipped ? 'SKIPPED' : 'COMPLETED',
        newDetections: isSkipped ? 0 : runConfig(call, config),
      };
    });
    return { runs };
  },

  // provisional: the response, except failures.
  detectionConfigsValidate(call, input) {
    const { minResults = 1, lookbackHours = defaultLookbackHours, run = false } = input;
    const configs = configsOf(call, organizationOf(call), filterOf(input));
    if (run) for (const config of configs) runConfig(call, config);
    const results = configs.map(({ id, source, title }) => {
      const resultCount = call.state.where('detections', 'configId', id).length;
      return { configId: id, source, title, resultCount, ok: resultCount >= minResults };
    });
    return { minResults, lookbackHours, checked: results.length, results, failures: results.filter(({ ok }) => !ok) };
  },

  // provisional: the response. Configs never drift here.
  detectionDrift(call, input) {
    const { lookbackHours = defaultLookbackHours } = input;
    return { lookbackHours, checked: configsOf(call, organizationOf(call), filterOf(input)).length, signals: [] };
  },
} satisfies Partial<Handlers>;

const defaultLookbackHours = 168;

/** Properties that detections can be filtered by. */
const filtered: ReadonlySet<string> = new Set(['source', 'confidence', 'assetStatus', 'assetType']);

type Filter = NonNullable<InputOf<'detectionList'>['filters']>[number];

function passes({ property, operator, value }: Filter, { source, confidence }: DetectionRecord, asset: AssetRecord): boolean {
  const properties = new Map<string, string>([
    ['source', source],
    ['confidence', confidence],
    ['assetStatus', asset.status],
    ['assetType', asset.type],
  ]);
  const actual = properties.get(property)?.toLowerCase();
  return value.some((one) => one.toLowerCase() === actual) === (operator === 'in');
}

/** The filters of an input that is open to unknown fields. */
function filterOf({ configId, source, includeDisabled }: Readonly<Record<string, unknown>>): ConfigFilter {
  return {
    configId: typeof configId === 'number' ? configId : undefined,
    source: typeof source === 'string' ? source : undefined,
    includeDisabled: includeDisabled === true,
  };
}
