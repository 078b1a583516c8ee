import { canonicalizeUrl, expressionsOf, normalizeAsset } from 'portcullis/assets';
import { describe, expect, test } from 'vitest';

// Each text opens `evil.example` in a browser (the smallest case of its class), so a lookup in a list with that host must find it.
describe('a text that a browser opens on a listed host is found', () => {
  const nul = '\0';
  test.each([
    ['a mailbox in the fragment', 'HTTP://evil.example/#<a@b.com>'],
    ['a mailbox in the path, without a scheme', '//evil.example/<a@b.com>'],
    ['a mailbox behind a port', 'https://evil.example:443/<a@b.com>'],
    ['a mailbox behind userinfo', 'https://x@evil.example/#<a@b.com>'],
    ['a mailbox behind an escape', 'https://evil.example/%61<a@b.com>'],
    ['a mailbox in a blob', 'blob:https://evil.example/<a@b.com>'],
    ['a full-width percent sign', 'http://％65vil.example/'],
    ['a small percent sign', 'http://﹪65vil.example/'],
    ['a full-width percent sign before an escaped dot', 'http://evil％2eexample/'],
    ['an escaped full-width percent sign', 'http://%EF%BC%8565vil.example/'],
    ['Firefox: dots resolved before the host', 'http:\\//good.example/../evil.example/x'],
    ['Firefox: dots before a refused host', 'http:\\//../evil.example/'],
    ['Firefox: three slashes of which the second is a backslash', 'https:/\\/good.example/../evil.example/'],
    ['Firefox: three backslashes', 'http:\\\\\\good.example\\..\\evil.example'],
    ['Firefox: escaped dots', 'http:\\//good.example/%2e%2E/evil.example'],
    ['Firefox: a tab between the slashes', 'http:\\/\t/good.example/../evil.example'],
    ['Firefox: a link relative to the scheme is cut at a NUL', `//evil.example${nul}.good.example/`],
    ['Firefox: a NUL behind a port, without a scheme', `evil.example:80${nul}?`],
    ['Firefox: a NUL before userinfo', `\\/evil.example${nul}x@good.example/`],
    ['Firefox: a NUL behind a port', `http://evil.example:80${nul}good.example/`],
    ['Firefox: a NUL behind a port and in the userinfo', `http://x${nul}y@evil.example:80${nul}x/`],
    ['Firefox: a control before a NUL', `//evil.example\x01${nul}:80`],
    ['Firefox: dots that an invisible character keeps from being dots', 'http:\\\\\\..\\evil.example/..\u200b'],
    ['Firefox: a NUL and resolved dots', `http:\\//good.example/../evil.example${nul}.good.example/`],
  ])('%s', (_, text) => {
    expect(expressionsOf(text)).toContain('evil.example');
  });

  test.each([
    ['a full-width percent sign', 'http://％31.2.3.4/'],
    ['an IPv6 address with leading zeros in its IPv4 tail', 'http://[::ffff:01.2.3.4]/'],
    ['an IPv6 address with a hexadecimal IPv4 tail', 'http://[::ffff:0x1.2.3.4]/'],
    ['an IPv6 address with escaped colons', 'http://[%3A%3Affff:1.2.3.4]/'],
    ['an IPv6 address with full-width colons and digits', 'http://[：：ｆｆｆｆ:１.2.3.4]/'],
    ['a number behind two slashes', '//16909060/'],
  ])('%s is 1.2.3.4', (_, text) => {
    expect(expressionsOf(text)).toEqual(['1.2.3.4']);
  });

  test('a number before two dots is a label, and canonicalizing it again changes nothing', () => {
    const host = 'evil.example.1.2.3.4..';
    expect(canonicalizeUrl(`http://${host}/`)).toBe(host);
    expect(canonicalizeUrl(host)).toBe(host);
    expect(expressionsOf(`http://a.${host}/x`)).toContain(host);
    for (const expression of expressionsOf(`http://${host}/`)) expect(expression).toMatch(/^[a-z\d].*\.\d+\.\.$/);
  });
});

test('Chromium decodes a full-width percent sign after Punycode', () => {
  expect(expressionsOf('http://bücher％2evil.example/')).toContain('xn--bcher.vil-thb.example');
});

