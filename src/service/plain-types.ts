import { normalizeAsset } from '../algorithms/all.js';
import type { Asset, Refusal } from '../assets/asset.js';

/**
 * What reports name and no rule reads yet: telephone numbers (E.164), handles and e-mail addresses. Each is kept as it was given, under
 * its type, and decides about nothing but the same text. `null`: the text is none of them.
 */
export function plainAsset(text: string): Asset | Refusal | null {
  const canonical = text.trim();
  if (phoneNumber.test(canonical)) return { type: 'PHONE_NUMBER', canonical };
  if (handle.test(canonical)) return { type: 'TWITTER', canonical };
  const [, local] = email.exec(canonical) ?? [];
  if (local === undefined) return null;
  // It would be kept otherwise, and shown to everybody who asks.
  if (isSecret(local) || isSecret(canonical)) return { refused: 'secret' };
  return { type: 'EMAIL', canonical };
}

/** A country code and a number, at most 15 digits (E.164 §6). */
const phoneNumber = /^\+[1-9]\d{6,14}$/;

/** As the platform takes them. */
const handle = /^@\w{1,15}$/;

/**
 * A local part of at most 64 bytes and a name of at most 255 (RFC 5321 §4.5.3.1). Without what makes it a link with a user name, because
 * a link's host is read where an address's must not be: blocking it would block everybody's mail there.
 */
const email = /^([^\s@/?#\\:[\]<>"]{1,64})@[^\s@/?#\\:[\]<>".]+(?:\.[^\s@/?#\\:[\]<>".]+)+$/;

function isSecret(text: string): boolean {
  const asset = normalizeAsset(text);
  return 'refused' in asset && asset.refused === 'secret';
}
