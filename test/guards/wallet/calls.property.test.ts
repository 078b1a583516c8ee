import fc from 'fast-check';
import { bytesToHex, type Hex, hexToBytes } from 'viem';
import { expect, test } from 'vitest';
import { readCall } from '../../../src/guards/wallet/call-reader.js';
import { createReading, type Found } from '../../../src/guards/wallet/reading.js';
import { addressesIn, functions, randomCall, safeBatches, toFunctionSelector } from './random-calls.js';

function found(calldata: Uint8Array): Found {
  const reading = createReading();
  readCall(calldata, reading);
  return reading;
}

const contents = ({ parties }: Found): Set<string> =>
  new Set(parties.flatMap(({ content, isWord }) => (isWord ? [] : [content])));

test('every selector of the table is the one that viem computes', () => {
  expect(functions.size).toBeGreaterThan(150);
  for (const [selector, abi] of functions) expect(toFunctionSelector(abi), abi.name).toBe(selector);
});

test.each([...functions].map(([selector, { name }]) => [name, selector]))(
  'finds every address in calls of %s (%s)',
  (_, selector) => {
    fc.assert(
      fc.property(randomCall(1, selector), (calldata) => {
        const read = found(hexToBytes(calldata));
        expect(read.unreadable).toEqual([]);
        expect(contents(read)).toEqual(addressesIn(calldata));
      }),
      { numRuns: 12 },
    );
  },
);

test('finds every address in calls inside calls', () => {
  fc.assert(
    fc.property(randomCall(4), (calldata) => {
      const read = found(hexToBytes(calldata));
      expect(read.unreadable).toEqual([]);
      expect(contents(read)).toEqual(addressesIn(calldata));
    }),
  );
});

test('calls that run or install code are unreadable, unless it is that of a batch of the Safe', () => {
  const counts = { readable: 0, unreadable: 0, batches: 0 };
  const selectors = [...functions].filter(([, { name }]) => codeFunctions.test(name)).map(([selector]) => selector);
  expect(selectors.length).toBeGreaterThan(10);
  fc.assert(
    fc.property(
      fc.constantFrom(...selectors).chain((selector) => randomCall(3, selector, 'wild')),
      (calldata) => {
        const read = found(hexToBytes(calldata));
        const expected = readByViem(calldata);
        expect(read.unreadable.length > 0).toBe(expected === null);
        if (expected === null) counts.unreadable++;
        else {
          counts.readable++;
          if (safeBatches.some((each) => expected.has(each))) counts.batches++;
          expect(contents(read)).toEqual(expected);
        }
      },
    ),
    { numRuns: 5 * (fc.readConfigureGlobal().numRuns ?? 100) },
  );
  expect(Math.min(...Object.values(counts)), JSON.stringify(counts)).toBeGreaterThan(0);
});

const codeFunctions = /^(?:exec|multiSend|setup|createProxy|upgrade|enableModule|setGuard|setFallback|disableModule)/;

function readByViem(calldata: Hex): Set<string> | null {
  try {
    return addressesIn(calldata);
  } catch {
    return null;
  }
}

/** Changes as an attacker makes them: a byte, a word, a part cut off, inserted or left behind. */
const change = fc.record({
  kind: fc.constantFrom('byte', 'word', 'cut', 'append', 'insert', 'move'),
  at: fc.nat(4_000),
  to: fc.nat(4_000),
  byte: fc.integer({ min: 1, max: 255 }),
});

function changed(bytes: Uint8Array, { kind, at, to, byte }: { kind: string; at: number; to: number; byte: number }): Uint8Array {
  const place = at % bytes.length;
  const copy = [...bytes];
  // Mostly behind the selector, because another selector is mostly an unknown function.
  const word = 4 + Math.floor(place / 32) * 32;
  if (kind === 'byte') copy[place] = copy[place]! ^ byte;
  else if (kind === 'word') copy.splice(word + 31, 1, byte & 0xe0);
  else if (kind === 'cut') copy.splice(place);
  else if (kind === 'append') copy.push(...Array<number>((byte % 64) + 1).fill(byte & 1));
  else if (kind === 'insert') copy.splice(word, 0, ...Array<number>(32).fill(0));
  else
    copy.splice(
      word,
      32,
      ...bytes.slice(
        4 + 32 * (to % Math.max(1, Math.floor(bytes.length / 32))),
        36 + 32 * (to % Math.max(1, Math.floor(bytes.length / 32))),
      ),
    );
  return Uint8Array.from(copy);
}

test('changed calldata is either read as viem reads it, or unreadable', () => {
  let readable = 0;
  let unreadable = 0;
  fc.assert(
    fc.property(randomCall(2), change, (calldata, how) => {
      const bytes = changed(hexToBytes(calldata), how);
      const read = found(bytes);
      if (read.unreadable.length > 0) unreadable++;
      else {
        readable++;
        expect(contents(read)).toEqual(addressesIn(bytesToHex(bytes) as Hex));
      }
    }),
    { numRuns: 20 * (fc.readConfigureGlobal().numRuns ?? 100) },
  );
  expect(Math.min(readable, unreadable), 'both happen').toBeGreaterThan(0);
});

test('random bytes behind a known selector are either read as viem reads them, or unreadable', () => {
  const bytes = fc.tuple(fc.constantFrom(...functions.keys()), fc.uint8Array({ maxLength: 200 }));
  fc.assert(
    fc.property(bytes, ([selector, rest]) => {
      const calldata = Uint8Array.from([...hexToBytes(selector as Hex), ...rest]);
      const read = found(calldata);
      if (read.unreadable.length === 0) expect(contents(read)).toEqual(addressesIn(bytesToHex(calldata)));
    }),
  );
});