describe('a path has the readings of a browser and of a lenient server', () => {
  const host = 'shared.example';
  test.each([
    ['/a%2Fb/../mallory%2Fx', '/mallory%2Fx', '/mallory/x'],
    ['/a%2Fb%C2%AD', '/a%2Fb%C2%AD', '/a/b%C2%AD'],
    ['/a%2F%2F..%2Fb', '/a%2F%2F..%2Fb', '/b'],
    ['/m2/%252e%252e/%252e%252e/y', '/m2/%252E%252E/%252E%252E/y', '/y'],
    ['/m2/..%2Fy', '/m2/..%2Fy', '/y'],
    ['/m2/..%5Cy', '/m2/..%5Cy', '/y'],
    ['/a%252Fb', '/a%2Fb', '/a/b'],
    ['/m2%E2%80%8B', '/m2%E2%80%8B', '/m2'],
    ['/m2%20', '/m2%20', '/m2'],
  ])('%s', (path, requested, served) => {
    expect(canonicalizeUrl(`https://${host}${path}`)).toBe(host + requested);
    expect(canonicalizeUrl(`https://${host}${requested}`)).toBe(host + requested);
    expect(expressionsOf(`https://${host}${path}`)).toEqual(expect.arrayContaining([host + requested, host + served]));
  });

  test.each(['/a/%2e%2e/b', '/a/../b', '/%62', '/./b', '\\b', '/a%2Fb/../b'])('%s has one reading', (path) => {
    expect(expressionsOf(`https://${host}${path}`)).toEqual([`${host}/b`, host]);
  });

  test('an invisible character at the end of a link has the same readings raw and escaped', () => {
    const readings = (text: string): Set<string> => new Set(expressionsOf(text));
    expect(readings(`https://${host}/m2\u200b`)).toEqual(readings(`https://${host}/m2%E2%80%8B`));
  });

  test('a tab does not join the halves of a surrogate pair, as in a browser', () => {
    expect(canonicalizeUrl('http://shared.example/\ud83d\t\ude00')).toBe('shared.example/%EF%BF%BD%EF%BF%BD');
  });

  test('the first folders of a page that is too long are kept', () => {
    const folders = [`${host}/a/b/c/d`, `${host}/a/b/c`, `${host}/a/b`, `${host}/a`, host];
    expect(expressionsOf(`https://${host}/a/b/c/d/e/${'%'.repeat(5461)}?q`)).toEqual(folders);
    expect(expressionsOf(`https://${host}/a/b/${'x'.repeat(16_384)}/c`)).toEqual(folders.slice(2));
    expect(expressionsOf(`https://${host}/${'x'.repeat(16_384)}/c`)).toEqual([host]);
    expect(normalizeAsset(`https://${host}/a/${'x'.repeat(16_384)}`)).toEqual({ type: 'URL', canonical: host });
  });
});

describe('a link with an unreadable host is not called unlistable', () => {
  // docs/vectors/portcullis-1.json has more of them.
  test('a scheme alone', () => {
    expect(normalizeAsset('https://')).toEqual({ refused: 'unknown' });
  });

  test('a blob is not cleaned again before a NUL', () => {
    expect(expressionsOf(`blob: evil.example/\0@/?`)).toEqual([]);
    expect(expressionsOf(`blob:evil.example/\0@/?`)).toEqual(['evil.example']);
  });

  test('a scheme before a NUL is still a scheme if nothing before the NUL is a link', () => {
    expect(normalizeAsset('h:80\0ttps://x')).toEqual({ refused: 'internal-scheme' });
  });

  test.each(['http://localhost/', 'https://intranet/x', 'http://router.:80/'])('%s is a single label', (text) => {
    expect(normalizeAsset(text)).toEqual({ refused: 'not-a-host' });
  });
});

describe('safe-browsing-4', () => {
  const options = { algorithm: 'safe-browsing-4' };
  test('reads a link whose scheme is escaped as its reference implementation does', () => {
    expect(canonicalizeUrl('http%3A%2F%2Fhost:80/', options)).toBe('http://host/');
    expect(canonicalizeUrl('http%253A%252F%252Fhost:80/', options)).toBe('http://host/');
  });

  test.each([
    'http://％65vil.example/',
    'http://evil％2eexample/',
    'http:\\//good.example/../evil.example/',
    '//evil.example\0.good.example/',
    'http:\\\\\\..\\evil.example/..\u3000',
    'http://x\0@evil.example:80\0x/',
    'intent://evil.example/#Intent;scheme=https;end',
    'evil.example:\0x',
    'evil.example:80\0x',
    'blob:https://evil.example/5a6f0c2e',
    'filesystem:https://evil.example:80/temporary/x',
    'blob:blob:evil.example',
  ])('finds evil.example in %s', (text) => {
    expect(expressionsOf(text, options)).toContain('evil.example/');
  });
});
