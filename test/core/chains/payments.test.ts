import { bech32, bech32m } from 'bech32';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAssets } from '../../../src/core/algorithms/create-assets.js';
import { allFamilies } from '../../../src/core/assets/all-families.js';
import { payments } from '../../../src/core/assets/chains/chains.js';
import { expectLinearTime } from '../../support/growth.js';
import { bech32Letters } from './kind.js';

const { detectAssets, normalizeAsset } = createAssets({ families: allFamilies });

const targets = (text: string): readonly string[] => payments.targetsIn!({ text, hint: {} });
const read = (text: string): string | undefined => payments.read({ text, hint: {} })[0]?.canonical;

const lnurl = (link: string): string => bech32.encode('lnurl', bech32.toWords(Buffer.from(link)), 5000);

/** The examples of BOLT 11 and BOLT 12, and of LUD-01. */
const invoice =
  'lnbc2500u1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpuaztrnwngzn3kdzw5hydlzf03qdgm2hdq27cqv3agm2awhz5se903vruatfhq77w3ls4evs3ch9zw97j25emudupq63nyw24cg27h2rspfj9srp';
const anyAmount =
  'lnbc1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdpl2pkx2ctnv5sxxmmwwd5kgetjypeh2ursdae8g6twvus8g6rfwvs8qun0dfjkxaq8rkx3yf5tcsyz3d73gafnh3cax9rn449d9p5uxz9ezhhypd0elx87sjle52x86fux2ypatgddc6k63n7erqz25le42c4u4ecky03ylcqca784w';
const offer =
  'lno1qcp4256ypqpq86q2pucnq42ngssx2an9wfujqerp0y2pqun4wd68jtn00fkxzcnn9ehhyec6qgqsz83qfwdpl28qqmc78ymlvhmxcsywdk5wrjnj36jryg488qwlrnzyjczlqs85ck65ycmkdk92smwt9zuewdzfe7v4aavvaz5kgv9mkk63v3s0ge0f099kssh3yc95qztx504hu92hnx8ctzhtt08pgk0texz0509tk';
const publishedLnurl =
  'LNURL1DP68GURN8GHJ7UM9WFMXJCM99E3K7MF0V9CXJ0M385EKVCENXC6R2C35XVUKXEFCV5MKVV34X5EKZD3EV56NYD3HXQURZEPEXEJXXEPNXSCRVWFNV9NXZCN9XQ6XYEFHVGCXXCMYXYMNSERXFQ5FNS';
const service = 'https://service.com/api?q=3fc3645b439ce8e7f2553a69e5267081d96dcd340693afabe04be7b0ccd178df';

const token = '0x6b175474e89094c44da98b954eedeac495271d0f';
const recipient = '0x5290084d6acd01ab9f1d2ea5e8bdcc5bd0cb5ba4';
const solana = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const stellar = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
/** The examples of BIP-352 and BIP-351. */
const silent =
  'sp1qqgste7k9hx0qftg6qmwlkqtwuy6cycyavzmzj85c6qdfhjdpdjtdgqjuexzk6murw56suy3e0rd2cgqvycxttddwsvgxe2usfpxumr70xc9pkqwv';
const paymentCode = 'pay1qqpsxq4730l4yre4lt3588eyt3f2lwggtfalvtgfns04a8smzkn7yys6xv2gs8';
/** An example of Elements: a script with and without its blinding key. */
const confidential = 'lq1qqf8er278e6nyvuwtgf39e6ewvdcnjupn9a86rzpx655y5lhkt0walu3djf9cklkxd3ryld97hu8h3xepw7sh2rlu7q45dcew5';
const unconfidential = 'ex1q7gkeyjut0mrxc3j0kjlt7rmcnvsh0gt45d3fud';
const zcash = 't3Vz22vK5z2LcKEdg16Yv4FFneEL1zg9ojd';

