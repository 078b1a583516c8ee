import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as bench from '../../bench/inputs.js';
import { sharedHostsOf } from '../../src/blocklist/lists/shared-hosts.js';
import { judgeAlone } from '../../src/blocklist/rules/judge-hit.js';
import { allAssets } from '../../src/core/algorithms/all-algorithms.js';
import { createAssets } from '../../src/core/algorithms/create-assets.js';
import { readPasted } from '../../src/core/algorithms/pasted-input.js';
import { portcullis1 } from '../../src/core/algorithms/portcullis-1.js';
import { allFamilies } from '../../src/core/assets/all-families.js';
import type { Asset, Family } from '../../src/core/assets/asset.js';
import { evm } from '../../src/core/assets/evm.js';
import { hasOddHost } from '../../src/core/assets/web/host.js';
import { prefixOf } from '../../src/core/hashing/prefix.js';
import { coveredHost } from '../../src/core/sure-miss/covers.js';
import { createSureMiss } from '../../src/core/sure-miss/sure-miss.js';
import {
  addressShaped,
  anyText,
  edited,
  linkShaped,
  longLink,
  mutatedLink,
  nastySoup,
  REALISTIC,
  secretShaped,
  spelledIpv4,
  spelledIpv6,
  spelledLink,
} from '../support/arbitraries.js';
import { LINK_CLASSES } from '../support/browser-links.js';
import { webPlatformLinks } from '../support/web-platform.js';

const vectorInputs = ['portcullis-1', 'platforms', 'redirectors', 'addresses', 'addresses-evm'].flatMap((name) => {
  const file = readFileSync(new URL(`../../docs/vectors/${name}.json`, import.meta.url), 'utf8');
  return Array.from(file.matchAll(/"input": ("(?:[^"\\\\]|\\\\.)*")/g), ([, input]) => JSON.parse(input!) as string);
});

/** The fast path and the full one, with some families. */
function pathsOf(families: readonly Family[]) {
  const isSureMiss = createSureMiss(families);
  const algorithm = portcullis1(families);
  const assets = families === allFamilies ? allAssets : createAssets({ families });
  return {
    /** The prefixes that the fast path looks up; `null` if it is not sure. */
    fast(text: string): number[] | null {
      const asked: number[] = [];
      return isSureMiss(text, (prefix) => asked.push(prefix) === 0, false) ? asked : null;
    },
    /** What the fast path looks up in a list with covers that holds nothing; `null` if it is not sure. */
    covered(text: string): number[] | null {
      const asked: number[] = [];
      return isSureMiss(text, (prefix) => asked.push(prefix) === 0, true) ? asked : null;
    },
    /** The hosts of two labels that the full path looks at or below; a text for what else it may find. */
    anchors(text: string): string[] | string {
      if (readPasted(text, assets) !== null) return 'pasted';
      const subjects = [text, ...(algorithm.carriedIn?.(text) ?? [])].flatMap(algorithm.subjectsOf);
      if (subjects.some((subject) => subject.length === 0 || hasOddHost(subject) || judgeAlone(subject) !== null)) return 'other';
      return [...new Set(subjects.flat().map((expression) => coveredHost(expression) ?? expression))];
    },
    /** Those that the full path looks up; a text for what else it may find. */
    full(text: string): number[] | string {
      if (readPasted(text, assets) !== null) return 'pasted';
      const subjects = algorithm.subjectsOf(text);
      if (subjects.length !== 1) return `${subjects.length} subjects`;
      if (hasOddHost(subjects[0]!)) return 'odd host';
      // Links that it carries are judged, too, but only what is listed counts.
      const carried = (algorithm.carriedIn?.(text) ?? []).flatMap((link) => algorithm.subjectsOf(link).flat());
      return [...subjects[0]!, ...carried].map(prefixOf);
    },
  };
}

const some = pathsOf([evm]);
const all = pathsOf(allFamilies);

const isAddress = /^0x[\da-f]{40}$/i;

const sorted = <T>(prefixes: T): T => (Array.isArray(prefixes) ? [...prefixes].sort() : prefixes) as T;

/** Whether the fast path was sure, with every type. */
function expectEqual(text: string): boolean {
  for (const { fast, full, covered, anchors } of [some, all]) {
    const asked = fast(text);
    if (asked !== null) expect(sorted(full(text)), text).toEqual(sorted(asked));
    if (covered(text) !== null)
      expect(anchors(text), text).toSatisfy((hosts: string[] | string) => {
        return Array.isArray(hosts) && hosts.every((host) => /^[\w-]+\.[\w-]+$/.test(host) || isAddress.test(text));
      });
  }
  return all.fast(text) !== null;
}

/** Every host that a family names, what is below it, and what only looks like it, with the paths of accounts and other links. */
const claimedLink: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('https://', 'http://', ''),
    fc.constantFrom(
      '',
      '',
      'www.',
      'm.',
      'a.b.',
      'not-',
      'ipfs.',
      `bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi.ipfs.`,
    ),
    fc.constantFrom(
      ...sharedHostsOf(allFamilies),
      'name.eth',
      'x.name.base.eth',
      'name.eth.limo',
      'clean.example',
      'google.info.pl',
      'yandex.com.tr',
    ),
    fc.constantFrom(
      ...'/ /@name /name /name/123 /u/name /channel/UCaaaaaaaaaaaaaaaaaaaaaa /ipfs/QmT5NvUtoM5nWFfrQdVrFtvGfKFmG7AHE8P34isapyhCxX /IPFS/a /p/1'.split(
        ' ',
      ),
      ...`/ipns/evil.example /%69pns/evil.example //ipns/evil.example /a/../ipns/evil.example /a/%2e%2e/ipns/evil.example /a%2F..%2Fipns/evil.example /a%5c..%5Cipns%5cevil.example /?u=evil.example /address/0x${'ab'.repeat(20)} /url?q=https://evil.example /#/?lightning=lno1${'q'.repeat(60)}`.split(
        ' ',
      ),
      ...`/?lightning=lno1${'q'.repeat(60)} /a?b&LIGHTNING=LNO1${'P'.repeat(60)} /a?next=//evil.example /https://evil.example/b /go/HTTP:/evil.example /a#wss:evil.example /a?u=aHR0cHM6Ly9ldmlsLmV4YW1wbGU`.split(
        ' ',
      ),
      '',
    ),
  )
  .map((parts) => parts.join(''));

