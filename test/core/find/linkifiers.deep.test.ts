import { domainToUnicode } from 'node:url';
import { LinkifyIt } from 'linkify-it';
import { detectAssets } from 'portcullis/assets';
import { expect, test } from 'vitest';
import type { FoundAsset } from '../../../src/core/find/find.js';
import { findAssets } from '../../../src/core/find/find-all.js';
import { isTopLevelDomain } from '../../../src/core/find/top-level-domains.js';
import { linkifiers as installed, renderers, type TextReader, unescapedReferences } from '../../../tools/deep/text-readers.js';
import { messages } from './messages.js';

const linkifyIt = new LinkifyIt();
const linkifiers: Readonly<Record<string, TextReader>> = {
  linkifyIt: (text) => (linkifyIt.match(text) ?? []).map(({ url }) => url),
  ...installed,
};

const messageCount = 12_000;
const seed = Number(process.env['PORTCULLIS_SEED'] ?? 1);

/** The host that a check decides on; `null` for a mailbox, and for what no list can hold. */
function hostOf(address: string): string | null {
  if (/^(?:mailto|tel|sms):/i.test(address)) return null;
  const link = /^[a-z][a-z\d+.-]*:/i.test(address) ? address : `http://${address}`;
  return detectAssets(link).find(({ type }) => type === 'URL')?.canonical ?? null;
}

const hostsOf = (addresses: readonly string[]): string[] => addresses.flatMap((address) => hostOf(address) ?? []);

