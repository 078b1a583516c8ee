import type { Issue } from '../../core/errors.js';
import { invalidWebhook, isObject, own, readObject } from './webhook-body.js';

/**
 * A delivery whose signature holds. `switch (event.type)` narrows it; whatever this version cannot type is `'unknown'`, and is
 * there in full, because an event that is thrown away is delivered a few more times and then lost.
 */
export type WebhookEvent =
  | AssetStatusUpdatedEvent
  | AssetStatusEscalatedEvent
  | ThreatDetectionAddedEvent
  | DebugTestEvent
  | UnknownWebhookEvent;

/** What every event has. */
export interface WebhookEventBase {
  /** The event's name as sent. Equal to `type` but for an event of type `'unknown'`. */
  readonly name: string;
  /** When the service made it, in milliseconds since 1970; `null` where it does not say so in a way that can be read. */
  readonly createdAtMs: number | null;
  /** The sender's id of the delivery, the same when it is repeated; only the scheme `standard` has one. */
  readonly id: string | null;
  /** SHA-256 of the raw body in hex, which a repeated delivery shares (`createDuplicateFilter`). */
  readonly fingerprint: string;
  /** The body as it was parsed, with nothing changed or left out. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** An asset's status changed. */
export interface AssetStatusUpdatedEvent extends WebhookEventBase {
  readonly type: 'asset.status-updated';
  readonly data: AssetStatusData;
}

/** A proposal about an asset waits for a decision of higher rank. */
export interface AssetStatusEscalatedEvent extends WebhookEventBase {
  readonly type: 'asset.status-escalated';
  readonly data: AssetStatusData & { readonly proposal_id: number; readonly organization_id: number };
}

/** Detection found something that aims at an organization. */
export interface ThreatDetectionAddedEvent extends WebhookEventBase {
  readonly type: 'organization.threat-detection-added';
  readonly data: { readonly organization_id: number; readonly threat_detection_result_id: number };
}

/** Somebody pressed the test button. */
export interface DebugTestEvent extends WebhookEventBase {
  readonly type: 'debug.test';
  readonly data: Readonly<Record<string, unknown>>;
}

/** An event this version does not know, or one it knows by name whose data is not as it should be; `issues` tells which. */
export interface UnknownWebhookEvent extends WebhookEventBase {
  readonly type: 'unknown';
  /** As sent. */
  readonly data: unknown;
  /** What a known event lacks; empty for a name that is not known. */
  readonly issues: readonly Issue[];
}

/** Keys as on the wire. */
export interface AssetStatusData {
  readonly asset_id: number;
  /** In upper case, however it was sent. */
  readonly type: string;
  readonly content: string;
  readonly status: WebhookAssetStatus;
}

/** The statuses that are known; a service may add some. */
export type WebhookAssetStatus = 'UNKNOWN' | 'ALLOWED' | 'BLOCKED' | (string & Record<never, never>);

/** `body` is signed. Throws `INVALID_WEBHOOK` only where there is no JSON object that names an event. */
export function readEvent(body: Uint8Array, id: string | null, fingerprint: string): WebhookEvent {
  const raw = readObject(body);
  // The test event has its name under `event`.
  const name = own(raw, 'type') ?? own(raw, 'event');
  if (typeof name !== 'string' || name === '') throw invalidWebhook('it does not name an event');
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

/** The keys a known event's data must have; it may have others. A `Map`, in which `constructor` is just another unknown name. */
const forms: ReadonlyMap<string, Form> = new Map<string, Form>([
  ['asset.status-updated', asset],
  ['asset.status-escalated', { ...asset, proposal_id: 'id', organization_id: 'id' }],
  ['organization.threat-detection-added', { organization_id: 'id', threat_detection_result_id: 'id' }],
  ['debug.test', {}],
]);

function issuesOf(data: unknown, form: Form): readonly Issue[] {
  const keys = Object.keys(form);
  // Nothing is asked of the test event's data, so nothing can be wrong with it.
  if (keys.length === 0) return [];
  if (!isObject(data)) return [{ path: 'data', message: 'must be an object' }];
  const issues: Issue[] = [];
  for (const key of keys) {
    const value = own(data, key);
    // An id beyond the safe integers was rounded on parsing: it would be another asset's.
    if (form[key] === 'id' && !Number.isSafeInteger(value))
      issues.push({ path: `data.${key}`, message: 'must be a whole number' });
    if (form[key] === 'text' && typeof value !== 'string') issues.push({ path: `data.${key}`, message: 'must be a string' });
  }
  return issues;
}

/** A copy, one level deep, so that `raw` stays as sent; `__proto__` stays behind, for those who assign it to something. */
function dataOf(sent: unknown, form: Form): object {
  const data: Record<string, unknown> = {};
  if (!isObject(sent)) return data;
  for (const key of Object.keys(sent)) if (key !== '__proto__') data[key] = sent[key];
  if (form['type'] !== undefined) data['type'] = (data['type'] as string).toUpperCase();
  return data;
}

/** RFC 3339, as engines agree on it: with a zone, and a fraction cut to milliseconds. */
function timeOf(value: unknown): number | null {
  const match = typeof value === 'string' ? dateTime.exec(value) : null;
  if (match === null) return null;
  const [, date, time, fraction = '', zone] = match;
  const timeMs = Date.parse(`${date}T${time}.${`${fraction}000`.slice(0, 3)}${zone}`);
  return Number.isNaN(timeMs) ? null : timeMs;
}

const dateTime = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;
