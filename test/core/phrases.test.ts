import { generateMnemonic } from '@scure/bip39';
import fc from 'fast-check';
import { expressionsOf, normalizeAsset } from 'portcullis/assets';
import { createAssets, evm, secrets } from 'portcullis/core';
import { describe, expect, test } from 'vitest';
import { isPhraseWord } from '../../src/core/assets/phrase-words.js';
import { chats, sentencesOfDependencies } from '../support/sentences.js';
import { bip39, moneroSeed, slip39 } from '../support/word-lists.js';

const small = createAssets({ families: [evm] });
const smallWithWords = createAssets({ families: [evm, secrets] });

const secret = { refused: 'secret' };
const isSecret = (text: string): boolean => 'refused' in normalizeAsset(text) && expressionsOf(text).length === 0;
const refusalOf = (text: string): string | undefined => {
  const asset = normalizeAsset(text);
  return 'refused' in asset ? asset.refused : undefined;
};

type Form = (words: readonly string[]) => string;
const numbered = (between: string, end: string): Form => {
  return (words) => words.map((word, at) => `${at + 1}${between}${word}`).join(end);
};

/** The ways in which people paste a phrase. */
const forms: Readonly<Record<string, Form>> = {
  'with spaces': (words) => words.join(' '),
  'in capitals': (words) => words.join(' ').toUpperCase(),
  'with initial capitals': (words) => words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join(' '),
  decomposed: (words) => words.join(' ').normalize('NFKD'),
  'with ideographic spaces': (words) => words.join('\u3000'),
  'with tabs': (words) => words.join('\t'),
  'one per line': (words) => words.join('\n'),
  'one per line of Windows': (words) => words.join('\r\n'),
  'four per line': (words) => words.map((word, at) => word + (at % 4 === 3 ? '\n' : ' ')).join(''),
  'with commas': (words) => words.join(','),
  'with commas and spaces': (words) => words.join(', '),
  'as a list': (words) => words.map((word) => `- ${word}`).join('\n'),
  'numbered lines': numbered('. ', '\n'),
  'numbered without spaces': numbered('.', '\n'),
  'numbered with brackets': numbered(') ', ' '),
  'numbered with colons': numbered(': ', '  '),
  'in quotes': (words) => `"${words.join(' ')}"`,
  'as an array': (words) => JSON.stringify(words),
  'as a field': (words) => JSON.stringify({ mnemonic: words.join(' ') }),
  'behind a label': (words) => `my seed: ${words.join(' ')}`,
  'below a label': (words) => `Recovery phrase:\n\n${words.join(' ')}\n`,
};

/** Phrases that only their words reveal. */
const looseForms: Readonly<Record<string, Form>> = {
  'in a sentence': (words) => `my seed phrase is ${words.join(' ')}`,
  'in a message': (words) => `Hi, I lost it all.\n\n${words.join(' ')}\n\nThanks, please help`,
  'with a comma missing at line ends': (words) => words.map((word, at) => word + (at % 4 === 3 ? '\n' : ', ')).join(''),
  'in two halves': (words) => `first: ${words.slice(0, 6).join(' ')}; rest: ${words.slice(6).join(' ')}`,
};

const strengths = [128, 160, 192, 224, 256];

describe.each(Object.entries(bip39))('a phrase of BIP-39 in %s', (language, list) => {
  const all = language === 'english' ? { ...forms, ...looseForms } : forms;
  test.each(Object.keys(all))('is a secret %s', (name) => {
    for (const strength of strengths) {
      for (let round = 0; round < 4; round++) {
        const words = generateMnemonic([...list], strength).split(/\s/);
        const text = all[name]!(words);
        expect(normalizeAsset(text), text).toEqual(secret);
        expect(expressionsOf(text)).toEqual([]);
      }
    }
  });
});

test('every word of every BIP-39 list is recognized', () => {
  for (const list of [...Object.values(bip39), slip39]) {
    for (let from = 0; from < list.length; from += 12) {
      const words = list.slice(Math.min(from, list.length - 12)).slice(0, 12);
      expect(normalizeAsset(words.join(' ')), words.join(' ')).toEqual(secret);
      expect(small.normalizeAsset(words.join(' '))).toEqual(secret);
    }
  }
});

describe('a phrase of another standard', () => {
  const words = fc.array(fc.constantFrom(...slip39), { minLength: 33, maxLength: 33 });

  test.each([20, 33])('is a secret in every form: %i words of SLIP-39', (count) => {
    fc.assert(
      fc.property(words, fc.constantFrom(...Object.values({ ...forms, ...looseForms })), (list, form) => {
        expect(normalizeAsset(form(list.slice(0, count)))).toEqual(secret);
      }),
    );
  });

  test.each([13, 25])('is a secret: %i words of Monero', (count) => {
    for (const form of Object.values(forms)) expect(normalizeAsset(form(moneroSeed.slice(0, count)))).toEqual(secret);
  });

  test.each([12, 16, 24])('is a secret: %i words of BIP-39 with a mistake', (count) => {
    const mistaken = ['abandn', 'abilty', ...bip39['english']!.slice(100, 98 + count)];
    for (const form of Object.values(forms)) expect(normalizeAsset(form(mistaken))).toEqual(secret);
  });
});

