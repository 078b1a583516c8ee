import { announce } from '../delivery/announcements.js';
import { type Context, type HandlerCall, iso, isoOrNull } from '../handlers/handler-context.js';
import { Problem } from '../http/problem.js';
import type { State } from '../state/state.js';
import type { AssetRecord, ConfigRecord, DetectionRecord, Organization } from '../state/state-tables.js';

/** A source of detections. provisional: all fields except `configSchema`. */
export type Source = {
  readonly source: string;
  readonly description: string;
  readonly scopes: ('organization' | 'global')[];
  readonly kind: 'pull' | 'push';
  readonly brandScoped: boolean;
  readonly assetTypes: string[] | null;
  /** Only a source that is pulled has a schedule. */
  readonly defaultCron: string | null;
  readonly configSchema: object;
};

const defaults: Omit<Source, 'source' | 'description'> = {
  scopes: ['organization'],
  kind: 'pull',
  brandScoped: true,
  assetTypes: null,
  defaultCron: '0 * * * *',
  configSchema: { type: 'object', properties: { terms: { type: 'array', items: { type: 'string' } } } },
};

/**
 * Simulated: a source makes no outside requests. A run finds undecided assets of its types. provisional: all fields except
 * `configSchema`, and which source is of which kind.
 */
export const detectionSources: Source[] = [
  { source: 'ASSET_CHECK', description: 'Submitted assets of any type.', ...defaults },
  { source: 'CERTSTREAM', description: 'Domains with a new certificate.', ...defaults, assetTypes: ['URL'] },
  { source: 'URLSCAN', description: 'Domains and pages that were scanned.', ...defaults, assetTypes: ['URL', 'PAGE'] },
  { source: 'EXTERNAL', description: 'Threats that others send.', ...defaults, kind: 'push', defaultCron: null },
  { source: 'GUESTBOOK', description: 'Configured for all organizations.', ...defaults, scopes: ['global'] },
];

/** Also in lower case, as in the service's own samples. */
export function sourceNamed(name: string): Source {
  const source = detectionSources.find((one) => one.source === name.toUpperCase());
  if (source === undefined) throw new Problem(400, `Unknown source ${name}.`);
  return source;
}

/** Rejects settings that the schema of the sources does not allow. */
export function requireConfig(config: Readonly<Record<string, unknown>> | undefined): void {
  const { terms } = config ?? {};
  if (terms !== undefined && !(Array.isArray(terms) && terms.every((term) => typeof term === 'string')))
    throw new Problem(400, 'config.terms must be an array of strings, as configSchema says.');
}

/** Rejects a schedule for a source that is not pulled. */
export function requireCron({ source, kind }: Source, cron: string | undefined): void {
  if (cron !== undefined && kind === 'push') throw new Problem(400, `${source} has no schedule; omit cron.`);
}

export interface ConfigFilter {
  readonly configId?: number | undefined;
  readonly source?: string | undefined;
  readonly includeDisabled?: boolean | undefined;
}

export function configOf({ state }: Pick<Context, 'state'>, { id }: Organization, configId: number): ConfigRecord {
  const config = state.get('configs', configId);
  if (config === undefined || config.deleted) throw new Problem(404, 'There is no such config.');
  if (config.organizationId !== id) throw new Problem(403, 'The config belongs to another organization.');
  return config;
}

/** The organization's configs that match the filters several operations share. */
export function configsOf(call: Pick<Context, 'state'>, organization: Organization, filter: ConfigFilter): ConfigRecord[] {
  const source = filter.source === undefined ? undefined : sourceNamed(filter.source).source;
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

const confidences = ['low', 'medium', 'high'] as const;
const scores = { low: 0.3, medium: 0.6, high: 0.9 } as const;

/** Adds a detection for each undecided asset the config has none for, announces it, and returns how many there are. */
export function runConfig(call: HandlerCall, config: ConfigRecord): number {
  const found = undetected(call.state, config);
  for (const { id } of found) {
    const detection = addDetection(call, config, id);
    announce(call, config.organizationId, 'organization.threat-detection-added', {
      organization_id: config.organizationId,
      threat_detection_result_id: detection.id,
    });
  }
  call.state.change('configs', config.id, { lastRunAtMs: call.clock.now() });
  return found.length;
}

function undetected(state: State, config: ConfigRecord): AssetRecord[] {
  const { assetTypes } = sourceNamed(config.source);
  const known = new Set(state.where('detections', 'configId', config.id).map(({ assetId }) => assetId));
  return state
    .all('assets')
    .filter(
      ({ id, type, status }) => status === 'UNKNOWN' && !known.has(id) && (assetTypes === null || assetTypes.includes(type)),
    );
}

export function addDetection({ state, clock }: Context, config: ConfigRecord, assetId: number): DetectionRecord {
  const { id: configId, organizationId, source } = config;
  // Any rule works, as long as the values vary and are the same every time.
  const confidence = confidences[assetId % confidences.length]!;
  return state.add('detections', { organizationId, assetId, source, configId, confidence, createdAtMs: clock.now() });
}

export function detectionFigures({ confidence, source }: DetectionRecord) {
  return { confidence, score: scores[confidence], reason: `First seen by ${source}.` };
}

/** When the organization first reported an asset. */
export function reportedAtMs(state: State, organizationId: number, assetId: number): number | null {
  for (const { reportId } of state.where('proposals', 'assetId', assetId)) {
    const report = state.get('reports', reportId);
    if (report?.organizationId === organizationId) return report.createdAtMs;
  }
  return null;
}

// provisional: all names except those that create takes.
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
