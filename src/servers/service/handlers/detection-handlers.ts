import { Problem } from '../http/problem.js';
import {
  type ConfigFilter,
  configOf,
  configsOf,
  configView,
  detectionsOf,
  knownSource,
  lookbackHours as lookbackHoursUsual,
  reportTimesOf,
  runConfig,
} from '../records/detection-records.js';
import { configSchemaOf, detectionSources, faultIn } from '../records/detection-sources.js';
import { pageBefore } from '../records/paging.js';
import { type Order, pageSorted } from '../records/sorting.js';
import { deathsOf } from '../records/takedown-records.js';
import { brandRef, threatsOf } from '../records/threats.js';
import type { AssetRecord, ConfigRecord, DetectionRecord } from '../state/state.js';
import {
  type Call,
  dayMs,
  dayOf,
  endOf,
  type Handlers,
  type InputOf,
  iso,
  isoOrNull,
  organizationOf,
  timeOf,
} from './handler-context.js';

const hourMs = 3_600_000;

/** provisional: from how many results on a source can be called noisy, and which part of them is reported if it is not. */
const noisyCountMin = 10;
const noisyReportedShareMax = 0.1;

export const detectionHandlers: Handlers<
  | 'detectionList'
  | 'detectionSourcesList'
  | 'detectionConfigsList'
  | 'detectionConfigsCreate'
  | 'detectionConfigsUpdate'
  | 'detectionConfigsDelete'
  | 'detectionConfigsRun'
  | 'detectionConfigsValidate'
  | 'detectionDrift'
  | 'threatsList'
