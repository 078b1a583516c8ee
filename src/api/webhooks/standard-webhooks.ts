import { fromBase64 } from '../../core/base64.js';
import { utf8 } from '../../core/bytes.js';
import { PortcullisError, refuse } from '../../core/errors.js';
import { type Claim, requireFewSignatures, signatureBytes } from './hmac.js';
import { headersOf, type WebhookHeaders } from './webhook-headers.js';

/** Standard Webhooks 1.0: five minutes either way. */
export const defaultStandardToleranceMs: number = 5 * 60 * 1000;

/**
 * The symmetric scheme of Standard Webhooks 1.0: `webhook-signature` holds `v1,<base64>` one or several times, over
 * `<webhook-id>.<webhook-timestamp>.<body>`. Signatures of other versions are ignored.
 */
export function standardClaim(headers: WebhookHeaders, { secrets }: { readonly secrets: readonly string[] }): Claim {
  const keys = secrets.map((secret, at) => standardKey(secret, `secrets[${at}]`));
  const found = headersOf(headers, (name) => name === idHeader || name === timeHeader || name === signatureHeader);
  const id = onlyValue(found.get(idHeader), idHeader);
  const time = onlyValue(found.get(timeHeader), timeHeader);
  if (!idForm.test(id))
    throw new PortcullisError(
      'SIGNATURE_INVALID',
      `${idHeader} must be visible ASCII without a full stop, at most 256 characters`,
    );
  if (!timeForm.test(time)) throw new PortcullisError('SIGNATURE_INVALID', `${timeHeader} must be a time in whole seconds`);
  const signatures = signaturesOf(found.get(signatureHeader) ?? []);
  return { keys, prefix: utf8(`${id}.${time}.`), signatures, id, signedAtMs: Number(time) * 1000 };
}

const idHeader = 'webhook-id';
const timeHeader = 'webhook-timestamp';
const signatureHeader = 'webhook-signature';

/**
 * Visible ASCII without a full stop. With one, an attacker who controls part of a signed body could shift the boundaries between id,
 * time and body, and so forge a different time and body with the same signature.
 */
const idForm = /^[!-\-/-~]{1,256}$/;

/** Kept as text, because leading zeros are signed too. Twelve digits reach the year 33658. */
const timeForm = /^[0-9]{1,12}$/;

/** With two different values it would be unclear which one was signed. */
function onlyValue(values: readonly string[] | undefined, name: string): string {
  const [value, ...others] = values ?? [];
  if (value === undefined || value === '') throw new PortcullisError('SIGNATURE_MISSING', `the request has no header ${name}`);
  if (others.some((other) => other !== value))
    throw new PortcullisError('SIGNATURE_INVALID', `duplicate header ${name} with different values`);
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
  if (signatures.length === 0)
    throw new PortcullisError('SIGNATURE_INVALID', 'no signature consists of "v1," and 32 bytes in base64');
  return signatures;
}

const version = 'v1,';

const secretPrefix = 'whsec_';

/** 24 to 64 bytes, as the specification requires. */
export function standardKey(secret: string, path: string): Uint8Array {
  const key = fromBase64(secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret);
  if (key === null || key.length < 24 || key.length > 64) {
    refuse(`${path} must be "${secretPrefix}" and base64 of 24 to 64 bytes, with the scheme 'standard'`);
  }
  return key;
}
