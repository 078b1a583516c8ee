import { addText, hexBytes, isAddress, isHashText, type Reading } from './reading.js';

/** A Sign-In with Ethereum message (ERC-4361) from its first line to its last. */
const signIn =
  /^(?:([a-zA-Z][\w+.-]*):\/\/)?(\S+) wants you to sign in with your Ethereum account:\n(\S+)\n\n(?:[^\n]*\n){0,2}URI: (\S+)\nVersion: 1\nChain ID: \d+\nNonce: \w{8,}\nIssued At: \S+(?:\n(?:Expiration Time: |Not Before: |Request ID: |Resources:|- )\S*)*$/;

/**
 * What a reader takes for the phrase of a sign-in, of any chain. A question mark is a letter of another alphabet, a digit or an `l`, which may
 * look like any other; of the first 14, seven must be right, so that no text in another alphabet is one.
 */
const likeSignIn: RegExp = /* @__PURE__ */ new RegExp(
  `(?=(?:\\?{0,7}[a-z]){7})${/* @__PURE__ */ 'signinwithyour.{1,30}?account'.replace(/[a-z]/g, '[$&?]')}`,
);

/** The letters alone, without accents, spaces and what cannot be seen. */
function lettersOf(text: string): string {
  const letters = text.normalize('NFKD').toLowerCase();
  return letters.replace(/[^\p{L}\d]/gu, '').replace(/[^a-km-z]/g, '?');
}

/** Text that a wallet can show: no control characters but tabs and line ends. */
const unprintable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/**
 * Reads `personal_sign`, whose parameters some sites swap. Adds the addresses and links of the text. A Sign-In message must name the
 * origin that asks and the account that signs.
 */
export function readPersonalSign(first: unknown, second: unknown, origin: string, reading: Reading): undefined {
  if (isAddress(first) && isAddress(second)) return reading.fail('message and address cannot be told apart');
  const [message, account] = isAddress(first) ? [second, first] : [first, second];
  if (typeof message !== 'string' || !isAddress(account)) return reading.fail('message or address is missing');
  // MetaMask reads it as bytes even without 0x.
  if (/^[0-9a-f]+$/i.test(message)) return reading.fail('some wallets read the message as hex');
  const { text, size } = decoded(message) ?? {};
  if (text === undefined || unprintable.test(text)) return reading.fail('the message is not text');
  // Accounts take 32 bytes for the hash of something else, and a hash that happens to be text can be searched for.
  if (size === 32 || isHashText(text)) return reading.fail('the message may be a hash of something else');
  addText(reading, 'message', text);

  const parts = signIn.exec(text);
  if (parts === null) {
    if (likeSignIn.test(lettersOf(text))) reading.fail('the sign-in message is malformed');
    return undefined;
  }
  const [, scheme, domain = '', signer = '', uri = ''] = parts;
  const [originScheme, host] = origin.split('://');
  const isOwn = domain.toLowerCase() === host && (scheme ?? originScheme)!.toLowerCase() === originScheme;
  if (!isOwn) reading.add('sign-in', `${scheme ?? 'https'}://${domain}`);
  if (!isOwn || !(uri.toLowerCase().startsWith(origin) && /^(?:[/?#]|$)/.test(uri.slice(origin.length))))
    reading.fail('the sign-in message is for another site');
  if (signer.toLowerCase() !== account.toLowerCase()) reading.fail('the sign-in message is for another account');
}

/**
 * The text and the number of its bytes; `null` for what is no text, and for what wallets read differently. Percent-encoding is UTF-8 in every
 * engine, and as strict: malformed bytes and lone surrogates throw.
 */
function decoded(message: string): { readonly text: string; readonly size: number } | null {
  const isHex = hexBytes(message) !== null;
  if (!isHex && /^0x/i.test(message)) return null;
  try {
    const encoded = isHex ? message.slice(2).replace(/../g, '%$&') : encodeURIComponent(message);
    return { text: decodeURIComponent(encoded), size: encoded.replace(/%../g, '%').length };
  } catch {
    return null;
  }
}
