import { PortcullisError, refuse, requireIterable } from '../../core/errors.js';

/** A known address that another one looks like, because both begin and end alike. */
export interface ImitatedAddress {
  /** The known address as it was added, but without a prefix such as `eip155:1:`. */
  readonly address: string;
  /** Characters that agree from the start of both, without a prefix such as `eip155:1:`; `0x` and its like count. */
  readonly start: number;
  /** Characters that agree from the end of both. */
  readonly end: number;
}

/** What an address book says about an address. */
export interface AddressFacts {
  /** Whether it is in the book, in this or another spelling. */
  readonly isKnown: boolean;
  /** The address of the book that it looks like and is not. */
  readonly imitates?: ImitatedAddress;
}

/** Addresses that the user has paid or saved. It stays on the device. */
export interface AddressBook {
  /**
   * Adds an address, once the user has paid or saved it.
   *
   * @throws PortcullisError `INVALID_INPUT` for a name or a link, `LIMIT_EXCEEDED` for more than 100,000 addresses
   */
  add(address: string): void;
  /** What is known about an address: one look-up or two, however long the book is. `undefined` for what is no address. */
  factsOf(address: string): AddressFacts | undefined;
}

/** Ten times what a busy shop pays: 10 MB, and 0.2 s to read. */
const maxAddresses = 100_000;

/**
 * An index of the addresses that the user has paid or saved, for `guardProvider` and `screenRecipients`. One book serves all guards.
 * Never add an address only because it has sent something: that is how an imitation gets into a history.
 *
 * @throws PortcullisError `INVALID_INPUT` with the place of a name or a link, `LIMIT_EXCEEDED`
 */
export function createAddressBook(addresses: Iterable<string> = []): AddressBook {
  requireIterable(addresses, 'addresses');
  const known = new Map<string, string>();
  // By the ends that an imitation would share.
  const byEnds = new Map<string, string>();

  function add(address: string, path = 'address'): void {
    if (!isAccount(address)) refuse(`${path} must be an address, not a name or a link`);
    const shown = bare(address);
    const word = comparable(shown);
    if (known.size >= maxAddresses && !known.has(word))
      throw new PortcullisError('LIMIT_EXCEEDED', `an address book has at most ${maxAddresses} addresses`);
    known.set(word, shown);
    byEnds.set(endsOf(word), word);
  }

  let at = 0;
  for (const address of addresses) add(address, `addresses[${at++}]`);

  return {
    add: (address) => add(address),
    factsOf(address) {
      if (!isAccount(address)) return undefined;
      const word = comparable(bare(address));
      if (known.has(word)) return { isKnown: true };
      const other = isNumber(word) ? undefined : byEnds.get(endsOf(word));
      return other === undefined
        ? { isKnown: false }
        : { isKnown: false, imitates: { address: known.get(other)!, ...agreement(word, other) } };
    },
  };
}

/**
 * An account: a word about as long as the shortest one, a number of Hedera, or Bitcoin's short programs, such as pay-to-anchor. Lists read hosts, links and telephone numbers too, and none
 * of them says where the money goes.
 */
const account =
  /^(?:(?!.*\/\/)\w[\w:+/-]{17,}|[EUk0][Qf][\w+/-]{46}|-?\d:[\da-fA-F]{64}|(?:hedera:\w+:)?0\.0\.\d+(?:-[a-z]{5})?|(?:bc|tb|bcrt)1[a-z\d]{11,})$/;

export function isAccount(text: unknown): text is string {
  return typeof text === 'string' && account.test(text);
}

/**
 * Without the scheme of a payment or the chain of CAIP-10, but for the numbers of Hedera, which are other accounts in its other networks. XDC writes
 * `xdc` for `0x`, and some write nothing; Nano wrote `xrb_`.
 */
function bare(address: string): string {
  if (/^hedera:(?!mainnet:)\w+:0\.0\./.test(address)) return address;
  return address
    .replace(/^[a-z][\w-]+:(?:(?!-?\d:[\da-f]{64}$)[\w-]+:)?/i, '')
    .replace(/^(?:xdc)?(?=[\da-f]{40}$)/i, '0x')
    .replace(/^xrb_/, 'nano_');
}

const hedera = /^(?:hedera:\w+:)?0\.0\./;

/** Precompiles and accounts of Hedera are numbers, which differ in few digits by nature, and nobody finds a key for such an address. */
const isNumber = (word: string): boolean => word.startsWith('0x0000000000000000') || hedera.test(word);

/**
 * Letter case says nothing in hex, and in bech32, which may be all upper case. In base58 it does. TON has two alphabets of base64.
 */
function comparable(address: string): string {
  if (/^[EUk0][Qf].{46}$/.test(address)) return address.replaceAll('+', '-').replaceAll('/', '_');
  return /^0[xX]|^[^a-z]*$|^-?\d:/.test(address) ? address.toLowerCase() : address;
}

/**
 * What every address of a form begins with: `0x`, the prefix of bech32 and Bitcoin's version, the flags and the workchain of TON in both forms, the
 * first characters of Nano, Tezos and Cardano's older form, and one letter that tells the kind in base58check, Bitcoin Cash, Kaspa, Stellar and
 * Substrate. A Solana address, which is longer than the first and shorter than the last of these, has nothing of the kind.
 */
const fixedStart =
  /^(?:0x|-?\d:(?=.{64}$)|(?:bc|tb|bcrt|t?ltc)1.|nano_.|Ae2tdPwUPEZ|DdzFFzCqrh.|(?:tz\d|KT1)(?=.{33}$)|(?![\da-f]{64}$)[a-z][a-z\d_]{0,82}1(?=[a-z\d]{38,}$)|[EUk0][Qf].(?=.{45}$)|.(?=.{24,34}$|.{41}$|.{46,}$)|)/;

/** Wallets show at least four characters at each end. */
const shownCharacters = 4;

function endsOf(word: string): string {
  const fixed = fixedStart.exec(word)![0].length;
  return `${word.slice(0, fixed + shownCharacters)} ${word.slice(-shownCharacters)}`;
}

function agreement(one: string, other: string): Pick<ImitatedAddress, 'start' | 'end'> {
  let start = 0;
  while (one[start] === other[start]) start++;
  let end = 0;
  while (one[one.length - 1 - end] === other[other.length - 1 - end]) end++;
  return { start, end };
}
