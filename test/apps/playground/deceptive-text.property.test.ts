import { domainToUnicode } from 'node:url';
import fc from 'fast-check';
import { detectAssets } from 'portcullis';
import { expect, test } from 'vitest';
import { hiddenIn, mixedScriptsOf, odditiesOf } from '../../../apps/playground/deceptive-text.js';
import { unicodeLabel } from '../../../apps/playground/punycode-label.js';

const letters: Readonly<Record<string, readonly string[]>> = {
  Latin: [...'abcdefghijklmnopqrstuvwxyzéöñ'],
  Cyrillic: [...'абвгдежзиклмнопрстухцчшщыэюя'],
  Greek: [...'αβγδεζηθικλμνξοπρστυφχψω'],
  Hebrew: [...'אבגדהוזחטיכל'],
  Arabic: [...'ابتثجحخدذرز'],
  Devanagari: [...'कखगघङचछज'],
  Thai: [...'กขคงจฉชซ'],
  Han: [...'日本語中文漢字'],
  Hiragana: [...'あいうえおかきくけこ'],
  Katakana: [...'アイウエオカキクケコ'],
  Bopomofo: [...'ㄅㄆㄇㄈㄉ'],
  Hangul: [...'한국어가나다'],
  Cherokee: [...'ᎠᎡᎢᎣᎤ'],
};
/** By Unicode's level "highly restrictive" (UTS #39 §5.2). */
const together = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];
const common = [...'0123456789-'];

const script = fc.constantFrom(...Object.keys(letters));
const charactersOf = (names: readonly string[]) =>
  fc.array(fc.constantFrom(...names.flatMap((name) => letters[name]!), ...common), { maxLength: 12 });
/** A label with at least one letter of every named script. */
const labelOf = (names: readonly string[]) =>
  fc
    .tuple(charactersOf(names), fc.tuple(...names.map((name) => fc.constantFrom(...letters[name]!))), fc.nat())
    .map(([some, sure, at]) => {
      const all = [...some];
      for (const [index, letter] of sure.entries()) all.splice((at + index * 7) % (all.length + 1), 0, letter);
      return all.join('');
    });

test('a label of one script, or of scripts that are written together, is not noticed', () => {
  const names = fc.oneof(
    script.map((name) => [name]),
    fc.constantFrom(...together).chain((all) => fc.subarray(all, { minLength: 1 })),
  );
  fc.assert(
    fc.property(names.chain(labelOf), (label) => {
      expect(mixedScriptsOf(label)).toEqual([]);
    }),
  );
});

test('a label of scripts that are not written together is noticed, with their names', () => {
  const names = fc
    .uniqueArray(script, { minLength: 2, maxLength: 4 })
    .filter((all) => !together.some((set) => all.every((name) => set.includes(name))));
  fc.assert(
    fc.property(
      names.chain((all) => labelOf(all).map((label) => [all, label] as const)),
      ([all, label]) => {
        expect([...mixedScriptsOf(label)].sort()).toEqual([...all].sort());
      },
    ),
  );
});

test('a script without a name of its own counts as one more', () => {
  expect(mixedScriptsOf('aⴰ')).toEqual(['Latin', 'another script']);
  expect(mixedScriptsOf('ⴰⴱⴳ')).toEqual([]);
});

// Node's own decoder is the oracle.
test('a label is decoded as Node decodes it', () => {
  // A host with both directions is not valid, and the label starts with a Latin letter.
  const names = Object.keys(letters).filter((name) => !['Hebrew', 'Arabic'].includes(name));
  const label = fc.constantFrom(...names).chain((name) => labelOf([name]));
  fc.assert(
    fc.property(label, (text) => {
      const [encoded = ''] = new URL(`http://a${text}.example/`).hostname.split('.');
      expect(unicodeLabel(encoded)).toBe(domainToUnicode(`${encoded}.example`).split('.')[0]);
    }),
  );
});

test('any label is decoded or returned, and never fails', () => {
  const anything = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'abcz0189-') })).map((text) => `xn--${text}`);
  fc.assert(
    fc.property(anything, (label) => {
      expect(unicodeLabel(label)).not.toMatch(/\p{Cs}/u);
    }),
  );
  for (const malformed of ['xn--', 'xn--9', 'xn--é', `xn--${'9'.repeat(50)}`, `xn--${'a'.repeat(60)}`]) {
    expect([malformed, unicodeLabel(malformed)]).toEqual([malformed, malformed]);
  }
});

