import { expressionsOf } from 'portcullis/assets';
import { expect, test } from 'vitest';

/** The smallest texts on which the library and a second client, written from docs/algorithm.md alone, differed. */
test.each([
  ['a code of Flickr with a letter that is no digit', 'https://flic.kr/p/2nExmpl', 'flickr:', false],
  ['a note of 64 characters that are not hex', `nostr:note1${'q'.repeat(59)}`, 'primal:', false],
  ['a host that begins with 0x', '0xL.substack.com', 'substack:0xl.substack.com', true],
  ['a name that begins with 0x', '0xff#1234', 'discord_user:0xff#1234', true],
  ['a text of 42 characters that begins with 0x', `0x7f.base.eth/${'a'.repeat(28)}`, 'basename:0x7f.base.eth', true],
  ['a name of ENS in capital letters', 'https://rainbow.me/a.ETH', 'a.eth', true],
  ['a name of ENS on a host with an escape', 'https://et%68erscan.io/w.eth', 'w.eth', true],
  ['a full-width letter in a name of ENS', 'k.e\uff54h.limo', 'k.eth', true],
  ['every domain above a name on a gateway', 'https://a.b.c.d.e.eth.limo', 'e.eth', true],
  ['twelve words with a comma', 'a.b.c.d.e.f.g.h.i.j.k,.example', 'k,.example', false],
  ['a blob with edge characters at its end', 'blob:http://a.example\u00ad\u0080', 'a.xn--example-ha', true],
  ['a mailbox on the host of a platform', 'user@foo.substack.com', 'substack:foo.substack.com', false],
  ['a mailbox on the host of a redirector', 'user@foo-example.translate.goog', 'foo.example', false],
  ['an escaped trunk 0', 'tel:+48%280%29301234567', 'phone_number:+48301234567', true],
  ['a full-width trunk 0', '+48\uff080\uff09301234567', 'phone_number:+48301234567', true],
  ['a full-width colon', 'tel\uff1a+2015300123', 'phone_number:+2015300123', true],
  ['a full-width letter in a scheme', 'sm\uff53:+2015300123', 'phone_number:+2015300123', true],
  ['an account after one that comes twice', 'github.com/aa/bb%2F..%2F..%2Fcc%2Fdd%20', 'github:github.com/cc/dd', true],
  [
    'the last number of a chat',
    'viber://chat?number=%2B12025550141&number=%2B12025550142&number=',
    'phone_number:+12025550142',
    true,
  ],
  ['a mailbox with an invisible character', 'ma\u200bilto:a@b.example?x>', 'b.example', false],
  ['an escaped colon without a scheme', 'at%3a//y.example', 'bluesky:', false],
  ['a host with twelve labels and backslashes', '\\\\a.b.c.d.e.f.g.h.i.j.k.l.example\\m\\\u202f', 'l.example', true],
  ['a mailbox that is paid an amount', 'lightning:a@b.example?amount=1', 'email:a@b.example', true],
  [
    'an identifier of IPFS with a number that is not the shortest',
    `ipfs:f0155129480${'01'}${'14'.padEnd(40, '0')}`,
    'ipfs:',
    false,
  ],
])('%s', (_, text, expression, isRead) => {
  const found = expressionsOf(text).filter((one) => (expression.endsWith(':') ? one.startsWith(expression) : one === expression));
  expect(found).toHaveLength(isRead ? 1 : 0);
});

test('a key before a mailbox is not hashed, with a space before the @ either', () => {
  const key = 'TLizVS7dFiFBLswT28473LhGunWmbGhuvF5TnJVVMrEmdKbL4J6u';
  const mailboxes = [`<${key}@e.example>`, `<${key} @e.example>`, `${key}@e.example`];
  const lists = [
    `mailto:${key}@b.example?cc=x@y.example`,
    `mailto:%54${key.slice(1)}@b.example`,
    `mailto:x@y.example,${key}@b.example`,
  ];
  for (const text of [...mailboxes, ...lists, `mailto:?bcc=${key}%40b.example`]) expect(expressionsOf(text), text).toEqual([]);
});

test('no expression comes twice', () => {
  const address = `0x${'5a'.repeat(20)}`;
  for (const text of [`ethereum:${address}?address=${address}`, 'ens:l.eth\\%E2%80%8B', 'https://k.eth.limo/']) {
    const all = expressionsOf(text);
    expect(new Set(all).size, text).toBe(all.length);
  }
});