describe('Lightning', () => {
  test.each([invoice, anyAmount, offer])('an invoice or an offer is one asset in every spelling: %s', (word) => {
    const upper = word.toUpperCase();
    for (const text of [word, upper, `lightning:${word}`, `LIGHTNING:${upper}`, `lightning://${word}?x=1`, ` ${word}\n`]) {
      expect(normalizeAsset(text), text).toEqual({ type: 'ADDRESS', canonical: word });
      expect(normalizeAsset(text, { type: 'EMAIL' })).toHaveProperty('refused');
    }
  });

  test.each(['lnbc', 'lntb20m', 'lntbs1n', 'lnbcrt5p', 'lnsb'])(
    'an invoice of %s with one letter changed is not one',
    (prefix) => {
      fc.assert(
        fc.property(
          fc.uint8Array({ minLength: 60, maxLength: 200 }),
          fc.nat(),
          fc.constantFrom(...bech32Letters),
          (data, at, letter) => {
            const word = bech32.encode(prefix, bech32.toWords(data), 1000);
            expect(read(word)).toBe(word);
            const place = prefix.length + 1 + (at % (word.length - prefix.length - 1));
            if (word[place] === letter) return;
            expect(read(word.slice(0, place) + letter + word.slice(place + 1))).toBeUndefined();
            expect(read(bech32m.encode(prefix, bech32.toWords(data), 1000))).toBeUndefined();
          },
        ),
      );
    },
  );

  test.each([publishedLnurl, `lightning:${publishedLnurl}`, publishedLnurl.toLowerCase(), `lightning:${publishedLnurl}?x#y`])(
    'the link in an LNURL is a target: %s',
    (text) => {
      expect(targets(text)).toEqual([service]);
      expect(read(text)).toBeUndefined();
    },
  );

  test('any link in an LNURL is a target, and none in a mistyped one', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^https:\/\/[a-z]{5,20}\.example\/[a-z0-9?=&]{9,60}$/),
        fc.nat(),
        fc.constantFrom(...bech32Letters),
        (link, at, letter) => {
          const word = lnurl(link);
          expect(targets(word)).toEqual([link]);
          const place = 6 + (at % (word.length - 6));
          if (word[place] !== letter) expect(targets(word.slice(0, place) + letter + word.slice(place + 1))).toEqual([]);
        },
      ),
    );
  });

  test.each([
    ['lnurlp://evil.example/x?y=1', 'https://evil.example/x?y=1'],
    ['lnurlw://evil.example', 'https://evil.example'],
    ['LNURLC://evil.example', 'https://evil.example'],
    ['keyauth://evil.example/login', 'https://evil.example/login'],
    ['lightning:bob@evil.example', 'bob@evil.example'],
    ['lightning:bob%40evil.example', 'bob@evil.example'],
    [`bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa?amount=1&lightning=${invoice}`, invoice],
    [`bitcoin:?lno=${offer}`, offer],
    [`https://evil.example/pay?id=1&lightning=${publishedLnurl}`, publishedLnurl],
    [`evil.example/?LIGHTNING=${publishedLnurl}#x`, publishedLnurl],
  ])('%s has a target', (text, target) => {
    expect(targets(text)).toEqual([target]);
  });
});

