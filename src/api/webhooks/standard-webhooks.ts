import { fromBase64 } from '../../core/base64.js';
import { utf8 } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';
import { type Claim, requireFewSignatures, requireSecrets, signatureBytes } from './hmac.js';
import { headersOf, type WebhookHeaders } from './webhook-headers.js';

/** Standard Webhooks 1.0: five minutes both ways. */
export const standardToleranceMs: number = 5 * 60 * 1000;

/**
 * The symmetric scheme of Standard Webhooks 1.0: `webhook-signature` holds `v1,<base64>` one or several times, over
 * `<webhook-id>.<webhook-timestamp>.<body>`. Signatures of other versions are passed over.
 */
export function standardClaim(
  headers: WebhookHeaders,
  options: { readonly secrets: string | readonly string[]; readonly header?: string | undefined },
): Claim {
  if (options.header !== undefined) throw new PortcullisError('INVALID_INPUT', "the scheme 'standard' names its headers itself");
  const keys = requireSecrets(options.secrets).map(keyOf);
  const found = headersOf(headers, (name) => name === idHeader || name === timeHeader || name === signatureHeader);
  const id = onlyValue(found.get(idHeader), idHeader);
  const time = onlyValue(found.get(timeHeader), timeHeader);
  if (!idForm.test(id)) throw new PortcullisError('SIGNATURE_INVALID', `${idHeader} is not an id`);
  if (!timeForm.test(time)) throw new PortcullisError('SIGNATURE_INVALID', `${timeHeader} is not a time in seconds`);
  const signatures = signaturesOf(found.get(signatureHeader) ?? []);
  return { keys, prefix: utf8(`${id}.${time}.`), signatures, id, signedAtMs: Number(time) * 1000 };
}

const idHeader = 'webhook-id';
const timeHeader = 'webhook-timestamp';
const signatureHeader = 'webhook-signature';

/**
 * Visible ASCII without a full stop. With one, who can place text in a body could move the borders between id, time and body of a
 * delivery that was signed, and have another time and body than the sender meant.
 */
const idForm = /^[!-\-/-~]{1,256}$/;

/** As it was signed, so leading zeros stay. Twelve digits reach the year 33658. */
const timeForm = /^[0-9]{1,12}$/;

/** Two values that differ leave open which one was signed. */
function onlyValue(values: readonly string[] | undefined, name: string): string {
  const [value, ...others] = values ?? [];
  if (value === undefined || value === '') throw new PortcullisError('SIGNATURE_MISSING', `the request has no header ${name}`);
  if (others.some((other) => other !== value)) throw new PortcullisError('SIGNATURE_INVALID', `${name} stands there twice`);
  return value;
}

function signaturesOf(values: readonly string[]): readonly Uint8Array[] {
  const parts = values.flatMap((value) => value.split(' ')).filter((part) => part !== '');
  if (parts.length === 0) throw new PortcullisError('SIGNATURE_MISSING', `the request has no header ${signatureHeader}`);
  requireFewSignatures(parts.length);
  const signatures: Uint8Array[] = [];
  for (const part of parts) {
    const bytes = part.startsWith(version) ? fromBase64(part.slice(version.length)) : null;
    if (bytes?.length === signatureBytes) signatures.push(bytes);
  }
  if (signatures.length === 0) throw new PortcullisError('SIGNATURE_INVALID', 'none of the signatures is "v1," and base64');
  return signatures;
}

const version = 'v1,';

const secretPrefix = 'whsec_';

/** 24 to 64 bytes, as the specification asks for. */
function keyOf(secret: string): Uint8Array {
  const key = fromBase64(secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret);
  if (key === null || key.length < 24 || key.length > 64) {
    throw new PortcullisError(
      'INVALID_INPUT',
      `a secret of the scheme 'standard' is "${secretPrefix}" and base64 of 24 to 64 bytes`,
    );
  }
  return key;
}
