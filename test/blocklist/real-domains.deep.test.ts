import { createBlocklist } from 'portcullis';
import { textSource } from 'portcullis/sources';
import { expect, test } from 'vitest';
import { findFirefox, isFirefoxWaived } from '../../tools/find-firefox.js';
import { accountSpellings } from '../core/platforms/account-spellings.js';
import { preloadedDomains } from '../support/preloaded-domains.js';

test.skipIf(isFirefoxWaived)(
  'a list of accounts on platforms, of pages on real domains and of hosts that look like them blocks no real domain',
  async () => {
    const domains = preloadedDomains(findFirefox()!);
    expect(domains.length).toBeGreaterThan(100_000);
    const rows = [
      ...accountSpellings.flatMap(({ row, spellings }) => [row, ...spellings.flatMap(([, ...texts]) => texts)]),
      ...domains.flatMap((domain, at) => [
        ...(at % 7 === 0 ? [`login-${domain}`, `${domain}.claim.example`] : []),
        ...(at % 5 === 0 ? [`https://${domain}/claim/airdrop`] : []),
      ]),
    ];
    const isPublicSuffix = (): boolean => false;
    const source = textSource({ id: 'mine', text: rows.join('\n'), isPublicSuffix });
    const blocklist = createBlocklist({ sources: [source], pollMs: 0 });
    await blocklist.ready();
    const forms = ['', 'https://', 'https://www.'].map((before) => (domain: string) => before + domain);
    const texts = [...forms, (domain: string) => `https://${domain}/claim?next=/claim/airdrop#a@b`];
    const notClear = domains
      .flatMap((domain) => texts.map((form) => form(domain)))
      .filter((text) => blocklist.test(text).status !== 'clear');
    expect(notClear).toEqual([]);
    expect(blocklist.test(`https://login-${domains[0]!}/`).status).not.toBe('clear');
    expect(blocklist.test(`https://${domains[5]!}/claim/airdrop?x`).status).not.toBe('clear');
    await blocklist.close();
  },
);