describe('a payment request', () => {
  test.each([
    [`solana:https://evil.example/pay`, 'https://evil.example/pay'],
    [`SOLANA:https%3A%2F%2Fevil.example%2Fpay%3Forder%3D1`, 'https://evil.example/pay?order=1'],
    [`solana-action:https://evil.example/donate`, 'https://evil.example/donate'],
    [`web+stellar:pay?destination=${stellar}&amount=1`, stellar],
    [`zcash:?address=${zcash}`, zcash],
    [`bitcoin:?sp=${silent}`, silent],
    [`BITCOIN:?AMOUNT=1&REQ-SP=${silent.toUpperCase()}`, silent.toUpperCase()],
    [`bitcoin:?pay=${paymentCode}`, paymentCode],
    [`ethereum:${token}@1/transfer?address=name.eth`, 'name.eth'],
    [`ethereum:${token}@1/transfer?address=${recipient.replace('0x', '%30x')}`, recipient],
  ])('%s has a target', (text, target) => {
    expect(targets(text)).toEqual([target]);
  });

  test('names several recipients', () => {
    expect(targets(`zcash:?address=${zcash}&amount=1&address.1=x&memo.1=y&address.2=z`)).toEqual([zcash, 'x', 'z']);
    expect(targets(`web+stellar:tx?xdr=A&callback=url%3Ahttps%3A%2F%2Fevil.example%2Fsign`)).toEqual([
      'https://evil.example/sign',
    ]);
    expect(targets(`zcash:?${'address=x&'.repeat(100)}`)).toEqual(['x']);
    const many = Array.from({ length: 1_000 }, (_, at) => `address=x${at}`);
    // One more than are read, so that the text is unreadable.
    expect(targets(`zcash:?${many.join('&')}`)).toHaveLength(513);
  });

  test.each([
    `solana:${solana}?amount=1&memo=a@evil.example`,
    `solana:${solana}?label=https://evil.example`,
    `https://evil.example/?address=${recipient}&destination=x&callback=y`,
    'https://evil.example/?lightning=yes',
    'evil.example?address=x',
    `bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa?label=address`,
    // BIP-321: a wallet opens `pop` after it has paid, and must refuse what opens in a browser.
    'bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa?pop=https%3A%2F%2Fevil.example%2F&req-pop=app%3A',
    `bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa?xsp=${silent}`,
    publishedLnurl.replace('LNURL1DP', 'LNURL1DQ'),
    'lnurl',
    'lightning:',
    'solana:',
    '',
  ])('%s has no target of its own', (text) => {
    expect(targets(text)).toEqual([]);
  });

  test.each([
    [`solana:${solana}?amount=1&spl-token=So11111111111111111111111111111111111111112`, [solana]],
    [`ethereum:${token}@1/transfer?address=${recipient}&uint256=1`, [recipient, token]],
    [`ronin:${recipient.slice(2)}`, [recipient]],
    [`ronin:${recipient}`, [recipient]],
    [`xdc:${recipient}`, [recipient]],
    [`bitcoin:${zcash}?sp=${silent.toUpperCase()}&pay=${paymentCode}`, [silent, paymentCode, zcash]],
    [`liquidnetwork:${confidential.toUpperCase()}?assetid=6f02&amount=1`, [unconfidential]],
    [
      'conflux:CFX:TYPE.USER:AARC9ABYCUE0HHZGYRR53M6CXEDGCCRMMYYBJGH4XG?amount=1',
      ['cfx:aarc9abycue0hhzgyrr53m6cxedgccrmmyybjgh4xg'],
    ],
  ])('%s pays an address', (text, addresses) => {
    expect(detectAssets(text)).toEqual(addresses.map((canonical) => ({ type: 'ADDRESS', canonical })));
  });

  test.each([
    'ethereum:Name.eth',
    'ethereum:name.eth@1?value=1e18',
    'ethereum://pay-name.eth@0x1/transfer?uint256=1',
    'ethereum:name.eth/transfer',
    'ens:name.eth',
  ])('%s pays a name', (text) => {
    expect(detectAssets(text)).toEqual([{ type: 'URL', canonical: 'name.eth' }]);
  });

  test('pays a Basename too if its name is below base.eth', () => {
    expect(detectAssets('ethereum:alice.base.eth@8453')).toEqual([
      { type: 'BASENAME', canonical: 'alice.base.eth' },
      { type: 'URL', canonical: 'alice.base.eth' },
    ]);
  });

  test.each(['ethereum:name.example', 'ethereum:user@name.example', 'ethereum:eth', 'ethereum:'])(
    '%s does not pay a name',
    (text) => {
      expect(detectAssets(text)).toEqual([]);
    },
  );
});

test('Starknet names are read like hosts, because DNS has no .stark', () => {
  expect(detectAssets('Alice.Stark')).toEqual([{ type: 'URL', canonical: 'alice.stark' }]);
});

test.each([
  ['parameters', 'a:?', '&address=x'],
  ['escapes', 'solana:', '%25'],
  ['an invoice', 'lnbc1', 'q'],
  ['an LNURL', 'lnurl1', 'q'],
  ['a name', 'ethereum:', 'a@'],
  ['names of Ethereum', 'ethereum:', '.eth@1'],
  ['colons', '', 'a:'],
  ['a query', 'https://a.example/?', 'lightning=ln&'],
])('a long text takes time in proportion to its length: %s', (_, start, part) => {
  expectLinearTime(
    (text) => [detectAssets(text), targets(text)],
    (size) => start + part.repeat(size / part.length),
  );
});
