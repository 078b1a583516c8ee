import { type ErrorCode, isPortcullisError, verifyWebhook } from 'portcullis/webhooks';
import type { Command, CommandCall } from '../command.js';
import { exitCodes } from '../errors/exit-codes.js';
import { UsageError } from '../errors/usage.js';
import { wholeOf } from '../lists/input-lines.js';
import { fileOf, textFileOf } from '../lists/open-file.js';
import { eventLine, printedEvent } from './printed-event.js';
import { webhookOptions, webhookOptionsOf } from './webhook-options.js';

export const webhookVerify: Command = {
  summary: 'Verify a webhook, and print its event.',
  positionals: '',
  argumentHint: 'pass the body with --body or on standard input',
  examples: [
    ['webhook verify --signature sha256=<hex> < body.json', 'Reads the body from standard input'],
    ['webhook verify --body body.json --headers headers.txt --json', 'Verifies a saved request'],
  ],
  options: {
    body: { value: 'file', text: 'A file with the raw body; defaults to standard input' },
    headers: { value: 'file', text: 'A file with the headers, as lines of Name: value or a JSON object' },
    signature: { value: 'text', text: 'The signature header, instead of --headers' },
    timestamp: { value: 'text', text: 'The webhook-timestamp header of the standard scheme' },
    id: { value: 'text', text: 'The webhook-id header of the standard scheme' },
    ...webhookOptions,
  },
  notes:
    'The secret comes from PORTCULLIS_WEBHOOK_SECRET or a file, never from an option.\nExit codes: 0 verified; 2 the signature or timestamp is invalid; 3 the body is not an event, or the command is wrong.',

  async run(call) {
    const { options, output, input } = call;
    const settings = await webhookOptionsOf(call);
    const headers = await headersOf(call);
    const file = options.text('body');
    if (file === undefined && input.isTerminal) output.note('reading the body until Ctrl-D');
    const body = file === undefined ? await wholeOf(input, maxReadBytes, 'the body') : await fileOf(file, '--body', maxReadBytes);
    const event = printedEvent(verified(() => verifyWebhook(new Uint8Array(body), headers, settings)));
    await output.result(event, () =>
      output.format === 'human' ? [eventLine(event, output.paint)] : [{ ...event, data: JSON.stringify(event.data) }],
    );
    return exitCodes.ok;
  },
};

/** Only prevents endless input from filling memory; `verifyWebhook` has a lower limit. */
const maxReadBytes = 8 * 1024 * 1024;

/** Larger than the headers that any server accepts. */
const maxHeaderBytes = 256 * 1024;

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

async function headersOf({ options }: CommandCall): Promise<[string, string][]> {
  const file = options.text('headers');
  const isStandard = options.text('scheme') === 'standard';
  const single = [
    [isStandard ? 'webhook-signature' : 'x-webhook-signature', options.text('signature')],
    ['webhook-timestamp', options.text('timestamp')],
    ['webhook-id', options.text('id')],
  ] as const;
  const given = single.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]]));
  return [...(file === undefined ? [] : headersIn(await textFileOf(file, '--headers', maxHeaderBytes))), ...given];
}

function headersIn(text: string): [string, string][] {
  if (text.trimStart().startsWith('{')) {
    try {
      return Object.entries(JSON.parse(text) as object).map(([name, value]) => [name, String(value)]);
    } catch {
      throw new UsageError('--headers is not a JSON object', 'write it as JSON, or as lines of Name: value');
    }
  }
  return text.split(/\r?\n/).flatMap((line): [string, string][] => {
    const at = line.indexOf(':');
    // Skips the request line and the empty line before a body.
    return at < 1 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()]];
  });
}
