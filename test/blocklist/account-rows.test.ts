import { readFileSync } from 'node:fs';
import { createBlocklist } from 'portcullis';
import { type AssetType, detectAssets, expressionsOf } from 'portcullis/assets';
import { createLightBlocklist, lightPublishedSource } from 'portcullis/light';
import { buildList, SHARED_HOSTS } from 'portcullis/publish';
import { type TextSourceReport, textSource } from 'portcullis/sources';
import { describe, expect, test } from 'vitest';
import { allReaders } from '../../src/blocklist/lists/all-readers.js';
import { sharedHostSet } from '../../src/blocklist/lists/covering-set.js';
import { listingOf, listRulesOf } from '../../src/blocklist/lists/list-rules.js';
import { allFamilies } from '../../src/core/assets/all-families.js';
import type { Family } from '../../src/core/assets/asset.js';

const rules = listRulesOf({ sharedHosts: sharedHostSet(SHARED_HOSTS) }, allReaders);

/** The expressions that a row lists, or why it lists none. */
function listed(text: string, type?: string): string {
  const listing = listingOf({ line: 1, text, type }, rules);
  if ('refused' in listing) return listing.refused;
  return [listing.expression, ...(listing.named === undefined ? [] : [listing.named.expression])].join(' ');
}

const isPublicSuffix = (): boolean => false;

/** Which of the texts a list with these rows blocks. */
async function blockedBy(text: string, texts: readonly string[], format: 'lines' | 'filter' | 'hosts' = 'lines') {
  const reports: TextSourceReport[] = [];
  const source = textSource({ id: 'mine', text, format, isPublicSuffix, onReport: (report) => reports.push(report) });
  const blocklist = createBlocklist({ sources: [source], pollMs: 0 });
  try {
    await blocklist.ready();
    const verdicts = await Promise.all(texts.map((one) => blocklist.check(one)));
    return { blocked: texts.filter((_, at) => verdicts[at]!.status === 'blocked'), report: reports.at(-1)! };
  } finally {
    await blocklist.close();
  }
}

