import { utf8 } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';
import { type Kind, text } from '../../core/options/read-options.js';
import { type Claim, requireFewSignatures } from './hmac.js';
import { headersOf, type WebhookHeaders } from './webhook-headers.js';

/**
 * One header, `sha256=<hex>`: HMAC-SHA256 of the raw body, with the secret's UTF-8 as the key. The header is named after the service, so
 * unless a name is given, every header named `X-…-Signature` is a candidate. Adding such headers is useless without the secret.
 */
export function bodyHmacClaim(
  headers: WebhookHeaders,
  options: { readonly secrets: readonly string[]; readonly header?: string | undefined },
): Claim {
  const keys = options.secrets.map(utf8);
  const signatures = signatureValues(headers, options.header).flatMap((value) => readSignature(value) ?? []);
  if (signatures.length === 0) {
    throw new PortcullisError('SIGNATURE_INVALID', 'the signature must be "sha256=" and 64 hex digits');
  }
  return { keys, prefix: nothing, signatures, id: null, signedAtMs: null };
}

const nothing: Uint8Array = new Uint8Array(0);

function signatureValues(headers: WebhookHeaders, header: string | undefined): readonly string[] {
  const wanted = header?.toLowerCase();
  const found = headersOf(headers, (name) => name === wanted || signatureName.test(name));
  const texts = [...found].flatMap(([name, some]) => (wanted === undefined || name === wanted ? some : []));
  // Proxies join headers of the same name with commas.
  const values = texts.flatMap((text) => text.split(/, ?/)).filter((value) => value !== '');
  requireFewSignatures(values.length);
  if (values.length > 0) return values;
  if (wanted === undefined) throw new PortcullisError('SIGNATURE_MISSING', 'the request has no header named X-…-Signature');
  const other = found.size > 0 ? ', but it has another signature header; check the option header' : '';
  throw new PortcullisError('SIGNATURE_MISSING', `the request has no header ${wanted}${other}`);
}

/** RFC 9110 §5.6.2. */
export const headerName: Kind<string> = (value, path) =>
  text('the name of a header', /^[!#$%&'*+.^_`|~0-9a-z-]{1,256}$/i)(value, path);

const signatureName = /^x-[a-z0-9-]+-signature$/;

const form = /^sha256=([\da-fA-F]{64})$/;

function readSignature(value: string): Uint8Array | null {
  const [, digits] = form.exec(value) ?? [];
  return digits === undefined ? null : Uint8Array.from(digits.match(/../g)!, (pair) => Number.parseInt(pair, 16));
}
