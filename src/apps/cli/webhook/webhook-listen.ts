import { verifyWebhookRequest, type WebhookOptions } from '../../../api/webhooks/verify-webhook.js';
import { createDuplicateFilter } from '../../../api/webhooks/webhook-duplicates.js';
import { type ErrorCode, isPortcullisError } from '../../../core/errors.js';
import type { Call, Command } from '../command.js';
import { exitCodes } from '../errors/exit.js';
import { untilAborted } from '../service/until-aborted.js';
import { eventLine, printedEvent } from './printed-event.js';
import { webhookOptions, webhookOptionsOf } from './webhook-options.js';

const portMax = 65_535;
/** A body that does not come must not keep a connection. */
const bodyMs = 10_000;

export const webhookListen: Command = {
  summary: 'Listen on this machine for deliveries, and print each event whose signature holds as a line.',
  positionals: '',
  wordsHint: 'portcullis webhook listen --port 8787',
  examples: [
    ['webhook listen --port 8787', 'Until Ctrl-C'],
    ['webhook listen --port 8787 --count 1 --json', 'Until the first one'],
  ],
  options: {
    port: { value: 'number', text: 'Any free one without it' },
    count: { value: 'number', text: 'End after so many events' },
    ...webhookOptions,
  },
  notes:
    'It binds 127.0.0.1 and answers under the names of this machine: a tunnel has to rewrite the header Host.\nAnswers: 204 for an event, 401 where the signature or the time does not hold, 400 for what is no event, 413 for what is too large.',

  async run(call) {
    const { options, output, signal } = call;
    const settings = await webhookOptionsOf(call);
    const port = options.number('port', 0, portMax);
    const countMax = options.number('count', 1, Number.MAX_SAFE_INTEGER);
    const deliveries = new Deliveries(call, settings, countMax);
    // Loaded only here: who asks for the options needs no server.
    const { listenWith } = await import('../../../servers/service/http/listen.js');
    const listening = await listenWith((request) => deliveries.answer(request), port === undefined ? {} : { port });
    output.note(`listening on ${listening.url}`);
    try {
      await Promise.race([deliveries.done, untilAborted(signal)]);
    } finally {
      await listening.close();
    }
    signal.throwIfAborted();
    return exitCodes.ok;
  },
};

const statuses: Partial<Record<ErrorCode, number>> = { INVALID_WEBHOOK: 400, LIMIT_EXCEEDED: 413, INVALID_INPUT: 500 };

/** What came in, until enough did. */
class Deliveries {
  readonly done: Promise<void>;
  private end: () => void = () => {};
  private readonly seen = createDuplicateFilter();
  private count = 0;
  /** The last request: its signal tells that its answer is out. Held, because a signal nobody holds tells nothing. */
  private last: Request | undefined;

  private readonly call: Call;
  private readonly settings: WebhookOptions;
  private readonly countMax: number | undefined;

  constructor(call: Call, settings: WebhookOptions, countMax: number | undefined) {
    this.call = call;
    this.settings = settings;
    this.countMax = countMax;
    this.done = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  async answer(request: Request): Promise<Response> {
    const { output } = this.call;
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } });
    try {
      const event = await verifyWebhookRequest(request, { ...this.settings, signal: AbortSignal.timeout(bodyMs) });
      const printed = { ...printedEvent(event), duplicate: this.seen.seen(event.id ?? event.fingerprint) };
      await output.item(printed, () => `${eventLine(printed, output.paint)}${printed.duplicate ? '  (a duplicate)' : ''}`);
      this.count++;
      if (this.count === this.countMax) {
        this.last = request;
        this.last.signal.addEventListener('abort', () => this.end());
      }
      return new Response(null, { status: 204 });
    } catch (error) {
      if (!isPortcullisError(error)) throw error;
      output.warn(`refused: ${error.message} [${error.code}]`);
      return new Response(null, { status: statuses[error.code] ?? 401 });
    }
  }
}