describe('a row without a type', () => {
  test.each([
    ['https://x.com/Evil_Mint', 'x.com/Evil_Mint twitter:twitter.com/evil_mint'],
    ['x.com/Evil_Mint?s=20', 'x.com/Evil_Mint?s=20 twitter:twitter.com/evil_mint'],
    ['https://t.me/s/Evil_Support', 't.me/s/Evil_Support telegram:t.me/evil_support'],
    [
      'https://www.facebook.com/profile.php?id=1000123456',
      'facebook.com/profile.php?id=1000123456 facebook:facebook.com/1000123456',
    ],
    ['https://discord.com/invite/EvilMint7', 'discord.com/invite/EvilMint7 discord:discord.gg/EvilMint7'],
    ['https://player.twitch.tv/?channel=evil_mint', 'player.twitch.tv/?channel=evil_mint twitch:twitch.tv/evil_mint'],
    ['https://www.flickr.com/photos/12345@N00', 'flickr.com/photos/12345@N00 flickr:flickr.com/photos/12345@N00'],
    ['https://www.npmjs.com/package/evil-mint', 'npmjs.com/package/evil-mint npm:evil-mint'],
    ['tg://resolve?domain=Evil_Support', 'telegram:t.me/evil_support'],
    ['fb://facewebmodal/f?href=https://www.facebook.com/Evil.Mint', 'facebook.com/Evil.Mint facebook:facebook.com/evilmint'],
  ])('lists the account that %s names, and the link', (row, expressions) => {
    expect(listed(row)).toBe(expressions);
  });

  test.each([
    // A post is what it names, and not its author.
    ['https://x.com/evil_mint/status/1790', 'x.com/evil_mint/status/1790 twitter:twitter.com/i/status/1790'],
    [
      'https://www.instagram.com/evil.mint/p/AbCdEfGhIjK/',
      'instagram.com/evil.mint/p/AbCdEfGhIjK instagram:instagram.com/p/AbCdEfGhIjK',
    ],
    [
      'https://www.linkedin.com/posts/jane_a-activity-7402746946853253120-EGae',
      'linkedin.com/posts/jane_a-activity-7402746946853253120-EGae linkedin:linkedin.com/feed/update/urn:li:activity:7402746946853253120',
    ],
    ['https://www.reddit.com/r/wallets/comments/1abc2de/a/', 'reddit.com/r/wallets/comments/1abc2de/a'],
    // What others have posted below an account, and pages of an account.
    ['https://t.me/wallet_channel/123', 't.me/wallet_channel/123'],
    [
      'https://discord.com/channels/876543210987654321/876543210987654322',
      'discord.com/channels/876543210987654321/876543210987654322',
    ],
    [
      'https://discord.com/events/876543210987654321/876543210987654322',
      'discord.com/events/876543210987654321/876543210987654322',
    ],
    ['https://github.com/wallet/core/issues/7', 'github.com/wallet/core/issues/7'],
    ['https://bsky.app/starter-pack/wallet.example/3kabc', 'bsky.app/starter-pack/wallet.example/3kabc'],
    ['https://www.youtube.com/@wallet/community', 'youtube.com/@wallet/community'],
    ['https://medium.com/@wallet/list/reading', 'medium.com/@wallet/list/reading'],
    // One version of a package, which may be a good one otherwise.
    ['https://unpkg.com/wallet-core@1.2.3', 'unpkg.com/wallet-core@1.2.3'],
    ['https://cdn.jsdelivr.net/gh/wallet/core@v2', 'cdn.jsdelivr.net/gh/wallet/core@v2'],
    ['https://repo.hex.pm/tarballs/wallet-1.2.3.tar', 'repo.hex.pm/tarballs/wallet-1.2.3.tar'],
    // A host means the host.
    ['evil.medium.com', 'evil.medium.com'],
    ['https://evil.substack.com/', 'evil.substack.com'],
    ['https://evil.slack.com', 'evil.slack.com'],
    ['https://evil.medium.com/?source=x', 'evil.medium.com/?source=x'],
    ['https://x.com/', 'shared-host'],
    ['https://discord.com/channels', 'shared-host'],
    // Pages of the platform.
    ['https://x.com/i/flow/login', 'shared-host'],
    ['https://www.youtube.com/premium', 'youtube.com/premium'],
    // An account whose name is an everyday word.
    ['https://x.com/other', 'x.com/other twitter:twitter.com/other'],
    ['https://www.facebook.com/login/?next=a', 'facebook.com/login?next=a'],
    // An address, a file and a number are named by many sites.
    [
      'https://etherscan.io/address/0x52908400098527886E0F7030069857D2E4169EE7',
      'etherscan.io/address/0x52908400098527886E0F7030069857D2E4169EE7',
    ],
    [
      'https://ipfs.io/ipfs/QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPBdG',
      'ipfs.io/ipfs/QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPBdG',
    ],
  ])('lists nothing more for %s', (row, expressions) => {
    expect(listed(row)).toBe(expressions);
  });

  test.each([
    ['https://signal.me/#p/+12025550142', 'signal:signal.me/#p/+12025550142'],
    ['https://web.telegram.org/k/#@evil_support', 'telegram:t.me/evil_support'],
    ['https://twitter.com/#!/evil_mint', 'twitter:twitter.com/evil_mint'],
  ])('lists only the account where the rest of the link is a page of everyone: %s', (row, expression) => {
    expect(listed(row)).toBe(expression);
  });
});

test('a row with a type lists what the type says, and nothing else', () => {
  expect(listed('https://x.com/Evil_Mint', 'PAGE')).toBe('x.com/Evil_Mint');
  expect(listed('https://x.com/Evil_Mint?s=20', 'page')).toBe('x.com/Evil_Mint?s=20');
  expect(listed('https://evil.medium.com/about', 'URL')).toBe('evil.medium.com');
  expect(listed('https://x.com/Evil_Mint', 'TWITTER')).toBe('twitter:twitter.com/evil_mint');
  expect(listed('https://t.me/wallet_channel/123', 'TELEGRAM')).toBe('telegram:t.me/wallet_channel');
});

const { rows: examples } = JSON.parse(readFileSync('test/core/platforms/examples.json', 'utf8')) as {
  rows: { type: AssetType; spellings: [string, string][]; respelled?: [string, string][]; apart?: [string, string][] }[];
};
const onPlatforms = examples.filter(({ type }) => !['EMAIL', 'PHONE_NUMBER', 'IPFS'].includes(type));
const typedName = (expression: string): boolean => /^[a-z\d_]+:/.test(expression);