const { canonicalizeUrl } = createAssets({ families: [] });

/** A family of an app: the first folder alone makes a link its own. */
const vault: Family = {
  claims: { words: ['vault'] },
  read({ text }) {
    const [host = '', folder] = (canonicalizeUrl(text) ?? '').split('?', 1)[0]!.split('/');
    return folder === 'vault' ? [{ type: 'VAULT', canonical: host } as unknown as Asset] : [];
  },
};
const withVault = pathsOf([vault, evm]);

/** The folder in any spelling, behind folders that a browser drops, and before what ends it. */
const vaultLink: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', '/', '/.', '/%2e', '/a/..', '/a/%2E%2e', '/%5c', '/a%2f..'),
    fc.array(fc.constantFrom('as it is', 'escaped', 'upper'), { minLength: 5, maxLength: 5 }),
    fc.constantFrom('', '/', '/x', '?x', '#x', '?/', '#%2f', '%3Fx', '%23', '%2f?x', '?%76'),
  )
  .map(([before, spellings, after]) => {
    const letters = spellings.map((spelling, at) => {
      const letter = 'vault'[at]!;
      if (spelling === 'escaped') return `%${letter.charCodeAt(0).toString(16)}`;
      return spelling === 'upper' ? letter.toUpperCase() : letter;
    });
    return `https://clean.example${before}/${letters.join('')}${after}`;
  });

