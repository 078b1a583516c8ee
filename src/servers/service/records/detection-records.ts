import { announce } from '../delivery/announcements.js';
import { type Call, type Context, iso, isoOrNull } from '../handlers/handler-context.js';
import { Problem } from '../http/problem.js';
import type { ConfigRecord, DetectionRecord, Organization, State } from '../state/state.js';
import { type DetectionSource, sourceNamed } from './detection-sources.js';

export interface ConfigFilter {
  readonly configId?: number | undefined;
  readonly source?: string | undefined;
  readonly includeDisabled?: boolean | undefined;
}

/** How far back a config's results count where nothing else is asked for: a week. */
export const lookbackHours = 168;

/** An organization's config; a deleted one is none. */
export function configOf({ state }: Pick<Context, 'state'>, { id }: Organization, configId: number): ConfigRecord {
  const config = state.get('configs', configId);
  if (config === undefined || config.deleted) throw new Problem(404, 'There is no such config.');
  if (config.organizationId !== id) throw new Problem(403, 'The config is of another organization.');
  return config;
}

/** An organization's configs by the filters that several operations have. */
export function configsOf(call: Pick<Context, 'state'>, organization: Organization, filter: ConfigFilter): ConfigRecord[] {
  const source = filter.source === undefined ? undefined : knownSource(filter.source).key;
  if (filter.configId !== undefined) configOf(call, organization, filter.configId);
  return call.state
    .all('configs')
    .filter(
      (config) =>
        config.organizationId === organization.id &&
        !config.deleted &&
        (filter.configId === undefined || config.id === filter.configId) &&
        (source === undefined || config.source === source) &&
        (filter.includeDisabled === true || config.status === 'ENABLED'),
    );
}

export function knownSource(key: string): DetectionSource {
  const source = sourceNamed(key);
  if (source === undefined) throw new Problem(400, `There is no source ${key} that can be set up here.`);
  return source;
}

/** Finds what a config asks for among the undecided assets; what it found before stays as it was. Gives what is new. */
export function runConfig(call: Call, config: ConfigRecord): DetectionRecord[] {
  const { state, clock } = call;
  const source = knownSource(config.source);
  const texts = textsOf(state, config, source);
  const before = new Set(detectionsOf(state, config).map(({ assetId }) => assetId));
  const nowMs = clock.now();
  const added: DetectionRecord[] = [];
  for (const asset of state.all('assets')) {
    if (asset.status !== 'UNKNOWN' || before.has(asset.id)) continue;
    if (source.assetTypes !== null && !source.assetTypes.includes(asset.type)) continue;
    const find = source.find(asset, texts);
    if (find === null) continue;
    const detection = state.add('detections', {
      organizationId: config.organizationId,
      assetId: asset.id,
      source: source.key,
      configId: config.id,
      ...find,
      reportedAtMs: null,
      createdAtMs: nowMs,
    });
    added.push(detection);
    announce(call, config.organizationId, 'organization.threat-detection-added', {
      organization_id: config.organizationId,
      threat_detection_result_id: detection.id,
    });
  }
  state.change('configs', config.id, { lastRunAtMs: nowMs });
  return added;
}

export function detectionsOf(state: State, { id }: ConfigRecord): DetectionRecord[] {
  return state.all('detections').filter(({ configId }) => configId === id);
}

/** When the organization first reported each asset. */
export function reportTimesOf(state: State, organizationId: number): Map<number, number> {
  const times = new Map<number, number>();
  for (const { assetId, reportId } of state.all('proposals')) {
    const report = state.get('reports', reportId);
    if (report?.organizationId === organizationId && !times.has(assetId)) times.set(assetId, report.createdAtMs);
  }
  return times;
}

// provisional: the names of all but what create takes.
export function configView({ id, source, title, description, cron, config, brandId, status, ...record }: ConfigRecord) {
  return {
    id,
    source,
    title,
    description,
    cron,
    config,
    brandId,
    status,
    createdAt: iso(record.createdAtMs),
    lastRunAt: isoOrNull(record.lastRunAtMs),
  };
}

/** What a config looks for: its own list, else the organization's names, or the domains it vouches for. */
function textsOf(
  state: State,
  { config, organizationId, brandId }: ConfigRecord,
  { setting }: DetectionSource,
): readonly string[] {
  const own = config[setting];
  if (Array.isArray(own)) return own as string[];
  if (setting === 'domains') {
    return state
      .all('memberships')
      .filter((one) => one.organizationId === organizationId)
      .flatMap(({ assetId }) => state.get('assets', assetId) ?? [])
      .filter(({ type }) => type === 'URL')
      .map(({ content }) => content);
  }
  const brands = state
    .all('brands')
    .filter((one) => one.organizationId === organizationId && (brandId === null || one.id === brandId));
  const slugs = [
    ...brands.map(({ slug }) => slug),
    ...(brandId === null ? [state.get('organizations', organizationId)!.slug] : []),
  ];
  return [...new Set(slugs)];
}
