import { hexValue } from '../../bytes.js';
import { regroup } from '../codecs/bases.js';
import { fromBech32, toBech32 } from '../codecs/bech32.js';
import { phoneNumber } from '../contact/phone.js';
import { canonicalHost, withoutWww } from '../web/host.js';
import { linksOf } from '../web/link.js';

/** Transforms a capture, by the filter's sign or name; `null` if the capture shows that the text is something else. */
export const filters: Readonly<Record<string, (text: string) => string | null>> = {
  $: (text) => plain(text.toLowerCase().normalize('NFC')),
  '%': plain,
  '^': (text) => plain(text.toUpperCase()),
  /** Lower case, with any character allowed. */
  any: (text) => text.toLowerCase(),
  /** The current name of a chain. */
  chain: (text) => text.toLowerCase().replace(/^matic$/, 'polygon'),
  /** `-` and `_` name the same crate. */
  crate: (text) => text.toLowerCase().replace(/_/g, '-'),
  digits: (text) => text.replace(/\D/g, ''),
  /** Facebook ignores dots in names. */
  dotless: (text) => text.toLowerCase().replace(/\./g, ''),
  e164: phoneNumber,
  /** Short codes of Flickr: base58 with lower-case letters first. */
  flickr: (text) => decimal(text, '123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ'),
  /** Short codes of DeviantArt. */
  base36: (text) => decimal(text.toLowerCase(), '0123456789abcdefghijklmnopqrstuvwxyz'),
  /** A label of a host, or a name spelled like one. */
  label: (text) => canonicalHost(`${text}.eth`, false)?.slice(0, -'.eth'.length) ?? null,
  /** The archived page of a snapshot. */
  link: (text) => {
    const links = linksOf(text);
    return typeof links === 'string' ? null : withoutWww(links[0]!.host) + links[0]!.path;
  },
  nogit: (text) => text.toLowerCase().replace(/\.git$/, ''),
  /** PEP 503. */
  pep503: (text) => text.toLowerCase().replace(/[-_.]+/g, '-'),
  npub: (text) => nostr(text, 'npub'),
  note: (text) => nostr(text, 'note'),
};

/**
 * A canonical string must be read back unchanged, so it has nothing that ends a path, no control character, and no space at either end.
 */
function plain(text: string): string | null {
  return unfit.test(text) || unpaired.test(text) ? null : text;
}

const unfit =
  /[\0-\x1f\x7f-\x9f#?%\\\u200b\u2060\ufeff]|^[\s\u00ad\u200c-\u200f\u202a-\u202e\u2061-\u206f]|[\s\u00ad\u200c-\u200f\u202a-\u202e\u2061-\u206f]$/;

const unpaired = /[\ud800-\udbff](?![\udc00-\udfff])|(?:^|[^\ud800-\udbff])[\udc00-\udfff]/;

/** Converts a number of any size to decimal without `BigInt`, which old engines lack; `null` for what is no number. */
function decimal(text: string, alphabet: string): string | null {
  const digits: number[] = [];
  for (const character of text) {
    let carry = alphabet.indexOf(character);
    if (carry < 0) return null;
    for (let at = 0; at < digits.length || carry > 0; at++) {
      carry += (digits[at] ?? 0) * alphabet.length;
      digits[at] = carry % 10;
      carry = Math.floor(carry / 10);
    }
  }
  return digits.reverse().join('') || '0';
}

/** The plain form of a Nostr key or note (NIP-19): from hex, or from entry 0 of a form that also carries relays. */
function nostr(text: string, prefix: string): string | null {
  const lower = text.toLowerCase();
  if (/^[\da-f]{64}$/.test(lower))
    return withPrefix(
      prefix,
      Uint8Array.from({ length: 32 }, (_, at) => byteAt(lower, 2 * at)),
    );
  const read = fromBech32(lower);
  const bytes = read === null || read.isModified ? null : regroup(read.digits, 5, 8);
  if (bytes === null) return null;
  const key = bytes.length === 32 && lower.startsWith(prefix) ? bytes : entry0(bytes);
  return key === null ? null : withPrefix(prefix, key);
}

function withPrefix(prefix: string, key: Uint8Array): string {
  return toBech32(prefix, regroup(key, 8, 5)!);
}

function entry0(bytes: Uint8Array): Uint8Array | null {
  for (let at = 0; at + 1 < bytes.length; at += 2 + bytes[at + 1]!) {
    if (bytes[at] === 0) return bytes[at + 1] === 32 && at + 34 <= bytes.length ? bytes.subarray(at + 2, at + 34) : null;
  }
  return null;
}

function byteAt(hex: string, at: number): number {
  return hexValue(hex.charCodeAt(at)) * 16 + hexValue(hex.charCodeAt(at + 1));
}
