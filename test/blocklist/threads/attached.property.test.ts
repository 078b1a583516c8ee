import fc from 'fast-check';
import { type Blocklist, createBlocklist, type Verdict } from 'portcullis';
import { type AttachedBlocklist, attachBlocklist, shareBlocklist } from 'portcullis/threads';
import { expect, onTestFinished, test } from 'vitest';
import { ownSource } from '../engine/own-source.js';

/** Attached checks and the blocklist's own have the same outcome for every input and option, of whatever type. */

const listed = ['https://evil.example/', 'https://evil.example/page', 'https://never.example/', 'https://mine.example/'];
const others = ['https://clear.example/', 'http://192.168.1.1/', 'not an address', '', 'https://proven.example/a?b=c'];
const nothing = (): void => {};

const anyContent = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...listed, ...others) },
  fc.string(),
  fc.constantFrom(1, null, undefined, []),
);
const anyInput: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...listed, ...others) },
  {
    weight: 4,
    arbitrary: fc.record(
      {
        content: anyContent,
        type: fc.constantFrom('URL', 'PAGE', 'ADDRESS', 'url', '', 5, ['URL'], { toString: () => 'URL' }, nothing, undefined),
        chain: fc.constantFrom('eip155:1', '', 1, nothing, undefined),
        more: fc.constantFrom(nothing, Symbol.iterator, 1n),
      },
      { requiredKeys: ['content'] },
    ),
  },
  fc.constantFrom(null, undefined, 0, 1n, Symbol.iterator, nothing, [], new String('https://evil.example/')),
);

const anyOptions: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      {
        deadlineMs: fc.constantFrom(1_000, 600_000, 600_001, -5, -0, Number.NaN, '5', null, undefined, nothing),
        loading: fc.constantFrom('page', 'frame', 'zzz', 1, null, undefined, nothing),
        signal: fc.constantFrom(AbortSignal.abort(), new AbortController().signal, undefined),
      },
      { requiredKeys: [] },
    ),
  },
  fc.constantFrom(null, undefined, 'options', 5, nothing, []),
);

const anyInputs = fc.oneof(
  { weight: 6, arbitrary: fc.array(anyInput, { maxLength: 3 }) },
  fc.array(anyInput, { maxLength: 3 }).map((inputs) => new Set(inputs)),
  fc.constantFrom('abc', '', null, undefined, 5, {}, new String('ab')),
);

/** The verdicts without their age, or what was thrown. */
async function outcomeOf(check: () => Promise<Verdict | Verdict[]>): Promise<unknown> {
  try {
    const verdicts = [await check()].flat();
    return verdicts.map(({ ageMs: _, ...verdict }) => verdict);
  } catch (error) {
    const { name, code } = error as { name: string; code?: string };
    const message = (error as Error).message;
    return { name, code, message: code === 'CLOSED' ? '' : message };
  }
}

test('for an open blocklist and a closed one', async () => {
  const proven = ownSource({ id: 'proven', whole: true, snapshot: ['proven.example/a', 'never.example'] });
  const hot = { recentToken: 'r1', recent: ['hot.example'], hot: ['hot.example'] };
  const sources = [ownSource({ snapshot: ['evil.example'], ...hot }), proven];
  const blocklist = createBlocklist({ sources, pollMs: 0, neverBlock: ['never.example'] });
  onTestFinished(() => blocklist.close());
  await blocklist.ready();
  await blocklist.block('https://mine.example/');
  const shared = shareBlocklist(blocklist);
  const attached = await attachBlocklist(shared.port());
  const agree = async (): Promise<void> =>
    fc.assert(
      fc.asyncProperty(anyInput, anyInputs, anyOptions, async (input, inputs, options) => {
        const outcomes = ({ check, checkMany }: Blocklist | AttachedBlocklist): Promise<unknown[]> =>
          Promise.all([
            outcomeOf(() => check(input as never, options as never)),
            outcomeOf(() => checkMany(inputs as never, options as never)),
          ]);
        expect(await outcomes(attached)).toEqual(await outcomes(blocklist));
      }),
    );
  await agree();
  attached.close();
  await blocklist.close();
  await agree();
});
