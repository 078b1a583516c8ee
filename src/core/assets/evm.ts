import type { Asset, Candidate, Family } from './asset.js';

/**
 * Accounts and contracts of every EVM chain, which share one form: `0x` and 20 bytes. The chain is not part of the asset, because one
 * key is the same account on all of them. A hint of a chain is ignored: there are thousands of EVM chains, no other address has this
 * form, and an unknown name must not let a listed address through. Letter case is not checked against EIP-55, because an address typed
 * by hand leads to the same account.
 */
export const evm: Family = {
  claims: { readsAddresses: true },
  read({ text, hint }: Candidate): readonly Asset[] {
    if (hint.type !== undefined && hint.type !== 'ADDRESS') return none;
    if (text.length === 42) return readBare(text.toLowerCase());
    const match = mayBePrefixed(text) ? spelling.exec(text) : null;
    // A token without its recipient is not what the text pays.
    const isCut = match !== null && match[2] === undefined && recipient.test(text);
    // The recipient of a payment in a token comes before the token.
    return match === null || isCut
      ? none
      : [match[2], match[1]].flatMap((digits) => (digits ? [{ type: 'ADDRESS', canonical: `0x${digits.toLowerCase()}` }] : none));
  },
};

const none: readonly Asset[] = [];

/**
 * The address alone, the usual case. A table lookup without a branch per digit, because a processor cannot predict hex digits: 54 ns,
 * where the regular expression `^0x[0-9a-f]{40}$` takes 147.
 */
function readBare(text: string): readonly Asset[] {
  if (!text.startsWith('0x')) return none;
  let others = 0;
  for (let at = 2; at < text.length; at++) others |= notHex[text.charCodeAt(at)] ?? 1;
  return others === 0 ? [{ type: 'ADDRESS', canonical: text }] : none;
}

const notHex: Uint8Array = /* @__PURE__ */ Uint8Array.from({ length: 128 }, (_, code) =>
  /[0-9a-f]/.test(String.fromCharCode(code)) ? 0 : 1,
);

/** Whether the expression below is worth trying: XDC's form, or a text with a colon that is not a web link. */
function mayBePrefixed(text: string): boolean {
  const first = text.charCodeAt(0) | 0x20;
  return text.length > 42 && (first === 0x78 || first === 0x30 || (text.indexOf(':') > 0 && !webLink.test(text)));
}

const recipient = /\baddress=0x/i;
const webLink = /^(?:https?|wss?|ftp):/i;

/**
 * An address followed by a chain id, a function, a query or a fragment; after a CAIP-10 (`eip155:1:`), CAIP-19 (`eip155:1/erc20:`),
 * DID, EIP-3770 (`matic:`), EIP-681 (`ethereum:pay-`) or `web3://` prefix; or with XDC's own prefix `xdc`. Then the first
 * argument of EIP-681 that is an address. Anchored; only the search for the argument looks at the whole text, once. Never tried on a web
 * link: in `https://0x…@host/` the address is userinfo.
 */
const spelling =
  /^(?:[a-z][a-z0-9-]{0,31}:(?:\/\/)?(?:[a-z0-9][a-z0-9-]{0,31}[:/]){0,3}(?:pay-)?)?(?:0x|xdc)([0-9a-f]{40})(?:@(?:0x)?[0-9a-f]{1,64})?(?=[/?#:]|$)(?:.*?\baddress=0x([0-9a-f]{40})\b)?/is;
