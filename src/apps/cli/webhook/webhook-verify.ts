import { verifyWebhook } from '../../../api/webhooks/verify-webhook.js';
import { maxWebhookBytes } from '../../../api/webhooks/webhook-body.js';
import { type ErrorCode, isPortcullisError } from '../../../core/errors.js';
import type { Call, Command } from '../command.js';
import { exitCodes } from '../errors/exit.js';
import { UsageError } from '../errors/usage.js';
import { wholeOf } from '../lists/input-lines.js';
import { fileOf, textFileOf } from '../operation/upload-files.js';
import { eventLine, printedEvent } from './printed-event.js';
import { webhookOptions, webhookOptionsOf } from './webhook-options.js';

export const webhookVerify: Command = {
  summary: 'Tell whether a delivery is real, and print its event.',
  positionals: '',
  wordsHint: 'give the body by --body or on standard input',
  examples: [
    ['webhook verify --signature sha256=<hex> < body.json', 'A body from standard input'],
    ['webhook verify --body body.json --headers headers.txt --json', 'As they were saved'],
  ],
  options: {
    body: { value: 'file', text: 'The raw body; otherwise it is read from standard input' },
    headers: { value: 'file', text: 'Its headers, as lines of Name: value, or a JSON object' },
    signature: { value: 'text', text: 'The header with the signature, in place of a file' },
    timestamp: { value: 'text', text: 'The header webhook-timestamp of the scheme standard' },
    id: { value: 'text', text: 'The header webhook-id of the scheme standard' },
    ...webhookOptions,
  },
  notes:
    'The secret comes from PORTCULLIS_WEBHOOK_SECRET or a file, never from an option.\nExit codes: 0 it is real, 2 its signature or its time does not hold, 3 its signature holds but it is no event.',

  async run(call) {
    const { options, output, input } = call;
    const settings = await webhookOptionsOf(call);
    const headers = await headersOf(call);
    const file = options.text('body');
    if (file === undefined && input.isTerminal) output.note('reading the body until Ctrl-D');
    const body =
      file === undefined ? await wholeOf(input, maxWebhookBytes, 'the body') : await fileOf(file, '--body', maxWebhookBytes);
    const event = printedEvent(verified(() => verifyWebhook(new Uint8Array(body), headers, settings)));
    await output.result(event, () =>
      output.format === 'human' ? eventLine(event, output.paint) : [{ ...event, data: JSON.stringify(event.data) }],
    );
    return exitCodes.ok;
  },
};

/** More than any server takes. */
const headerBytesMax = 256 * 1024;

const forged: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['SIGNATURE_MISSING', 'SIGNATURE_INVALID', 'TIMESTAMP_OUT_OF_RANGE']);

function verified<T>(verify: () => T): T {
  try {
    return verify();
  } catch (error) {
    if (!isPortcullisError(error)) throw error;
    const { code, message } = error;
    if (forged.has(code)) throw new UsageError(message, undefined, { code, exitCode: exitCodes.authentication });
    if (code === 'INVALID_WEBHOOK') throw new UsageError(message, undefined, { code });
    throw error;
  }
}

async function headersOf({ options }: Call): Promise<[string, string][]> {
  const file = options.text('headers');
  const isStandard = options.text('scheme') === 'standard';
  const single = [
    [isStandard ? 'webhook-signature' : 'x-webhook-signature', options.text('signature')],
    ['webhook-timestamp', options.text('timestamp')],
    ['webhook-id', options.text('id')],
  ] as const;
  const given = single.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]]));
  return [...(file === undefined ? [] : headersIn(await textFileOf(file, '--headers', headerBytesMax))), ...given];
}

function headersIn(text: string): [string, string][] {
  if (text.trimStart().startsWith('{')) {
    try {
      return Object.entries(JSON.parse(text) as object).map(([name, value]) => [name, String(value)]);
    } catch {
      throw new UsageError('--headers is no JSON object', 'lines of Name: value will do');
    }
  }
  return text.split(/\r?\n/).flatMap((line): [string, string][] => {
    const at = line.indexOf(':');
    // A request line, and the empty line before a body.
    return at < 1 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()]];
  });
}
