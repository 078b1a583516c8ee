import { fromUtf8 } from '../../bytes.js';
import type { Asset, Candidate, Family } from '../asset.js';
import { regroup } from '../codecs/bases.js';
import { fromBech32 } from '../codecs/bech32.js';
import { decoded } from '../web/escapes.js';

/**
 * Requests for a payment, beyond an address after a scheme. Invoices and offers of Lightning are assets; the links, mailboxes and
 * recipients inside a request are targets of their own.
 */
export const payments: Family = {
  read({ text, hint }: Candidate): readonly Asset[] {
    if (hint.type !== undefined && hint.type !== 'ADDRESS') return none;
    const word = (lightningWord.exec(text)?.[1] ?? '').toLowerCase();
    const isValid = offer.test(word) || (invoice.test(word) && fromBech32(word)?.isModified === false);
    return isValid ? [{ type: 'ADDRESS', canonical: word }] : none;
  },

  targetsIn({ text }: Candidate): readonly string[] {
    const link = linkOfLnurl(lightningWord.exec(text)?.[1] ?? '');
    if (link !== null) return [link];
    const [, scheme = 'https', rest = text] = uri.exec(text) ?? [];
    if (replacedScheme.test(scheme)) return [`https:${rest}`];
    if (wrapper.test(scheme)) {
      const inner = decoded(rest);
      if (linkOrMailbox.test(inner)) return [inner];
    }
    const isWeb = webScheme.test(scheme);
    const found = Array.from(text.matchAll(isWeb ? lightningParameter : parameter), (match) => decoded(match[1]!));
    return found.slice(0, maxTargets).map((value) => value.replace(/^url:/i, ''));
  },
};

const none: readonly never[] = [];

/** ZIP-321 numbers its recipients; no more targets are read of one text anyway. */
const maxTargets = 8;

/** The longest invoice names some dozens of nodes on the way. */
const lightningWord = /^(?:lightning:(?:\/\/)?)?(ln[a-z0-9]{50,4096})(?=[?#&]|$)/i;

const invoice = /^ln(?:bc|tbs?|bcrt|sb)\d*[munp]?1[^1]*$/;

/** BOLT 12. It has no checksum. */
const offer = /^lno1[^1bio]*$/;

/** LUD-01: a link in bech32. */
function linkOfLnurl(word: string): string | null {
  const read = /^lnurl1/i.test(word) ? fromBech32(word) : null;
  const bytes = read === null ? null : regroup(read.digits, 5, 8);
  return bytes === null ? null : fromUtf8(bytes);
}

const uri = /^([a-z][a-z0-9+-]*):(.*)$/is;

/** LUD-04 and LUD-17. */
const replacedScheme = /^(?:lnurl[cpw]|keyauth)$/i;

/** Before a link of Solana Pay or a mailbox of Lightning. */
const wrapper = /^(?:solana(?:-action)?|lightning)$/i;
const linkOrMailbox = /^(?:https?:|[^?@]+@)/i;

const webScheme = /^(?:https?|wss?|ftp)$/i;

/** LUD-01: a page for people without a wallet names the request for the others. */
const lightningParameter = /[?&]lightning=(ln[^&#]+)/gi;

/** Recipients by EIP-681, ZIP-321 and SEP-7, where SEP-7 sends the signed payment, and what BIP-321 adds to an address of Bitcoin. */
const parameter = /[?&](?:address(?:\.\d{1,4})?|destination|callback|lightning|lno)=([^&#]+)/gi;
