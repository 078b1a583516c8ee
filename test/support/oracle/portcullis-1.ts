/**
 * `portcullis-1` a second time: slow, obvious, and written from docs/algorithm.md alone. It shares no line with the library, so
 * that a mistake has to be made twice to stay hidden. The numbers in the comments are the sections of that page.
 */
import { createHash } from 'node:crypto';

export interface OracleAsset {
  readonly type: 'URL' | 'PAGE' | 'ADDRESS';
  readonly canonical: string;
}

export interface OracleLink {
  readonly host: string;
  /** Empty, or begins with a slash. */
  readonly path: string;
  /** Without its question mark; empty where there is none. */
  readonly query: string;
}

export type OracleReason = 'internal-scheme' | 'not-a-host' | 'secret' | 'too-deep' | 'unknown';

export interface OracleRefusal {
  readonly reason: OracleReason;
}

type Links = readonly OracleLink[] | OracleRefusal;

const isRefusal = (links: Links): links is OracleRefusal => 'reason' in links;
const refuse = (reason: OracleReason): OracleRefusal => ({ reason });

/** A text as a string of its UTF-8 bytes, one character each; an unpaired surrogate becomes U+FFFD. */
const toBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

// 3.1 Cleaning

const OUTER = '[\\u0000-\\u0020\\u007f-\\u00a0\\u00ad\\u1680\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\ufeff]';

function clean(text: string): string {
  const inner = text.replace(/[\t\n\r]/g, '');
  const characters = [...inner];
  while (characters.length > 0 && new RegExp(OUTER).test(characters[0]!)) characters.shift();
  while (characters.length > 0 && new RegExp(OUTER).test(characters.at(-1)!)) characters.pop();
  return characters.join('');
}

// 3.2 Cutting

const LINK_SCHEMES = ['http', 'https', 'ws', 'wss', 'ftp'];
const OTHER_SCHEMES =
  'about acct bitcoin blob data ethereum facetime filesystem intent javascript mailto market sip sips sms smsto ssh tel tg whatsapp xmpp'.split(
    ' ',
  );
const MOST_WRAPPERS = 4;

function schemeOf(text: string): string | undefined {
  return /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1]?.toLowerCase();
}

