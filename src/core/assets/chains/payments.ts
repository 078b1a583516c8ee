import { fromUtf8 } from '../../bytes.js';
import { maxTargets } from '../../limits.js';
import type { Candidate, Family } from '../asset.js';
import { fromBech32, fromBech32Bytes } from '../codecs/bech32.js';
import { plainLinkEnd } from '../plain.js';
import { decoded } from '../web/escapes.js';
import { familyOf, type Reader } from './family.js';

/** A family of these readers that also finds what else payment requests name: links, email addresses and other recipients. */
export function payableFamilyOf(...readers: readonly Reader[]): Family {
  return { ...familyOf(...readers), claims: { rest: { marks: '?', mayMean } }, targetsIn };
}

/** Lightning: invoices, and BOLT 12 offers, which have no checksum. */
export const readLightning: Reader = (word) => {
  if (!/^ln/i.test(word) || word.length < 50) return null;
  const lower = word.toLowerCase();
  const isValid = offer.test(lower)
    ? word === lower || word === word.toUpperCase()
    : invoice.test(lower) && fromBech32(word)?.isModified === false;
  return isValid ? lower : null;
};

const invoice = /^ln(?:bc|tbs?|bcrt|sb)\d*[munp]?1[^1]*$/;
const offer = /^lno1[02-9ac-hj-np-z]*$/;

function targetsIn(candidate: Candidate): readonly string[] {
  const { text } = candidate;
  // A fast path: a loop over matches would take longer than all other work on a plain link.
  if (plainLinkEnd(candidate) > 0) return hasLightning.test(text) ? targetsOfQuery(text, lightningParameter) : none;
  const link = linkOfLnurl(text);
  if (link !== null) return [link];
  const [, scheme = 'https', rest = text] = uri.exec(text) ?? [];
  if (replacedScheme.test(scheme)) return [`https:${rest}`];
  if (wrapper.test(scheme)) {
    const inner = decoded(rest);
    // The rest of a mailbox is what to pay.
    if (linkOrMailbox.test(inner)) return [/^https?:/i.test(inner) ? inner : inner.replace(/\?.*/s, '')];
  }
  return targetsOfQuery(text, webScheme.test(scheme) ? lightningParameter : parameter);
}

function targetsOfQuery(text: string, names: RegExp): readonly string[] {
  const start = text.indexOf('?');
  if (start < 0) return none;
  const found = new Set(Array.from(text.slice(start).matchAll(names), (match) => decoded(match[1]!).replace(/^url:/i, '')));
  // One too many makes the text unreadable.
  return [...found].slice(0, maxTargets + 1);
}

/** A regular expression is slow where most links have no query. */
function mayMean(text: string): boolean {
  return text.indexOf('?') > 0 && hasLightning.test(text);
}

const none: readonly string[] = [];

/** LUD-01: a link encoded in bech32. */
function linkOfLnurl(text: string): string | null {
  const word = lnurl.exec(text)?.[1];
  const read = word === undefined ? null : fromBech32Bytes(word);
  return read === null ? null : fromUtf8(read.bytes);
}

/** No browser needs more than a few thousand characters of a link. */
const lnurl = /^(?:lightning:(?:\/\/)?)?(lnurl1[a-z0-9]{6,8192})(?=[?#&]|$)/i;

const uri = /^([a-z][a-z0-9+-]*):(.*)$/is;

/** LUD-04 and LUD-17. */
const replacedScheme = /^(?:lnurl[cpw]|keyauth)$/i;

/** The scheme in front of a Solana Pay link or a Lightning address. */
const wrapper = /^(?:solana(?:-action)?|lightning)$/i;
const linkOrMailbox = /^(?:https?:|[^?@]+@)/i;

const webScheme = /^(?:https?|wss?|ftp)$/i;

/** LUD-01: a page for people without a wallet carries the request for wallets in this parameter. */
const hasLightning = /[?&]lightning=ln/i;
const lightningParameter = /[?&]lightning=(ln[^&#]+)/gi;

/**
 * Recipients in EIP-681, ZIP-321 and SEP-7, the callback that gets a payment signed with SEP-7, and the other ways to pay that BIP-321 adds to
 * a Bitcoin address, or has in its place: addresses of a later form, silent payments, payment codes, and Lightning. A wallet chooses one,
 * and must know those of `req-`. `pop` is none: a wallet opens it after it has paid, and only in an app, never in a browser.
 */
const parameter = /[?&](?:req-)?(?:address(?:\.\d{1,4})?|destination|callback|lightning|lno|bc|tb|bcrt|sp|pay)=([^&#]+)/gi;
