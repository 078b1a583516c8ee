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

test('a code behind a letter is not the account with that letter', () => {
  const merged = platformRows.flatMap(({ type, hosts }) =>
    hosts
      // What is behind the name of a package is a file or a version of it.
      .filter((host) => !/^[*~]/.test(host) && !['NPM', 'RUST_PACKAGE', 'HEX', 'DOCKER_HUB', 'PYPI'].includes(type))
      .flatMap((host) =>
        [...'abcdefghijklmnopqrstuvwxyz'].flatMap((letter) => {
          const [account] = detectAssets(`https://${host}/${letter}`).filter((asset) => asset.type === type);
          const link = `https://${host}/${letter}/AbCdEfGhIjKlMnOp9`;
          const [first] = detectAssets(link).filter((asset) => asset.type === type);
          return account !== undefined && first?.canonical === account.canonical ? [link] : [];
        }),
      ),
  );
  expect(merged).toEqual([]);
});

test('a profile that is named by an address is looked up by the address too', () => {
  const address = '0x52908400098527886e0f7030069857d2e4169ee7';
  const missed = [
    ...[
      'opensea.io/profile',
      'opensea.io/accounts',
      'opensea.io',
      'testnets.opensea.io',
      'debank.com/profile',
      'debank.com/user',
    ],
    ...['debank.com/account', 'rarible.com/user', 'zapper.xyz/account', 'zapper.xyz/profile', 'zapper.xyz/bundle', 'zora.co'],
  ].filter((place) => !detectAssets(`https://${place}/${address}`).some(({ canonical }) => canonical === address));
  expect(missed).toEqual([]);
});
