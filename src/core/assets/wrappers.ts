import { fromBase64 } from '../base64.js';
import { fromUtf8 } from '../bytes.js';
import type { Candidate, Family } from './asset.js';
import { isPlainAddress, plainLinkEnd } from './plain.js';
import { decoded } from './web/escapes.js';
import { canonicalHost } from './web/host.js';
import { pathsOf } from './web/path.js';
import { isRawLink, splitLink } from './web/split.js';

/**
 * Links that carry a link: redirectors, mail protection, translators, AMP caches, archives, and the browsers inside wallets. The link
 * inside is what opens, or what is shown, so it is a target of its own.
 */
export const wrappers: Family = {
  read: () => [],
  targetsIn(candidate: Candidate): readonly string[] {
    const { text } = candidate;
    if (isPlainAddress(text) || candidate.hint.type !== undefined) return none;
    // Most links are plain, and their site is no wrapper.
    const end = plainLinkEnd(candidate);
    if (end > 0 && (!mayBeKey(text, end) || !byKey().has(keyOf(text, end)))) return none;
    const parts = partsOf(text);
    if (parts === null) return none;
    for (const row of byKey().get(keyOf(parts.site, parts.site.length)) ?? []) {
      const found = isSite(parts.site, row.site) ? targetOf(row, parts) : null;
      if (found !== null) return [found];
    }
    return none;
  },
};

interface Parts {
  /** A host, or the scheme of an app and its colon. */
  readonly site: string;
  readonly path: string;
  readonly query: string;
}

