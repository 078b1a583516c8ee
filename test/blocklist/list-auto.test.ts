import { buildList } from 'portcullis/publish';
import { textSource } from 'portcullis/sources';
import { expect, test } from 'vitest';
import { allReaders } from '../../src/blocklist/lists/all-readers.js';
import { formatOf, maxSampleLength } from '../../src/blocklist/lists/auto.js';

/** Texts that are no lists, or name sites in another sense. All of them mention good.example. */
const noLists: Readonly<Record<string, string>> = {
  'an access log': `127.0.0.1 - - [22/Nov/2026:10:00:00 +0000] "GET https://good.example/ HTTP/1.1" 200\n::1 - - [22/Nov/2026:10:00:01 +0000] "GET http://good.example/a HTTP/1.1" 200 5 "https://good.example/" "Mozilla/5.0"`,
  'a proxy log':
    '1764000000.123 57 192.0.2.1 TCP_MISS/200 1024 GET https://good.example/ - DIRECT/192.0.2.2 text/html\n1764000001.456 57 192.0.2.1 TCP_MISS/200 1024 GET https://good.example/b - DIRECT/192.0.2.2 text/html',
  'an application log':
    '2026-11-22 10:00:00 INFO fetched https://good.example/ in 12 ms\n2026-11-22T10:00:01Z WARN https://good.example/ is slow',
  'a mail': 'From: a@good.example\nTo: b@good.example\nSubject: hello\n\nPlease see https://good.example/ for details.\n',
  'a README':
    '# Good\n\nVisit [good](https://good.example/).\n\n- fast and free\n- see https://good.example/docs for more\n\n| a | b |\n|---|---|\n| good.example | yes |\n',
  'an HTML page': '<!doctype html>\n<html><head><base href="https://good.example/">\n</head><body>good.example</body></html>\n',
  'a page without a doctype': '<p>\n<a href="https://good.example/">good.example</a>\n</p>\n',
  prose: 'good.example is a good site.\nEverybody should visit good.example today, and tell others.\n',
  'a CSV header alone': 'site,owner,good\n',
  'a CSV with two names in each row': 'target,phish\ngood.example,https://evil.example/\ngood.example,https://b.example/\n',
  'a CSV of ranks': '1,good.example\n2,other-good.example\n3,third-good.example\n',
  'a CSV with an unknown header': 'name;homepage\nGood;https://good.example/\nOther;https://other.example/\n',
  'a CSV of verdicts that are good': 'url,verdict\ngood.example,benign\nhttps://good.example/a,clean\n',
  'a JSON document': '{"name":"good","homepage":"https://good.example/","bugs":{"url":"https://good.example/bugs"}}',
  'JSON with inner lists': '{"data":{"domains":["good.example"]},"version":1}',
  'JSON with an allowlist alone': '{"whitelist":["good.example"]}',
  'JSON with sites as names': '{"good.example":["0x52908400098527886e0f7030069857d2e4169ee7"]}',
  'a YAML configuration': 'server:\n  host: good.example\n  port: 80\nupstreams:\n  - url: https://good.example/\n',
  'a YAML configuration of names': 'domains:\n  - good.example\nhosts:\n  - www.good.example\n',
  'an answer about an error': '{"message":"not found","links":["https://good.example/help"],"urls":["https://good.example/"]}',
  'a YAML allowlist': 'whitelist:\n  - url: good.example\n',
  'a settings file': '[server]\nhost=good.example\nurl=https://good.example/\n',
  'a DNS zone':
    '$ORIGIN good.example.\n$TTL 1h\n@ IN SOA ns.good.example. root.good.example. ( 1 1h 1h 1w 1h )\n  IN NS ns\nwww IN A 192.0.2.1\nmail IN CNAME www\nold IN CNAME www.good.example.\n',
  'a resolver': 'server=/good.example/192.0.2.1\naddress=/good.example/192.0.2.2\nno-resolv\n',
  'a resolver of unbound':
    'server:\n  local-zone: "good.example." transparent\n  local-data: "good.example. IN A 192.0.2.1"\nforward-zone:\n  name: "good.example"\n',
  'a hosts file with addresses': '192.0.2.1 good.example\n2001:db8::1 www.good.example\n',
  'an allowlist of filters': '@@||good.example^\n@@||other-good.example^$document\n',
  'rules for parts of pages':
    '[Adblock Plus 2.0]\ngood.example##.ad\ngood.example,other-good.example##.banner\ngood.example#@#.ad\ngood.example#?#div:has(.ad)\ngood.example##+js(noop)\ngood.example#$#body { color: red }\n',
  'rules for some requests':
    '! Title: x\n||good.example^$third-party\n||good.example^$script,domain=other.example\n||good.example^$popup\n||good.example/ads/*.js\n||good.example^$~document\n||good.example^$removeparam=utm\n||good.example^$client=10.0.0.1\n/good\\.example/\n@@||good.example^$script\n||good.example^$important,third-party\n',
  'rules for one blocker': '! x\n||a.example^$script\n!#if false\n||good.example^\n!#endif\n',
  'two formats': '||good.example^\naddress=/good.example/0.0.0.0\n',
  'a truncated document': '{"domains":["good.example"',
  'binary data': '\u0000\u0001PNG\r\n\u001a\n good.example \u0000',
  'a shell script': '#!/bin/sh\nset -eu\ncurl -fsSL https://good.example/install | sh\nexport URL=https://good.example/\n',
};

