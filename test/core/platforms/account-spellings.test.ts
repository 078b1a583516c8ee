import { createBlocklist } from 'portcullis';
import { buildList } from 'portcullis/publish';
import { publishedSource, textSource } from 'portcullis/sources';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccountSpellings, accountSpellings } from './account-spellings.js';

/** Of the spellings of each platform, how many a list with one row for the account blocks. */
const minShare = 0.95;

/** Several accounts can be on one platform: a name, a number, an invite. */
const platformOf = ({ platform }: AccountSpellings): string => platform.replace(/ \(.*/, '');

const platforms = [...new Set(accountSpellings.map(platformOf))];
const spellingsOf = ({ spellings }: AccountSpellings): readonly string[] => spellings.flatMap(([, ...texts]) => texts);

const isPublicSuffix = (): boolean => false;

/** A blocklist that has only the row of the account, and whether it blocks a text. */
type Blocks = (text: string) => Promise<boolean>;
type Way = (account: AccountSpellings) => Promise<Blocks>;

const opened: { close(): Promise<void> }[] = [];

async function withSource(source: ReturnType<typeof textSource>): Promise<Blocks> {
  const blocklist = createBlocklist({ sources: [source], pollMs: 0 });
  opened.push(blocklist);
  await blocklist.ready();
  return async (text) => (await blocklist.check(text)).status === 'blocked';
}

async function published(input: Parameters<typeof buildList>[0]): Promise<Blocks> {
  const { files } = await buildList(input, { isPublicSuffix });
  const bytesOf = new Map([...files].map(({ name, bytes }) => [`/${name}`, bytes]));
  const fetch = async (url: string | URL | Request): Promise<Response> => {
    const bytes = bytesOf.get(new URL(String(url instanceof Request ? url.url : url)).pathname);
    return bytes === undefined ? new Response('', { status: 404 }) : new Response(bytes as Uint8Array<ArrayBuffer>);
  };
  return withSource(publishedSource({ url: 'https://list.example', fetch: fetch as typeof globalThis.fetch }));
}

const ways: readonly (readonly [string, Way])[] = [
  ['a plain row of a text list', async ({ row }) => withSource(textSource({ id: 'mine', text: `${row}\n`, isPublicSuffix }))],
  [
    'a plain row of a CSV',
    async ({ row }) => withSource(textSource({ id: 'mine', format: 'csv', text: `url,status\n${row},scam\n`, isPublicSuffix })),
  ],
  ['a plain row of a published list', async ({ row }) => published([row])],
  ['a typed row of a published list', async ({ row, type }) => published([{ type, content: row }])],
  [
    'an override',
    async ({ row }) => {
      const blocklist = createBlocklist({
        sources: [textSource({ id: 'mine', text: 'other.example\n', isPublicSuffix })],
        pollMs: 0,
      });
      opened.push(blocklist);
      await blocklist.ready();
      await blocklist.block(row);
      return async (text) => (await blocklist.check(text)).status === 'blocked';
    },
  ],
];

afterAll(async () => {
  for (const blocklist of opened) await blocklist.close();
});

test('has at least 25 different spellings of each of 12 platforms or more, each with its source', () => {
  expect(platforms.length).toBeGreaterThanOrEqual(12);
  for (const platform of platforms) {
    const texts = accountSpellings.filter((account) => platformOf(account) === platform).flatMap(spellingsOf);
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts.length, platform).toBeGreaterThanOrEqual(25);
  }
  for (const { spellings } of accountSpellings) for (const [source] of spellings) expect(source).toMatch(/\w.{20}/);
});

describe.each(ways)('%s for an account', (_, way) => {
  const missed = new Map<string, string[]>(platforms.map((platform) => [platform, []]));
  const counts = new Map<string, number>();

  beforeAll(async () => {
    for (const account of accountSpellings) {
      const blocks = await way(account);
      const platform = platformOf(account);
      for (const text of [account.row, ...spellingsOf(account)]) {
        counts.set(platform, (counts.get(platform) ?? 0) + 1);
        if (!(await blocks(text))) missed.get(platform)!.push(text);
      }
      // What is written down as missed is missed: otherwise it belongs to the spellings.
      for (const [text] of account.missed ?? []) expect(await blocks(text), text).toBe(false);
    }
  });

  test.each(platforms)('blocks what opens it on %s', (platform) => {
    const count = counts.get(platform)!;
    const misses = missed.get(platform)!;
    const share = (count - misses.length) / count;
    expect(share, `${count - misses.length} of ${count}; missed: ${misses.join(' | ')}`).toBeGreaterThanOrEqual(minShare);
  });
});
