import { type Confirmed, maxConfirmBytes, readConfirm } from '../../blocklist/formats/confirm-answer.js';
import { u32ToHex } from '../../core/bytes.js';
import { isPortcullisError, type PortcullisError } from '../../core/errors.js';
import { badGateway, badRequest, defaultRetryMs, type RelayRefusal, unavailable } from './relay-answers.js';
import type { Settings } from './relay-options.js';
import type { Rates } from './relay-rates.js';
import { confirmPath } from './relay-routes.js';
import { createGate, type Upstream } from './upstream.js';

/** Asks the service to confirm prefixes. */
export interface ConfirmUpstream {
  /**
   * The hashes of the prefixes, in as many requests as the service requires. Lacks those that the service said nothing about within
   * `maxRequests`.
   */
  ask(algoVersion: unknown, prefixes: readonly number[]): Promise<Confirmed>;
  /** The maximum number of prefixes in one request. */
  batchSize(): number;
}

/**
 * Requests per batch, including those that were too large and those about a prefix that an answer left out: enough for 1,000 prefixes and
 * a service that accepts 40.
 */
const maxRequests = 32;

/** How long a batch size that the service accepted is used, in milliseconds. */
const batchSizeTtlMs = 600_000;

/** Statuses with which services reject a question. After any other failure the service gets a pause, and every client waits. */
const rejectedStatuses: ReadonlySet<number> = new Set([400, 404, 409, 413, 422]);

export function createConfirmUpstream(settings: Settings, upstream: Upstream, rates: Rates): ConfirmUpstream {
  const { maxPrefixes, now, emit } = settings;
  const gate = createGate('confirm', settings, isRejected);
  let accepted = { size: maxPrefixes, untilMs: 0 };

  const batchSize = (): number => (now() < accepted.untilMs ? accepted.size : maxPrefixes);

  async function request(algoVersion: unknown, prefixes: readonly number[]): Promise<Confirmed> {
    const waitMs = rates.upstream();
    if (waitMs > 0) throw unavailable(waitMs);
    const body = { algoVersion, prefixes: prefixes.map(u32ToHex) };
    return gate.run(async () =>
      readConfirm(await upstream.call({ method: 'POST', path: confirmPath, body }, maxConfirmBytes), prefixes),
    );
  }

  function refusalOf({ code, status = 0 }: PortcullisError): RelayRefusal {
    emit({ type: 'upstream-error', route: 'confirm', code, status, pauseMs: 0 });
    return status === 400 || status === 422 ? badRequest('the service rejected the confirmation') : badGateway(defaultRetryMs);
  }

  /** The service's limit is unknown, so a rejected request is retried in halves. */
  async function ask(algoVersion: unknown, prefixes: readonly number[]): Promise<Confirmed> {
    const size = batchSize();
    const confirmed = new Map<number, readonly Uint8Array[]>();
    const rest: (readonly number[])[] = [];
    for (let at = 0; at < prefixes.length; at += size) rest.unshift(prefixes.slice(at, at + size));
    let requests = 0;
    let isSplit = false;
    for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
      if (++requests > maxRequests) break;
      try {
        const answered = await request(algoVersion, part);
        for (const prefix of part) {
          const hashes = answered.get(prefix) ?? (part.length === 1 ? [] : undefined);
          // Half an answer must not read as "not listed": what it leaves out is asked again, alone and last.
          if (hashes === undefined) rest.unshift([prefix]);
          else confirmed.set(prefix, hashes);
        }
        if (isSplit) accepted = { size: part.length, untilMs: now() + batchSizeTtlMs };
        isSplit = false;
      } catch (error) {
        if (!isRejected(error)) throw error;
        if (part.length === 1) throw refusalOf(error);
        const half = part.length >> 1;
        rest.push(part.slice(half), part.slice(0, half));
        isSplit = true;
      }
    }
    return confirmed;
  }

  return { ask, batchSize };
}

/** Whether the service rejected the question itself or its size, and works otherwise. */
function isRejected(error: unknown): error is PortcullisError {
  return isPortcullisError(error) && rejectedStatuses.has(error.status ?? 0);
}
