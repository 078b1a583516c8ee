import type { Issue } from '../../core/errors.js';
import { isRecord } from '../../core/errors.js';
import { invalidWebhook, own, readObject } from './webhook-body.js';

/**
 * A delivery whose signature is valid. `switch (event.type)` narrows it. An event that this version does not know has the type
 * `'unknown'` and is still complete: an event that throws would be delivered a few more times and then lost.
 */
export type WebhookEvent =
  | AssetStatusUpdatedEvent
  | AssetStatusEscalatedEvent
  | ThreatDetectionAddedEvent
  | DebugTestEvent
  | UnknownWebhookEvent;

/** The fields of every event. */
export interface WebhookEventBase {
  /** The event's name as sent; equal to `type` unless that is `'unknown'`. */
  readonly name: string;
  /** When the service created it, in milliseconds since 1970; `null` if that is missing or unreadable. */
  readonly createdAtMs: number | null;
  /** The sender's id, the same for repeated deliveries; `null` unless the scheme is `standard`. */
  readonly id: string | null;
  /** SHA-256 of the raw body in hex, the same for repeated deliveries; see `createDuplicateFilter`. */
  readonly fingerprint: string;
  /** The whole body, parsed and unchanged. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** An asset's status changed. */
export interface AssetStatusUpdatedEvent extends WebhookEventBase {
  readonly type: 'asset.status-updated';
  readonly data: AssetStatusData;
}

/** A proposal about an asset was escalated and awaits a decision. */
export interface AssetStatusEscalatedEvent extends WebhookEventBase {
  readonly type: 'asset.status-escalated';
  readonly data: AssetStatusData & { readonly proposal_id: number; readonly organization_id: number };
}

/** Detection found a threat to an organization. */
export interface ThreatDetectionAddedEvent extends WebhookEventBase {
  readonly type: 'organization.threat-detection-added';
  readonly data: { readonly organization_id: number; readonly threat_detection_result_id: number };
}

/** A test event, sent from the service's settings. */
export interface DebugTestEvent extends WebhookEventBase {
  readonly type: 'debug.test';
  readonly data: Readonly<Record<string, unknown>>;
}

/** An event this version does not know, or a known one with unexpected data; `issues` then lists what is wrong. */
export interface UnknownWebhookEvent extends WebhookEventBase {
  readonly type: 'unknown';
  /** As sent. */
  readonly data: unknown;
  /** What is wrong with the data of a known event; empty for an unknown name. */
  readonly issues: readonly Issue[];
}

/** Keys as sent. */
export interface AssetStatusData {
  readonly asset_id: number;
  /** Always in upper case. */
  readonly type: string;
  readonly content: string;
  readonly status: WebhookAssetStatus;
}

/** The known statuses; the service may add others. */
export type WebhookAssetStatus = 'UNKNOWN' | 'ALLOWED' | 'BLOCKED' | (string & Record<never, never>);

/** Reads a verified body. Throws `INVALID_WEBHOOK` only if it is not a JSON object that names an event. */
export function readEvent(body: Uint8Array, id: string | null, fingerprint: string): WebhookEvent {
  const raw = readObject(body);
  // The test event has its name under `event`.
  const name = own(raw, 'type') ?? own(raw, 'event');
  if (typeof name !== 'string' || name === '') throw invalidWebhook('does not name an event');
  // Standard Webhooks calls it `timestamp`.
  const createdAtMs = timeOf(own(raw, 'created_at') ?? own(raw, 'timestamp'));
  const base = { name, createdAtMs, id, fingerprint, raw };
  const form = forms.get(name);
  const sent = own(raw, 'data');
  if (form === undefined) return { ...base, type: 'unknown', data: sent, issues: [] };
  const issues = issuesOf(sent, form);
  if (issues.length > 0) return { ...base, type: 'unknown', data: sent, issues };
  return { ...base, type: name, data: dataOf(sent, form) } as WebhookEvent;
}

type Form = Readonly<Record<string, 'id' | 'text'>>;

const asset: Form = { asset_id: 'id', type: 'text', content: 'text', status: 'text' };

/** The keys that the data of known events must have. A `Map`, so that `constructor` is an unknown name too. */
const forms: ReadonlyMap<string, Form> = new Map<string, Form>([
  ['asset.status-updated', asset],
  ['asset.status-escalated', { ...asset, proposal_id: 'id', organization_id: 'id' }],
  ['organization.threat-detection-added', { organization_id: 'id', threat_detection_result_id: 'id' }],
  ['debug.test', {}],
]);

function issuesOf(data: unknown, form: Form): readonly Issue[] {
  const keys = Object.keys(form);
  // The data of the test event may be anything.
  if (keys.length === 0) return [];
  if (!isRecord(data)) return [{ path: 'data', message: 'must be an object' }];
  const issues: Issue[] = [];
  for (const key of keys) {
    const value = own(data, key);
    // A larger id was rounded by the parser and would name another asset.
    if (form[key] === 'id' && !Number.isSafeInteger(value))
      issues.push({ path: `data.${key}`, message: 'must be a whole number' });
    if (form[key] === 'text' && typeof value !== 'string') issues.push({ path: `data.${key}`, message: 'must be a string' });
  }
  return issues;
}

/** A shallow copy, so that `raw` stays as sent. Without `__proto__`, which is unsafe to assign elsewhere. */
function dataOf(sent: unknown, form: Form): object {
  const data: Record<string, unknown> = {};
  if (!isRecord(sent)) return data;
  for (const key of Object.keys(sent)) if (key !== '__proto__') data[key] = sent[key];
  if (form['type'] !== undefined) data['type'] = (data['type'] as string).toUpperCase();
  return data;
}

/** RFC 3339 with a zone, the fraction truncated to milliseconds, which all engines parse alike. */
function timeOf(value: unknown): number | null {
  const match = typeof value === 'string' ? dateTime.exec(value) : null;
  if (match === null) return null;
  const [, date, time, fraction = '', zone] = match;
  const timeMs = Date.parse(`${date}T${time}.${`${fraction}000`.slice(0, 3)}${zone}`);
  return Number.isNaN(timeMs) ? null : timeMs;
}

const dateTime = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;