/** The links in the attributes of a page. */
function linksOf(page: string): string[] {
  return [...page.matchAll(/(?:href|src|background)=(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi)].map(([, ...values]) =>
    unescapedReferences(values.find((value) => value !== undefined) ?? ''),
  );
}

const hasTopLevelDomain = (host: string): boolean => isTopLevelDomain(domainToUnicode(host.slice(host.lastIndexOf('.') + 1)));

const hostsOnPages = (text: string): ReadonlySet<string> =>
  new Set(
    [text, renderers.commonMark(text)].flatMap(linksOf).flatMap((link) => {
      const host = hostOf(link);
      return host === null ? [] : [domainToUnicode(host)];
    }),
  );

interface Difference {
  readonly text: string;
  readonly pieces: readonly FoundAsset[];
  readonly ours: ReadonlySet<string>;
  /** The host as two linkifiers have it, in Unicode. */
  readonly host: string;
  /** The hosts, in Unicode, that the text opens as Markdown without linkifiers, or as a page. */
  readonly onPages: ReadonlySet<string>;
}

const isUnicodePart = (text: string): boolean => /[^\0-\x7f]/.test(text);

/** Why a host that two linkifiers find is not found. The first that applies counts. */
const reasons: Readonly<Record<string, (difference: Difference) => boolean>> = {
  'no such host: it ends in no top-level domain, as in `evil.com$` or `evil.com_`': ({ host }) => !hasTopLevelDomain(host),
  'no such host: it has a sign in it, as in `evil.com).page`': ({ host }) => /[^\p{L}\p{M}\p{N}.-]/u.test(host),
  'capitals of `\\n`, which no format has: `evil.com__\\NIT`': ({ text, host }) =>
    text.toLowerCase().includes(`${host}__\\n`) && text.includes('\\N'),
  'in a path, as in `more/evil.com`': ({ text, host }) => /[\w.]\/$/.test(text.toLowerCase().split(host)[0]!),
  'the user of a mailbox with letters outside ASCII, which some linkifiers do not know': ({ text, host }) =>
    new RegExp(`${host}@[^\\s@]*[^\\0-\\x7f]`, 'i').test(text),
  'part of a link that is found, and no page opens it: a browser opens the host in front of it': ({
    text,
    pieces,
    onPages,
    host,
  }) =>
    !onPages.has(host) &&
    pieces.some(({ start }) =>
      tail
        .exec(unescapedReferences(unescapedReferences(text.slice(start).toLowerCase())).split(/[\s<>"]/)[0]!)?.[0]
        .toLowerCase()
        .includes(host),
    ),
  'the linkifier stops at a letter outside ASCII: `cher.com` of `bücher.com`': ({ ours, host }) =>
    [...ours].some((one) => {
      const full = domainToUnicode(one);
      return full.endsWith(host) && isUnicodePart(full.slice(0, -host.length).slice(-1));
    }),
  'the linkifier takes prose, an emoji or punctuation beside the host into it': ({ ours, host }) =>
    [...ours].some((one) => {
      const full = domainToUnicode(one);
      const at = host.indexOf(full);
      return at >= 0 && proseBefore.test(host.slice(0, at)) && proseAfter.test(host.slice(at + full.length));
    }),
  'a full stop of Chinese ends the sentence, and the next one begins with a top-level domain': ({ text, ours, host }) =>
    [...ours].some((one) => {
      const [, ...after] = text.toLowerCase().split(domainToUnicode(one));
      return host.startsWith(`${domainToUnicode(one)}.`) && after.some((rest) => /^\W{0,2}。/.test(rest));
    }),
};

/** Reasons that not every set of messages has. */
const rare = ['capitals of ', 'the user of '];

const tail = /[^/:\\][/?#\\].*/;
const proseBefore = /^$|[^\0-\x7f][.-]?(?:www\.)?$|[,;|"]$/;
const proseAfter = /^$|^\.?[^\0-\x7f]|^[,;|"&]/;

test(`finds every host that two of four linkifiers find in ${messageCount} messages, except for the listed reasons`, () => {
  const explained = new Map(Object.keys(reasons).map((reason) => [reason, 0]));
  const missed: unknown[] = [];
  let shared = 0;
  for (const text of messages(messageCount, seed)) {
    const pieces = findAssets(text);
    const ours = new Set(
      pieces.flatMap(({ assets }) =>
        assets.flatMap(({ type, canonical }) =>
          type === 'URL' ? [canonical] : type === 'EMAIL' ? [canonical.slice(canonical.lastIndexOf('@') + 1)] : [],
        ),
      ),
    );
    const counts = new Map<string, number>();
    for (const reader of Object.values(linkifiers)) {
      for (const host of new Set(hostsOf(reader(text)))) counts.set(host, (counts.get(host) ?? 0) + 1);
    }
    for (const [found, count] of counts) {
      if (count < 2) continue;
      shared++;
      if (ours.has(found)) continue;
      const difference = { text, pieces, ours, host: domainToUnicode(found) || found, onPages: hostsOnPages(text) };
      const reason = Object.keys(reasons).find((one) => reasons[one]!(difference));
      if (reason === undefined) missed.push({ host: found, text, ours: [...ours] });
      else explained.set(reason, explained.get(reason)! + 1);
    }
  }
  expect(shared).toBeGreaterThan(2 * messageCount);
  expect(missed).toEqual([]);
  if (seed === 1) expect([...explained].flatMap(([reason, count]) => (count === 0 ? reason.slice(0, 12) : []))).toEqual(rare);
  // Reasons explain oddities; more would mean that one of them explains too much.
  expect([...explained.values()].reduce((sum, count) => sum + count)).toBeLessThan(shared / 20);
});

/** The text as JSON means it, where a backslash and a letter are a line end. */
const unescapedJson = (text: string): string =>
  text
    .replace(/\\+u([\da-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\+[nrt]/g, '\n')
    .replace(/\\+\//g, '/');

interface ExtraHost extends Difference {
  readonly found: string;
  readonly theirs: ReadonlySet<string>;
  /** The text, and what its escapes mean. */
  readonly readings: string;
}

/** Why a host is found that no reader opens. */
const extraReasons: Readonly<Record<string, (difference: ExtraHost) => boolean>> = {
  'no such host: it is checked beside the host without what follows it': ({ host }) => !hasTopLevelDomain(host),
  'a link without the word or sign after it, which is checked too: `evil.com.Thanks`': ({ pieces, host }) =>
    pieces.some(({ shorter }) => shorter !== undefined && domainToUnicode(hostOf(shorter) ?? '') === host),
  'the linkifiers stop at a letter outside ASCII': ({ host }) => isUnicodePart(host),
  'the linkifiers take prose in front of the host into it': ({ theirs, host }) =>
    [...theirs].map(domainToUnicode).some((one) => one.endsWith(host) && isUnicodePart(one.slice(0, -host.length).slice(-1))),
  'the text of a link, which a linkifier of pages leaves alone': ({ readings, host }) =>
    [...readings.matchAll(/>([^<]*)<\/a>/gi)].some(([, label]) => label!.toLowerCase().includes(host)),
  'an attribute with a sign beside the link, with which no browser opens it: `href=$https://evil.com`, `href="https://evil.com^1"`':
    ({ readings, host }) =>
      [...readings.toLowerCase().matchAll(/(?:href|src|background)=\\*(?:"[^"]*"|'[^']*'|[^\s"'>]+)/g)].some(([value]) =>
        value.includes(host),
      ),
  'a list without spaces: `https://a.example/x,https://b.example`': ({ text, pieces }) =>
    pieces.some(({ start }) => /[,;]$/.test(text.slice(0, start))),
  'a character reference that is written twice': ({ text }) => /&amp;(?:#|period|sol)/.test(text),
  'a character reference in capitals': ({ text }) => /&PERIOD;/.test(text),
  'the reader takes a sign into the host: `evil.com~`, `evil.com%22`': ({ text, theirs, host }) =>
    text.toLowerCase().includes(`${host}%22`) ||
    [...theirs].some((one) => one.startsWith(host) && /^[^a-z\d.-]/.test(one.slice(host.length))),
  'an invisible character is no part of the text': ({ text, host }) =>
    text.replaceAll('\u200b', '').toLowerCase().includes(host) && !text.toLowerCase().includes(host),
  'a word after a host without a scheme: `evil.com.Thanks`': ({ text, host }) => text.toLowerCase().includes(`${host}.thanks`),
  'an @ in front, which linkifiers take for a mention or a mailbox': ({ text, host }) => {
    const low = unescapedReferences(text.toLowerCase());
    return low.includes(`@${host}`) || low.includes(`@www.${host}`);
  },
  'an @ behind it, which linkifiers take for a mailbox: `evil.com?ref=1@good.com`': ({ text, host }) =>
    text
      .toLowerCase()
      .split(host)
      .slice(1)
      .some((after) => /^[^\s<>]*@/.test(after)),
  'what follows another link without a space, and may be a part of it': ({ text, pieces, found }) =>
    pieces.some(
      ({ start, assets }) =>
        assets.some(({ canonical }) => canonical === found) &&
        pieces.some((other) => other.end <= start && !/\s/.test(text.slice(other.end, start))),
    ),
};

test(`finds no host in ${messageCount} messages that no linkifier and no page would open, except for the listed reasons`, () => {
  const extra: unknown[] = [];
  const explained = new Map(Object.keys(extraReasons).map((reason) => [reason, 0]));
  let count = 0;
  for (const text of messages(messageCount, seed + 1)) {
    const pieces = findAssets(text);
    const ours = new Set(
      pieces
        .flatMap(({ assets }) => (assets[0]?.type === 'EMAIL' ? [] : assets))
        .flatMap(({ type, canonical }) => (type === 'URL' ? [canonical] : [])),
    );
    const readings = [text, unescapedReferences(text), unescapedJson(text), unescapedReferences(unescapedJson(text))];
    const theirs = new Set(
      [...new Set(readings)].flatMap((reading) => [
        ...Object.values(linkifiers).flatMap((reader) => hostsOf(reader(reading))),
        ...Object.values(renderers).flatMap((render) => hostsOf(linksOf(render(reading)))),
        ...hostsOf(linksOf(reading)),
      ]),
    );
    for (const found of ours) {
      count++;
      if (theirs.has(found)) continue;
      const host = domainToUnicode(found) || found;
      const difference = { text, pieces, ours, theirs, found, host, readings: readings.join('\n'), onPages: theirs };
      const reason = Object.keys(extraReasons).find((one) => extraReasons[one]!(difference));
      if (reason === undefined) extra.push({ host: found, text, theirs: [...theirs] });
      else explained.set(reason, explained.get(reason)! + 1);
    }
  }
  expect(count).toBeGreaterThan(2 * messageCount);
  expect(extra).toEqual([]);
  expect([...explained.values()].reduce((sum, count) => sum + count)).toBeLessThan(count / 20);
});
