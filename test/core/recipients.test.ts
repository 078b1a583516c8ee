import { createBlocklist, type Verdict } from 'portcullis';
import { textSource } from 'portcullis/sources';
import { beforeAll, describe, expect, test } from 'vitest';

/** Whoever gets the mail, the message or the money is a target of its own, in every place where a client takes one from. */

const cid = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG';
const segwit = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
const legacy = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT';
const silent =
  'sp1qqgste7k9hx0qftg6qmwlkqtwuy6cycyavzmzj85c6qdfhjdpdjtdgqjuexzk6murw56suy3e0rd2cgqvycxttddwsvgxe2usfpxumr70xc9pkqwv';
const liquid = 'ex1q7gkeyjut0mrxc3j0kjlt7rmcnvsh0gt45d3fud';
const rows = [
  'scam-drop.eth',
  'dnslink.example',
  'mailto:evil@scam.example',
  `ipfs://${cid}`,
  `bitcoin:${segwit}`,
  silent,
  liquid,
  'tel:+12025550142',
];

let check: (text: string) => Promise<Verdict>;
beforeAll(async () => {
  const blocklist = createBlocklist({ sources: [textSource({ id: 'text', text: rows.join('\n') })], pollMs: 0 });
  await blocklist.ready();
  check = blocklist.check;
});

describe('blocks a listed one', () => {
  test.each([
    'mailto:good@x.example,evil@scam.example',
    'mailto:good@x.example;evil@scam.example',
    'mailto:good@x.example%2Cevil@scam.example',
    'mailto:good@x.example, Evil%20%3Cevil@scam.example%3E',
    'MAILTO:?TO=evil@scam.example',
    'mailto:good@x.example?subject=a&cc=evil%40scam.example',
    'mailto:good@x.example?bcc=c@d.example,evil@scam.example&body=x',
    'mailto:good@x.example&bcc=evil@scam.example',
    `bitcoin:${legacy}?bc=${segwit}`,
    `bitcoin:?bc=${segwit.toUpperCase()}`,
    `BITCOIN:?amount=1&req-bc=${segwit}`,
    `bitcoin:${legacy}?sp=${silent}`,
    `BITCOIN:?SP=${silent.toUpperCase()}`,
    `bitcoin:?req-sp=${silent}&pop=app%3A`,
    'liquidnetwork:lq1qqf8er278e6nyvuwtgf39e6ewvdcnjupn9a86rzpx655y5lhkt0walu3djf9cklkxd3ryld97hu8h3xepw7sh2rlu7q45dcew5?amount=1',
    `mailto:${'a@x.example,'.repeat(200)}evil@scam.example`,
    `mailto:${Array.from({ length: 500 }, (_, at) => `a${at}@x.example`).join(',')},evil@scam.example`,
    `mailto:a@x.example?${'cc=a@x.example&'.repeat(100)}bcc=evil@scam.example`,
    `mailto:a@x.example?subject=a&amp;bcc=evil@scam.example`,
    `mailto:evil@scam.example?subject=${'x'.repeat(20_000)}`,
    `mailto:a@x.example?subject=${'x'.repeat(20_000)}&bcc=evil@scam.example`,
    `bitcoin:?${`bc=${legacy}&`.repeat(100)}bc=${segwit}`,
    'sms:+442071838750,+12025550142?body=hi',
    'smsto:+442071838750;+12025550142',
    'sms:+442071838750,%2B12025550142',
    'ipns://scam-drop.eth',
    'https://dweb.link/ipns/scam-drop.eth/x',
    'https://dweb.link/ipns/www.dnslink.example',
    'https://scam--drop-eth.ipns.dweb.link/',
    'https://app.ens.domains/scam-drop.eth',
    'https://app.ens.domains/name/Scam-Drop.eth/details',
    'https://metamask.app.link/send/scam-drop.eth@1?value=1e18',
    'https://link.metamask.io/send/pay-scam-drop.eth@0x1',
    'https://opensea.io/scam-drop%2Eeth',
    'https://et%68erscan.io/address/SCAM-DROP.ETH',
    'https://rainbow.me/Scam-Drop.Eth',
    'https://goerli.etherscan.io/address/scam-drop.eth',
    `http://127.0.0.1:8080/ipfs/${cid}`,
    `http://[::1]:8080/ipfs/${cid}/readme`,
    `http://localhost:8080/ipfs/${cid}`,
    `https://LocalHost./ipfs/${cid}?x`,
    'http://bafybeie5nqv6kd3qnfjupgvz34woh3oksc3iau6abmyajn7qvtf6d2ho34.ipfs.localhost:8080/',
  ])('%s', async (text) => {
    expect(await check(text)).toMatchObject({ status: 'blocked' });
  });
});

test.each([
  [`mailto:${Array.from({ length: 600 }, (_, at) => `a${at}@x.example`).join(',')}`, 'unknown', 'unreadable'],
  ['mailto:good@x.example,%%%', 'unknown', 'unreadable'],
  ['mailto:good@x.example?cc=nobody', 'unknown', 'unreadable'],
  [`sms:${'+442071838750,'.repeat(100)}+12025550142`, 'unknown', 'unreadable'],
  ['mailto:good@x.example,fine@y.example', 'clear', 'not-listed'],
  ['mailto:good@x.example?subject=evil@scam.example', 'clear', 'not-listed'],
  ['mailto:good@x.example,', 'clear', 'not-listed'],
  ['sms:+442071838750;ext=3', 'clear', 'not-listed'],
  [`bitcoin:${legacy}?amount=1&label=bc`, 'clear', 'not-listed'],
  [`bitcoin:${legacy}?amount=1&label=sp&pop=app%3A`, 'clear', 'not-listed'],
  [`bitcoin:${legacy}?sp=sp1qq`, 'unknown', 'unreadable'],
  [`http://127.0.0.1:8080/ipfs/${cid.slice(0, -1)}H`, 'not-listable', 'private-address'],
  ['http://127.0.0.1/mailto:evil@scam.example', 'not-listable', 'private-address'],
  ['https://opensea.io/collection/scam-drop-eth', 'clear', 'not-listed'],
  ['https://good.example/scam-drop.eth', 'clear', 'not-listed'],
  ['http://localhost/', 'not-listable', 'not-a-host'],
])('%s is %s: %s', async (text, status, reason) => {
  expect(await check(text)).toMatchObject({ status, reason });
});
