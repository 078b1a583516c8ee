import fc from 'fast-check';
import { parsePhoneNumber } from 'libphonenumber-js/max';
import { base32upper } from 'multiformats/bases/base32';
import { base36 } from 'multiformats/bases/base36';
import { base58btc } from 'multiformats/bases/base58';
import { CID } from 'multiformats/cid';
import * as digest from 'multiformats/hashes/digest';
import { detectAssets, expressionsOf, normalizeAsset } from 'portcullis/assets';
import { describe, expect, test } from 'vitest';

const phoneOf = (text: string): string | undefined => {
  const asset = normalizeAsset(text, { type: 'PHONE_NUMBER' });
  return 'canonical' in asset ? asset.canonical : undefined;
};

describe('a telephone number', () => {
  // Numbers set aside for fiction or examples, as their authorities list them.
  const fictional = [
    ...'+12025550142 +447700900123 +61491570156 +33199001234 +493023125123 +46317400609 +358401234567'.split(' '),
  ];
  const separator = fc.constantFrom('', ' ', '-', '.', '/', '\u00a0', '\u2011', ' (', ') ');

  test('is the same with any spacing, and agrees with libphonenumber', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...fictional),
        fc.constantFrom('+', '00', 'tel:+', '\uff0b', '(+'),
        separator,
        fc.nat(),
        (number, sign, mark, at) => {
          const code = parsePhoneNumber(number).countryCallingCode;
          const digits = number.slice(1 + code.length);
          const cut = at % digits.length;
          const text = `${sign}${code} ${digits.slice(0, cut)}${mark}${digits.slice(cut)}`;
          expect(phoneOf(text)).toBe(number);
          expect(phoneOf(number)).toBe(parsePhoneNumber(number).number);
        },
      ),
    );
  });

  test.each([
    ['+44 (0) 7700 900123', '+447700900123'],
    ['+4407700900123', '+447700900123'],
    ['+36 (0)1 234 5678', '+3612345678'],
    ['+225 07 01 23 45 67', '+2250701234567'],
    ['\u0660\u0660\u0664\u0664 \u0667\u0667\u0660\u0660 \u0669\u0660\u0660\u0661\u0662\u0663', '+447700900123'],
    ['+12025550142 ext. 5', '+12025550142'],
    ['viber://chat?number=%2B12025550142', '+12025550142'],
    ['viber://chat?number=12025550142', '+12025550142'],
    ['viber://chat/?number=+1202-555-0142&text=a', '+12025550142'],
    ['VIBER://add?x=1&number=0012025550142', '+12025550142'],
    ['viber://contact?number=%20%2B447700900123', '+447700900123'],
    ['viber://pa?chatURI=12025550142', undefined],
    ['viber://chat?text=a#number=12025550142', undefined],
    ['viber://chat?number=', undefined],
    ['+1202555014', undefined],
    ['+120255501420', undefined],
    ['+4400770090012', undefined],
    ['+', undefined],
    ['+1234567890123456', undefined],
    [`+${' '.repeat(100)}12025550142`, undefined],
  ])('%j is %s', (text, canonical) => {
    expect(phoneOf(text)).toBe(canonical);
  });

  test('is looked up with the chat it opens', () => {
    expect(expressionsOf('https://wa.me/12025550142').slice(0, 2)).toEqual([
      'whatsapp:wa.me/12025550142',
      'phone_number:+12025550142',
    ]);
    expect(expressionsOf('https://signal.me/#p/+12025550142')).toContain('phone_number:+12025550142');
  });
});

describe('a mailbox', () => {
  test.each([
    ['ex.am.ple@gmail.com', 'example@gmail.com'],
    ['EXAMPLE+shop@GoogleMail.com.', 'example@gmail.com'],
    ['ex.am.ple+a@evil.example', 'ex.am.ple+a@evil.example'],
    ['info@b\u00fccher.example', 'info@xn--bcher-kva.example'],
    ['info@evil.example:25', undefined],
    ['+a@gmail.com', undefined],
    [`${'a'.repeat(65)}@evil.example`, undefined],
    ['threads.com/@name', undefined],
    ['a?b@evil.example', undefined],
  ])('%j is %s', (text, canonical) => {
    const asset = normalizeAsset(text, { type: 'EMAIL' });
    expect('canonical' in asset ? asset.canonical : undefined).toBe(canonical);
  });

  test('is not a link, unless the caller asks for one', () => {
    expect(detectAssets('user@mail.example')).toEqual([{ type: 'EMAIL', canonical: 'user@mail.example' }]);
    expect(expressionsOf('user@mail.example')).toEqual(['email:user@mail.example']);
    expect(normalizeAsset('user@mail.example', { type: 'URL' })).toEqual({ type: 'URL', canonical: 'mail.example' });
    expect(detectAssets('user@mail.example/a').map(({ type }) => type)).toEqual(['PAGE', 'URL']);
  });
});

