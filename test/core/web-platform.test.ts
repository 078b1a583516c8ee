import { expressionsOf } from 'portcullis/assets';
import { describe, expect, test } from 'vitest';
import { webPlatformHosts, webPlatformLinks } from '../support/web-platform.js';

/** A list holds hosts without dots at the end, unless the last label is a number, and with single dots inside. */
const listed = (host: string): string => (/[.][0-9]+[.]+$/.test(host) ? host : host.replace(/\.+$/, '').replace(/\.{2,}/g, '.'));

/** Refused by the standard. A browser may be more lenient, and a listing of the host harms no other site. */
const readAnyway: Readonly<Record<string, string>> = {
  'http://\ufdd0zyx.com': 'xn--zyx-h05s.com',
  'http://%ef%b7%90zyx.com': 'xn--zyx-h05s.com',
  'http://\uff05\uff14\uff11.com': 'a.com',
  'http://%ef%bc%85%ef%bc%94%ef%bc%91.com': 'a.com',
  'http://[::%31]': '[::1]',
  'http://%5B::1]': '[::1]',
  'http://0..0x300/': '0.0.3.0',
  'http://0..0x300./': '0.0.3.0',
};

describe('the web platform tests', () => {
  test('agree on the host of every link that can be listed', () => {
    const compared = Object.entries(webPlatformLinks).filter(([, host]) => host !== null && /[.:]/.test(listed(host)));
    expect(compared.length).toBeGreaterThan(125);
    for (const [text, host] of compared) expect(expressionsOf(text), JSON.stringify(text)).toContain(listed(host!));
  });

  test('have a single label where nothing is looked up', () => {
    const single = Object.entries(webPlatformLinks).filter(([, host]) => host !== null && !/[.:]/.test(listed(host)));
    expect(single.length).toBeGreaterThan(50);
    for (const [text] of single) expect(expressionsOf(text), JSON.stringify(text)).toEqual([]);
  });

  test('refuse what is not looked up, with written exceptions', () => {
    const refused = Object.entries(webPlatformLinks).flatMap(([text, host]) => (host === null ? [text] : []));
    const read = refused.filter((text) => expressionsOf(text).length > 0);
    expect(Object.fromEntries(read.map((text) => [text, expressionsOf(text)[0]]))).toEqual(readAnyway);
  });

  test('agree on the mapping of every host within the limits of DNS', () => {
    const mapped = Object.entries(webPlatformHosts).map(([text, ascii]) => [text, listed(`${ascii}.example`)] as const);
    const compared = mapped.filter(
      ([, host]) => host.length <= 253 && host.split('.').every(({ length }) => length > 0 && length <= 63),
    );
    expect(compared.length).toBeGreaterThan(1400);
    for (const [text, host] of compared) expect(expressionsOf(`http://${text}.example/`), JSON.stringify(text)).toContain(host);
  });
});
