import type { WebhookEvent } from 'portcullis/webhooks';
import type { Paint } from '../terminal/colours.js';
import { cell } from '../terminal/output.js';

/** An event as `--json` prints it. */
export interface PrintedEvent {
  readonly type: string;
  readonly name: string;
  readonly createdAt: string | null;
  readonly id: string | null;
  readonly fingerprint: string;
  readonly data: unknown;
  /** What is missing from a known event. */
  readonly issues?: readonly unknown[];
}

export function printedEvent(event: WebhookEvent): PrintedEvent {
  const { type, name, createdAtMs, id, fingerprint, data } = event;
  const createdAt = createdAtMs === null ? null : new Date(createdAtMs).toISOString();
  const issues = event.type === 'unknown' && event.issues.length > 0 ? { issues: event.issues } : {};
  return { type, name, createdAt, id, fingerprint, data, ...issues };
}

export function eventLine({ type, name, createdAt, data }: PrintedEvent, paint: Paint): string {
  const shown = type === 'unknown' ? `${cell(name)} (unknown event)` : type;
  return `${paint('cyan', shown)}  ${createdAt ?? 'no time'}  ${cell(JSON.stringify(data ?? null))}`;
}
