/**
 * Seeded inputs: every run and every variant gets the same ones. All names are reserved (RFC 2606, RFC 6761), so that no
 * result names a real site.
 */

/**
 * `count` different, uniformly distributed 32-bit numbers; a different range yields different numbers.
 * Two rounds of a bijective mixer over a counter, so no set is needed to avoid duplicates. (One round is visibly uneven:
 * the gaps of a sorted million fail a chi-squared test, 325 for 63 degrees of freedom; two rounds give 69.)
 */
export function distinctPrefixes(count: number, fromIndex = 0): Uint32Array {
  const prefixes = new Uint32Array(count);
  for (let index = 0; index < count; index++) prefixes[index] = mix(mix(fromIndex + index) + 0x9e3779b9);
  return prefixes;
}

/** `count` random elements of `values`, with repetition. */
export function sampleOf(values: Uint32Array, count: number): Uint32Array {
  const random = randomFrom(7);
  const sample = new Uint32Array(count);
  for (let index = 0; index < count; index++) sample[index] = values[random() % values.length] ?? 0;
  return sample;
}

/**
 * Links as users open them, with 4.7 expressions on average. Four of five are canonical ASCII; the others have percent
 * escapes, a host in upper case, a port, or a fragment.
 */
export function links(count: number): string[] {
  const random = randomFrom(1);
  return Array.from({ length: count }, () => linkOf(random, pick(random, linkSpellings)));
}

/**
 * Those of `links` whose host has a site of its own. The others are below `example.com`, `example.net` and `example.org`, which are reserved and
 * stand for a thousand sites each.
 */
export function ownSiteLinks(count: number): string[] {
  return links(2 * count)
    .filter((link) => !/\bexample\.(?:com|net|org)/i.test(link))
    .slice(0, count);
}

/** Links to hosts that repeat as in real traffic: the one in place `n` of 100,000 is visited `1 / n` times as often as the first (Zipf). */
export function repeatingLinks(count: number): string[] {
  const random = randomFrom(12);
  // `ln n` is the number of visits to the first `n` of them, nearly.
  const range = Math.log(100_000);
  return Array.from({ length: count }, () => {
    const place = Math.floor(Math.exp((random() / 2 ** 32) * range));
    const seeded = randomFrom(1_000 + place);
    const host = cleanHost(
      seeded,
      pick(seeded, hostPrefixes).replaceAll('sub', () => pick(seeded, subNames)),
    );
    return `https://${host}${pathOf(random, pick(random, depths)) || '/'}${random() % 100 < 30 ? queryOf(random) : ''}`;
  });
}

/** Links with percent escapes. */
export function escapedLinks(count: number): string[] {
  const random = randomFrom(2);
  return Array.from({ length: count }, () => linkOf(random, 'escaped'));
}

/** Canonical links. */
export function plainLinks(count: number): string[] {
  const random = randomFrom(3);
  return Array.from({ length: count }, () => linkOf(random, 'plain'));
}

/** Links with a host outside ASCII. */
export function idnLinks(count: number): string[] {
  const random = randomFrom(4);
  return Array.from({ length: count }, () => {
    const host = `${pick(random, idnLabels)}${random() % 1000}.${pick(random, topNames)}`;
    return `https://${host}${pathOf(random, pick(random, depths))}`;
  });
}

/** Hosts of two or three labels. */
export function bareDomains(count: number): string[] {
  const random = randomFrom(5);
  return Array.from({ length: count }, () => cleanHost(random, ''));
}

/** EVM addresses, half in lower case and half with the EIP-55 checksum, as explorers and wallets show them. */
export async function evmAddresses(count: number): Promise<string[]> {
  const { keccak_256 } = await import('@noble/hashes/sha3.js');
  const random = randomFrom(6);
  return Array.from({ length: count }, (_, index) => {
    const hex = Array.from({ length: 5 }, () => random().toString(16).padStart(8, '0')).join('');
    return `0x${index % 2 === 0 ? hex : checksummed(hex, keccak_256(Buffer.from(hex)))}`;
  });
}