test.each(Object.entries(noLists))('%s lists nothing', async (_, text) => {
  const built = await buildList({ format: 'auto', data: text }).catch((error: { code: string }) => error.code);
  if (typeof built === 'string') expect(built).toBe('INVALID_INPUT');
  else expect(built.report.listed).toBe(0);
  const source = textSource({ id: 'mine', format: 'auto', text });
  const code = await source.artifact('snapshot', await source.version({}), {}).then(
    ({ entries }) => entries.size,
    (error: { code: string }) => error.code,
  );
  expect(['INVALID_ARTIFACT', 0]).toContain(code);
});

test.each([
  ['', 'lines'],
  ['\r\n \n', 'lines'],
  ['# nothing yet\n', 'lines'],
  ['! nothing yet\n', 'filter'],
  ['evil.example', 'lines'],
  ['0x52908400098527886e0f7030069857d2e4169ee7\n', 'lines'],
  ['https://evil.example/a,b\nhttps://b.example/\nc.example', 'lines'],
  ['## evil\n0.0.0.0 evil.example # why', 'hosts'],
  ['url\nevil.example', 'csv'],
  ['evil.example,blocked\n', 'csv'],
  ['URL;evil.example\n', 'csv'],
  ['# id,url,threat\n1,https://evil.example/a,phishing\n', 'csv'],
  [' \n[\n"evil.example"]', 'json'],
  ['[Adblock Plus 2.0]\n/ads/\n&ad=\n', 'filter'],
  ['evil.example CNAME .\n', 'rpz'],
  ['- evil.example\n', 'yaml'],
  ['blocklist:\n- evil.example\n', 'yaml'],
])('recognizes %j as %s', (text, format) => {
  expect(formatOf(text, true, allReaders.families)).toBe(format);
});

test.each([
  ['lines', 'a.example\nb.example\nc.example\n7\n'],
  ['dnsmasq', 'address=/a.example/0.0.0.0\n3232235777\n'],
  ['rpz', '@ SOA a. b. (\n1\n2 3\n4 )\na.example CNAME .\n'],
])('numbers on lines of their own are a mark of a zone only: %s', (format, text) => {
  expect(formatOf(text, true, allReaders.families)).toBe(format);
});

test('waits for the first line after long comments, but not forever', async () => {
  const comments = `${'# a comment\n'.repeat(5_000)}`;
  const { report } = await buildList({ format: 'auto', data: `${comments}0.0.0.0 evil.example\n` });
  expect([report.listed, report.formats]).toEqual([1, [{ format: 'hosts' }]]);
  const endless = function* (): Generator<string> {
    for (let at = 0; at < (4 * maxSampleLength) / 1_024; at++) yield `${'#'.repeat(1_023)}\n`;
    yield 'address=/evil.example/0.0.0.0\n';
  };
  // By then it is read as lines, in which a statement of another format is refused.
  const { report: late } = await buildList({ format: 'auto', data: endless() });
  expect([late.listed, late.formats]).toEqual([0, [{ format: 'lines' }]]);
});

test('recognition takes time in proportion to the text', () => {
  const timeOf = (text: string): number => {
    const start = performance.now();
    try {
      formatOf(text, true, allReaders.families);
    } catch {}
    return performance.now() - start;
  };
  const pieces = [...` ·1 ·a.·"·#· A ·- ·|·(·;·,·:·\\·'·[·$·CNAME ·||a·\n- ·\n1 ·\n# ·\n||`.split('·')];
  for (const piece of pieces) {
    const ms = timeOf(`${piece.repeat(maxSampleLength / piece.length)}x`);
    expect(ms, JSON.stringify(piece)).toBeLessThan(1_000);
  }
});
