import {
  createDuplicateFilter,
  type ErrorCode,
  isPortcullisError,
  verifyWebhookRequest,
  type WebhookOptions,
} from 'portcullis/webhooks';
import type { Command, CommandCall } from '../command.js';
import { exitCodes } from '../errors/exit-codes.js';
import { untilAborted } from '../service/until-aborted.js';
import { eventLine, printedEvent } from './printed-event.js';
import { webhookOptions, webhookOptionsOf } from './webhook-options.js';

const maxPort = 65_535;
/** Limits how long a request without its body keeps a connection. */
const bodyMs = 10_000;
/** For the response to the last event; it is a few bytes. */
const lastResponseMs = 1_000;

export const webhookListen: Command = {
  summary: 'Listen for webhooks on this machine, and print each verified event as a line.',
  positionals: '',
  argumentHint: 'portcullis webhook listen --port 8787',
  examples: [
    ['webhook listen --port 8787', 'Until Ctrl-C'],
    ['webhook listen --port 8787 --count 1 --json', 'Exits after the first event'],
  ],
  options: {
    port: { value: 'number', text: 'The port; defaults to any free port' },
    count: { value: 'number', text: 'Exit after this many events' },
    ...webhookOptions,
  },
  notes:
    'Listens on 127.0.0.1 and accepts only the names of this machine, so a tunnel must rewrite the Host header.\nResponds with 204 to an event, 401 to an invalid signature or timestamp, 400 to a body that is not an event, 413 to a body that is too large.',

  async run(call) {
    const { options, output, signal } = call;
    const settings = await webhookOptionsOf(call);
    const port = options.number('port', 0, maxPort);
    const maxCount = options.number('count', 1, Number.MAX_SAFE_INTEGER);
    let end = (): void => {};
    const done = new Promise<void>((resolve) => (end = resolve));
    const receive = receiverOf(call, settings, maxCount, () => end());
    // Loaded here, because the help needs no server.
    const { listen } = await import('portcullis/testing');
    const listening = await listen(receive, port === undefined ? {} : { port });
    output.note(`listening on ${listening.url}`);
    try {
      await Promise.race([done, untilAborted(signal)]);
    } finally {
      // The sender of the last event waits for its response.
      await listening.close({ graceMs: signal.aborted ? 0 : lastResponseMs });
    }
    signal.throwIfAborted();
    return exitCodes.ok;
  },
};

const statuses: Partial<Record<ErrorCode, number>> = { INVALID_WEBHOOK: 400, LIMIT_EXCEEDED: 413, INVALID_INPUT: 500 };

/** Answers deliveries. Calls `end` once the requested number has arrived. */
function receiverOf({ output }: CommandCall, settings: WebhookOptions, maxCount: number | undefined, end: () => void) {
  const { seen } = createDuplicateFilter();
  let count = 0;
  return async (request: Request): Promise<Response> => {
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } });
    try {
      const event = await verifyWebhookRequest(request, { ...settings, signal: AbortSignal.timeout(bodyMs) });
      const printed = { ...printedEvent(event), duplicate: seen(event.id ?? event.fingerprint) };
      await output.item(printed, () => [`${eventLine(printed, output.paint)}${printed.duplicate ? '  (duplicate)' : ''}`]);
      if (++count === maxCount) end();
      return new Response(null, { status: 204 });
    } catch (error) {
      if (!isPortcullisError(error)) throw error;
      output.alarm(`rejected: ${error.message} [${error.code}]`);
      return new Response(null, { status: statuses[error.code] ?? 401 });
    }
  };
}
