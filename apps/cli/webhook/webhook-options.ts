import type { WebhookOptions, WebhookScheme } from 'portcullis/webhooks';
import type { OptionRows } from '../arguments/option-rows.js';
import type { CommandCall } from '../command.js';
import { UsageError } from '../errors/usage.js';
import { textFileOf } from '../lists/open-file.js';

/** How webhooks are signed. */
export const webhookOptions: OptionRows = {
  'secret-file': {
    value: 'file',
    text: 'A file with the secret, one per line during a rotation; defaults to PORTCULLIS_WEBHOOK_SECRET',
  },
  scheme: { value: 'scheme', choices: ['body-hmac', 'standard'], text: 'The signature scheme; defaults to body-hmac' },
  tolerance: { value: 'seconds', text: 'The accepted difference in time; defaults to 300 for standard, unlimited for body-hmac' },
};

/** Large enough for the maximum of sixteen secrets. */
const maxSecretBytes = 64 * 1024;
const maxSeconds = 10 * 365 * 24 * 60 * 60;

export async function webhookOptionsOf({ options, env }: CommandCall): Promise<WebhookOptions> {
  const file = options.text('secret-file');
  const given = file === undefined ? env['PORTCULLIS_WEBHOOK_SECRET'] : await textFileOf(file, '--secret-file', maxSecretBytes);
  // Spaces may belong to a secret, unlike line ends.
  const secrets = (given ?? '').split(/\r?\n/).filter(Boolean);
  if (secrets.length === 0) {
    throw new UsageError('no webhook secret is configured', 'set PORTCULLIS_WEBHOOK_SECRET or --secret-file');
  }
  const seconds = options.number('tolerance', 0, maxSeconds, 'any');
  const scheme = options.text('scheme') as WebhookScheme | undefined;
  return { secrets, ...(scheme && { scheme }), ...(seconds !== undefined && { toleranceMs: seconds * 1_000 }) };
}
