import fc from 'fast-check';
import { detectAssets } from 'portcullis/assets';
import { describe, expect, test } from 'vitest';
import { plainLink } from '../../../src/core/assets/pasted.js';
import type { FoundAsset } from '../../../src/core/find/find.js';
import { findAssets } from '../../../src/core/find/find-all.js';
import { refang } from '../../../src/core/find/refang.js';
import { anyString, nastySoup, weighted } from '../../support/arbitraries.js';
import { expectLinearTime, type GrowthBounds, growthBounds, shorter } from '../../support/growth.js';
import { isDeep, propertyRuns } from '../../support/setup.js';

const label = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9]$/);
const host = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => `${labels.join('.')}.example`);
const segment = fc.stringMatching(/^[a-zA-Z0-9_~=+-]{0,6}[a-zA-Z0-9]$/);
const path = fc.array(segment, { maxLength: 3 }).map((segments) => segments.map((one) => `/${one}`).join(''));
const query = fc.oneof(
  fc.constant(''),
  fc.tuple(segment, segment).map(([name, value]) => `?${name}=${value}`),
);
const fragment = fc.oneof(
  fc.constant(''),
  segment.map((name) => `#${name}`),
);
const port = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  fc.integer({ min: 1, max: 65535 }).map((number) => `:${number}`),
);
const scheme = fc.constantFrom('https://', 'http://', 'HTTPS://', 'wss://', 'ftp://', 'hxxps://', '');
const link = fc.tuple(scheme, host, port, path, query, fragment).map((parts) => parts.join(''));
const address = fc.stringMatching(/^0x[0-9a-fA-F]{40}$/);
const mailbox = fc
  .tuple(fc.stringMatching(/^[a-z][a-z0-9._+-]{0,8}[a-z0-9]$/), host)
  .map(([user, at]) => `${user.replace(/\.{2,}/g, '.')}@${at}`);
const phone = fc.integer({ min: 0, max: 999 }).map((number) => `+44 7700 900${String(number).padStart(3, '0')}`);
const piece = fc.oneof(link, address, mailbox, phone);

/** Pieces, the text around pieces, and texts that have broken link readers. */
const prose = fc.stringMatching(/^[A-Za-z ,!?]{0,12}$/);
const pieceOfChaos = weighted(
  [3, piece],
  [3, fc.constantFrom(...' \n.,:;()[]{}<>"\'*_~@/\\?#&%+|', ...'http:// tg: [.] (at) [:] :// .. &lt;'.split(' '), ' [dot] ')],
  [2, fc.constantFrom(...'漢字 。 。a 🎁 … \u200b \u00ad \u202e \u200d 日 가 é \u00a0 （ \ud83c'.split(' '))],
  [1, prose],
  [1, nastySoup],
  [1, anyString],
);
const chaos = fc.array(pieceOfChaos, { maxLength: 12 }).map((pieces) => pieces.join(''));

const shifted = (found: readonly FoundAsset[], by: number): FoundAsset[] =>
  found.map((one) => ({ ...one, start: one.start + by, end: one.end + by }));

/** Text that can surround any finding. */
const beside = fc
  .constantFrom(
    ...[' | ', '(|)', '[|]', '"|"', "'|'", '<|>', '“|”', '*|*', '|,', '|. ', '|!', '\n|\n', '\u00a0|\u00a0', '\u3000|。'],
    ...'：|， 「|」 >|< =|;'.split(' '),
    ' \u200f|\u200f',
    'は | で',
  )
  .map((pair) => pair.split('|') as [before: string, after: string]);

describe('a finding in any text', () => {
  test('is in order, does not overlap others, and matches its offsets', () => {
    fc.assert(
      fc.property(chaos, (text) => {
        let last = 0;
        for (const found of findAssets(text)) {
          expect(found.start).toBeGreaterThanOrEqual(last);
          expect(found.end).toBeGreaterThan(found.start);
          expect(text.slice(found.start, found.end)).toBe(found.text);
          last = found.end;
        }
      }),
      { numRuns: 10 * propertyRuns },
    );
  });

  test('has the same readings when cut out and refanged alone', () => {
    let count = 0;
    fc.assert(
      fc.property(chaos, (text) => {
        for (const found of findAssets(text)) {
          const plain = plainLink(refang(found.text).text);
          expect(plain).toBe(found.plain);
          const shorter = found.shorter === undefined ? [] : detectAssets(found.shorter);
          expect([...detectAssets(plain), ...shorter]).toEqual(found.assets);
          count++;
        }
      }),
      { numRuns: 10 * propertyRuns },
    );
    expect(count).toBeGreaterThan(3 * propertyRuns);
  });

  test('is found again in full when its piece is searched alone', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(beside, piece), { maxLength: 5 }), (pieces) => {
        for (const found of findAssets(pieces.map(([[before, after], one]) => before + one + after).join(' '))) {
          expect(findAssets(found.text)).toEqual([{ ...found, start: 0, end: found.text.length }]);
        }
      }),
    );
  });

  test('is found at the same place whatever neutral text surrounds it', () => {
    fc.assert(
      fc.property(chaos, prose, (text, more) => {
        const found = findAssets(`\n${text}\n`);
        expect(findAssets(`${more}\n${text}\n`)).toEqual(shifted(found, more.length));
        expect(findAssets(`\n${text}\n${more}`)).toEqual(found);
      }),
    );
  });
});

