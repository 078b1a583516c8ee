import { digit, kindAt } from './characters.js';
import type { IsTopLevelDomain } from './names.js';

/**
 * Where the scheme begins in a name before a colon. A scheme is ASCII, so in `点击.ftp:` prose precedes it, unless the name may be a host:
 * `点击.tg` is one.
 */
export function schemeStart(text: string, name: number, end: number, isTopLevelDomain: IsTopLevelDomain | undefined): number {
  const scheme = afterProse.exec(text.slice(Math.max(name, end - maxSchemeLength), end))?.[1]?.toLowerCase();
  if (scheme === undefined || isTopLevelDomain === undefined || isTopLevelDomain(scheme)) return name;
  return opaqueSchemes.has(scheme) || webSchemeLength(scheme, 0, scheme.length) > 0 ? end - scheme.length : name;
}

const afterProse = /[^\0-\x7f][-.+_%@]*([a-z]+)$/i;

/** The length of the scheme of a link at the end of a name; 0 if it has none. */
export function webSchemeLength(text: string, start: number, end: number): number {
  return webScheme.exec(text.slice(Math.max(start, end - maxWebSchemeLength), end))?.[0].length ?? 0;
}

/** Whether a name is the scheme of a URI. `first` is behind the letter of a line end, as JSON writes it. */
export function isUriScheme(text: string, start: number, first: number, end: number): boolean {
  // Texts are full of times such as `10:30`.
  if (end - start > maxSchemeLength || (kindAt(text, start) === digit && end - start > 1)) return false;
  const scheme = text.slice(start, end).toLowerCase();
  return text.startsWith('//', end + 1) || opaqueSchemes.has(scheme) || (first > start && opaqueSchemes.has(scheme.slice(1)));
}

/** `http`, also directly after a word, and its defanged forms. */
const webScheme = /(?:h[tx]{2}ps?|^wss?|^f[tx]p)$/i;
/** One more than the longest scheme, so that `news` is not `ws`. */
const maxWebSchemeLength = 6;

/** Twice the length of the longest schemes in use, `ms-windows-store` and `chrome-extension`. */
const maxSchemeLength = 32;

/**
 * Schemes that need no `//` after the colon, plus `git@`, the `0:` of a TON account and the letters of Kadena's. Any other name with a
 * colon is a label for what follows: `Address:0x…`.
 */
const opaqueSchemes: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ '0 acct appstream bitcoin bitcoincash blob c callto cfx cfxtest did ecash eip155 ens eth ethereum facetime fdroid.app filesystem git@github.com ipfs ipns k kadena kaspa liquidnetwork mailto nostr p pkg reddit ronin sip sips sms smsto solana tel tg ton tron u vnd.youtube w web3 whatsapp xmpp youtube'.split(
    ' ',
  ),
);
