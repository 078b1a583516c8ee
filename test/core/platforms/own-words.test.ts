import { detectAssets } from 'portcullis/assets';
import { expect, test } from 'vitest';
import { platformTables } from '../../../src/core/assets/all-families.js';
import { parseHosts } from '../../../src/core/assets/platforms/platform-rules.js';

const platformRows = platformTables.flat().map(([type, hosts, , reserved = '']) => ({
  type,
  hosts: parseHosts(hosts),
  words: reserved.split(' ').filter((word) => word !== ''),
}));

const isNamed = (link: string, type: string): boolean => detectAssets(link).some((asset) => asset.type === type);

test('a word that a platform reserves is not an account there', () => {
  const links = platformRows.flatMap(({ type, hosts, words }) =>
    words.flatMap((word) => {
      const host = hosts.find((name) => !name.startsWith('*'));
      const wildcard = hosts.find((name) => name.startsWith('*'));
      return [
        ...(host === undefined || word.startsWith('*') ? [] : [[`https://${host}/${word}`, type] as const]),
        ...(wildcard === undefined ? [] : [[`https://${word.replace('*', '')}${wildcard.slice(1)}/`, type] as const]),
      ];
    }),
  );
  expect(links.length).toBeGreaterThan(800);
  expect(links.filter(([link, type]) => isNamed(link, type))).toEqual([]);
});

test('a word that only other platforms reserve is an account', () => {
  const words =
    'about search login settings explore signup help terms blog privacy home notifications contact pricing discover features api messages legal join';
  const withRootNames =
    'TWITTER FACEBOOK INSTAGRAM PATREON PINTEREST GITHUB TWITCH VIMEO DAILYMOTION SOUNDCLOUD BEHANCE DEVIANTART BANDCAMP FIVE_HUNDRED_PX LUMA CALENDLY OPENSEA RARIBLE GALXE ISSUU PRIMAL FARCASTER TELEGRAM TAWK_TO MEDIUM';
  const names = platformRows
    .filter(({ type }) => withRootNames.split(' ').includes(type))
    .flatMap(({ type, hosts, words: own }) =>
      words.split(' ').flatMap((word) => (own.includes(word) ? [] : [[`https://${hosts[0]}/${word}`, type] as const])),
    );
  // `api` is too short for some platforms.
  const missed = names.filter(([link, type]) => !isNamed(link, type) && !link.endsWith('/api'));
  expect(missed).toEqual([]);
  expect(names.length).toBeGreaterThan(250);
});