describe('the fast path of a check', () => {
  test('is never sure about a folder that the family of an app reads, however it is spelled', () => {
    let read = 0;
    fc.assert(
      fc.property(fc.oneof(vaultLink, edited(vaultLink)), (link) => {
        const full = portcullis1([vault, evm]).subjectsOf(link).flat();
        if (!full.some((expression) => expression.startsWith('vault:'))) return;
        read++;
        expect([withVault.fast(link), withVault.covered(link)], link).toEqual([null, null]);
      }),
    );
    expect(read).toBeGreaterThan(0);
  });

  test.each([
    [
      'links that are nearly all sure, with an edit',
      edited(fc.constantFrom(...bench.links(2_000), ...bench.bareDomains(200), ...REALISTIC)),
    ],
    ['links to the sites of other types', claimedLink],
    ['the same with an edit', edited(claimedLink)],
    [
      'links of any spelling',
      fc.oneof(linkShaped, mutatedLink, longLink, nastySoup, ...LINK_CLASSES.map(([, , texts]) => texts)),
    ],
    ['spelled links', fc.oneof(spelledLink, spelledIpv4, spelledIpv6).map(([, text]) => text)],
    ['other texts', fc.oneof(addressShaped, anyText, secretShaped)],
  ])('looks up what the full path does, or is not sure: %s', (_, text) => {
    fc.assert(fc.property(text, (link) => void expectEqual(link)));
  });

  test('looks up what the full path does, or is not sure: the inputs of the vectors and of web-platform-tests', () => {
    const inputs = [...Object.keys(webPlatformLinks), ...vectorInputs];
    expect(inputs.length).toBeGreaterThan(600);
    for (const input of inputs) expectEqual(input);
  });

  test('is never sure about a host that is a redirector under any top-level domain', () => {
    for (const host of ['google.de', 'www.google.info.pl', 'yandex.com.tr', 'translate.google.xx', 'archive.today', 'GOOGLE.fr'])
      for (const path of ['', '/url?q=https://evil.example/a', '/amp/s/evil.example/a', '/turbo/evil.example/s/'])
        expect(expectEqual(`https://${host}${path}`), host + path).toBe(false);
  });

  test('is sure of an address with a digit in any place, and of no other text of its length', () => {
    const address = `0x${'0123456789abcdefABCDEF'.repeat(2).slice(0, 40)}`;
    // A block of SHA-256 is written over the one before.
    expectEqual(`https://evil.example/${'a'.repeat(34)}`);
    expect(expectEqual(address)).toBe(true);
    for (let at = 0; at < address.length; at++) {
      for (const other of ['0', 'a', 'F']) expectEqual(address.slice(0, at) + other + address.slice(at + 1));
      for (const other of ['g', 'G', '/', ':', '@', '`', ' ', '\u0130', '\u00c1'])
        expect(expectEqual(address.slice(0, at) + other + address.slice(at + 1))).toBe(false);
    }
    for (const text of [address.slice(1), address.slice(0, -1), `${address}0`, address.slice(2)]) expectEqual(text);
  });

  test('looks up what the full path does, or is not sure: any character in any place of a link', () => {
    const characters = [
      ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
      '\u00e9',
      '\u3002',
      '%2e',
      '%2F',
      '',
    ];
    const links = [
      'https://www.a.evil.example/x/y/?q=%41#f/g.h',
      'http://Evil.example:80/a%20b/c?d',
      'evil.example/a/b/c/d/e/f?g',
    ];
    for (const link of links) {
      for (let at = 0; at <= link.length; at++)
        for (const character of characters) expectEqual(link.slice(0, at) + character + link.slice(at + 1));
    }
  });

  test.each(['https://www.ab.example', 'ab.example'])(
    'looks up what the full path does, or is not sure: links of %s up to the longest that it reads',
    (host) => {
      for (const middle of ['/', '?', '/?', '/a?', '/%41/?', '#', '/a/b/c/d/e?'])
        for (let length = 2_030; length < 2_060; length++)
          expectEqual(host + middle + 'x'.repeat(length - host.length - middle.length));
    },
  );

  test('is sure of nearly all links that people open, and of addresses', async () => {
    const share = (texts: readonly string[], { fast }: typeof all): number =>
      texts.filter((text) => fast(text) !== null).length / texts.length;
    expect(share(bench.links(2_000), some)).toBe(1);
    expect(share(bench.plainLinks(2_000), all)).toBeGreaterThan(0.95);
    expect(share(await bench.evmAddresses(200), all)).toBe(1);
  });

  test('is sure of as many by covers', () => {
    const share = (texts: readonly string[], { covered }: typeof all): number =>
      texts.filter((text) => covered(text)?.length === 2).length / texts.length;
    expect(share(bench.links(2_000), some)).toBeGreaterThan(0.98);
    expect(share(bench.plainLinks(2_000), all)).toBeGreaterThan(0.94);
  });

  test('is never sure with a family that does not say what it reads', () => {
    const { fast } = pathsOf([evm, { read: () => [] }]);
    expect(fast('https://clean.example/')).toBeNull();
    expect(pathsOf([]).fast(`0x${'ab'.repeat(20)}`)).toBeNull();
  });
});
