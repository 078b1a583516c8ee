import { canonicalizeUrl, createBlocklist, detectAssets, expressionsOf } from 'portcullis';
import { textSource } from 'portcullis/sources';
import { expect, test } from 'vitest';

/** Links that contain `https://evil.example/a`, one row for each form. */
const carrying = [
  'https://www.google.com/url?q=https%3A%2F%2Fevil.example%2Fa&sa=D',
  'https://www.google.co.uk/url?sa=t&url=https://evil.example/a',
  'https://www.google.com/amp/s/evil.example/a',
  'https://l.facebook.com/l.php?u=https%3A%2F%2Fevil.example%2Fa&h=x',
  'https://www.youtube.com/redirect?event=x&q=https%3A%2F%2Fevil.example%2Fa',
  'https://vk.com/away.php?to=https%3A%2F%2Fevil.example%2Fa',
  'https://duckduckgo.com/l/?uddg=https%3A%2F%2Fevil.example%2Fa',
  'https://www.bing.com/ck/a?!&&p=x&u=a1aHR0cHM6Ly9ldmlsLmV4YW1wbGUvYQ&ntb=1',
  'https://r.search.yahoo.com/_ylt=A/RV=2/RE=1/RO=10/RU=https%3a%2f%2fevil.example%2fa/RK=2/RS=x',
  'https://nam02.safelinks.protection.outlook.com/?url=https%3A%2F%2Fevil.example%2Fa&data=05',
  'https://urldefense.com/v3/__https://evil.example/a__;!!x!y$',
  'https://urldefense.proofpoint.com/v2/url?u=https-3A__evil.example_a&d=Dw',
  'https://secure-web.cisco.com/1abc/https%3A%2F%2Fevil.example%2Fa',
  'https://evil-example.translate.goog/a?_x_tr_sl=auto',
  'https://translate.google.com/translate?sl=auto&u=https://evil.example/a',
  'https://webcache.googleusercontent.com/search?q=cache:abcdefghijkl:https://evil.example/a+word',
  'https://evil-example.cdn.ampproject.org/c/s/evil.example/a',
  'https://web.archive.org/web/20200101000000/https://evil.example/a',
  'https://archive.ph/2020/https://evil.example/a',
  'https://metamask.app.link/dapp/evil.example/a',
  'https://go.cb-w.com/dapp?cb_url=https%3A%2F%2Fevil.example%2Fa',
  'https://link.trustwallet.com/open_url?coin_id=60&url=https://evil.example/a',
  'https://phantom.app/ul/browse/https%3A%2F%2Fevil.example%2Fa?ref=x',
  'https://www.okx.com/download?deeplink=okx%3A%2F%2Fwallet%2Fdapp%2Furl%3FdappUrl%3Dhttps%253A%252F%252Fevil.example%252Fa',
  'metamask://dapp/evil.example/a',
  'https://medium.com/m/global-identity-2?redirectUrl=https%3A%2F%2Fevil.example%2Fa',
  'https://medium.com/m/global-identity?redirectUrl=https://evil.example/a',
  'https://www.linkedin.com/authwall?trk=bf&sessionRedirect=https%3A%2F%2Fevil.example%2Fa',
  'fb://facewebmodal/f?href=https%3A%2F%2Fevil.example%2Fa',
  'fb://facewebmodal/f?href=https://evil.example/a',
  'cbwallet://dapp?url=https%3A%2F%2Fevil.example%2Fa',
  'trust://open_url?coin_id=60&url=https://evil.example/a',
  'microsoft-edge:https://evil.example/a',
  'googlechrome://evil.example/a',
  'android-app://com.browser/https/evil.example/a',
  'tpdapp://open?params=%7B%22url%22%3A%22https%3A%2F%2Fevil.example%2Fa%22%7D',
  'https://farcaster.xyz/?launchFrameUrl=https%3A%2F%2Fevil.example%2Fa',
  'https://farcaster.xyz/~/mini-apps/launch?url=https%3A%2F%2Fevil.example%2Fa',
  'https://warpcast.com/?launchFrameUrl=https%3A%2F%2Fevil.example%2Fa',
  'https://warpcast.com/~/mini-apps/launch?url=https%3A%2F%2Fevil.example%2Fa',
  'https://app.safe.global/share/safe-app?appUrl=https%3A%2F%2Fevil.example%2Fa&chain=eth',
  'https://dial.to/?action=solana-action:https://evil.example/a',
  'https://dial.to/?action=solana-action%3Ahttps%3A%2F%2Fevil.example%2Fa',
  'https://app.tonkeeper.com/dapp/https%3A%2F%2Fevil.example%2Fa',
  'https://www.tiktok.com/link/v2?aid=1988&target=https%3A%2F%2Fevil.example%2Fa',
  'https://ad.doubleclick.net/ddm/clk/123;456;k?https://evil.example/a',
  'https://ad.doubleclick.net/ddm/trackclk/N1/B2;dc?https://evil.example/a',
  'https://protect.checkpoint.com/v2/r01/___https://evil.example/a___.YXBz',
  'https://www.pinterest.com/offsite/?token=1&url=https%3A%2F%2Fevil.example%2Fa',
  'https://outlook.office.com/mail/safelink.html?url=https%3A%2F%2Fevil.example%2Fa',
  'https://deref-gmx.net/mail/client/AbC/dereferrer/?redirectUrl=https%3A%2F%2Fevil.example%2Fa',
  'itms-services://?action=download-manifest&url=https%3A%2F%2Fevil.example%2Fa',
  'steam://openurl/https://evil.example/a',
  'webcal://evil.example/a',
  'https://steamcommunity.com/linkfilter/?url=https://evil.example/a',
  'https://href.li/?https://evil.example/a',
  'https://l.messenger.com/l.php?u=https%3A%2F%2Fevil.example%2Fa',
  'https://l.wl.co/l?u=https%3A%2F%2Fevil.example%2Fa',
  'https://anon.to/?https://evil.example/a',
  'https://translated.turbopages.org/proxy_u/en-ru.ru.0a1b/https/evil.example/a',
  'https://via.hypothes.is/https://evil.example/a',
  'https://archive.ph/https://evil.example/a',
  'https://archive.today/2020/https://evil.example/a',
  'https://web.archive.org/https://evil.example/a',
  'https://web.archive.org/web/https://evil.example/a',
  'https://web.archive.org/save/https://evil.example/a',
  'https://eu-west-1.protection.sophos.com/?d=evil.example&u=aHR0cHM6Ly9ldmlsLmV4YW1wbGUvYQ==&i=x',
  'https://trustwallet.com/open_url?coin_id=60&url=https://evil.example/a',
  'https://bkcode.vip?action=dapp&url=https://evil.example/a',
  'bitkeep://bkconnect?action=dapp&url=https://evil.example/a',
  'zerion://browser?url=https%3A%2F%2Fevil.example%2Fa',
  'https://www.awin1.com/cread.php?awinmid=1&ued=https%3A%2F%2Fevil.example%2Fa',
  'https://click.linksynergy.com/deeplink?id=x&mid=1&murl=https%3A%2F%2Fevil.example%2Fa',
  'https://go.skimresources.com/?id=1X1&xs=1&url=https%3A%2F%2Fevil.example%2Fa',
  'https://www.yandex.ru/redir?dtype=stred&pid=7&url=https://evil.example/a',
  'https://rnbwapp.com/dapp?url=https%3A%2F%2Fevil.example%2Fa',
  'rainbow://dapp?url=https%3A%2F%2Fevil.example%2Fa',
  'https://link.zerion.io/?url=https%3A%2F%2Fevil.example%2Fa',
  'HTTPS://user@WWW.google.com:443/url?q=https%3A%2F%2Fevil.example%2Fa',
  'intent://www.google.com/url?q=https%3A%2F%2Fevil.example%2Fa#Intent;scheme=https;end',
];