/** `count` different hosts, as on a blocklist. No host of a clean link equals one of them or is below one. */
export function listedHosts(count: number): string[] {
  const random = randomFrom(8);
  return Array.from({ length: count }, (_, index) => {
    const sub = random() % 10 < 3 ? `${pick(random, subNames)}.` : '';
    // Clean names have at most two parts and these have three, so the two never collide. The number makes each unique.
    return `${sub}${pick(random, words)}-${pick(random, words)}-${index.toString(36)}.${pick(random, topNames)}`;
  });
}

/** Expressions of links, at most 55 bytes of ASCII and 25 on average: one block of SHA-256. */
export function shortExpressions(count: number): string[] {
  const random = randomFrom(9);
  return Array.from({ length: count }, () => {
    const host = cleanHost(random, '');
    return random() % 100 < 40 ? host : (host + pathOf(random, 1 + (random() % 2))).slice(0, 55);
  });
}

/** Expressions of exactly `length` characters. */
export function longExpressions(count: number, length: number): string[] {
  const random = randomFrom(10);
  return Array.from({ length: count }, () => {
    let text = cleanHost(random, '');
    while (text.length < length) text += pathOf(random, 4);
    return text.slice(0, length);
  });
}

/** Expressions with characters outside ASCII, which types other than links may have. */
export function wideExpressions(count: number): string[] {
  const random = randomFrom(11);
  return Array.from({ length: count }, () => `name:${pick(random, idnLabels)}${random() % 100_000}`);
}

/**
 * Texts that can be decoded again and again.
 *
 * A string caches its hash after the first lookup, and a concatenated string is a tree until it is read. A loop over one
 * array of strings would therefore save `Set<string>` the hashing, and pass on one or the other shape by accident. A
 * real caller has strings that just arrived, so each batch is decoded again: flat, never hashed, never seen before.
 */
export class TextPool {
  readonly count: number;
  readonly #bytes: Buffer;
  readonly #ends: Uint32Array;
  readonly #encoding: BufferEncoding;

  constructor(texts: readonly string[]) {
    const joined = texts.join('');
    // As many bytes as characters means ASCII, which is cheap to decode. (Decoding is never timed.)
    this.#encoding = Buffer.byteLength(joined) === joined.length ? 'latin1' : 'utf8';
    this.#bytes = Buffer.from(joined, this.#encoding);
    this.count = texts.length;
    this.#ends = new Uint32Array(texts.length);
    let end = 0;
    for (const [index, text] of texts.entries()) {
      end += Buffer.byteLength(text, this.#encoding);
      this.#ends[index] = end;
    }
  }

  /** Decodes text `index`. */
  fresh(index: number): string {
    return this.#bytes.toString(this.#encoding, index === 0 ? 0 : this.#ends[index - 1], this.#ends[index]);
  }

  /** Decodes the texts [from, to) into the beginning of `target`. */
  fill(target: string[], from: number, to: number): void {
    for (let index = from; index < to; index++) target[index - from] = this.fresh(index);
  }
}

type Random = () => number;
type Spelling = 'plain' | 'escaped' | 'upper' | 'port' | 'fragment';

/** Repeats each value as often as its weight says. */
function weighted<Value>(weights: readonly (readonly [number, Value])[]): Value[] {
  return weights.flatMap(([weight, value]) => new Array<Value>(weight).fill(value));
}

const linkSpellings = weighted<Spelling>([
  [80, 'plain'],
  [11, 'escaped'],
  [3, 'upper'],
  [2, 'port'],
  [4, 'fragment'],
]);

/** The number of labels before a clean name. */
const hostPrefixes = weighted([
  [36, ''],
  [30, 'www.'],
  [26, 'sub.'],
  [8, 'sub.sub.'],
]);

/** The number of path segments. */
const depths = weighted([
  [14, 0],
  [22, 1],
  [24, 2],
  [18, 3],
  [12, 4],
  [6, 5],
  [4, 6],
]);

const topNames = ['example', 'example', 'example', 'test', 'invalid', 'example.com', 'example.net', 'example.org'];

const subNames = 'app blog docs shop mail news api cdn en m support account status'.split(' ');

const words = (
  'air apple art bank bay bell bird blue board book box bread bridge bright cable call camp card care cedar chain ' +
  'chat city claim clear cloud coast coin core craft dash data day deal delta dock door drop earth east edge elm ' +
  'ever farm fast field fin fire first flow form fox fresh frog gate gift glass globe gold grand green grid grove ' +
  'hand harbor hill home honey hub ink iron jet joy key kite lab lake lamp land leaf light line link lion list ' +
  'loft logic loop lunar mail maple market meadow media mint moon mountain music nest net night north note nova ' +
  'oak ocean open orbit paper park path peak pearl pine pixel plan plaza point pool port press prime pulse quest ' +
  'quick rain red reward ridge ring river road rock root rose sail salt sand school sea seed shop silver sky ' +
  'smart snow solar song spark spring star station stone storm stream studio sun swap table team tide token tower ' +
  'trade trail travel tree true union valley vault view village vine wallet water wave web west wind wing winter ' +
  'wolf wood work world yard yellow zen zone'
).split(' ');

const idnLabels = (
  'bücher münchen-laden café niño-tienda złoty ğüvenli пример кошелёк παράδειγμα 例子 钱包 例え テスト 예시 उदाहरण ' +
  'مثال ' +
  'דוגמה'
).split(' ');

function mix(seed: number): number {
  let value = seed | 0;
  value = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  value = Math.imul(value ^ (value >>> 15), 0x846ca68b);
  return (value ^ (value >>> 16)) >>> 0;
}

/** sfc32: small, fast and good enough for inputs. The first twelve steps mix in the seed. */
export function randomFrom(seed: number): Random {
  let [a, b, c, counter] = [0, seed, seed, 1];
  const next = (): number => {
    const value = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + value) | 0;
    return value >>> 0;
  };
  for (let step = 0; step < 12; step++) next();
  return next;
}

