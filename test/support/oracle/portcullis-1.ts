/**
 * A second implementation of `portcullis-1`: slow, obvious, and written from docs/algorithm.md alone. It shares no code with the
 * library, so a mistake stays hidden only if it is made twice. The numbers in the comments are sections of that page.
 */
import { createHash } from 'node:crypto';

export interface OracleAsset {
  readonly type: 'URL' | 'PAGE' | 'ADDRESS';
  readonly canonical: string;
}

/** One reading of a link. */
export interface OracleLink {
  readonly host: string;
  /** Empty, or begins with a slash. */
  readonly path: string;
  /** Without its question mark; empty if there is none. */
  readonly query: string;
  /** §4.4: the path or the query was too long. */
  readonly isCut: boolean;
  /** The link that a publisher lists, which is shorter if the path is cut. */
  readonly canonical: string;
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

const EDGE = /^[\0-\x20\x7f-\xa0\xad\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]$/;
const BROWSER_EDGE = /^[\0-\x20]$/;

function trim(text: string, first: RegExp, last: RegExp): string {
  const characters = [...text];
  while (characters.length > 0 && first.test(characters[0]!)) characters.shift();
  while (characters.length > 0 && last.test(characters.at(-1)!)) characters.pop();
  return characters.join('');
}

const withoutLines = (text: string): string =>
  Buffer.from(text, 'utf8')
    .toString('utf8')
    .replace(/[\t\n\r]/g, '');
const clean = (text: string): string => trim(withoutLines(text), EDGE, EDGE);
/** Cleaned, but with the characters at the end that a browser requests. */
const cleanAsBrowsers = (text: string): string => trim(withoutLines(text), EDGE, BROWSER_EDGE);

// 3.2 Splitting

const LINK_SCHEMES = ['http', 'https', 'ws', 'wss', 'ftp'];
const OTHER_SCHEMES =
  'about acct bitcoin blob data ethereum facetime filesystem intent javascript mailto market sip sips sms smsto ssh tel tg whatsapp xmpp'.split(
    ' ',
  );
const MAX_WRAPPERS = 4;

function schemeOf(text: string): string | undefined {
  return /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1]?.toLowerCase();
}