test.each(carrying)('the link inside is a target, and comes first: %s', (text) => {
  expect(detectAssets(text).slice(0, 2)).toEqual([
    { type: 'PAGE', canonical: 'evil.example/a' },
    { type: 'URL', canonical: 'evil.example' },
  ]);
  const own = /^https:/i.test(text) ? canonicalizeUrl(text)!.replace(/^www\./, '') : 'evil.example';
  expect(expressionsOf(text)).toContain(own);
});

test('a link inside is found behind several wrappers', () => {
  const wrap = (inner: string): string => `https://www.google.com/url?q=${encodeURIComponent(inner)}`;
  expect(detectAssets(wrap(wrap(wrap('https://evil.example/a'))))[0]).toEqual({ type: 'PAGE', canonical: 'evil.example/a' });
});

test.each([
  ['https://www.google.com/url?sa=t&q=uniswap.org&url=https%3A%2F%2Fevil.example%2F', 'evil.example uniswap.org'],
  ['https://google.com/url?q=https://good.example&url=https://evil.example', 'good.example evil.example'],
  ['https://google.com/url?url=https://evil.example&q=https://good.example', 'good.example evil.example'],
  ['https://google.com/url?q=https://good.example&q=https://evil.example', 'good.example evil.example'],
  ['https://l.facebook.com/l.php?u=https%3A%2F%2Fgood.example&h=x&u=https%3A%2F%2Fevil.example', 'good.example evil.example'],
  ['https://google.com/url?%71=https://evil.example', 'evil.example'],
  ['https://google.com/url?sa=t&amp;q=https://evil.example', 'evil.example'],
  ['https://google.com/url?q=v1.2+notes&url=https://evil.example', 'evil.example'],
  ['https://protect-us.mimecast.com/s/AbC?domain=evil.example', 'evil.example'],
])('every parameter names a target: %s', (text, expected) => {
  const hosts = detectAssets(text).flatMap(({ type, canonical }) => (type === 'URL' ? [canonical] : []));
  expect(hosts.slice(0, -1).join(' ')).toBe(expected);
});

test('a redirector with more targets than are read is not clear', async () => {
  const links = Array.from({ length: 600 }, (_, at) => `q=https://good${at}.example`);
  const blocklist = createBlocklist({ sources: [textSource({ id: 'mine', text: 'evil.example\n' })], pollMs: 0 });
  await blocklist.ready();
  expect(blocklist.test(`https://google.com/url?${links.slice(0, 512).join('&')}`).status).toBe('clear');
  expect(blocklist.test(`https://google.com/url?${links.join('&')}`).status).not.toBe('clear');
  await blocklist.close();
});

test.each([
  'https://www.google.com/search?q=evil.example/a',
  'https://evil.example/url?q=https://other.example',
  'https://archive.org/details/some.pdf',
  'https://www.youtube.com/watch?v=abc',
  'https://notgoogle.com/url?q=https://evil.example',
  'https://google.evil.example/url?q=https://other.example',
  'https://vk.com/away.php?to=somewhere',
  'https://metamask.app.link/send/x',
])('names no target: %s', (text) => {
  const hosts = detectAssets(text).filter(({ type }) => type === 'URL');
  expect(hosts).toHaveLength(1);
});
