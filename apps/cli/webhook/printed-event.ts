import type { WebhookEvent } from 'portcullis/webhooks';
import type { Paint } from '../terminal/colors.js';

/** An event as `--json` prints it. `issues` says what is missing from a known event. */
export function printedEvent(event: WebhookEvent) {
  const { type, name, createdAtMs, id, fingerprint, data } = event;
  const createdAt = createdAtMs === null ? null : new Date(createdAtMs).toISOString();
  const issues = event.type === 'unknown' && event.issues.length > 0 ? { issues: event.issues } : {};
  return { type, name, createdAt, id, fingerprint, data, ...issues };
}

export function eventLine({ type, name, createdAt, data }: ReturnType<typeof printedEvent>, paint: Paint): string {
  const shown = type === 'unknown' ? `${name} (unknown event)` : type;
  return `${paint('cyan', shown)}  ${createdAt ?? 'no time'}  ${JSON.stringify(data ?? null)}`;
}
