import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { toHex, utf8 } from '../../../core/bytes.js';
import type { Context } from '../handlers/handler-context.js';
import { completedAtMs, scanView } from '../records/scans.js';
import type { DeliveryRecord, Edit } from '../state/state-tables.js';
import { addDelivery } from './delivery-log.js';

/**
 * Sends a request and returns the status of the response. Throws if there is no response or the target is not allowed. The signal is aborted
 * when the service closes.
 */
export type Post = (url: string, headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal) => Promise<number>;

/** The wait before each retry. provisional: the documents only say "up to 3, with exponential backoff". */
const retryDelaysMs = [1_000, 4_000, 16_000] as const;

const signatureHeader = 'X-Portcullis-Signature';

/** The wait before another try when an outcome could not be stored, for example on a full disk. */
const pauseMs = 1_000;

type Commit = <T>(work: () => T) => Promise<T>;

/** The tables whose records are sent. */
type Sent = 'deliveries' | 'scans';

/** Sends the deliveries that the state has planned: events to webhooks, and results of scans to callbacks. */
export class Deliveries {
  private readonly context: Context;
  private readonly post: Post;
  private readonly commit: Commit;
  /** Ids that are planned or in progress, so that nothing is sent twice at once. */
  private readonly planned = new Set<number>();
  /** Increased by a reset: deliveries in progress then belong to the replaced state. */
  private epoch = 0;
  /** One for each request in progress: an `AbortSignal` that many listen to makes Node warn of a leak. */
  private readonly requests = new Set<AbortController>();
  private isEnded = false;

  constructor(context: Context, post: Post, commit: Commit) {
    this.context = context;
    this.post = post;
    this.commit = commit;
  }

  /** Plans the deliveries that the changed records require. */
  wake(edits: readonly Edit[]): void {
    for (const [table, id] of edits) if (table === 'deliveries' || table === 'scans') this.plan(table, id);
  }

  /** Plans the deliveries that all records require, after the state was replaced. */
  wakeAll(): void {
    for (const table of ['deliveries', 'scans'] as const)
      for (const { id } of this.context.state.all(table)) this.plan(table, id);
  }

  /** Stops deliveries in progress. A service that continues from this state sends unanswered deliveries again. */
  end(): void {
    this.isEnded = true;
    for (const request of this.requests) request.abort(new Error('the service is closed'));
  }

  forget(): void {
    this.epoch++;
    this.planned.clear();
  }

  /** Sends a delivery again, as a new one. */
  replay(id: number): Promise<void> {
    const { state, clock } = this.context;
    return this.commit(() => {
      const { webhookId, event, body } = state.get('deliveries', id)!;
      addDelivery(state, { webhookId, event, body, status: 'PENDING', attempts: [], dueMs: clock.now() });
    });
  }

  /** When the next step of a record is due; `null` if there is none. */
  private dueMs(table: Sent, id: number): number | null {
    const { state } = this.context;
    if (table === 'deliveries') return state.get(table, id)?.dueMs ?? null;
    const scan = state.get(table, id);
    return scan === undefined || scan.reported ? null : completedAtMs(scan);
  }

  /** Plans the next step of a record, and then the one after it, after a pause if the step failed. Ids are unique across tables. */
  private plan(table: Sent, id: number, notBeforeMs = 0): void {
    const dueMs = this.dueMs(table, id);
    if (dueMs === null || this.planned.has(id)) return;
    this.planned.add(id);
    const { clock } = this.context;
    const { epoch } = this;
    clock.after(Math.max(dueMs - clock.now(), notBeforeMs - clock.now(), 0), async () => {
      if (epoch !== this.epoch) return;
      const isDone = await (table === 'deliveries' ? this.deliver(id) : this.report(id)).then(
        () => true,
        () => false,
      );
      if (epoch !== this.epoch) return;
      this.planned.delete(id);
      this.plan(table, id, isDone ? 0 : clock.now() + pauseMs);
    });
  }

  private async deliver(id: number): Promise<void> {
    const { state, clock } = this.context;
    const delivery = state.get('deliveries', id);
    const webhook = delivery && state.get('webhooks', delivery.webhookId);
    if (delivery === undefined || delivery.dueMs === null) return;
    if (webhook === undefined) {
      await this.commit(() => state.change('deliveries', id, { status: 'FAILURE', dueMs: null }));
      return;
    }
    await this.commit(() => state.change('deliveries', id, { status: 'IN_PROGRESS' }));
    const signature = toHex(hmac(sha256, utf8(webhook.secret), utf8(delivery.body)));
    const headers = { 'content-type': 'application/json', [signatureHeader]: `sha256=${signature}` };
    const { epoch } = this;
    const outcome = await this.attempt(webhook.url, headers, delivery.body);
    await this.commit(() => {
      const current = state.get('deliveries', id);
      if (current !== undefined && epoch === this.epoch) this.record(current, outcome, clock.now());
    });
  }

  private record(delivery: DeliveryRecord, outcome: Outcome, atMs: number): void {
    const attempts = [...delivery.attempts, { atMs, ...outcome }];
    const delivered = outcome.status !== null && outcome.status >= 200 && outcome.status < 300;
    const delayMs = delivered ? undefined : retryDelaysMs[attempts.length - 1];
    this.context.state.change('deliveries', delivery.id, {
      attempts,
      status: delivered ? 'SUCCESS' : delayMs === undefined ? 'FAILURE' : 'PENDING',
      dueMs: delayMs === undefined ? null : atMs + delayMs,
    });
  }

  // provisional: the payload of a callback, and that it is neither signed nor retried.
  private async report(id: number): Promise<void> {
    const { state } = this.context;
    const scan = state.get('scans', id);
    if (scan === undefined || scan.reported || scan.callbackUrl === null) return;
    await this.commit(() => state.change('scans', id, { reported: true }));
    const view = scanView(this.context, scan);
    const body = JSON.stringify({ scanId: id, status: view.status, scan: view });
    await this.attempt(scan.callbackUrl, { 'content-type': 'application/json' }, body);
  }

  private async attempt(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Outcome> {
    const request = new AbortController();
    if (this.isEnded) request.abort(new Error('the service is closed'));
    const { signal } = request;
    this.requests.add(request);
    try {
      // A `post` from the options may ignore the signal.
      return { status: await unlessAborted(this.post(url, headers, body, signal), signal), error: null };
    } catch (error) {
      return { status: null, error: error instanceof Error ? error.message : 'unknown error' };
    } finally {
      this.requests.delete(request);
    }
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => reject(signal.reason);
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}

interface Outcome {
  readonly status: number | null;
  readonly error: string | null;
}
