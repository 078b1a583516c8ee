import type { WebhookOptions, WebhookScheme } from '../../../api/webhooks/verify-webhook.js';
import type { Call, OptionRows } from '../command.js';
import { UsageError } from '../errors/usage.js';
import { textFileOf } from '../operation/upload-files.js';

/** How deliveries are signed. */
export const webhookOptions: OptionRows = {
  'secret-file': { value: 'file', text: 'The secret, or one a line while it is replaced; otherwise PORTCULLIS_WEBHOOK_SECRET' },
  scheme: { value: 'scheme', choices: ['body-hmac', 'standard'], text: 'How they are signed, body-hmac without it' },
  tolerance: { value: 'seconds', text: 'How old or early one may be; 300 for standard, otherwise not looked at' },
};

/** Sixteen secrets are tried at most. */
const secretBytesMax = 64 * 1024;
const secondsMax = 10 * 365 * 24 * 60 * 60;

export async function webhookOptionsOf({ options, env }: Call): Promise<WebhookOptions> {
  const file = options.text('secret-file');
  const given = file === undefined ? env['PORTCULLIS_WEBHOOK_SECRET'] : await textFileOf(file, '--secret-file', secretBytesMax);
  // A space may belong to a secret, the end of a line does not.
  const secrets = (given ?? '').split(/\r?\n/).filter(Boolean);
  if (secrets.length === 0) {
    throw new UsageError('there is no secret to verify with', 'set PORTCULLIS_WEBHOOK_SECRET, or give --secret-file');
  }
  const seconds = options.number('tolerance', 0, secondsMax, 'any');
  const scheme = options.text('scheme') as WebhookScheme | undefined;
  return { secrets, ...(scheme && { scheme }), ...(seconds !== undefined && { toleranceMs: seconds * 1_000 }) };
}
