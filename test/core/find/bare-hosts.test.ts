import { readFileSync } from 'node:fs';
import { LinkifyIt } from 'linkify-it';
import { expect, test } from 'vitest';
import type { Certainty } from '../../../src/core/find/certainty.js';
import { findAssets } from '../../../src/core/find/find-all.js';
import { others, topLevelDomains } from '../../../tools/top-level-list.js';

interface Row {
  /** The package whose README has the line, or the language of a chat. */
  readonly from: string;
  readonly text: string;
  /**
   * The hosts without a scheme that the author means, with their paths. For READMEs they were chosen by hand from the finder's
   * results, so only the chats and linkify-it show what the finder misses.
   */
  readonly hosts: readonly string[];
}

/**
 * Lines of the READMEs of this project's dependencies: all kinds of lines in which a host without a scheme could be found, and a
 * sample of the others with a dot between letters. And chats in nine languages, with the traps of each.
 */
const rows: readonly Row[] = JSON.parse(readFileSync('test/core/find/bare-hosts.json', 'utf8'));
const isChat = ({ from }: Row): boolean => from.startsWith('chat ');

/** Counts the right and the wrong pieces among those without a scheme. */
function counts(some: readonly Row[], certainty: Certainty): { right: number; wrong: number } {
  let right = 0;
  let wrong = 0;
  for (const { text, hosts } of some) {
    for (const piece of findAssets(text)) {
      if (piece.certainty !== certainty) continue;
      if (hosts.includes(piece.plain)) right++;
      else wrong++;
    }
  }
  return { right, wrong };
}

test.each([
  ['READMEs', rows.filter((row) => !isChat(row))],
  ['chats', rows.filter(isChat)],
])('nine of ten bare pieces in %s are hosts', (_, some) => {
  const { right, wrong } = counts(some, 'bare');
  expect(right).toBeGreaterThan(50);
  expect(right / (right + wrong)).toBeGreaterThan(0.9);
});

test('weak pieces are hardly ever hosts, so that an app can leave them out', () => {
  const { right, wrong } = counts(rows, 'weak');
  expect(wrong).toBeGreaterThan(200);
  expect(right / (right + wrong)).toBeLessThan(0.05);
});

test('every host is found, bare, weak, or as the shorter reading', () => {
  const missed = rows.flatMap(({ text, hosts }) => {
    const found = new Set(findAssets(text).flatMap(({ plain, shorter }) => [plain, shorter]));
    return hosts.filter((host) => !found.has(host));
  });
  expect(missed).toEqual([]);
});

test('finds every link that linkify-it finds with the full list of top-level domains', () => {
  const linkify = new LinkifyIt({ fuzzyLink: true, fuzzyEmail: false }).tlds([...topLevelDomains(), ...others]);
  let count = 0;
  const missed = rows.flatMap(({ text }) => {
    const found = findAssets(text);
    const theirs = linkify.match(text) ?? [];
    count += theirs.length;
    return theirs
      .filter(({ index, lastIndex }) => !found.some(({ start, end }) => start < lastIndex && end > index))
      .map(({ raw }) => raw);
  });
  expect(count).toBeGreaterThan(300);
  expect(missed).toEqual([]);
});