describe('a phrase in a bundle without word lists', () => {
  test.each(Object.entries(bip39))('is a secret in every form in %s', (_, list) => {
    for (const strength of strengths) {
      const words = generateMnemonic([...list], strength).split(/\s/);
      for (const form of Object.values(forms)) expect(small.normalizeAsset(form(words))).toEqual(secret);
    }
  });

  test('can be confused with a sentence, unless the word lists are there', () => {
    const sentence = 'You can still publish packages normally while you have staged your packages pending';
    expect(small.normalizeAsset(sentence)).toEqual(secret);
    expect(smallWithWords.normalizeAsset(sentence)).toEqual({ refused: 'unknown' });
  });
});

describe('a name with commas, which browsers open,', () => {
  // Together at most 63 characters, as a label has.
  const words = 'act add age aim air all any arm art ask bag bar'.split(' ');
  const names = words.flatMap((_, at) => [
    // One comma at any place, or any number of them.
    `${words.slice(0, at + 1).join('.')},${words.slice(at + 1).join('.')}`,
    `${words.slice(0, at + 1).join(',')}.${words.slice(at + 1).join(',')}`,
  ]);

  test.each(['portcullis-1', 'safe-browsing-4', 'safe-browsing-5'])('is no phrase for %s', (algorithm) => {
    for (const name of [...names, words.join(','), `${words.join('.')}\uff0cbox`]) {
      for (const link of [`https://${name}.evil.example`, `wss://:@${name}.evil.example/`, `${name}.evil.example/path`]) {
        const found = expressionsOf(link, { algorithm });
        expect(
          found.some((one) => one.replace(/\/.*/, '') === 'evil.example'),
          link,
        ).toBe(true);
      }
    }
  });

  test.each(['portcullis-1', 'safe-browsing-4', 'safe-browsing-5'])(
    'is one without a dot or a link around it, for %s',
    (algorithm) => {
      const lines = `https://${words.join('\n')}`;
      for (const text of [
        words.join(','),
        `${words.join(',')}.`,
        `https://${words.join(',')}`,
        `https://${words.join(',')}/`,
        lines,
      ]) {
        expect(expressionsOf(text, { algorithm }), text).toEqual([]);
      }
    },
  );
});

describe('an ordinary sentence', () => {
  const sentences = sentencesOfDependencies();
  const all = Object.values(sentences).flat();

  test('is taken for a phrase in less than 1 of 1,000 cases', () => {
    expect(all.length).toBeGreaterThan(20_000);
    const refused = all.filter((sentence) => refusalOf(sentence) === 'secret');
    expect(refused.length / all.length, refused.join('\n')).toBeLessThan(0.001);
  });

  test('is taken for a phrase in less than 1 of 200 cases, even with the word count of a phrase', () => {
    const isLong = (text: string): boolean => [12, 13, 15, 16, 18, 20, 21, 24, 25, 33].includes(text.split(' ').length);
    const long = all.filter(isLong);
    expect(long.length).toBeGreaterThan(5_000);
    const refused = long.filter((sentence) => refusalOf(sentence) === 'secret');
    expect(refused.length / long.length, refused.join('\n')).toBeLessThan(0.005);
  });

  test.each(chats)('is not a secret: %s', (message) => {
    expect(refusalOf(message)).toBe('unknown');
  });

  test('is not hashed where a text of one word would be', () => {
    for (const message of chats) {
      if (message.split(' ').length < 12) continue;
      expect(expressionsOf({ type: 'EMAIL', canonical: message })).toEqual([]);
      expect(expressionsOf(message, { algorithm: 'safe-browsing-4' })).toEqual([]);
    }
  });
});

describe('the word filter', () => {
  const words = new Set([...bip39['english']!, ...slip39]);

  test('contains every word of both lists', () => {
    expect(words.size).toBe(2519);
    for (const word of words) expect(isPhraseWord(word), word).toBe(true);
  });

  test('matches about half of other words, and few of the most frequent', () => {
    const others = [...new Set(Object.values(bip39).slice(1).flat())].filter(
      (word) => /^[a-z]{3,8}$/.test(word) && !words.has(word),
    );
    const share = others.filter(isPhraseWord).length / others.length;
    expect(share).toBeGreaterThan(0.45);
    expect(share).toBeLessThan(0.55);
    const frequent = 'the and for are not was with from has but which who'.split(' ').filter(isPhraseWord);
    expect(frequent.length).toBeLessThanOrEqual(1);
  });
});

test('takes linear time for texts crafted to be slow', () => {
  const nasty = [' ', ',', '\n', 'a ', 'ab,', 'abandon ', '1. ', ':', '- ', '\u3000', '的 ', 'abandon1'].map((part) =>
    part.repeat(300_000 / part.length),
  );
  const start = performance.now();
  for (const text of nasty) isSecret(text);
  expect(performance.now() - start).toBeLessThan(5_000);
});
