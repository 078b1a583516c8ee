import { randomOf } from '../../support/list-renderings.js';

/**
 * Messages as people, mail programs and machines write them, the same for the same seed: sentences of several scripts with links, plain and
 * odd, in the marks and formats that links occur in. The hosts are under `.com`, because no linkifier knows the reserved domains.
 */
export function* messages(count: number, seed: number): Generator<string> {
  const random = randomOf(seed);
  const below = (end: number): number => Math.floor(random() * end);
  const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)]!;
  const often = (chance: number): boolean => random() < chance;

  const host = (): string => {
    const name = pick(names);
    return pick([
      ...Array(8).fill(`${name}.com`),
      `www.${name}.com`,
      `login.${name}.com`,
      `a.b.${name}.co.uk`,
      `${name}.com.br`,
      `${name}.org`,
    ]);
  };
  const path = (): string => (often(0.5) ? '' : pick(paths));
  const scheme = (): string => pick([...Array(6).fill('https://'), ...Array(3).fill(''), 'http://', 'HTTPS://', 'ftp://']);
  const link = (): string => {
    const plain = scheme() + host() + path();
    return often(0.2) ? pick(oddities)(plain, host()) : plain;
  };
  const words = (): string => Array.from({ length: 1 + below(5) }, () => pick(prose)).join(' ');
  const sentence = (): string => {
    const around = often(0.35) ? pick(marks) : '%';
    return `${words()} ${around.replaceAll('%', () => link())}${pick(ends)}${words()}`;
  };
  for (let at = 0; at < count; at++) {
    const lines = Array.from({ length: 1 + below(3) }, sentence);
    yield often(0.35) ? pick(formats)(lines, link) : lines.join(pick(['\n', ' ', '\r\n', '\n\n']));
  }
}

const names = ['evil-mint', 'claim-drop', 'login2', 'wallet-sync', 'nft', 'x', 'rnetamask', 'bücher', 'tax-refund-2024'];

const paths: readonly string[] = [
  '/',
  '/a',
  '/a/b.html',
  '/claim?id=42&x=1',
  '?ref=1',
  '#top',
  '#/route',
  '/a#b',
  ':8443',
  ':8443/x',
  '/a_(b)',
  '/~user',
  '/@name',
  '/a,b',
  '/a;b=c',
  "/it's",
  '/a%20b',
  '/straße',
  '/路径',
  '/?q=a+b',
  '/x.',
  '/x...',
  '/!/y',
  '/a|b',
  '/a-',
  '/a_',
  '/$',
  '/?u=https://other-site.com',
  '/?u=https%3A%2F%2Fother-site.com',
  '/https://other-site.com/',
  '/a*b*c',
  '/[x]',
  '/{y}',
  '/?a[]=1',
  '/*',
  '/&',
  '/=',
];

/** Spellings of a link that hide its host from a reader of texts. */
const oddities: readonly ((link: string, host: string) => string)[] = [
  (link) => `\\${link}`,
  (link) => `${link}+`,
  (link) => `${link}%22`,
  (link) => `${link}@admin`,
  (link, host) => `${link}@${host}`,
  (link) => `${link}%22%3E`,
  (link) => `${link}%2F`,
  (link) => `${link}+more`,
  (link) => `\\n${link}`,
  (link) => `\\t${link}\\r\\n`,
  (link) => `${link}\\`,
  (link) => `${link}\\nmore`,
  (link) => link.replaceAll('/', '\\/'),
  (link) => link.replaceAll('.', '&#46;'),
  (link) => link.replaceAll('.', '&period;'),
  (link) => link.replaceAll('/', '&sol;'),
  (link) => link.replaceAll('.', '\\u002e'),
  (link) => `${link}&quot;`,
  (link) => `${link}&amp;x=1`,
  (link) => `${link}&nbsp;more`,
  (link) => `${link}.`,
  (link) => `${link}.Thanks`,
  (link) => `${link}-more`,
  (link) => `${link}_`,
  (link) => `${link}…`,
  (link) => `${link}。`,
  (link) => `${link}!`,
  (link) => `${link}$`,
  (link) => `${link}^1`,
  (link) => `${link}=`,
  (link) => `${link}~`,
  (link) => `-${link}`,
  (link) => `_${link}`,
  (link) => `.${link}`,
  (link) => `@${link}`,
  (link) => `#${link}`,
  (link) => `$${link}`,
  (link) => `=${link}`,
  (link) => `&${link}`,
  (link) => `/${link}`,
  (link) => `//${link}`,
  (link) => `url:${link}`,
  (link) => `user@${link}`,
  (link) => `a.b+c@${link}`,
  (link, host) => `${link},${host}`,
  (link, host) => `${link}|${host}`,
  (link, host) => `${link}/${host}`,
  (link, host) => `${link};${host}`,
  (link, host) => `${link}\\${host}`,
];