function pick<Value>(random: Random, values: readonly Value[]): Value {
  return values[random() % values.length] as Value;
}

function linkOf(random: Random, spelling: Spelling): string {
  const prefix = pick(random, hostPrefixes).replaceAll('sub', () => pick(random, subNames));
  const host = cleanHost(random, prefix);
  const path = pathOf(random, pick(random, depths)) || '/';
  const query = random() % 100 < 30 ? queryOf(random) : '';
  switch (spelling) {
    case 'plain':
      return `https://${host}${path}${query}`;
    case 'escaped':
      return `https://${host}${path}${pick(random, ['', '%20page'])}?next=https%3A%2F%2F${host}%2F${pick(random, words)}`;
    case 'upper':
      return `https://${host.charAt(0).toUpperCase()}${host.slice(1)}${path}${query}`;
    case 'port':
      return `https://${host}:8443${path}${query}`;
    case 'fragment':
      return `https://${host}${path}${query}#${pick(random, words)}`;
  }
}

function cleanHost(random: Random, prefix: string): string {
  const second = random() % 3 === 0 ? '' : `-${pick(random, words)}`;
  return `${prefix}${pick(random, words)}${second}.${pick(random, topNames)}`;
}

function pathOf(random: Random, depth: number): string {
  let path = '';
  for (let segment = 0; segment < depth; segment++) path += `/${segmentOf(random)}`;
  return depth > 0 && random() % 4 === 0 ? `${path}/` : path;
}

function segmentOf(random: Random): string {
  switch (random() % 5) {
    case 0:
      return String(random() % 1_000_000);
    case 1:
      return `${pick(random, words)}-${pick(random, words)}-${pick(random, words)}`;
    default:
      return pick(random, words);
  }
}

function queryOf(random: Random): string {
  const pairs = Array.from({ length: 1 + (random() % 3) }, () => `${pick(random, words)}=${random() % 100_000}`);
  return `?${pairs.join('&')}`;
}

/** EIP-55: a letter is in upper case if the digit at the same position in the hash of the lower-case text is 8 or more. */
function checksummed(hex: string, hash: Uint8Array): string {
  const upper = (index: number): boolean => (((hash[index >> 1] ?? 0) >> (index % 2 === 0 ? 4 : 0)) & 15) >= 8;
  return Array.from(hex, (digit, index) => (upper(index) ? digit.toUpperCase() : digit)).join('');
}