describe('content on IPFS', () => {
  const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });

  test('is the same in every version, alphabet and gateway, and agrees with multiformats', () => {
    fc.assert(
      fc.property(bytes, (hash) => {
        const v0 = CID.createV0(digest.create(0x12, hash));
        const v1 = v0.toV1();
        const canonical = v1.toString();
        const spellings = [
          ...[v0.toString(), canonical, v1.toString(base36), v1.toString(base58btc), v1.toString(base32upper)],
          ...[`ipfs://${v0}`, `IPFS://${canonical}/a?b`, `dweb:/ipfs/${v0}/a`, `/ipfs/${v0}`],
          ...[
            `https://gateway.example/ipfs/${v0}/readme`,
            `https://${canonical}.ipfs.gateway.example/`,
            `https://${v1.toString(base36)}.ipfs.dweb.link`,
          ],
        ];
        for (const text of spellings) expect(normalizeAsset(text, { type: 'IPFS' })).toEqual({ type: 'IPFS', canonical });
        for (const text of spellings) expect(detectAssets(text)).toContainEqual({ type: 'IPFS', canonical });
      }),
    );
  });

  test('differs by codec, and a key is an IPNS name', () => {
    fc.assert(
      fc.property(bytes, (hash) => {
        const key = CID.createV1(0x72, digest.create(0x12, hash));
        const canonical = `ipns/${key.toString(base36)}`;
        for (const text of [
          `ipns://${key}`,
          canonical,
          `https://gateway.example/ipns/${key}/a`,
          `https://${key}.ipns.dweb.link/`,
          key.toString(),
        ]) {
          expect(normalizeAsset(text, { type: 'IPFS' })).toEqual({ type: 'IPFS', canonical });
        }
      }),
    );
  });

  test.each([
    ['https://docs-example-com.ipns.dweb.link/', 'ipns/docs.example.com'],
    ['https://en-wikipedia--on--ipfs-org.ipns.dweb.link/wiki', 'ipns/en.wikipedia-on-ipfs.org'],
    ['ipns://Docs.Example.com/a', 'ipns/docs.example.com'],
    ['bafybeie5nqv6kd3qnfjupgvz34woh3oksc3iau6abmyajn7qvtf6d2ho', undefined],
    ['https://evil.example/ipfs/bafy', undefined],
  ])('%j is %s', (text, canonical) => {
    const asset = normalizeAsset(text, { type: 'IPFS' });
    expect('canonical' in asset ? asset.canonical : undefined).toBe(canonical);
  });
});

describe('a name', () => {
  test('is the same on its gateway, and is listed as a host', () => {
    for (const text of [
      ...'https://name.eth.limo/a name.eth.link ens://name.eth https://NAME.eth.limo https://name.eth.limo:443/'.split(' '),
    ]) {
      expect(expressionsOf(text)[0]).toBe('name.eth');
    }
    expect(expressionsOf('name.eth')).toEqual(['name.eth']);
    expect(expressionsOf('https://example.org/name.eth')).not.toContain('name.eth');
  });

  test('is a BASENAME in every spelling if it is below base.eth', () => {
    for (const text of [
      ...'https://www.base.org/name/Example Example.base.eth https://example.base.eth.limo/ ens:example.base.eth'.split(' '),
    ]) {
      expect(detectAssets(text)).toContainEqual({ type: 'BASENAME', canonical: 'example.base.eth' });
    }
    const unicode = ['b\u00fccher.base.eth', 'https://base.org/name/b\u00fccher', 'https://base.org/name/B%C3%9CCHER.base.eth'];
    for (const text of unicode) expect(expressionsOf(text)[0]).toBe('basename:xn--bcher-kva.base.eth');
  });
});

describe('an asset inside a link', () => {
  const address = '0x52908400098527886E0F7030069857D2E4169EE7';

  test.each([
    `https://debank.com/profile/${address}`,
    `https://zapper.xyz/account/${address}`,
    `https://opensea.io/${address}`,
    `https://opensea.io/assets/matic/${address}/1`,
    `https://rarible.com/user/${address}`,
    `https://zora.co/collect/base:${address}/1`,
  ])('is looked up first, as a separate target, in %s', (text) => {
    expect(expressionsOf(text)[0]).toBe(`address:${address.toLowerCase()}`);
  });

  test('is looked up before its web archive snapshot, with the page above it and the hosts', () => {
    expect(expressionsOf('https://web.archive.org/web/2024id_/http://www.login.evil.example/a/b').slice(0, 6)).toEqual([
      ...'login.evil.example/a/b login.evil.example/a www.login.evil.example login.evil.example evil.example'.split(' '),
      'archive_org:web.archive.org/web/2024/login.evil.example/a/b',
    ]);
  });
});