const prose = (
  'hello please verify your account at once see my page now or it will be closed the team has sent you a gift claim it here thanks, ok: no! why? (soon) ' +
  'привет проверьте аккаунт сегодня 请点击 领取 空投 谢谢。 確認して ください 여기를 클릭하세요 तुरंत सत्यापित कृपया שלום אנא انقر هنا ตรวจสอบ bitte öffne ' +
  'Ελέγξτε 🎁 👉 🚀🚀 1. 2) - * > e.g. 3.14 10:30 and/or v1.2.3 $5'
).split(' ');

const ends = [
  ' ',
  '. ',
  ', ',
  '! ',
  '? ',
  '; ',
  ': ',
  '\n',
  '\t',
  '… ',
  '。',
  '、',
  ' – ',
  ') ',
  '" ',
  '> ',
  '<br>',
  '&nbsp;',
  '\\n',
];

/** `%` is a link. */
const marks: readonly string[] = [
  '(%)',
  '[%]',
  '{%}',
  '<%>',
  '"%"',
  "'%'",
  '`%`',
  '“%”',
  '‘%’',
  '«%»',
  '「%」',
  '（%）',
  '【%】',
  '*%*',
  '**%**',
  '_%_',
  '__%__',
  '~~%~~',
  '||%||',
  '|%|',
  '[text](%)',
  '[%](%)',
  '![i](% "t")',
  '[text](<%>)',
  '[t]: %',
  '[[%]]',
  '[[%|text]]',
  '[[%][text]]',
  '[% text]',
  '[url]%[/url]',
  '[url=%]text[/url]',
  '<%|text>',
  '`text <%>`_',
  '"text":%',
  '{{%}}',
  'link:%[text]',
  '<a href="%">text</a>',
  "<a href='%'>%</a>",
  '<a href=%>text</a>',
  '<img src="%">',
  '<p>%</p>',
  'url(%)',
  '{"url":"%"}',
  '{\\"url\\":\\"%\\"}',
  '["%","%"]',
  'url=%&x=1',
  'key: %',
  'x=%;',
  '(see %)',
  '%, %',
  '%,%',
  '%;%',
  '% and %',
  '%/%',
  '%|%',
  '👉%👈',
  '点击%领取',
  '→%',
  '%—%',
];

/** Whole messages in the formats of programs. */
const formats: readonly ((lines: readonly string[], link: () => string) => string)[] = [
  (lines) => JSON.stringify({ text: lines.join('\n') }),
  (lines) => JSON.stringify(JSON.stringify({ text: lines.join('\r\n') })),
  (lines) => JSON.stringify(lines).replaceAll('/', '\\/'),
  (lines) => `<p>${lines.join('</p>\n<p>').replaceAll('&', '&amp;')}</p>`,
  (lines, link) => `<div><a href="${link()}" title="x">${link()}</a> ${lines.join('<br/>')}</div>`,
  (lines, link) => `<td background='${link()}'>${lines[0]}</td>&lt;a href=&quot;${link()}&quot;&gt;`,
  (lines, link) =>
    `From: Help <help@evil-mint.com>\r\nReply-To: a@claim-drop.com\r\nList-Unsubscribe: <${link()}>, <mailto:x@nft.com>\r\n\r\n${lines.join('\r\n')}`,
  (lines) => `> ${lines.join('\n> ')}\n\nOn Mon, Ann <ann@login2.com> wrote:`,
  (lines, link) => `| name | page |\n|---|---|\n| ${lines[0]} | ${link()} |`,
  (lines, link) => `- ${lines.join('\n- ')}\n\n[1]: ${link()}\n[2]: <${link()}> "t"`,
  (lines, link) => `\`\`\`\ncurl ${link()}\n\`\`\`\n${lines.join('\n')}`,
  (lines, link) => `name,page\n"${lines[0]}",${link()}\nx,"${link()}"`,
  (lines, link) => `[12:30] <ann> ${lines[0]}\n[12:31] <bob> ${link()}`,
  (lines, link) => `#EXTINF:-1,x\n${link()}\nset URL=${link()} # ${lines[0]}`,
  (lines) => lines.join(' ').toUpperCase(),
  (lines) => lines.join('\u200b'),
];
