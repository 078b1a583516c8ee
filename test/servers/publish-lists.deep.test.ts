import { prefixOf } from 'portcullis/assets';
import { buildList } from 'portcullis/publish';
import { expect, test } from 'vitest';

test('exceptions are taken out of several blocks of hashes', async () => {
  const names = Array.from({ length: 200_000 }, (_, at) => `n${at}.example`);
  const isOut = (at: number): boolean => at % 3 === 0 || (at > 60_000 && at < 140_000);
  const rules = names.map((name) => `||${name}^\n`).join('');
  const exceptions = names.filter((_, at) => isOut(at)).map((name) => `@@||${name}^\n`);
  const list = (data: string, name: string) => ({ format: 'filter' as const, data, name });
  const { report, snapshot } = await buildList([
    list('||first.example^\n', 'first'),
    list(exceptions.slice(0, 50_000).join('') + rules + exceptions.slice(50_000).join(''), 'large'),
    list(`||last.example^\n||n0.example^\n`, 'last'),
  ]);
  const listed = ['first.example', 'last.example', 'n0.example', ...names.filter((_, at) => !isOut(at))];
  expect(new Set(snapshot)).toEqual(new Set(listed.map((name) => prefixOf(name))));
  expect([report.listed, report.excepted]).toEqual([listed.length, exceptions.length]);
}, 60_000);