test('every link, address, email address and number is found between spaces or punctuation, with its bounds', () => {
  fc.assert(
    fc.property(piece, beside, (one, [before, after]) => {
      fc.pre(detectAssets(plainLink(one)).length > 0);
      const [found, ...others] = findAssets(`see${before === '' ? ' ' : before}${one}${after}`);
      expect(others).toEqual([]);
      expect(found).toMatchObject({ start: 3 + (before.length || 1), text: one, assets: detectAssets(plainLink(one)) });
    }),
    { numRuns: 5 * propertyRuns },
  );
});

test('a defanged link is read as the plain one', () => {
  const dots = fc.constantFrom('[.]', '(.)', '{.}', '[dot]', '(dot)', '[ dot ]', ' [dot] ', '\u200b.', '[.');
  fc.assert(
    fc.property(fc.constantFrom('http', 'https'), host, path, query, dots, (name, plainHost, plainPath, plainQuery, dotted) => {
      const dotInside = dotted === '[.' ? '[.]' : dotted;
      const plain = `${name}://${plainHost}${plainPath}${plainQuery}`;
      const fanged = `${name.replace('tt', 'xx')}[:]//${plainHost.replace(/\./g, dotInside)}${plainPath}${plainQuery}`;
      const assetsOf = (text: string): unknown => findAssets(`see ${text} now`).map(({ assets }) => assets);
      expect(assetsOf(fanged)).toEqual(assetsOf(plain));
      expect(assetsOf(fanged.slice(fanged.indexOf('//') + 2))).toEqual(assetsOf(plainHost + plainPath + plainQuery));
    }),
  );
});

describe('time', () => {
  // These are separated by spaces; texts that contain a space follow.
  const units = [
    ...`. ( [ { @ h : / \\ + % & , ' " * _ - 0 \0 a. .a ..a a.. a@ a.b@ a: :/ :// a:/ x:// tg: mailto: mailto:a 0: 0:a`.split(
      ' ',
    ),
    ...'git@github.com: http http: https: http:/ http:// http://a http://a@ http://[ http://[a http://[::1]'.split(' '),
    ...'http://a/( ws:/, http://a.b/( http://a.b/[{( http://a.b/) http://a.b/, http://a.b/,http: http://a.b/&lt'.split(' '),
    ...'% %2 %2f %40 %25 http%3a%2f%2f http%3a%2f%2fa.b http%3a%2f%2fa.b& %65 a%40 a.com.B a.B -a.com a。b。 ⓐ 例.中国 http://a.com.B'.split(
      ' ',
    ),
    ...'http://a.b/; http://1.2.3.999/ a.b a.bc/ /a.bc a.bc, a.bc:1 a.bc? a+ a% 0x 5Kb8 +1 +1- ＋1 [.] a[.] [dot [://]'.split(
      ' ',
    ),
    ...'\u200b a\u200b \u00ad. a.b\u200d 漢 漢a a漢 漢. 漢a. 。 a。 https://a。 🎁 \ud83c \udc00 é é. \u202e'.split(' '),
    ...[' ', '\n', 'a:b ', 'h ', '1.2.3.4 ', '0.0.1 ', '1.ab ', `0x${'5'.repeat(40)} `, 'ab1 '.repeat(5)],
    '+1 ',
    '+1 1 ',
    '+1 (',
    '+44 7700 900123 ',
    ...'&# &#4 &#46; &amp; &amp;#46 &period; a&period; a&period;b.com \\u \\u002e a\\u002eb \\n \\na.b \\n+1 a.b+ a.bc+ a.bc%2g'.split(
      ' ',
    ),
    ...'"http://a.b/ ="http://a.b/ ="http://a.b/, <http://a.b/ <http://a.b/, ](http://a.b/ ](http://a.b/( [a](http://a.b/'.split(
      ' ',
    ),
    ...'http://a.b@ http://a.b@c http://a.bc@d/ http://a.bc+ http://a.bc%22 http://a.bc%2f/http://a.bc%2f /a.bc \\/a.bc a&amp;'.split(
      ' ',
    ),
    ' [.] ',
    'https:a—',
    '点.ftp:',
    'https:a—b@c.de',
    '(dot) ',
    '[ ',
    'a [at] ',
  ];

  // A text up to the maximum length of a piece is read once and a longer one in pieces, so the times of short texts do not compare.
  const bounds: GrowthBounds = { ...growthBounds, ...(isDeep ? { factor: 24, leastMs: 5 } : { leastMs: 10 / shorter ** 2 }) };
  test.each(units)('grows at most in proportion to the text: %j', (unit) => {
    expectLinearTime(
      (text) => findAssets(text, { maxResults: 1e9 }),
      (size) => unit.repeat(size / unit.length),
      bounds,
    );
  });
});