/** Rule 3: a host or user name that looks like a scheme. */
function isSchemeInLooksOnly(scheme: string, behind: string): boolean {
  if (behind.startsWith('//') || OTHER_SCHEMES.includes(scheme)) return false;
  const rest = behind.split(/[/\\?#]/)[0]!;
  if (/^[0-9]+$/.test(rest)) return true;
  if (rest === '' && scheme.includes('.')) return true;
  return rest.includes('@') && /[.[]/.test(rest.split('@').at(-1)!);
}

/** The readings of one cleaned text; `withEdges` is the same text with the end a browser requests. */
function linksOf(text: string, withEdges = text, wrappers = 0): Links {
  const scheme = schemeOf(text);
  const behind = scheme === undefined ? text : text.slice(scheme.length + 1);

  if (scheme === 'blob' || scheme === 'filesystem') {
    if (wrappers === MAX_WRAPPERS) return refuse('too-deep');
    const inner = linksOf(behind, withEdges.slice(scheme.length + 1), wrappers + 1);
    if (isRefusal(inner)) return inner;
    return inner.map(({ host }) => ({ host, path: '', query: '', isCut: false, canonical: host }));
  }

  // 3.6 Where browsers disagree
  const first = split(text);
  const all: Links[] = [first];
  if (withEdges !== text) all.push(split(withEdges));
  for (const spelling of withEdges === text ? [text] : [text, withEdges]) {
    const isCut = spelling.includes('\0');
    const whole = isCut ? trim(spelling.split('\0')[0]!, /^$/, BROWSER_EDGE) : spelling;
    if (isCut) all.push(split(whole));
    const resolved = resolveBeforeHost(whole);
    if (resolved !== undefined) all.push(split(resolved));
  }
  const read = all.flatMap((links) => (isRefusal(links) ? [] : links));
  return read.length === 0 ? first : read;
}

/** 3.6, rule 4: the same text with its dot segments resolved before its host is read. */
function resolveBeforeHost(text: string): string | undefined {
  const [, scheme, slashes, path, rest] = /^(https?):([/\\]{3,})([^?#]*)(.*)$/is.exec(text) ?? [];
  if (scheme === undefined || slashes!.startsWith('//')) return undefined;
  return `${scheme}://${resolve(slashes! + path!, isEscapedDots).slice(1)}${rest}`;
}

/** The readings of one text with one way of splitting it. */
function split(text: string): Links {
  const scheme = schemeOf(text);
  const behind = scheme === undefined ? text : text.slice(scheme.length + 1);
  if (scheme !== undefined && LINK_SCHEMES.includes(scheme)) return linkFromAuthority(behind.replace(/^[/\\]+/, ''), true, true);

  if (scheme === undefined || isSchemeInLooksOnly(scheme, behind)) {
    const slashes = /^[/\\]*/.exec(text)![0].length;
    if (slashes === 1) return refuse('unknown');
    return linkFromAuthority(text.slice(slashes), slashes >= 2, false);
  }
  return behind.startsWith(' ') || TYPED_SCHEMES.includes(scheme) ? refuse('unknown') : refuse('internal-scheme');
}

const TYPED_SCHEMES =
  'bitcoin ens eth ethereum facetime ipfs ipns keyauth lightning lnurlp mailto market monero nostr pkg ronin sip sips sms smsto solana solana-action tel tg ton viber web+stellar web3 whatsapp zcash'.split(
    ' ',
  );

/** Rule 5: the texts that an `intent:` names. */
function targetsOf(text: string): readonly string[] {
  const cleaned = clean(text);
  if (schemeOf(cleaned) !== 'intent') return [];
  const behind = cleaned.slice('intent:'.length);
  const at = behind.lastIndexOf('#');
  if (!behind.startsWith('#Intent;', at)) return [];
  const fields = behind.slice(at + '#Intent;'.length).split(';');
  const end = fields.findIndex((field) => field.startsWith('end') || field === 'SEL');
  const read = new Map<string, string>();
  for (const field of end < 0 ? fields : fields.slice(0, end)) {
    const [name, ...value] = field.split('=');
    if (field.includes('=')) read.set(name!.startsWith('S.') ? decodeAsciiOnce(name!) : name!, decodeAsciiOnce(value.join('=')));
  }

  const data = behind.slice(0, at);
  const page = read.has('scheme') ? `${read.get('scheme')}:${data}` : data;
  const texts = [page, read.get('S.browser_fallback_url') ?? ''];
  return texts.filter((target) => LINK_SCHEMES.includes(schemeOf(clean(target)) ?? ''));
}

const decodeAsciiOnce = (text: string): string =>
  text.replace(/%[0-7][0-9A-Fa-f]/g, (escaped) => String.fromCharCode(Number.parseInt(escaped.slice(1), 16)));

function linkFromAuthority(text: string, isMarked: boolean, hasScheme: boolean): Links {
  const authority = text.split(/[/\\?#]/)[0]!;
  const behind = text.slice(authority.length).split('#')[0]!;
  const [rawPath, ...queries] = behind.split('?');

  const withoutUserinfo = authority.split('@').at(-1)!;
  const cutBehindPort = /^(.*?):[0-9]*\0/s.exec(withoutUserinfo)?.[1];
  const rawHost = cutBehindPort ?? withoutUserinfo.replace(/:[0-9]*$/, '');
  const host = hostOf(rawHost, isMarked);
  if (typeof host !== 'string') {
    if (hasScheme) return refuse(host.why === 'single label' ? 'not-a-host' : 'unknown');
    const looksLikeHost = !rawHost.includes(' ') && (rawHost.includes('.') || rawHost.toLowerCase() === 'localhost');
    return refuse(looksLikeHost ? 'not-a-host' : 'unknown');
  }

  const query = canonicalQuery(queries.join('?'));
  return pathsOf(rawPath!).map((path) => cut(host, path, query));
}

// 3.3 Mapping a host to ASCII, 3.4 Finishing a host

interface NoHost {
  readonly why: 'single label' | 'other';
}

function hostOf(rawHost: string, isMarked: boolean): string | NoHost {
  const noHost: NoHost = { why: 'other' };
  let mapped: string | undefined = rawHost;
  for (let round = 1; ; round++) {
    const decoded = decodeHostOnce(mapped);
    if (decoded === undefined) return noHost;
    if (isAscii(decoded)) {
      mapped = decoded.toLowerCase();
      break;
    }
    const separate = mapCharacters(decoded);
    mapped = separate === undefined ? undefined : toAsciiLabels(separate);
    if (mapped === undefined) return noHost;
    if (!mapped.includes('%') || round === 8) break;
  }
  if (mapped.startsWith('[')) return (mapped.endsWith(']') && ipv6(mapped.slice(1, -1))) || noHost;
  const ascii = mapped.toLowerCase();
  if (/[\0-\x20#%/:<>?@[\\\]^|\x7f]/.test(ascii)) return noHost;

  const labels = ascii.split('.').filter((label) => label !== '');
  if (/^([0-9]+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')) {
    if (labels.length === 1 && !isMarked) return noHost;
    const address = ipv4(labels);
    if (address !== undefined) return address;
    if (!ascii.endsWith('..')) return noHost;
    labels.push(`${labels.pop()!}..`);
  }
  const host = labels.join('.');
  if (/^[^.]+\.?$/.test(ascii)) return { why: 'single label' };
  if (!host.includes('.') || host.length > 253 || labels.some((label) => label.length > 63)) return noHost;
  return host;
}

function decodeHostOnce(host: string): string | undefined {
  const bytes = toBytes(host).replace(/%([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return undefined;
  }
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

function mapCharacters(text: string): string | undefined {
  const left = [...text.replace(IGNORED, '')];
  if (left.length > 1012 || left.some((character) => /[\ud800-\udfff\ufffd]/u.test(character))) return undefined;
  return left
    .map(mapCharacter)
    .join('')
    .normalize('NFC')
    .replace(/[\u3002\uff0e\uff61]/g, '.');
}

function toAsciiLabels(mapped: string): string | undefined {
  const labels = mapped.split('.').map((label) => (isAscii(label) ? label : `xn--${punycode(label)}`));
  const isTooLong = labels.some((label, i) => label !== mapped.split('.')[i] && label.length > (label.includes('%') ? 253 : 63));
  return isTooLong ? undefined : labels.join('.');
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
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')));

  // An IPv4 address at the end counts as two groups.
  const tail = groups.at(-1)!.at(-1);
  if (tail?.includes('.')) {
    const address = ipv4(tail.split('.'));
    if (address === undefined) return undefined;
    const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number];
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
  return /^www\..*\./.test(host) && !host.endsWith('..') ? withoutWww(host.slice(4)) : host;
}

// 4 Path and query

/** The order of replacements does not matter, so all are made at once, until there is nothing to replace. */
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

const isPlainDots = (segment: string): string | undefined => (/^\.{1,2}$/.test(segment) ? segment : undefined);
const isEscapedDots = (segment: string): string | undefined => isPlainDots(segment.replace(/%2e/gi, '.'));

/** 4.1, rules 1 and 2, of a path that is empty or begins with a slash. */
function resolve(rawPath: string, dotsOf: (segment: string) => string | undefined): string {
  const segments = rawPath.replaceAll('\\', '/').split('/').slice(1);
  const kept: string[] = [];
  segments.forEach((segment, i) => {
    const dots = dotsOf(segment);
    if (dots === '..') kept.pop();
    if (dots === undefined) kept.push(segment);
    else if (i === segments.length - 1) kept.push('');
  });
  return kept
    .map((segment) => `/${segment}`)
    .join('')
    .replace(/\/+/g, '/');
}

/** 4.1 */
function requestedPath(rawPath: string): string {
  const written = resolve(rawPath, isEscapedDots)
    .split('/')
    .map((segment) => {
      const decoded = decodeToTheEnd(toBytes(segment));
      if (isPlainDots(decoded) !== undefined) return decoded.replaceAll('.', '%252E');
      return decoded.replace(/[\0-\x20\x7f-\xff#%?/\\]/g, escapeByte);
    })
    .join('/');
  return written.replace(/\/$/, '');
}

/** 4.2 */
function servedPath(requested: string): string {
  const decoded = decodeToTheEnd(requested).replace(/[/\\]+/g, '/');
  const written = resolve(decoded, isPlainDots).replace(/[\0-\x20\x7f-\xff#%?]/g, escapeByte);
  return written.replace(/\/$/, '');
}

function withoutEdges(requested: string): string {
  const [tail] = /(?:%(?:[01][0-9A-F]|20|7F|[89A-F][0-9A-F]))*$/.exec(requested)!;
  try {
    const kept = trim(decodeURIComponent(tail), /^$/, EDGE);
    return requested.slice(0, requested.length - tail.length) + [...toBytes(kept)].map(escapeByte).join('');
  } catch {
    return requested;
  }
}

/** The requested and the served path, and both without edge characters at the end. */
function pathsOf(rawPath: string): string[] {
  const requested = requestedPath(rawPath);
  const trimmed = requestedPath(withoutEdges(requested));
  return [...new Set([requested, servedPath(requested), trimmed, servedPath(trimmed)])];
}

/** 4.4 */
function cut(host: string, path: string, query: string): OracleLink {
  const max = 16_384;
  if (path.length > max) {
    const folders = path.split('/').slice(1, -1).slice(0, 4);
    while (folders.join('/').length + 1 > max) folders.pop();
    const kept = folders.map((folder) => `/${folder}`).join('');
    return { host, path: kept, query: '', isCut: true, canonical: host };
  }
  if (query.length > max) return { host, path, query: '', isCut: true, canonical: host };
  return { host, path, query, isCut: false, canonical: writeLink(host, path, query) };
}

function canonicalQuery(rawQuery: string): string {
  return decodeToTheEnd(toBytes(rawQuery)).replace(/[\0-\x20\x7f-\xff#%]/g, escapeByte);
}

// 4.5 The canonical link

function writeLink(host: string, path: string, query: string): string {
  if (query === '') return host + path;
  return `${host}${path === '' ? '/' : path}?${query}`;
}

/** The readings of an uncleaned text; a phrase that only looks like a link has none. */
function linksOfText(text: string): Links {
  const links = linksOf(clean(text), cleanAsBrowsers(text));
  return !isRefusal(links) && hasTwelveWords(text) && !/[/?#@:]/.test(text) ? refuse('secret') : links;
}

/** The canonical link of a text; for an `intent:` that of its first link. */
export function canonicalLink(text: string): string | null {
  const links = linksOfText(text);
  const first = isRefusal(links) ? undefined : links[0]!.canonical;
  return (
    targetsOf(text)
      .map(canonicalLink)
      .find((link) => link !== null) ??
    first ??
    null
  );
}

// 5 Expressions

function expressionsOfLink({ host, path, query }: Pick<OracleLink, 'host' | 'path' | 'query'>): string[] {
  const site = withoutWww(host);
  const expressions: string[] = [];
  if (query !== '') expressions.push(writeLink(site, path, query));
  if (path !== '') expressions.push(site + path);
  const segments = path.split('/').slice(1);
  for (const count of [4, 3, 2, 1]) {
    if (count < segments.length) expressions.push(`${site}/${segments.slice(0, count).join('/')}`);
  }
  const isIp = host.startsWith('[') || /^[0-9]+(\.[0-9]+){3}$/.test(host);
  const labels = labelsOf(host);
  expressions.push(labelsOf(site).length > 11 ? site : host);
  for (let count = 11; count >= 2; count--) {
    if (!isIp && count < labels.length) expressions.push(labels.slice(-count).join('.'));
  }
  return expressions;
}

/** Dots at the end are part of the last label. */
const labelsOf = (host: string): string[] => host.split(/\.(?!\.*$)/);

/** What is looked up for an asset; the first is the one a publisher lists. */
export function expressionsOfAsset({ type, canonical }: OracleAsset): string[] {
  if (type === 'ADDRESS') return [`address:${canonical}`];
  const [host, ...segments] = canonical.split('/');
  return expressionsOfLink({ host: host!, path: segments.map((segment) => `/${segment}`).join(''), query: '' });
}

/** What is looked up for a text: the expressions of its subjects, each once. */
export function expressionsOfText(text: string): string[] {
  const typed = evmAddresses(text).map((address) => `address:${address}`);
  const links = linksOfText(text);
  const ofLinks = isRefusal(links) ? [] : links.flatMap(expressionsOfLink);
  return [...new Set([...targetsOf(text).flatMap(expressionsOfText), ...typed, ...ofLinks])];
}

/** All readings of a text, in order. */
export function assetsOf(text: string): OracleAsset[] {
  const assets = targetsOf(text).flatMap(assetsOf);
  for (const canonical of evmAddresses(text)) assets.push({ type: 'ADDRESS', canonical });
  const links = linksOfText(text);
  for (const { host, path, isCut } of isRefusal(links) ? [] : links) {
    const site = withoutWww(host);
    if (path !== '' && !isCut) assets.push({ type: 'PAGE', canonical: site + path });
    assets.push({ type: 'URL', canonical: site });
  }
  return assets.filter(
    ({ type, canonical }, i) => assets.findIndex((other) => other.type === type && other.canonical === canonical) === i,
  );
}

/** The number of link readings of a text and its targets. */
export function readingCount(text: string): number {
  const links = linksOfText(text);
  return targetsOf(text).reduce((count, target) => count + readingCount(target), isRefusal(links) ? 0 : links.length);
}

/** The reason why a text is not an asset. */
export function reasonOf(text: string, chain?: string): OracleReason | undefined {
  if (assetsOf(text).length > 0) return undefined;
  const links = linksOfText(text);
  if (isKey(cleanMore(text), chain) || isPhrase(text)) return 'secret';
  const ofTarget = targetsOf(text).map((target) => reasonOf(target))[0];
  return ofTarget ?? (isRefusal(links) ? links.reason : undefined);
}

/** §6.2: a text that is a mailbox as a whole, and therefore not a link where mailboxes are read. */
export function isMailbox(text: string): boolean {
  const cleaned = cleanMore(text);
  if (cleaned.length > 2048 || cleaned.endsWith('>')) return false;
  const at = cleaned.lastIndexOf('@');
  const local = cleaned.slice(0, Math.max(at, 0)).trim().normalize('NFKC').toLowerCase();
  const word = '[^\\s\\p{Cc}@.()<>[\\]\\\\,;:"/?#]+';
  if (local.length > 64 || !new RegExp(`^${word}(\\.${word})*$`, 'u').test(local)) return false;
  const host = hostOf(cleaned.slice(at + 1), false);
  return typeof host === 'string' && !/^(\[|[0-9]+(\.[0-9]+){3}$)/.test(host);
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
  const rest = cleaned.slice(found[0].length - 1);
  const recipient = /(?<![a-z0-9_])address=0x([0-9a-f]{40})(?![a-z0-9_])/i.exec(rest);
  if (recipient === null && /(?<![a-z0-9_])address=0x/i.test(rest)) return [];
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
  if (is(`[567]${base58}{50}`) || is(`9[1-9]${base58}{49}`) || is(`[KLTQXc]${base58}{51}`)) return true;
  if (is(`[xyztuvYZUV]prv${base58}{107,108}`)) return true;
  if ((is(`6P${base58}{56}`) && is('.*[a-z].*')) || (is(`${base58}{86,88}`) && !is('[ft]3[a-z2-7]{84}') && !is('LNURL1.*')))
    return true;
  if (is(`edsk${base58}{50}`) || is(`edsk${base58}{94}`) || is('S[A-Z2-7]{55}')) return true;
  if (is(`(nsec1|suiprivkey1|age-secret-key-1)${bech32}{50,80}`, 'i')) return true;
  return is('[0-9A-Fa-f]{64}') && chain === undefined;
}

/**
 * What counts as a letter in phrases: ASCII letters, and everything from U+00C0 on except punctuation, letter forms and higher
 * characters.
 */
function isLetter(unit: string): boolean {
  const code = unit.charCodeAt(0);
  if (code < 0x80) return /[A-Za-z]/.test(unit);
  return (code >= 0xc0 && code < 0x2000) || (code >= 0x3040 && code < 0xfeff);
}

/** The words of a text and the separators between them; no words if there is no separator or the text is too long. */
function wordsAndGaps(text: string): { words: string[]; gaps: string[] } {
  const words: string[] = [];
  const gaps: string[] = [''];
  if (text.length > 1024 || !(/\s/.test(text.trim()) || /[,\u3001\uff0c]/.test(text))) return { words, gaps: [] };
  let isInWord = false;
  for (const unit of text.split('')) {
    if (isLetter(unit)) {
      if (isInWord) words[words.length - 1] += unit;
      else words.push(unit);
      isInWord = true;
    } else {
      if (isInWord) gaps.push('');
      gaps[gaps.length - 1] += unit;
      isInWord = false;
    }
  }
  return { words, gaps: gaps.slice(1, words.length) };
}

function hasTwelveWords(text: string): boolean {
  return wordsAndGaps(text).words.length >= 12;
}

/** Takes the uncleaned text, because cleaning removes line ends, which separate words. */
function isPhrase(text: string): boolean {
  const { words, gaps } = wordsAndGaps(text.replace(/^[^0-9\n:]{1,40}:/, ''));
  const marks = gaps.map((gap) => gap.split(/[0-9\s]+/).join(' '));
  // A word also ends where the letters of European scripts end.
  const european = words.flatMap((word) => word.split(/[^A-Za-z\u00c0-\u04ff]/)).filter((part) => part !== '');
  return words.length >= 12 && new Set(marks).size === 1 && european.every((word) => word.length > 2);
}

/** SHA-256 of an expression, and its first four bytes as a number. */
export function hashOfExpression(expression: string): { hash: Uint8Array; prefix: number } {
  const digest = createHash('sha256').update(expression, 'utf8').digest();
  return { hash: new Uint8Array(digest), prefix: digest.readUInt32BE(0) };
}
