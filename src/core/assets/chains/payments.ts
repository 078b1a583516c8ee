import { fromUtf8 } from '../../bytes.js';
import type { Candidate, Family } from '../asset.js';
import { regroup } from '../codecs/bases.js';
import { fromBech32 } from '../codecs/bech32.js';
import { plainLinkEnd } from '../plain.js';
import { decoded } from '../web/escapes.js';
import { familyOf, type Reader } from './family.js';

/** A family of these kinds of addresses that also finds what payment requests name besides: links, mailboxes, other recipients. */
export function payableFamilyOf(...readers: readonly Reader[]): Family {
  return { ...familyOf(...readers), targetsIn };
}

/** Lightning: invoices, and the offers of BOLT 12, which have no checksum. */
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
  // A loop over matches takes longer than everything else that is done with a plain link.
  if (plainLinkEnd(candidate) > 0) return hasLightning.test(text) ? targetsOfQuery(text, lightningParameter) : none;
  const link = linkOfLnurl(text);
  if (link !== null) return [link];
  const [, scheme = 'https', rest = text] = uri.exec(text) ?? [];
  if (replacedScheme.test(scheme)) return [`https:${rest}`];
  if (wrapper.test(scheme)) {
    const inner = decoded(rest);
    if (linkOrMailbox.test(inner)) return [inner];
  }
  return targetsOfQuery(text, webScheme.test(scheme) ? lightningParameter : parameter);
}

function targetsOfQuery(text: string, names: RegExp): readonly string[] {
  if (text.indexOf('?') < 0) return none;
  const found = Array.from(text.matchAll(names), (match) => decoded(match[1]!));
  return found.slice(0, maxTargets).map((value) => value.replace(/^url:/i, ''));
}

const none: readonly string[] = [];

/** ZIP-321 numbers its recipients; no more targets are read of one text anyway. */
const maxTargets = 8;

/** LUD-01: a link in bech32. */
function linkOfLnurl(text: string): string | null {
  const word = lnurl.exec(text)?.[1];
  const read = word === undefined ? null : fromBech32(word);
  const bytes = read === null ? null : regroup(read.digits, 5, 8);
  return bytes === null ? null : fromUtf8(bytes);
}

/** No browser needs more than a few thousand characters of a link. */
const lnurl = /^(?:lightning:(?:\/\/)?)?(lnurl1[a-z0-9]{6,8192})(?=[?#&]|$)/i;

const uri = /^([a-z][a-z0-9+-]*):(.*)$/is;

/** LUD-04 and LUD-17. */
const replacedScheme = /^(?:lnurl[cpw]|keyauth)$/i;

/** Before a link of Solana Pay or a mailbox of Lightning. */
const wrapper = /^(?:solana(?:-action)?|lightning)$/i;
const linkOrMailbox = /^(?:https?:|[^?@]+@)/i;

const webScheme = /^(?:https?|wss?|ftp)$/i;

/** LUD-01: a page for people without a wallet names the request for the others. */
const hasLightning = /[?&]lightning=ln/i;
const lightningParameter = /[?&]lightning=(ln[^&#]+)/gi;

/** Recipients by EIP-681, ZIP-321 and SEP-7, where SEP-7 sends the signed payment, and what BIP-321 adds to an address of Bitcoin. */
const parameter = /[?&](?:address(?:\.\d{1,4})?|destination|callback|lightning|lno)=([^&#]+)/gi;