describe('a row for any link of any platform', () => {
  const links = onPlatforms.flatMap(({ spellings, respelled = [] }) =>
    [...spellings, ...respelled].map(([spelling]) => spelling),
  );

  test('lists only what a check of the same link looks up, and of its names the first', () => {
    let named = 0;
    for (const link of links) {
      const listing = listingOf({ line: 1, text: link }, rules);
      if ('refused' in listing) continue;
      const expressions = expressionsOf(link);
      expect(expressions, link).toContain(listing.expression);
      if (listing.named === undefined) continue;
      named++;
      expect(listing.named.expression, link).toBe(
        expressions.find((one) => typedName(one) && !/^(?:address|phone_number):/.test(one)),
      );
    }
    expect(named).toBeGreaterThan(250);
  });

  test('does not block what has another name', () => {
    for (const { apart = [] } of onPlatforms) {
      for (const [one, other] of apart.flatMap(([first, second]) => [[first, second] as const, [second, first] as const])) {
        const listing = listingOf({ line: 1, text: one }, rules);
        // A bare name is read by its type only.
        if ('refused' in listing || listing.named === undefined) continue;
        // The others of its names may be its owner, such as the account of a repository.
        const [name] = expressionsOf(other).filter(typedName);
        expect(name, `${one} ${other}`).not.toBe(listing.named.expression);
      }
    }
  });

  test('lists no account for a page below it', () => {
    let below = 0;
    for (const link of links) {
      if (!/^https?:\/\/[^?#]+$/.test(link)) continue;
      const [account] = detectAssets(link).map(({ type, canonical }) => `${type.toLowerCase()}:${canonical}`);
      const page = `${link.replace(/\/$/, '')}/some-page-of-someone`;
      // Expressions have no port, so a page of a tunnel that has one cannot be listed without it.
      if (!expressionsOf(page).includes(account!) || account!.startsWith('ngrok:')) continue;
      below++;
      expect(listed(page).split(' '), page).not.toContain(account);
    }
    expect(below).toBeGreaterThan(100);
  });
});

describe('a text list', () => {
  const row = 'https://x.com/Evil_Mint\n';
  const texts = [
    'https://x.com/Evil_Mint',
    'twitter.com/evil_mint',
    'twitter://user?screen_name=EVIL_MINT',
    'https://x.com/evil_mint2',
  ];

  test('counts the rows that name an account', async () => {
    const { blocked, report } = await blockedBy(`${row}evil.example\nhttps://t.me/wallet_channel/1\n`, texts);
    expect(blocked).toEqual(texts.slice(0, 3));
    expect(report).toMatchObject({ entries: 3, listed: 4, accounts: 1 });
  });

  test('takes the account out again with an exception or a withdrawn rule for any link to it', async () => {
    const filter = '||x.com/Evil_Mint\n||evil.example^\n';
    expect((await blockedBy(filter, texts, 'filter')).blocked).toEqual(texts.slice(0, 3));
    expect((await blockedBy(`${filter}||x.com/Evil_Mint$badfilter\n`, texts, 'filter')).blocked).toEqual([]);
    expect((await blockedBy(`${filter}@@||x.com/Evil_Mint\n`, texts, 'filter')).blocked).toEqual([]);
    // The page stays listed, and the account is allowed within this list.
    expect((await blockedBy(`${filter}@@||twitter.com/evil_mint\n`, texts, 'filter')).blocked).toEqual([]);
  });

  test('reads a name in a hosts file as a host', async () => {
    const hosts = ['https://evilmint.medium.com/a', 'https://medium.com/@evilmint'];
    expect((await blockedBy('0.0.0.0 evilmint.medium.com\n', hosts, 'hosts')).blocked).toEqual(hosts.slice(0, 1));
  });
});

describe('a published list', () => {
  test('holds the link and the account, and says so', async () => {
    const { report } = await buildList(['https://x.com/Evil_Mint', 'https://twitter.com/evil_mint', 'evil.example'], {
      isPublicSuffix,
    });
    expect(report).toMatchObject({ entries: 3, listed: 4, accounts: 2, byType: { PAGE: 2, TWITTER: 1, URL: 1 }, warnings: [] });
  });

  test('reports a repeated row once', async () => {
    const { report } = await buildList(['https://x.com/Evil_Mint', 'https://x.com/Evil_Mint/'], { isPublicSuffix });
    expect(report).toMatchObject({ listed: 2, byType: { PAGE: 1, TWITTER: 1 }, warningsBy: { duplicate: 1 } });
  });

  test('takes both out by an exception', async () => {
    const data = '||x.com/Evil_Mint\n||evil.example^\n@@||x.com/Evil_Mint\n';
    const { report } = await buildList({ format: 'filter', data }, { isPublicSuffix });
    expect(report).toMatchObject({ listed: 1, excepted: 1, accounts: 0, byType: { PAGE: 0, TWITTER: 0, URL: 1 } });
  });

  test('lists no spelling of an account that must not be listed', async () => {
    const rows = [
      'https://twitter.com/good_mint',
      'https://x.com/GOOD_MINT?s=20',
      'tg://resolve?domain=good_support',
      'https://x.com/bad_mint',
    ];
    const { report } = await buildList(rows, { isPublicSuffix, allow: ['https://x.com/Good_Mint', 'https://t.me/good_support'] });
    expect(report.refusedBy).toEqual({ allowlisted: 3 });
    expect(report.listed).toBe(2);
  });

  test('holds links only with an algorithm that reads only links', async () => {
    const { report } = await buildList(['https://x.com/Evil_Mint'], { isPublicSuffix, algorithm: 'safe-browsing-5' });
    expect(report).toMatchObject({ listed: 1, accounts: 0 });
  });
});

describe('a client', () => {
  test('that reads only links finds the link as it stands, and one that reads platforms every link', async () => {
    const { files } = await buildList(['https://x.com/Evil_Mint'], { isPublicSuffix });
    const bytesOf = new Map([...files].map(({ name, bytes }) => [`https://list.example/${name}`, bytes]));
    const fetch = async (url: string): Promise<Response> => new Response(new Uint8Array(bytesOf.get(url)!));
    const texts = ['https://x.com/Evil_Mint/media', 'https://twitter.com/evil_mint', 'https://x.com/other_mint'];
    const blockedWith = async (families: readonly Family[]): Promise<readonly string[]> => {
      const source = lightPublishedSource({ url: 'https://list.example', fetch });
      const blocklist = createLightBlocklist({ source, families, pollMs: 0 });
      await blocklist.ready();
      const verdicts = await Promise.all(texts.map((text) => blocklist.check(text)));
      await blocklist.close();
      return texts.filter((_, at) => verdicts[at]!.status === 'blocked');
    };
    expect(await blockedWith([])).toEqual(texts.slice(0, 1));
    expect(await blockedWith(allFamilies)).toEqual(texts.slice(0, 2));
  });
});

describe('an override', () => {
  // It holds the account alone: with the link beside it, a later decision about another link would leave the earlier one in place.
  test('about one link to an account is replaced by a later one about another link', async () => {
    const source = textSource({ id: 'mine', text: 'https://x.com/Listed_Mint\n', isPublicSuffix });
    const blocklist = createBlocklist({ sources: [source], pollMs: 0 });
    await blocklist.ready();
    const links = ['https://x.com/Evil_Mint', 'https://twitter.com/evil_mint', 'twitter://user?screen_name=EVIL_MINT'];
    const actions = async (): Promise<string[]> => Promise.all(links.map(async (link) => (await blocklist.check(link)).action));
    await blocklist.block(links[0]!);
    expect(await actions()).toEqual(['block', 'block', 'block']);
    await blocklist.allow(links[1]!);
    expect(await actions()).toEqual(['allow', 'allow', 'allow']);
    await blocklist.allow('https://twitter.com/listed_mint?s=20');
    expect((await blocklist.check('https://x.com/Listed_Mint')).action).toBe('allow');
    await blocklist.close();
  });

  test.each([
    ['https://t.me/chan/123', 't.me/chan/123', 'https://t.me/chan'],
    ['https://github.com/acme/tool/issues/1', 'github.com/acme/tool/issues/1', 'https://github.com/acme/tool'],
    ['https://www.npmjs.com/package/tool/v/1.2.3', 'npmjs.com/package/tool/v/1.2.3', 'https://www.npmjs.com/package/tool'],
    ['https://x.com/name/status/12', 'twitter:twitter.com/i/status/12', 'https://x.com/name'],
  ])('about %s does not cover the account', async (link, expression, account) => {
    const source = textSource({ id: 'mine', text: `${account}\n`, isPublicSuffix });
    const blocklist = createBlocklist({ sources: [source], pollMs: 0 });
    await blocklist.ready();
    expect(await blocklist.allow(link)).toMatchObject({ expression });
    expect((await blocklist.check(link)).action).toBe('allow');
    expect((await blocklist.check(account)).action).toBe('block');
    await blocklist.close();
  });
});
