/**
 * Shapes of private keys, listed in docs/algorithm.md §7. A match is refused before anything is hashed: not even four bytes of its hash
 * may leave the device. Checksums are ignored, because a mistyped key reveals nearly as much as a correct one.
 */

/**
 * Whether a cleaned text is a private key. `isHexRead`: the caller asked for 64 hex digits. Most texts are shorter than any key and
 * skip the regular expressions. No shape contains a dot, so that no host is a key. Shapes of rarer keys are in other-keys.ts.
 */
export function isKey(text: string, isHexRead: boolean): boolean {
  if (text.length < minKeyLength || text.length > maxKeyLength) return false;
  const key = withoutMarks(text);
  return keyInOneCase.test(key) || keyInBase58.test(key) || (!isHexRead && hexKey.test(key));
}

/** The shortest shape is an uncompressed WIF. */
const minKeyLength = 51;

/** The longest shape is an extended key of 112 characters after a scheme. */
const maxKeyLength = 160;

/** The text without a scheme, and without quotes, brackets and punctuation that is copied along with a key. */
export function withoutMarks(text: string): string {
  return text.replace(marksBefore, '').replace(marksBehind, '');
}

const marksBefore = /^(?:[a-z][a-z\d+-]{1,20}:)?["'`<([{/]*/i;
const marksBehind = /["'`>)\]}.,;:!?/#]{1,8}$/;

const hexKey = /^[0-9a-f]{64}$/i;

/** Bech32 keys, written in either case: Nostr, Sui, age. */
const keyInOneCase = /^(?:nsec1|suiprivkey1|age-secret-key-1)[02-9ac-hj-np-z]{50,80}$/i;

/**
 * Keys in base58, whose digits are `[^\W_0OIl]`:
 *
 * * WIF of Bitcoin and its relatives, of 51 characters uncompressed and 52 compressed. An Ergo address has 51 too, but a letter
 * behind the 9. No other address is as long.
 *
 * * Extended private keys of BIP-32 and SLIP-132.
 *
 * * Encrypted keys of BIP-38. They have a lower-case letter; without one it may be an Algorand account.
 *
 * * Key pairs of Solana, 64 bytes. A transaction's signature has the same form and is not an asset either.
 *
 * * Tezos.
 *
 * * Stellar seeds, in base32.
 */
const keyInBase58 =
  /^(?:(?:[567]|9(?=\d))[^\W_0OIl]{50}|[KLTQXc][^\W_0OIl]{51}|[tuvxyzUVYZ]prv[^\W_0OIl]{107,108}|6P(?=[^a-z]*[a-z])[^\W_0OIl]{56}|(?![ft]3[a-z2-7]{84}$|LNURL1)[^\W_0OIl]{86,88}|edsk(?:[^\W_0OIl]{50}|[^\W_0OIl]{94})|S[A-Z2-7]{55})$/;