function partsOf(text: string): Parts | null {
  const split = splitLink(text);
  if (split === null) return null;
  if (isRawLink(split)) {
    const site = canonicalHost(split.host, split.isMarked);
    return site === null ? null : { site, path: pathsOf(split.path)[0]!, query: split.query ?? '' };
  }
  const mark = split.rest.indexOf('?');
  const end = mark < 0 ? split.rest.length : mark;
  return { site: `${split.scheme}:`, path: split.rest.slice(0, end).replace(/^\/*/, '/'), query: split.rest.slice(end + 1) };
}

const none: readonly string[] = [];

interface Wrapper {
  readonly site: string;
  /** The segments that the path begins with; `*` is any. */
  readonly path: readonly string[];
  /** Names of parameters, or how to read the rest of the path or the host. */
  readonly take: string;
}

/**
 * `site path take`. A site includes its subdomains, ends in `*` where it exists under many top-level domains, and in a colon if it is the
 * scheme of an app. `take` is `?a,b` for the first of these parameters that is there, `?` for the whole query, `/` for the rest of the
 * path, or the name of a reader.
 */
const table = `
google.* /url ?q,url
google.* /amp/s /
google.* /amp /
google.* /imgres ?imgrefurl
google.* /translate ?u
translate.google.* / ?u
googleusercontent.com /search cache
translate.goog / goog
googleweblight.com / ?lite_url,u
googleadservices.com /pagead/aclk ?adurl
doubleclick.net / ?adurl,ds_dest_url
cdn.ampproject.org /c/s /
cdn.ampproject.org /v/s /
cdn.ampproject.org /c /
cdn.ampproject.org /v /
bing-amp.com /c/s /
bing.com /ck/a base64
bing.com /alink/link ?url
microsofttranslator.com / ?a
translatetheweb.com / ?a
duckduckgo.com /l ?uddg
search.yahoo.com / yahoo
yandex.* /clck/jsredir ?url
translate.yandex.* /translate ?url
facebook.com /l.php ?u
facebook.com /flx/warn ?u
instagram.com / ?u
threads.com / ?u
threads.net / ?u
youtube.com /redirect ?q
linkedin.com /redir/redirect ?url
linkedin.com /safety/go ?url
linkedin.com /slink ?url
t.umblr.com /redirect ?z
tumblr.com /logout ?redirect_to
vk.com /away.php ?to
vk.ru /away.php ?to
ok.ru /dk ?st.link
out.reddit.com / ?url
steamcommunity.com /linkfilter ?url,u
deviantart.com /users/outgoing ?
pixiv.net /jump.php ?,url
medium.com /r ?url
disq.us /url ?url
slack-redir.net /link ?url
exit.sc / ?url
gate.sc / ?url
href.li / ?
anonym.to / ?
nullrefer.com / ?
weibo.cn /sinaurl ?u,toasturl
link.zhihu.com / ?target
link.csdn.net / ?target
link.juejin.cn / ?target
c.pc.qq.com / ?pfurl,url
t.me /iv ?url
telegram.me /iv ?url
wykop.pl /ramka http
mail.ru /proxy ?url,to
awstrack.me /L0 http
pstmrk.it /3s /
protection.outlook.com / ?url
office.com /url ?url
teams.cdn.office.net /evergreen-assets/safelinks ?url
urldefense.com /v3 proof3
urldefense.us /v3 proof3
urldefense.com /v2/url proof2
urldefense.com /v1/url ?u
urldefense.proofpoint.com /v2/url proof2
urldefense.proofpoint.com /v1/url ?u
cudasvc.com /url ?a
symantec.com / ?u
esvalabs.com / ?u
fireeye.com / ?u
checkpoint.com /v2 proof3
secure-web.cisco.com /* http
avanan.click /v2 proof3
trendmicro.com /wis/clicktime/v1/query ?url
archive.org /web/* /
archive.* /newest http
archive.* /submit ?url
archive.* /o/* http
archive.* /* http
12ft.io / /
12ft.io /proxy ?q
r.jina.ai / /
metamask.app.link /dapp /
link.metamask.io /dapp /
metamask.io /dapp /
go.cb-w.com /dapp ?cb_url
link.trustwallet.com /open_url ?url
phantom.app /ul/browse /
phantom.com /ul/browse /
solflare.com /ul/v1/browse /
okx.com /download deeplink
backpack.app /ul/v1/browse /
android-app: /*/https /
android-app: /*/http /
brave: /open-url ?url
cbwallet: / ?cb_url,url
dapp: / /
firefox: /open-url ?url
firefox-focus: /open-url ?url
googlechrome: / /
googlechromes: / /
imtokenv2: / ?url
metamask: /dapp /
microsoft-edge: / /
okx: / ?dappUrl
opera-http: / /
opera-https: / /
phantom: /browse /
phantom: /v1/browse /
solflare: /ul/v1/browse /
touch-http: / /
touch-https: / /
tpdapp: /open params
trust: /open_url ?url
x-safari-http: / /
x-safari-https: / /
`;

let rows: ReadonlyMap<string, readonly Wrapper[]> | undefined;

function byKey(): ReadonlyMap<string, readonly Wrapper[]> {
  if (rows !== undefined) return rows;
  const all = new Map<string, Wrapper[]>();
  for (const line of table.trim().split('\n')) {
    const [site, path, take] = line.split(/ +/) as [string, string, string];
    const key = keyOf(site, site.length);
    all.set(key, [...(all.get(key) ?? []), { site, path: path.split('/').filter(Boolean), take }]);
  }
  rows = all;
  return rows;
}

/** The name before the top-level domain of the host that ends at `end`, also of one with two labels such as `co.uk`. */
function keyOf(text: string, end: number): string {
  let last = text.lastIndexOf('.', end - 1);
  let name = labelBefore(text, last);
  if (end - last === 3 && secondLevel.has(name)) {
    last -= name.length + 1;
    name = labelBefore(text, last);
  }
  return name;
}

/**
 * Whether the host that ends at `end` may have a key: always if it has. Decides nearly every link by a number, because a map of strings
 * would copy and hash the name first: 20 ns, where the lookup takes 100.
 */
function mayBeKey(text: string, end: number): boolean {
  names ??= new Set([...byKey().keys()].map((key) => nameIn(key, key.length)));
  let last = end - 1;
  while (last > 0 && text.charCodeAt(last) !== 0x2e) last--;
  // The label before two letters may be one of `secondLevel`, none of which is longer.
  if (end - last === 3 && (text.charCodeAt(last - 3) === 0x2e || text.charCodeAt(last - 4) === 0x2e)) return true;
  return names.has(nameIn(text, last));
}

let names: ReadonlySet<number> | undefined;

function nameIn(text: string, end: number): number {
  let name = 0;
  for (let at = end - 1; at >= 0; at--) {
    const code = text.charCodeAt(at);
    if (code === 0x2e || code === 0x2f) break;
    name = (Math.imul(name, 31) + code) | 0;
  }
  return name;
}

/** The characters up to `end` and after the dot or slash before it. */
function labelBefore(text: string, end: number): string {
  const stop = end < 0 ? text.length : end;
  return text.slice(Math.max(text.lastIndexOf('.', stop - 1), text.lastIndexOf('/', stop - 1)) + 1, stop);
}

const secondLevel: ReadonlySet<string> = new Set(['ac', 'co', 'com', 'ne', 'net', 'or', 'org']);

function isSite(host: string, site: string): boolean {
  if (!site.endsWith('*')) return host === site || host.endsWith(`.${site}`);
  const name = site.slice(0, -1);
  const at = host.startsWith(name) ? 0 : host.indexOf(`.${name}`) + 1;
  return (at > 0 || host.startsWith(name)) && /^[a-z]{2,4}(?:\.[a-z]{2})?$/.test(host.slice(at + name.length));
}

function targetOf({ path: wanted, take }: Wrapper, parts: Parts): string | null {
  const { path, query } = parts;
  const segments = path.split('/').slice(1);
  if (!wanted.every((segment, at) => segment === segments[at] || (segment === '*' && segments[at] !== undefined))) return null;
  if (take.startsWith('?')) return parameter(query, take.slice(1));
  const rest = decoded(segments.slice(wanted.length).join('/'));
  return take === '/' ? asLink(query === '' ? rest : `${rest}?${query}`) : readers[take]!(rest, parts);
}

type Reader = (rest: string, parts: Parts) => string | null;

const readers: Readonly<Record<string, Reader>> = {
  base64(_, { query }) {
    const value = /(?:^|&)u=a1([\w-]+)/.exec(query)?.[1]?.replace(/-/g, '+').replace(/_/g, '/') ?? '';
    const bytes = fromBase64(value.padEnd(Math.ceil(value.length / 4) * 4, '='));
    return bytes === null ? null : asLink(fromUtf8(bytes) ?? '');
  },
  cache: (_, { query }) => asLink(decoded(/(?:^|&)q=cache(?::|%3a)(?:[\w-]{12}(?::|%3a))?([^&+]+)/i.exec(query)?.[1] ?? '')),
  deeplink(_, { query }) {
    const inner = parameterOf(query, 'deeplink');
    return parameter(inner.slice(inner.indexOf('?') + 1), 'dappUrl');
  },
  // The host's dots are hyphens, and its hyphens two.
  goog(_, { site, path, query }) {
    const host = site.slice(0, site.indexOf('.')).replace(/--|-/g, (mark) => (mark === '-' ? '.' : '-'));
    const own = query.split('&').filter((part) => part !== '' && !part.startsWith('_x_tr_'));
    return asLink(host + path + (own.length === 0 ? '' : `?${own.join('&')}`));
  },
  http: (rest, { query }) => (webScheme.test(rest) ? asLink(query === '' ? rest : `${rest}?${query}`) : null),
  params: (_, { query }) => asLink(/"url" ?: ?"([^"]*)"/.exec(parameterOf(query, 'params'))?.[1] ?? ''),
  proof2: (_, { query }) => asLink(decoded(rawParameterOf(query, 'u').replace(/-/g, '%').replace(/_/g, '/'))),
  proof3: (rest, { query }) => asLink(/^_{2,3}(.*?)(?:__;|___|$)/.exec(query === '' ? rest : `${rest}?${query}`)?.[1] ?? ''),
  yahoo: (_, { path }) => asLink(decoded(/\/RU=([^/]*)/.exec(path)?.[1] ?? '')),
};

const webScheme = /^(?:https?|wss?|ftp):/i;

/** The first link in a parameter of one of these names; the name `''` is the whole query. */
function parameter(query: string, names: string): string | null {
  for (const name of names.split(',')) {
    const found = asLink(name === '' ? decoded(query) : parameterOf(query, name));
    if (found !== null) return found;
  }
  return null;
}

function parameterOf(query: string, name: string): string {
  return decoded(rawParameterOf(query, name).replace(/\+/g, ' ')).trim();
}

function rawParameterOf(query: string, name: string): string {
  return new RegExp(`(?:^|[&;])${name}=([^&#]*)`, 'i').exec(query)?.[1] ?? '';
}

/** `null` for a text that is not meant as a link, such as a search or a path on the same site. */
function asLink(text: string): string | null {
  if (webScheme.test(text) || /^[/\\]{2}/.test(text)) return text;
  return /^[^\s/?#:@]+\.[^\s/?#]+/.test(text) ? `https://${text}` : null;
}
