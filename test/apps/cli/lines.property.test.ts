import fc from 'fast-check';
import { type CheckInput, createBlocklist, type Verdict } from 'portcullis';
import { textSource } from 'portcullis/sources';
import { expect, onTestFinished, test } from 'vitest';
import { answersOf, completed, type LinePlan } from '../../../apps/cli/lists/block-answers.js';
import { blocksOf, linesOf } from '../../../apps/cli/lists/input-lines.js';
import { anyCodePoint } from '../../support/arbitraries.js';
import { propertyRuns } from '../../support/setup.js';

const maxLineBytes = 1_048_576;

/** Lines with every kind of content: CRLF, none, marks, control characters, quotes, other scripts, bytes that are not UTF-8. */
const line = fc.oneof(
  fc.constantFrom(
    '',
    '\r',
    'evil.example',
    'https://good.example/"a\\',
    '\u007f\u0085\u202e',
    'a\rb',
    'ab'.repeat(32),
    'https://пример.example/',
  ),
  fc.string({ unit: anyCodePoint }),
  fc.webUrl(),
  fc.uint8Array({ maxLength: 20 }),
);
const stream = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\n\n')), { maxLength: 40 });
const bytesOf = (lines: readonly (readonly [string | Uint8Array, string])[], end: string): Buffer =>
  Buffer.concat([...lines.flatMap(([text, feed]) => [Buffer.from(text as string), Buffer.from(feed)]), Buffer.from(end)]);

async function* cutAt(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length]!;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/** The obvious way: split the bytes, decode each line alone, escape with the library of the language. */
function slowly(bytes: Uint8Array, isJson: boolean, test: (input: CheckInput) => Verdict): string[] {
  const texts = Buffer.from(bytes).toString('latin1').split('\n');
  if (texts.at(-1) === '') texts.pop();
  return texts.flatMap((raw, at) => {
    const own = Buffer.from(raw, 'latin1');
    if (own.length > maxLineBytes) return [JSON.stringify({ line: at + 1, error: 'too-long' })];
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(own).replace(/\r$/, '');
    } catch {
      return [JSON.stringify({ line: at + 1, error: 'not-utf8' })];
    }
    if (at === 0) text = text.replace(/^\uFEFF/, '');
    if (text.trim() === '') return [];
    if (isJson) {
      try {
        const value: unknown = JSON.parse(text);
        if (typeof value !== 'string') return [JSON.stringify({ line: at + 1, error: 'no-content' })];
        text = value;
      } catch {
        return [JSON.stringify({ line: at + 1, error: 'not-json' })];
      }
    }
    const { status, action, reason, asset, expression } = test(text);
    const found = asset && { type: asset.type, canonical: asset.canonical };
    const input = reason === 'secret' ? null : text;
    const json = JSON.stringify({ line: at + 1, input, status, action, reason, ...found, expression });
    const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
    return [json.replace(/[\x7f-\x9f\p{Cf}\u2028\u2029]/gu, (mark) => mark.split('').map(escaped).join(''))];
  });
}

const plan: LinePlan = {
  type: undefined,
  chain: undefined,
  isJson: false,
  skipped: 0,
  only: new Set(['blocked', 'allowed', 'clear', 'unconfirmed', 'unknown', 'not-listable']),
};

test('the fast way prints the bytes of the slow way, however the stream is cut, and whatever is left open', async () => {
  const blocklist = createBlocklist({ sources: [textSource({ id: 'own', text: 'evil.example\n' })], pollMs: 0 });
  onTestFinished(() => blocklist.close());
  await blocklist.ready();
  const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(stream, line, sizes, fc.boolean(), fc.nat(45), async (lines, last, cuts, isJson, skipped) => {
      const bytes = Buffer.concat([bytesOf(lines, ''), Buffer.from(last as string)]);
      const outputs: Buffer[] = [];
      let counted = 0;
      for await (const block of blocksOf(cutAt(bytes, cuts))) {
        const answers = answersOf(block, { ...plan, isJson, skipped }, (input) => {
          const verdict = blocklist.test(input);
          return verdict.status === 'blocked' ? null : verdict;
        });
        const texts = answers.open.map(({ line: number, input }) => {
          const [answer] = slowly(Buffer.from(isJson ? JSON.stringify(input) : String(input)), isJson, blocklist.test);
          return `${answer!.replace('"line":1', `"line":${number}`)}\n`;
        });
        outputs.push(Buffer.from(completed(answers, texts)));
        counted += answers.bad + texts.length + [...answers.counts.values()].reduce((sum, count) => sum + count, 0);
      }
      const expected = slowly(bytes, isJson, blocklist.test).filter((answer) => JSON.parse(answer).line > skipped);
      expect(Buffer.concat(outputs).toString()).toBe(expected.map((answer) => `${answer}\n`).join(''));
      expect(counted).toBe(expected.length);
    }),
    { numRuns: propertyRuns },
  );
});

test('lines around the longest that is read, and more lines than a block has', async () => {
  const line = (length: number): string => 'a'.repeat(length);
  const texts = [
    line(maxLineBytes),
    line(maxLineBytes + 1),
    'x',
    line(maxLineBytes + 1),
    line(maxLineBytes),
    ...Array(33_000).fill('y'),
  ];
  const bytes = Buffer.from(texts.join('\n'));
  for (const size of [1_000_003, bytes.length]) {
    const found: (number | string | undefined)[] = [];
    let blocks = 0;
    for await (const { lines } of blocksOf(cutAt(bytes, [size]))) {
      blocks++;
      expect(lines).toBeLessThanOrEqual(32_768);
    }
    expect(blocks).toBeGreaterThan(5);
    const numbers: number[] = [];
    for await (const { number, text, problem } of linesOf(cutAt(bytes, [size]))) {
      numbers.push(number);
      found.push(text?.length ?? problem);
    }
    expect(numbers.every((number, at) => number === at + 1)).toBe(true);
    expect(found.join()).toBe(texts.map(({ length }) => (length > maxLineBytes ? 'too-long' : length)).join());
  }
});