/** Zero-width characters, direction controls, a soft hyphen, variation selectors, a tag, fillers. */
const unseen = [
  ...['\u200b', '\u2060', '\ufeff', '\u00ad', '\u034f', '\u3164', '\u115f', '\ufe00', '\ufe0f', '\u{e0041}', '\u{e0101}'],
  ...['\u061c', '\u200e', '\u200f', '\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'],
];
const nameOf = (character: string): string => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

test('every invisible character between visible ones is found, each once', () => {
  const visible = fc.string({ unit: fc.constantFrom(...'abc019./:@ é日а'), maxLength: 20 });
  fc.assert(
    fc.property(fc.array(fc.tuple(visible, fc.constantFrom(...unseen)), { maxLength: 8 }), visible, (pieces, rest) => {
      // A Latin letter before each, because after a Han character a selector chooses a variant.
      const text = pieces.map(([before, character]) => `${before}a${character}`).join('') + rest;
      expect(hiddenIn(text)).toEqual([...new Set(pieces.map(([, character]) => nameOf(character)))]);
    }),
  );
});

test.each([
  ['an emoji with a selector', 'Claim ❤️ now'],
  ['a family', '👨‍👩‍👧‍👦 and 👩🏽‍🚀'],
  ['a keycap', 'press 1️⃣ or #️⃣'],
  ['the flag of a region', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
  ['a Persian word', 'می‌خواهم'],
  ['a Hindi word', 'क्‍ष'],
  ['a variant of a Han character', '葛󠄀城'],
])('%s needs its invisible characters', (_, text) => {
  expect(hiddenIn(text)).toEqual([]);
});

test.each([
  ['a selector after a digit', 'paypa1\ufe0f.example', ['U+FE0F']],
  ['a joiner in Latin', 'pay\u200dpal.example', ['U+200D']],
  ['tags without a flag', 'a\u{e0061}\u{e007f}', ['U+E0061', 'U+E007F']],
  ['a second joiner', 'می‌‌خواهم', ['U+200C']],
])('%s is noticed', (_, text, points) => {
  expect(hiddenIn(text)).toEqual(points);
});

const oddities = (text: string) => odditiesOf(text, detectAssets(text));

test.each([
  ['https://p\u0430ypal.example/', 'p\u0430ypal', 'xn--pypal-4ve', ['Latin', 'Cyrillic']],
  ['https://xn--pypal-4ve.example/login', 'p\u0430ypal', 'xn--pypal-4ve', ['Latin', 'Cyrillic']],
  ['help@micr\u03bfsoft.example', 'micr\u03bfsoft', 'xn--micrsoft-2dg', ['Latin', 'Greek']],
])('%s has a label that mixes scripts', (text, label, encoded, scripts) => {
  expect(oddities(text)).toEqual({ mixed: [{ label, encoded, scripts }], hidden: [] });
});

test.each([
  'https://яндекс.com/',
  'https://例えばテストabc.jp/',
  'https://www.example.com/wiki/Москва-city',
  'https://bücher.example/',
  '0x52908400098527886E0F7030069857D2E4169EE7',
])('%s has nothing odd', (text) => {
  expect(oddities(text)).toEqual({ mixed: [], hidden: [] });
});

test('a hidden character is found as typed and in Punycode', () => {
  expect(oddities('https://exam\u202eple.example/').hidden).toEqual(['U+202E']);
  expect(oddities('https://xn--example-376c.example/').hidden).toEqual(['U+202E']);
});

test('the work grows with the length of the text', () => {
  // Near misses of every alternative, which a pattern that backtracks would try again from each place.
  for (const unit of ['\u{1f3f4}\u{e0061}', '👩\u200d', '1\ufe0f', 'م\u200c\u200c', '\u200b']) {
    const text = unit.repeat(100_000 / unit.length);
    const startedMs = process.cpuUsage().user;
    hiddenIn(text);
    // Linear work takes a tenth of this; quadratic work on so many characters would take a minute.
    expect((process.cpuUsage().user - startedMs) / 1_000).toBeLessThan(1_000);
  }
});
