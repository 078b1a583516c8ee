import type { Blocklist } from 'portcullis';
import { jsonIn } from '../shared/json-text.js';
import { okStatus, type Requests } from './requests.js';
import { durationText } from './shown.js';

/** What the servers behind the list say or do: a row is a name and a state in words. */
export type SourceStates = () => readonly (readonly [name: string, state: string])[];

interface Health {
  readonly relay: string;
  readonly service: string;
  /** Epoch time at which the service last answered the relay. */
  readonly answeredAtMs?: number;
}

const notAsked: Health = { relay: 'not asked yet', service: 'not known yet' };

/** The states of a relay and of the service behind it, from the relay's health report. */
export class RelayHealth {
  private health = notAsked;
  private readonly url: string;
  private readonly requests: Requests;

  constructor(baseUrl: string, requests: Requests) {
    this.url = new URL(`${baseUrl}/healthz`, document.baseURI).href;
    this.requests = requests;
  }

  async ask(): Promise<void> {
    if (this.requests.isOffline) {
      this.health = { relay: 'not asked: offline is simulated', service: 'not known' };
      return;
    }
    try {
      const answer = await this.requests.fetch(this.url, { cache: 'no-store' });
      this.health = healthIn(answer.status, await answer.text());
    } catch {
      this.health = { relay: 'does not answer', service: 'not known' };
    }
  }

  readonly states: SourceStates = () => {
    const { relay, service, answeredAtMs } = this.health;
    const age = answeredAtMs === undefined ? '' : `, ${durationText(Date.now() - answeredAtMs)} ago`;
    return [
      ['Relay', relay],
      ['Service', `${service}${age}`],
    ];
  };
}

function healthIn(status: number, text: string): Health {
  // Empty for a relay of another kind, or something in front of it.
  const report: { readonly ready?: unknown; readonly status?: unknown; readonly ageSeconds?: unknown } = Object(jsonIn(text));
  if (report.ready === true && typeof report.ageSeconds === 'number') {
    return { relay: 'answers', service: 'answered the relay', answeredAtMs: Date.now() - report.ageSeconds * 1_000 };
  }
  if (report.status === 'no-list') return { relay: 'answers', service: 'does not answer the relay' };
  const relay = status === okStatus ? 'answers, without a health report' : `answers with status ${status}`;
  return { relay, service: 'not known' };
}

/** The state of the host of a published list, as the last round found it. */
export function hostStates(blocklist: Blocklist): SourceStates {
  return () => {
    const { list, lastError } = blocklist.status().sources[0]!;
    return [['Host', lastError !== null ? `failed: ${lastError.code}` : list === null ? 'not asked yet' : 'answers']];
  };
}

/** Whether hits can be confirmed now. */
export function confirmState(blocklist: Blocklist): string {
  const { pending, isPaused, heldUntilMs, lastError } = blocklist.status().sources[0]!.confirm;
  const waitMs = heldUntilMs - Date.now();
  if (isPaused && waitMs > 0) return `paused for ${durationText(waitMs)}${lastError === null ? '' : `: ${lastError.code}`}`;
  if (lastError !== null) return `failed: ${lastError.code}`;
  return pending > 0 ? 'waiting for an answer' : 'available';
}