> = {
  detectionList(call, input) {
    const organization = organizationOf(call);
    const { state } = call;
    const { filters = [], query = '' } = input;
    const unknown = filters.find(({ property }) => !filtered.has(property));
    if (unknown !== undefined) throw new Problem(400, `Nothing is filtered by ${unknown.property} here.`);
    const reportTimes = reportTimesOf(state, organization.id);
    const found = state.all('detections').filter((detection) => {
      const asset = state.get('assets', detection.assetId)!;
      return (
        detection.organizationId === organization.id &&
        asset.content.toLowerCase().includes(query.toLowerCase()) &&
        (input.startDate === undefined || detection.createdAtMs >= timeOf(input.startDate)) &&
        (input.endDate === undefined || detection.createdAtMs <= endOf(input.endDate)) &&
        filters.every((filter) => passes(filter, detection, asset))
      );
    });
    const page = pageBefore(found, input.cursor, input.limit ?? 50);
    return {
      detections: page.items.map((detection) => {
        const { id, content, type, status } = state.get('assets', detection.assetId)!;
        const reportedAtMs = detection.reportedAtMs ?? reportTimes.get(id) ?? null;
        const config = detection.configId === null ? undefined : state.get('configs', detection.configId);
        const brand = brandRef(state, config?.brandId ?? null);
        return {
          id: detection.id,
          threatContent: content,
          source: detection.source,
          createdAt: iso(detection.createdAtMs),
          confidence: detection.confidence,
          reportStatus: reportedAtMs === null ? 'NOT_REPORTED' : 'REPORTED',
          asset: { id, type, content, status },
          score: detection.score,
          reason: detection.reason,
          configId: detection.configId,
          reportedAt: isoOrNull(reportedAtMs),
          brands: brand === null ? [] : [brand],
        };
      }),
      nextCursor: page.next,
    };
  },

  // provisional: all names but configSchema.
  detectionSourcesList(call) {
    organizationOf(call);
    return {
      sources: detectionSources.map((source) => ({
        source: source.key,
        description: source.description,
        scopes: ['organization'],
        kind: 'pull',
        assetTypes: source.assetTypes,
        defaultCron: source.defaultCron,
        configSchema: configSchemaOf(source),
      })),
    };
  },

  // provisional: the answer. Sources without a config are left out.
  detectionConfigsList(call) {
    const configs = configsOf(call, organizationOf(call), { includeDisabled: true });
    const sources = detectionSources.map(({ key }) => ({
      source: key,
      configs: configs.filter(({ source }) => source === key).map(configView),
    }));
    return { sources: sources.filter((source) => source.configs.length > 0) };
  },

  // provisional: the answer. The schedule is kept and shown; configs run when they are told to.
  detectionConfigsCreate(call, input) {
    const organization = organizationOf(call);
    const source = knownSource(input.source);
    const config = input.config ?? {};
    refuseFaults(faultIn(source, config), input.cron);
    if (input.brandId !== undefined && call.state.get('brands', input.brandId)?.organizationId !== organization.id) {
      throw new Problem(404, 'There is no such brand.');
    }
    const added = call.state.add('configs', {
      organizationId: organization.id,
      source: source.key,
      title: input.title ?? null,
      description: input.description ?? null,
      cron: input.cron ?? source.defaultCron,
      config,
      brandId: input.brandId ?? null,
      status: 'ENABLED',
      createdAtMs: call.clock.now(),
      lastRunAtMs: null,
      deleted: false,
    });
    return { config: configView(added) };
  },

  // provisional: the answer, and that settings are merged unless mergeConfig is false.
  detectionConfigsUpdate(call, input) {
    const { id, source, config: before } = configOf(call, organizationOf(call), input.configId);
    const { status, title, description, cron, mergeConfig = true } = input;
    const config = input.config === undefined ? before : mergeConfig ? { ...before, ...input.config } : input.config;
    refuseFaults(faultIn(knownSource(source), config), cron);
    const changed = call.state.change('configs', id, {
      config,
      ...(status !== undefined && { status }),
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(cron !== undefined && { cron }),
    });
    return { config: configView(changed) };
  },

  // provisional: the answer. What it found stays. There are no default sources here, so none comes back.
  detectionConfigsDelete(call, { configId }) {
    const { id } = configOf(call, organizationOf(call), configId);
    call.state.change('configs', id, { deleted: true, status: 'DISABLED' });
    return { success: true, configId: id };
  },

  // provisional: the answer.
  detectionConfigsRun(call, input) {
    const organization = organizationOf(call);
    const configs = configsOf(call, organization, { ...filterOf(input), includeDisabled: true });
    const runs = configs.map((config) => {
      const { id, source } = config;
      if (config.status === 'DISABLED' && input.includeDisabled !== true)
        return { configId: id, source, status: 'SKIPPED', newDetections: 0 };
      return { configId: id, source, status: 'COMPLETED', newDetections: runConfig(call, config).length };
    });
    return { runs };
  },

  // provisional: the answer, but for failures.
  detectionConfigsValidate(call, input) {
    const organization = organizationOf(call);
    const { minResults = 1, lookbackHours = lookbackHoursUsual, run = false } = input;
    const configs = configsOf(call, organization, filterOf(input));
    if (run) for (const config of configs) runConfig(call, config);
    const results = configs.map((config) => {
      const { id, source, title } = config;
      const count = recentOf(call, config, lookbackHours).length;
      return { configId: id, source, title, resultCount: count, ok: count >= minResults };
    });
    return { minResults, lookbackHours, checked: results.length, results, failures: results.filter(({ ok }) => !ok) };
  },

  // provisional: the answer.
  detectionDrift(call, input) {
    const organization = organizationOf(call);
    const { lookbackHours = lookbackHoursUsual } = input;
    const configs = configsOf(call, organization, filterOf(input));
    return { lookbackHours, checked: configs.length, signals: [...configs.flatMap(driftOf), ...noisy()] };

    function driftOf(config: ConfigRecord) {
      const everCount = detectionsOf(call.state, config).length;
      const resultCount = recentOf(call, config, lookbackHours).length;
      if (resultCount > 0) return [];
      const { id: configId, source, lastRunAtMs } = config;
      // It found something once: the world, or what is submitted, has gone on.
      if (everCount > 0) {
        return [
          {
            signal: 'STALE_QUERY',
            source,
            configId,
            resultCount,
            everCount,
            recommendation: 'Give it other terms, or disable it.',
          },
        ];
      }
      const recommendation = lastRunAtMs === null ? 'Run it.' : 'Give it terms that are submitted, or disable it.';
      return [{ signal: 'NO_RESULTS', source, configId, resultCount, everCount, recommendation }];
    }

    function noisy() {
      const reportTimes = reportTimesOf(call.state, organization.id);
      return detectionSources.flatMap(({ key }) => {
        const found = configs.filter(({ source }) => source === key).flatMap((config) => recentOf(call, config, lookbackHours));
        const reportedCount = found.filter(({ assetId }) => reportTimes.has(assetId)).length;
        if (found.length < noisyCountMin || reportedCount > found.length * noisyReportedShareMax) return [];
        const recommendation = 'Few of its results are reported: give its configs longer terms.';
        return [
          { signal: 'NOISY_SOURCE', source: key, configId: null, resultCount: found.length, reportedCount, recommendation },
        ];
      });
    }
  },

  threatsList(call, input) {
    const organization = organizationOf(call);
    const { state, clock } = call;
    const today = dayOf(iso(clock.now()));
    const fromMs = input.startDate === undefined ? today - dayMs : dayOf(input.startDate);
    const toMs = (input.endDate === undefined ? today : dayOf(input.endDate)) + dayMs;
    if (toMs <= fromMs) throw new Problem(400, 'endDate is before startDate.');
    const { query = '', assetType } = input;
    const blockedAt = new Map(threatsOf(state, organization.id).map(({ asset, blockedAtMs }) => [asset.id, blockedAtMs]));
    const isWanted = ({ id, content, type }: AssetRecord): boolean => {
      const atMs = blockedAt.get(id);
      return (
        atMs !== undefined &&
        atMs >= fromMs &&
        atMs < toMs &&
        content.toLowerCase().includes(query.toLowerCase()) &&
        (!assetType?.length || (assetType as readonly string[]).includes(type))
      );
    };
    const values: Readonly<Record<string, Order<AssetRecord>['value']>> = {
      id: ({ id }) => id,
      blockedAt: ({ blockedAtMs }) => blockedAtMs,
      content: ({ content }) => content,
      type: ({ type }) => type,
    };
    const asked = input.sorting?.length ? input.sorting : [{ key: 'id', direction: 'asc' }];
    const orders = asked.map(({ key, direction }) => ({ value: values[key]!, descending: direction === 'desc' }));
    const page = pageSorted(state.all('assets'), isWanted, orders, input.next_page, input.per_page ?? 10);
    const deaths = deathsOf(call);
    return {
      threats: page.items.map(({ id, content, type, livenessStatus }) => ({
        id,
        content,
        type,
        blockedAt: iso(blockedAt.get(id)!),
        livenessStatus: deaths.has(id) ? 'DEAD' : livenessStatus,
      })),
      next_page: page.next,
    };
  },
};

