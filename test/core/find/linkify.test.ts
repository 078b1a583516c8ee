import { LinkifyIt } from 'linkify-it';
import { expect, test } from 'vitest';
import { findAssets } from '../../../src/core/find/find-all.js';

const linkify = new LinkifyIt();

/** Chats and emails as people write them, one per line; hosts are reserved names. */
const corpus = `
Meeting notes are at https://docs.example.com/notes/2024-01-31, please read them before Friday.
https://example.com
https://example.com/
See (https://example.com/a_(b)) or [https://example.com/c], or <https://example.com/d>.
"https://example.com/quoted" and 'https://example.com/single' and \`https://example.com/code\`
Is it https://example.com/really? Yes: https://example.com/yes! No; https://example.com/no...
Login at http://login.example.org:8443/path/to/page.html?session=abc123&next=%2Fhome#top now
FTP lives: ftp://files.example.net/pub/readme.txt, as does http://user:secret@example.net/private
**https://example.com/bold** and _https://example.com/under_score_ and ~https://example.com/~user
[markdown](https://example.com/md "title") ![image](https://img.example.com/i.png)
<a href="https://example.com/html?a=1&b=2">text</a>
http://192.0.2.7/router and http://[2001:db8::1]/six
https://xn--bcher-kva.example/x and https://bücher.example/straße and https://пример.example/путь
https://example.com/emoji?q=1+1=2&r[]=3&s={4} and https://example.com/comma,separated,path
https://example.com/a;b=c;d and https://example.com/semi; https://example.com/it's
https://example.com/very/long/${'segment/'.repeat(40)}end
HTTPS://EXAMPLE.COM/UPPER and Http://Example.Com/Mixed
first:https://example.com/colon second=https://example.com/equals third|https://example.com/pipe|
- https://example.com/list
1. https://example.com/numbered
> https://example.com/cited
https://example.com/trailing-dash- and https://example.com/star* and https://example.com/under_
https://example.com/search?q=a%20b%E2%9C%93 https://example.com/hash#/route/1?x=y https://example.com/#
https://example.com:8080 https://example.com?query https://example.com#fragment
https://example.com/unicode…ellipsis https://example.com/dash—em https://example.com/quote’s
查看 https://example.com/空格 谢谢
https://example.com/one,https://example.com/two
https://example.com/party🎉 https://example.com/中文a中文
https://localhost/x https://intranet http://a.b
`;

/** What linkify-it finds, what the finder finds, and the reason for the difference. */
const differences: readonly (readonly [theirs: string, ours: string | null, reason: string])[] = [
  [
    'http://user',
    'http://user:secret@example.net/private',
    'a browser goes to what stands behind the user, and scams are written so',
  ],
  ['https://example.com/bold**', 'https://example.com/bold', 'emphasis'],
  ['https://example.com/star*', 'https://example.com/star', 'a footnote, far more often than a path'],
  [
    'https://example.com/one,https://example.com/two',
    'https://example.com/one',
    'a list without spaces; the second is found, too',
  ],
  ['https://example.com/party🎉', 'https://example.com/party', 'emoji stand beside links; a copied one is written in escapes'],
  ['https://example.com/中文a中文', 'https://example.com/中文a', 'prose without spaces goes on behind a link'],
  ['https://localhost/x', null, 'no list can hold it'],
  ['https://intranet', null, 'no list can hold it'],
];

test('finds every link that linkify-it finds, with the same bounds except for the listed differences', () => {
  const ours = new Map(findAssets(corpus).map((found) => [found.start, found.text]));
  const theirs = (linkify.match(corpus) ?? []).filter(({ schema }) => /^(?:https?|ftp):$/.test(schema));
  expect(theirs.length).toBeGreaterThan(50);
  const differing = theirs.filter(({ index, raw }) => ours.get(index) !== raw);
  expect(differing.map(({ index, raw }) => [raw, ours.get(index) ?? null]).sort()).toEqual(
    differences.map(([raw, ours]) => [raw, ours]).sort(),
  );
  expect([...ours.values()]).toContain('https://example.com/two');
});