/** Rule 3: what looks like a scheme, and is the name of a host or of a user. */
function isSchemeInLooksOnly(scheme: string, behind: string): boolean {
  if (behind.startsWith('//') || OTHER_SCHEMES.includes(scheme)) return false;
  const rest = behind.split(/[/\\?#]/)[0]!;
  if (/^[0-9]+$/.test(rest)) return true;
  if (rest === '' && scheme.includes('.')) return true;
  return rest.includes('@') && /[.[]/.test(rest.split('@').at(-1)!);
}

function linksOf(text: string, wrappers = 0): Links {
  const scheme = schemeOf(text);
  const behind = scheme === undefined ? text : text.slice(scheme.length + 1);

  if (scheme !== undefined && LINK_SCHEMES.includes(scheme)) return linkFromAuthority(behind.replace(/^[/\\]+/, ''), true);

  if (scheme === undefined || isSchemeInLooksOnly(scheme, behind)) {
    const slashes = /^[/\\]*/.exec(text)![0].length;
    if (slashes === 1) return refuse('unknown');
    return linkFromAuthority(text.slice(slashes), false);
  }

  if (scheme === 'blob' || scheme === 'filesystem') {
    if (wrappers === MOST_WRAPPERS) return refuse('too-deep');
    const inner = linksOf(behind, wrappers + 1);
    return isRefusal(inner) ? inner : inner.map(({ host }) => ({ host, path: '', query: '' }));
  }

  if (scheme === 'intent') return linksOfIntent(behind);

  return behind.startsWith(' ') || TYPED_SCHEMES.includes(scheme) ? refuse('unknown') : refuse('internal-scheme');
}

const TYPED_SCHEMES =
  'bitcoin ens eth ethereum facetime ipfs ipns mailto market nostr pkg sip sips sms smsto solana tel tg ton web3 whatsapp'.split(
    ' ',
  );

function linksOfIntent(behind: string): Links {
  const at = behind.lastIndexOf('#');
  if (!behind.startsWith('#Intent;', at)) return refuse('internal-scheme');
  const fields = behind.slice(at + '#Intent;'.length).split(';');
  const end = fields.findIndex((field) => field.startsWith('end') || field === 'SEL');
  const read = new Map<string, string>();
  for (const field of end < 0 ? fields : fields.slice(0, end)) {
    const [name, ...value] = field.split('=');
    if (field.includes('=')) read.set(name!.startsWith('S.') ? decodeAsciiOnce(name!) : name!, decodeAsciiOnce(value.join('=')));
  }

  const data = behind.slice(0, at);
  const page = read.has('scheme') ? `${read.get('scheme')}:${data}` : data;
  const texts = [page, read.get('S.browser_fallback_url') ?? ''].map(clean);
  const found = texts
    .filter((text) => LINK_SCHEMES.includes(schemeOf(text) ?? ''))
    .flatMap((text) => {
      const links = linksOf(text);
      return isRefusal(links) ? [] : links;
    });
  return found.length === 0 ? refuse('internal-scheme') : found;
}

const decodeAsciiOnce = (text: string): string =>
  text.replace(/%[0-7][0-9A-Fa-f]/g, (escaped) => String.fromCharCode(Number.parseInt(escaped.slice(1), 16)));

function linkFromAuthority(text: string, hasScheme: boolean): Links {
  const authority = text.split(/[/\\?#]/)[0]!;
  const behind = text.slice(authority.length).split('#')[0]!;
  const [rawPath, ...queries] = behind.split('?');
  const rawQuery = queries.join('?');

  const withoutUserinfo = authority.split('@').at(-1)!;
  const rawHost = withoutUserinfo.replace(/:[0-9]*$/, '');
  const host = hostOf(rawHost, hasScheme);
  if (host === undefined) {
    const looksLikeHost = !rawHost.includes(' ') && (rawHost.includes('.') || rawHost.toLowerCase() === 'localhost');
    return refuse(hasScheme || looksLikeHost ? 'not-a-host' : 'unknown');
  }

  const path = canonicalPath(rawPath!);
  const query = canonicalQuery(rawQuery);
  if (path.length > 16_384) return [{ host, path: '', query: '' }];
  if (query.length > 16_384) return [{ host, path, query: '' }];
  return [{ host, path, query }];
}

// 3.3 Mapping a host to ASCII, 3.4 Finishing a host

function hostOf(rawHost: string, hasScheme: boolean): string | undefined {
  if (rawHost.startsWith('[')) return rawHost.endsWith(']') ? ipv6(rawHost.slice(1, -1)) : undefined;

  let decoded: string;
  try {
    const bytes = toBytes(rawHost).replace(/%([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
    decoded = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return undefined;
  }
  const mapped = isAscii(decoded) ? decoded.toLowerCase() : mapToAscii(decoded);
  if (mapped === undefined || /[\0-\x20#%/:<>?@[\\\]^|\x7f]/.test(mapped)) return undefined;

  const host = mapped
    .split('.')
    .filter((label) => label !== '')
    .join('.');
  const labels = host.split('.');
  if (/^([0-9]+|0x[0-9a-f]*)$/.test(labels.at(-1)!)) return labels.length === 1 && !hasScheme ? undefined : ipv4(labels);
  if (labels.length < 2 || host.length > 253 || labels.some((label) => label.length > 63)) return undefined;
  return host;
}

const IGNORED = new RegExp(
  '\\u00ad|\\u034f|[\\u115f-\\u1160]|[\\u17b4-\\u17b5]|[\\u180b-\\u180f]|\\u200b|[\\u2060-\\u206f]|\\u3164|[\\ufe00-\\ufe0f]|' +
    '\\ufeff|\\uffa0|[\\u{1bca0}-\\u{1bca3}]|[\\u{1d173}-\\u{1d17a}]|[\\u{e0100}-\\u{e01ef}]',
  'gu',
);
const SIGMAS = /[\u03f2\u{1d6d3}\u{1d70d}\u{1d747}\u{1d781}\u{1d7bb}]/u;

function foldCharacter(character: string): string {
  const code = character.codePointAt(0)!;
  if (code >= 0xab70 && code <= 0xabbf) return String.fromCodePoint(code - 0xab70 + 0x13a0);
  if (code >= 0x13f8 && code <= 0x13fd) return String.fromCodePoint(code - 0x13f8 + 0x13f0);
  if (code >= 0x13a0 && code <= 0x13f5) return character;
  if (code >= 0x1c80 && code <= 0x1c88) return [...'вдосттъѣꙋ'][code - 0x1c80]!;
  if (code === 0x130) return 'i\u0307';
  if (code === 0x345) return 'ι';
  if (code === 0x1e9e) return 'ß';
  return character.toLowerCase();
}

const fold = (text: string): string => [...text].map(foldCharacter).join('');

function mapCharacter(character: string): string {
  if (SIGMAS.test(character)) return 'σ';
  return fold(fold(character.normalize('NFKD')).normalize('NFKC').replace(IGNORED, ''));
}

function mapToAscii(text: string): string | undefined {
  const left = [...text.replace(IGNORED, '')];
  if (left.length > 1012 || left.some((character) => /[\ud800-\udfff\ufffd]/u.test(character))) return undefined;
  const mapped = left
    .map(mapCharacter)
    .join('')
    .normalize('NFC')
    .replace(/[\u3002\uff0e\uff61]/g, '.');

  const labels = mapped.split('.').map((label) => (isAscii(label) ? label : `xn--${punycode(label)}`));
  const tooLong = labels.some((label, i) => label !== mapped.split('.')[i] && label.length > 63);
  return tooLong ? undefined : labels.join('.');
}

/** RFC 3492, section 6.3. */
function punycode(label: string): string {
  const input = [...label].map((character) => character.codePointAt(0)!);
  const basic = input.filter((code) => code < 0x80);
  let output = basic.map((code) => String.fromCodePoint(code)).join('');
  if (basic.length > 0) output += '-';
  let n = 0x80;
  let delta = 0;
  let bias = 72;
  let handled = basic.length;
  while (handled < input.length) {
    const next = Math.min(...input.filter((code) => code >= n));
    delta += (next - n) * (handled + 1);
    n = next;
    for (const code of input) {
      if (code < n) delta++;
      if (code === n) {
        let q = delta;
        for (let k = 36; ; k += 36) {
          const threshold = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
          if (q < threshold) break;
          output += digit(threshold + ((q - threshold) % (36 - threshold)));
          q = Math.floor((q - threshold) / (36 - threshold));
        }
        output += digit(q);
        bias = adapt(delta, handled + 1, handled === basic.length);
        delta = 0;
        handled++;
      }
    }
    delta++;
    n++;
  }
  return output;
}

const digit = (value: number): string => 'abcdefghijklmnopqrstuvwxyz0123456789'[value]!;

function adapt(delta: number, points: number, first: boolean): number {
  let d = Math.floor(delta / (first ? 700 : 2));
  d += Math.floor(d / points);
  let k = 0;
  for (; d > ((36 - 1) * 26) / 2; k += 36) d = Math.floor(d / (36 - 1));
  return k + Math.floor(((36 - 1 + 1) * d) / (d + 38));
}

function ipv4(parts: readonly string[]): string | undefined {
  if (parts.length > 4) return undefined;
  const numbers: bigint[] = [];
  for (const part of parts) {
    if (/^0x[0-9a-f]*$/.test(part)) numbers.push(BigInt(part === '0x' ? 0 : part));
    else if (/^0[0-7]*$/.test(part)) numbers.push(BigInt(`0o${part}`));
    else if (/^[1-9][0-9]*$/.test(part)) numbers.push(BigInt(part));
    else return undefined;
  }
  const last = numbers.pop()!;
  if (numbers.some((number) => number > 255n) || last >= 256n ** BigInt(4 - numbers.length)) return undefined;
  let address = last;
  numbers.forEach((number, i) => {
    address += number * 256n ** BigInt(3 - i);
  });
  return dotted(address);
}

const dotted = (address: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 255n).join('.');

function ipv6(text: string): string | undefined {
  if (text.length > 45) return undefined;
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')));

  // An IPv4 address at the very end stands for two groups.
  const tail = groups.at(-1)!.at(-1);
  if (tail?.includes('.')) {
    const octets = tail.split('.');
    if (octets.length !== 4 || !octets.every((octet) => /^(0|[1-9][0-9]{0,2})$/.test(octet) && Number(octet) <= 255))
      return undefined;
    const [a, b, c, d] = octets.map(Number) as [number, number, number, number];
    groups.at(-1)!.splice(-1, 1, (a * 256 + b).toString(16), (c * 256 + d).toString(16));
  }
  if (!groups.flat().every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group))) return undefined;

  const missing = 8 - groups.flat().length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const zeros = new Array<string>(missing).fill('0');
  const pieces = [...groups[0]!, ...zeros, ...(groups[1] ?? [])].map((group) => Number.parseInt(group, 16));

  const isMapped = pieces.slice(0, 5).every((piece) => piece === 0) && pieces[5] === 0xffff;
  const isNat64 = pieces[0] === 0x64 && pieces[1] === 0xff9b && pieces.slice(2, 6).every((piece) => piece === 0);
  if (isMapped || isNat64) return dotted((BigInt(pieces[6]!) << 16n) + BigInt(pieces[7]!));

  // RFC 5952: no leading zeros, lower case, and :: for the longest run of two or more zero groups, the first of several.
  const written = pieces.map((piece) => piece.toString(16));
  for (let length = 8; length >= 2; length--) {
    for (let from = 0; from + length <= 8; from++) {
      if (written.slice(from, from + length).every((piece) => piece === '0')) {
        return `[${written.slice(0, from).join(':')}::${written.slice(from + length).join(':')}]`;
      }
    }
  }
  return `[${written.join(':')}]`;
}

// 3.5 `www.`

function withoutWww(host: string): string {
  return /^www\..*\./.test(host) ? withoutWww(host.slice(4)) : host;
}

// 4 Path and query

/** The order of replacing does not matter, so all at once and as often as there is something to replace. */
function decodeToTheEnd(bytes: string): string {
  let before: string;
  let after = bytes;
  do {
    before = after;
    after = before.replace(/%([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  } while (after !== before);
  return after;
}

const escapeByte = (byte: string): string => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;

function canonicalPath(rawPath: string): string {
  const decoded = decodeToTheEnd(toBytes(rawPath)).replaceAll('\\', '/');
  const kept: string[] = [];
  for (const segment of decoded.split('/').slice(1)) {
    if (segment === '..') kept.pop();
    else if (segment !== '.') kept.push(segment);
  }
  return kept
    .filter((segment) => segment !== '')
    .map((segment) => `/${segment.replace(/[\0-\x20\x7f-\xff#%?]/g, escapeByte)}`)
    .join('');
}

function canonicalQuery(rawQuery: string): string {
  return decodeToTheEnd(toBytes(rawQuery)).replace(/[\0-\x20\x7f-\xff#%]/g, escapeByte);
}

// 4.5 The canonical link

function writeLink({ host, path, query }: OracleLink): string {
  if (query === '') return host + path;
  return `${host}${path === '' ? '/' : path}?${query}`;
}

/** The links of a text as it came; a phrase that only looks like one has none. */
function linksOfText(text: string): Links {
  return isPhrase(text) && !/[/?#@:]/.test(text) ? refuse('secret') : linksOf(clean(text));
}

/** The canonical link of a text, of an `intent:` the first. */
export function canonicalLink(text: string): string | null {
  const links = linksOfText(text);
  return isRefusal(links) ? null : writeLink(links[0]!);
}

// 5 Expressions

function expressionsOfLink({ host, path, query }: OracleLink): string[] {
  const site = withoutWww(host);
  const expressions: string[] = [];
  if (query !== '') expressions.push(writeLink({ host: site, path, query }));
  if (path !== '') expressions.push(site + path);
  const segments = path.split('/').slice(1);
  for (const count of [4, 3, 2, 1]) {
    if (count < segments.length) expressions.push(`${site}/${segments.slice(0, count).join('/')}`);
  }
  expressions.push(site.split('.').length > 11 ? site : host);
  const isIp = host.startsWith('[') || /^[0-9.]+$/.test(host);
  const labels = host.split('.');
  for (let count = 11; count >= 2; count--) {
    if (!isIp && count < labels.length) expressions.push(labels.slice(-count).join('.'));
  }
  return expressions;
}

/** What is looked up for an asset; the first is the one a publisher lists. */
export function expressionsOfAsset({ type, canonical }: OracleAsset): string[] {
  if (type === 'ADDRESS') return [`address:${canonical}`];
  const [host, ...segments] = canonical.split('/');
  return expressionsOfLink({ host: host!, path: segments.map((segment) => `/${segment}`).join(''), query: '' });
}

/** What is looked up for a text. */
export function expressionsOfText(text: string): string[] {
  const typed = evmAddresses(text).map((address) => `address:${address}`);
  const links = linksOfText(text);
  return [...typed, ...new Set(isRefusal(links) ? [] : links.flatMap(expressionsOfLink))];
}

/** What a text reads as, the first reading first. */
export function assetsOf(text: string): OracleAsset[] {
  const assets = evmAddresses(text).map((canonical): OracleAsset => ({ type: 'ADDRESS', canonical }));
  const links = linksOfText(text);
  for (const { host, path } of isRefusal(links) ? [] : links) {
    const site = withoutWww(host);
    if (path !== '') assets.push({ type: 'PAGE', canonical: site + path });
    assets.push({ type: 'URL', canonical: site });
  }
  return assets;
}

/** Why a text is no asset. */
export function reasonOf(text: string, chain?: string): OracleReason | undefined {
  const links = linksOfText(text);
  if (!isRefusal(links) || evmAddresses(text).length > 0) return undefined;
  return isKey(cleanMore(text), chain) || isPhrase(text) ? 'secret' : links.reason;
}

// 6 Addresses

const cleanMore = (text: string): string => clean(text).replace(/[\u200b\u2060\ufeff]/g, '');

/** The recipient that a call names comes before the contract. */
function evmAddresses(text: string): string[] {
  const name = '[a-z0-9][a-z0-9-]{0,31}';
  const names = `(?!(?:https?|wss?|ftp):)(?=[a-z])${name}:(?://)?(?:${name}[:/]){0,3}(?:pay-)?`;
  const chain = '(?:@(?:0x)?[0-9a-f]{1,64})?';
  const cleaned = cleanMore(text);
  const found = new RegExp(`^(?:${names})?(?:0x|xdc)([0-9a-f]{40})${chain}(?:$|[/?#:])`, 'i').exec(cleaned);
  if (found === null) return [];
  const recipient = /(?<![a-z0-9_])address=0x([0-9a-f]{40})(?![a-z0-9_])/i.exec(cleaned.slice(found[0].length - 1));
  return [recipient?.[1], found[1]].flatMap((digits) => (digits === undefined ? [] : `0x${digits.toLowerCase()}`));
}

// 7 Secrets

const SCHEME = /^[A-Za-z][A-Za-z0-9+-]{1,20}:(\/\/)?/;

function isKey(cleaned: string, chain: string | undefined): boolean {
  if (cleaned.length < 51 || cleaned.length > 160) return false;
  const text = cleaned
    .replace(SCHEME, '')
    .replace(/^["'`<([{/]+/, '')
    .replace(/["'`>)\]}.,;:!?/#]{1,8}$/, '');
  if (text.includes('.')) return false;
  const base58 = '[1-9A-HJ-NP-Za-km-z]';
  const bech32 = '[qpzry9x8gf2tvdw0s3jn54khce6mua7l]';
  const is = (pattern: string, flags = ''): boolean => new RegExp(`^(?:${pattern})$`, flags).test(text);
  if (is(`[5679]${base58}{50}`) || is(`[KLTQXc]${base58}{51}`)) return true;
  if (is(`[xyztuvYZUV]prv${base58}{107,108}`)) return true;
  if ((is(`6P${base58}{56}`) && is('.*[a-z].*')) || is(`${base58}{86,88}`)) return true;
  if (is(`edsk${base58}{50}`) || is(`edsk${base58}{94}`) || is('S[A-Z2-7]{55}')) return true;
  if (is(`(nsec1|suiprivkey1|age-secret-key-1)${bech32}{50,80}`, 'i')) return true;
  return is('[0-9A-Fa-f]{64}') && chain === undefined;
}

/** Of the text as it came: line ends, which cleaning removes, separate words. Counted in UTF-16 units. */
function isPhrase(text: string): boolean {
  if (text.length < 23 || text.length > 1024) return false;
  const phrase = text.trim().replace(SCHEME, '');
  if (!/[\s,\u3001\uff0c]/.test(phrase)) return false;
  const words = phrase
    .split(/[^A-Za-z0-9\u00c0-\uffff]|[\u1680\u2000-\u206f\u3000-\u3003\ufeff\uff0c\uff61\uff64]/)
    .filter((word) => word !== '' && !/^[0-9]{1,2}$/.test(word));
  return [12, 15, 18, 21, 24].includes(words.length) && words.every((word) => /^[A-Za-z\u00c0-\uffff]{1,20}$/.test(word));
}

/** SHA-256 of an expression, and its first four bytes as a number. */
export function hashOfExpression(expression: string): { hash: Uint8Array; prefix: number } {
  const digest = createHash('sha256').update(expression, 'utf8').digest();
  return { hash: new Uint8Array(digest), prefix: digest.readUInt32BE(0) };
}
