import { hashOf, prefixOf } from 'portcullis/assets';
import { expect, test } from 'vitest';
import { build, hashesIn, hex, names } from './publish-harness.js';

test('keeps hashes that share a prefix, and counts the prefix once', async () => {
  const twins = twinsOf();
  const list = await build(twins);
  expect(prefixOf(twins[0]!)).toBe(prefixOf(twins[1]!));
  expect([list.report.listed, list.version.snapshot.count, hashesIn(list).length]).toEqual([2, 1, 2]);
});

test('contains all hashes of a large list in order', async () => {
  const list = await build(names(20_000));
  const hashes = hashesIn(list);
  expect(hashes.length).toBe(20_000);
  expect(hashes).toEqual(
    names(20_000)
      .map((name) => hex(hashOf(name)))
      .sort(),
  );
});
test('sorts duplicates in a bucket with many equal hashes', async () => {
  const together = names(600_000, 'near').filter((name) => prefixOf(name) >>> 16 === 0x1234);
  expect(together.length).toBeGreaterThan(1);
  const list = await build(Array.from({ length: 200 }, (_, at) => together[at % together.length]!));
  expect(hashesIn(list)).toEqual(together.map((name) => hex(hashOf(name))).sort());
  const { line, firstLine } = list.report.warnings[0] as { line: number; firstLine: number };
  expect([line, firstLine]).toEqual([together.length, 0]);
});

test('keeps the snapshot up to a tenth of additions or removals', async () => {
  const first = await build(names(20_000));
  const made = async (assets: readonly string[]) => (await build(assets, { previous: first })).newSnapshot;
  expect(await made(names(22_000))).toBeNull();
  expect(await made(names(22_001))).toBe('grown');
  expect(await made(names(18_000))).toBeNull();
  expect(await made(names(17_999))).toBe('grown');
});

/** Two names whose hashes begin with the same four bytes: one in 77,000 has a twin. */
function twinsOf(): string[] {
  const seen = new Map<number, string>();
  for (let at = 0; ; at++) {
    const name = `twin-${at}.example`;
    const other = seen.get(prefixOf(name));
    if (other !== undefined) return [other, name];
    seen.set(prefixOf(name), name);
  }
}