/** Properties that detections are filtered by. */
const filtered: ReadonlySet<string> = new Set(['source', 'confidence', 'assetStatus', 'assetType']);

type Filter = NonNullable<InputOf<'detectionList'>['filters']>[number];

function passes({ property, operator, value }: Filter, { source, confidence }: DetectionRecord, asset: AssetRecord): boolean {
  const properties = new Map([
    ['source', source],
    ['confidence', confidence],
    ['assetStatus', asset.status],
    ['assetType', asset.type],
  ]);
  const is = properties.get(property)?.toLowerCase();
  return value.some((one) => one.toLowerCase() === is) === (operator === 'in');
}

/** The filters of a loose input: one that is not of its kind was refused before, but for configId where no row has it. */
function filterOf({ configId, source, includeDisabled }: Readonly<Record<string, unknown>>): ConfigFilter {
  return {
    configId: typeof configId === 'number' ? configId : undefined,
    source: typeof source === 'string' ? source : undefined,
    includeDisabled: includeDisabled === true,
  };
}

function recentOf({ state, clock }: Call, config: ConfigRecord, lookbackHours: number): DetectionRecord[] {
  const sinceMs = clock.now() - lookbackHours * hourMs;
  return detectionsOf(state, config).filter(({ createdAtMs }) => createdAtMs >= sinceMs);
}

function refuseFaults(fault: string | null, cron: string | undefined): void {
  if (fault !== null) throw new Problem(400, `${fault}.`);
  if (cron !== undefined && !/^[\d*/,-]+( [\d*/,-]+){4}$/.test(cron)) throw new Problem(400, 'cron must have five fields.');
}
