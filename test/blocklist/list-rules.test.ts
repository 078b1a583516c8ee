import fc from 'fast-check';
import { prefixOf } from 'portcullis/assets';
import { buildList, type ListText, SHARED_HOSTS } from 'portcullis/publish';
import { describe, expect, test } from 'vitest';
import { isPrivateHost } from '../../src/core/assets/web/private.js';

const options = { isPublicSuffix: (host: string) => /^(co\.uk|vercel\.app|[^.]+\.eth\.limo|[^.]+\.eth\.link)$/.test(host) };

/** The expression that is listed for one asset, or why it is not listed, and the codes of all warnings. */
async function listed(content: string, type?: string, algorithm?: string): Promise<string> {
  const { expressions, report } = await built([{ content, ...(type !== undefined && { type }) }], algorithm);
  const marks = report.warnings.map((warning) => warning.code);
  return [...expressions, ...report.refused.map(({ reason }) => reason), ...marks].join(' ');
}

/** The listed expressions. Hashes cannot be reversed, so they come from the warnings, or equal the input if it was not changed. */
async function built(assets: { content: string; type?: string }[], algorithm?: string) {
  const { report } = await buildList(assets, { ...options, algorithm });
  const changed = report.warnings.flatMap((warning) => (warning.code === 'changed' ? [warning.to] : []));
  const same = report.listed > 0 && changed.length === 0 ? [assets[0]!.content] : [];
  return { expressions: [...changed, ...same], report };
}

const phrase = 'abandon ability able about above absent absorb abstract absurd abuse access accident';

describe('listed expressions', () => {
  const unchanged = [
    'evil.example https://evil.example/ www.com evil.example/a/ evil.example/a?b=c evil.example/a/b/c/d',
    'evil.example/a/b/c/d/e?f a.b.c.d.e.f.g.h.i.j.k 0x52908400098527886E0F7030069857D2E4169EE7',
    'https://x.com/Example_Mint/status/1 https://login.eth.com/ name.eth name.eth.limo/page co.uk/a',
    'bit.ly/AbC evil.wordpress.com 203.0.113.7 https://[2001:db8::1]/ 10.example evil.example/a*',
    'https://a.example/b,c.example https://sites.google.com/view/evil https://youtube.com/watch?v=evil',
    'accounts.google.com',
  ];
  test.each(unchanged.flatMap((line) => line.split(' ')))('%s is listed unchanged', async (content) => {
    expect(await listed(content)).toBe(content);
  });

  const outcomes: [expected: string, contents: string][] = [
    ['evil.example changed', 'http://EVIL.example https://www.www.evil.example/ *.evil.example .evil.example'],
    ['evil.example changed', 'https://%2A.www.evil.example/ https://user:word@evil.example/'],
    ['public-suffix', 'co.uk *.co.uk'],
    ['name.eth changed', 'name.eth.limo name.eth.link'],
    ['shared-host', 'eth.limo https://bit.ly/ *.wordpress.com google.com https://amazonaws.com'],
    ['shared-host', 'https://sites.google.com/view/ https://ipfs.io/ipfs docs.google.com/document'],
    ['shared-host', 'https://youtube.com/watch'],
    ['private-address', '127.0.0.1 http://2130706433/admin 0.0.0.0'],
    ['number', '8.8 1.2.3 1.2.3. 0x7f.1 010.8.8.8 1.2.3/4 8.8:80 user@8.8 .8.8 8.8.8 %31.2.3 １.2.3'],
    ['unknown', '7 3232235777 0x8080808'],
    ['203.0.113.7 changed', 'http://203.0.113.7:80/ user@203.0.113.7 http://0xcb.0.113.7 [::ffff:203.0.113.7] http:203.0.28935'],
    ['wildcard', '*.evil.example/a evil.example/a/* evil.* *.example *.*.evil.example www.*.evil.example'],
    ['wildcard', 'a*.evil.example'],
  ];
  test.each(outcomes.flatMap(([expected, line]) => line.split(' ').map((content) => [content, expected] as const)))(
    '%s: %s',
    async (content, expected) => {
      expect(await listed(content)).toBe(expected);
    },
  );

  test('a list holds an IPv4 address only if it has all four numbers of it, or a link', async () => {
    const number = fc.oneof(
      fc.nat(300).map(String),
      fc.nat(2 ** 32).map(String),
      fc.nat(300).map((value) => `0x${value.toString(16)}`),
      fc.nat(300).map((value) => `0${value.toString(8)}`),
    );
    const text = fc
      .tuple(
        fc.constantFrom('', '', '*.', '.', 'u@', '(', '"'),
        fc.oneof(
          fc.array(number, { minLength: 1, maxLength: 5 }),
          fc.tuple(...Array.from({ length: 4 }, () => fc.integer({ min: 11, max: 99 }))),
        ),
        fc.constantFrom('', '', '.', ':80', '/', '/a', '?b', ')', ',', '^'),
      )
      .map(([before, numbers, after]) => `${before}${numbers.join('.')}${after}`);
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(text, fc.constantFrom(undefined, 'URL'), async (content, type) => {
        const { report, snapshot } = await buildList([{ content, ...(type && { type }) }], options);
        if (report.listed === 0) return;
        accepted++;
        const [quad = 'none'] = /(?:\d+\.){3}\d+/.exec(content) ?? [];
        const page = [quad, quad + content.slice(content.indexOf(quad) + quad.length).replace(/^(\?)/, '/$1')];
        expect(page.map(prefixOf), content).toContain([...snapshot][0]);
      }),
      { numRuns: 150, examples: [['192.0.2.1', undefined]] },
    );
    expect(accepted).toBeGreaterThan(3);
  });

  const long = 'a'.repeat(17_000);
  test.each<[string, string | undefined, string]>([
    ['https://www.evil.example:8080/a/../b#c', undefined, 'evil.example/b changed'],
    ['evil.example/a?b=c', 'PAGE', 'evil.example/a?b=c'],
    ['evil.example?b=c', undefined, 'evil.example/?… changed'],
    ['evil.example/a?b=c', 'URL', 'evil.example changed'],
    ['evil.example/a', 'url', 'evil.example changed'],
    ['evil.example', 'PAGE', 'not-a-page'],
    ['evil.example/a/b/c/d/e', undefined, 'evil.example/a/b/c/d/e exact-only'],
    ['a.b.c.d.e.f.g.h.i.j.k.l', undefined, 'a.b.c.d.e.f.g.h.i.j.k.l exact-only'],
    ['www.b.c.d.e.f.g.h.i.j.k.l', undefined, 'b.c.d.e.f.g.h.i.j.k.l changed'],
    ['0x52908400098527886e0f7030069857d2e4169ee7', 'ADDRESS', '0x52908400098527886e0f7030069857d2e4169ee7'],
    [
      'eip155:1:0x52908400098527886e0f7030069857d2e4169ee7',
      undefined,
      'address:0x52908400098527886e0f7030069857d2e4169ee7 changed',
    ],
    ['evil.example', 'ADDRESS', 'unknown'],
    ['0x52908400098527886e0f7030069857d2e4169ee7', 'URL', 'unknown'],
    ['Someone@Evil.example', 'EMAIL', 'Someone@Evil.example'],
    ['someone+a@gmail.com', undefined, '…@gmail.com changed'],
    ['+1 202-555-0100', 'phone_number', 'phone_number:+12025550100 changed'],
    ['@Example_Mint', 'TWITTER', 'twitter:twitter.com/example_mint changed'],
    ['https://x.com/Example_Mint', 'TWITTER', 'twitter:twitter.com/example_mint changed'],
    ['https://evil.example/', 'TWITTER', 'unknown'],
    ['evil.example', 'DOMAIN', 'type-unknown'],
    ['localhost', undefined, 'not-a-host'],
    ['chrome://settings', undefined, 'internal-scheme'],
    ['some words', undefined, 'unknown'],
    ['@Example_Mint', undefined, 'unknown'],
    ['', undefined, 'unknown'],
    ['evil.example\tgood.example', undefined, 'not-text'],
    ['evil.example\ngood.example', undefined, 'not-text'],
    ['evil\ud800.example', undefined, 'not-text'],
    ['https://www.co.uk/a', 'URL', 'public-suffix'],
    ['sub.name.eth.limo', undefined, 'sub.name.eth changed'],
    ['http://www.bit.ly/AbC', 'URL', 'shared-host'],
    ['http://192.168.0.1/admin', 'PAGE', 'private-address'],
    ['http://[::ffff:10.0.0.1]:8080/', 'URL', 'private-address'],
    ['*.evil.example/a', 'URL', 'evil.example changed'],
    ['URL,evil.example', undefined, 'odd-host'],
    ['evil.example,phishing', undefined, 'odd-host'],
    ['evil.example;phishing', undefined, 'odd-host'],
    ['https://evil.example,phishing/a', 'PAGE', 'odd-host'],
    ['evil.example,phishing', 'URL', 'odd-host'],
    ['"evil.example","phishing"', undefined, 'odd-host'],
    ['evil.example\tphishing', undefined, 'not-text'],
    ['a.example, b.example', undefined, 'several'],
    ['a.example;b.example', undefined, 'several'],
    ['a.example b.example/c 0x52908400098527886e0f7030069857d2e4169ee7', undefined, 'several'],
    ['https://a.example/b https://b.example/c', undefined, 'several'],
    ['https://a.example/b c.pdf', undefined, 'a.example/b%20c.pdf changed'],
    [
      'intent://metamask.io/#Intent;scheme=https;S.browser_fallback_url=https%3A%2F%2Fevil.example;end',
      undefined,
      'several-targets',
    ],
    [
      'intent://evil.example/a#Intent;scheme=https;S.browser_fallback_url=https%3A%2F%2Fevil.example%2Fa;end',
      undefined,
      'evil.example/a changed',
    ],
    ['https://www.google.com/url?q=https://evil.example', undefined, 'several-targets'],
    ['https://www.google.com/url?q=https://evil.example', 'PAGE', 'several-targets'],
    ['metamask.app.link/dapp/evil.example', undefined, 'several-targets'],
    ['https://evil-example.translate.goog/', 'URL', 'several-targets'],
    ['https://web.archive.org/web/2020/https://evil.example/', undefined, 'several-targets'],
    ['https://href.li/?https://evil.example', undefined, 'several-targets'],
    ['metamask://dapp/google.com/url?q=https://evil.example', undefined, 'several-targets'],
    ['metamask://dapp/evil.example', undefined, 'evil.example changed'],
    ['bitcoin:1BoatSLRHtKNngkdXEeobR76b53LETtpyT?lightning=someone@evil.example', undefined, 'several-targets'],
    ['https://evil.example,', undefined, 'evil.example changed'],
    ['https://evil.example)', 'URL', 'evil.example changed'],
    ['evil.example;', undefined, 'evil.example changed'],
    ['(https://evil.example)', undefined, 'evil.example changed'],
    ['"https://evil.example/a"', undefined, 'evil.example/a changed'],
    ['hxxps://evil[.]example', undefined, 'evil.example changed'],
    ['hxxps://evil[.]example/a', 'PAGE', 'evil.example/a changed'],
    ['<bit.ly>', undefined, 'shared-host'],
    ['a.example, b.example,', undefined, 'several'],
    ['Someone@evil.example,', undefined, '…@evil.example changed'],
    ['0x52908400098527886e0f7030069857d2e4169ee7,', undefined, 'address:0x52908400098527886e0f7030069857d2e4169ee7 changed'],
    [`(${phrase})`, undefined, 'secret'],
    ['https://evil.example/a(b)', undefined, 'https://evil.example/a(b)'],
    [`https://a${'['.repeat(20_000)}.${']'.repeat(20_000)}`, undefined, 'unknown'],
    ['https://evil.example/a.', undefined, 'https://evil.example/a.'],
    ['see evil.example, please', undefined, 'unknown'],
    ['https://www.t.me/s', 'PAGE', 'shared-host'],
    ['blob:https://evil.example/1-2', undefined, 'too-wide'],
    ['blob:https://evil.example/1-2', 'URL', 'evil.example changed'],
    [`evil.example/${long}`, undefined, 'too-wide'],
    [`evil.example/a?${long}`, undefined, 'too-wide'],
    [`evil.example/${'é'.repeat(2_800)}`, undefined, 'too-wide'],
    [`evil.example/${long}`, 'URL', 'evil.example changed'],
    ['5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss', undefined, 'secret'],
    ['5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss', 'EMAIL', 'secret'],
    ['abandon ability able about above absent absorb abstract absurd abuse access accident', undefined, 'secret'],
    ['abandon\tability\table\tabout\tabove\tabsent\tabsorb\tabstract\tabsurd\tabuse\taccess\taccident', undefined, 'secret'],
    ['f'.repeat(64), 'ADDRESS', 'secret'],
    [`http://user:${'f'.repeat(64)}@evil.example/`, undefined, 'secret'],
    [`user:${'f'.repeat(64)}@evil.example`, 'URL', 'secret'],
    [`https://evil.example/?a=1&pk=${'f'.repeat(64)}#b`, undefined, 'secret'],
    [`https://evil.example/a?${phrase.replace(/ /g, '%2520')}`, undefined, 'secret'],
    [`https://evil.example/a?seed=${phrase.replace(/ /g, '+')}`, 'URL', 'secret'],
    [`blob:https://${phrase.replace(/ /g, '%20')}:x@evil.example/1`, 'URL', 'secret'],
  ])('%.60j as %s: %s', async (content, type, expected) => {
    expect(await listed(content, type)).toBe(expected);
  });

  test.each<[string, string | undefined, string]>([
    ['evil.example', undefined, 'evil.example'],
    ['https://www.evil.example/a', 'URL', 'evil.example/ changed'],
    ['https://www.evil.example/a/', undefined, 'evil.example/a/ changed'],
    ['evil.example/a?b', undefined, 'evil.example/a?b'],
    ['evil.example/a/b/c/', undefined, 'evil.example/a/b/c/'],
    ['evil.example/a/b/c/d/', undefined, 'evil.example/a/b/c/d/ exact-only'],
    ['a.b.c.d.example', undefined, 'a.b.c.d.example'],
    ['z.a.b.c.d.example', undefined, 'z.a.b.c.d.example exact-only'],
    ['0x52908400098527886e0f7030069857d2e4169ee7', undefined, 'type-without-rule'],
    ['bit.ly', undefined, 'shared-host'],
    ['ipfs.io/ipfs/', undefined, 'shared-host'],
    ['*.evil.example', undefined, 'evil.example/ changed'],
  ])('%s as %s with safe-browsing-4: %s', async (content, type, expected) => {
    expect(await listed(content, type, 'safe-browsing-4')).toBe(expected);
  });

  test('accepts custom shared hosts in any spelling', async () => {
    expect(SHARED_HOSTS.length).toBe(new Set(SHARED_HOSTS).size);
    const { report } = await buildList(['bit.ly', 'bücher.example', 'x.example'], { sharedHosts: ['WWW.Bücher.example.'] });
    expect(report.refused).toEqual([{ line: 1, reason: 'shared-host', host: 'xn--bcher-kva.example' }]);
    await expect(buildList([], { sharedHosts: ['no host'] })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('rejects everything that covers a shared folder', async () => {
    const sharedHosts = ['https://pages.Host.example/u/all/', 'a.b.c.example'];
    const lines = ['host.example', 'pages.host.example', 'pages.host.example/u', 'http://www.pages.host.example/u/all'];
    const listedLines = ['pages.host.example/u/all/me', 'pages.host.example/v', 'x.pages.host.example', 'x.host.example'];
    const { report } = await buildList([...lines, 'c.example', 'b.c.example', ...listedLines], { ...options, sharedHosts });
    expect(report.refused.map(({ line, host }) => `${line} ${host}`)).toEqual([
      '0 host.example',
      '1 pages.host.example',
      '2 pages.host.example',
      '3 pages.host.example',
      '4 c.example',
      '5 b.c.example',
    ]);
    expect(report.listed).toBe(listedLines.length);
    await expect(buildList([], { sharedHosts: ['a.example/?b'] })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('throws TypeError if isPublicSuffix does not return a boolean', async () => {
    for (const answer of [Promise.resolve(false), undefined, null, 1, 'co.uk']) {
      const isPublicSuffix = () => answer as unknown as boolean;
      await expect(buildList(['evil.example'], { isPublicSuffix })).rejects.toThrow(TypeError);
    }
  });

  test('rejects every built-in shared host as a whole, and lists a page on it', async () => {
    const { report } = await buildList([...SHARED_HOSTS, ...SHARED_HOSTS.map((host) => `${host}/page`)]);
    expect(report.refusedBy).toEqual({ 'shared-host': SHARED_HOSTS.length });
    // A page on some of them is an account, which is listed too; `t.me` and `telegram.me` have the same ones.
    expect(report.byType['PAGE']).toBe(SHARED_HOSTS.length);
    expect(report.accounts).toBeGreaterThan(40);
  });
});

describe('private hosts', () => {
  test.each(
    [
      '0.0.0.0 10.0.0.1 100.64.0.1 100.127.255.255 127.255.0.1 169.254.169.254 172.16.0.1 172.31.9.9 192.168.1.1',
      '[::] [::1] [fc00::] [fdff:1::2] [fe80::1] [febf::1]',
    ].flatMap((line) => line.split(' ')),
  )('%s is private', (host) => {
    expect(isPrivateHost(host)).toBe(true);
  });

  test.each(
    [
      '1.0.0.0 9.255.255.255 11.0.0.1 100.63.0.1 100.128.0.1 128.0.0.1 169.253.0.1 172.15.0.1 172.32.0.1 192.169.0.1',
      '[::2] [::1:0] [fb00::1] [fe00::1] [2001:db8::1] 127.0.0.1.example 10.example fc00.example 192.168.example',
    ].flatMap((line) => line.split(' ')),
  )('%s is not private', (host) => {
    expect(isPrivateHost(host)).toBe(false);
  });
});

/** Texts with this part in every place where a format can have it. */
const inEveryFormat = (part: string): ListText[] => [
  { format: 'lines', data: `${part}\n${part} # ${part}\nbitcoin:${part}\nblob:${part}` },
  { format: 'hosts', data: `${part}\n0.0.0.0 ${part}\n1.2.3.4 ${part}` },
  { format: 'csv', data: `content,type,note\n"${part}",,\n${part},EMAIL,${part}\n"${part}"x,,\n${part}` },
  { format: 'json', data: JSON.stringify({ assets: [part, { content: part, type: part }, { content: part, status: part }] }) },
  { format: 'eth-phishing-detect', data: JSON.stringify({ blacklist: [part], whitelist: [part] }) },
];

describe('report', () => {
  test('numbers every refused, changed or duplicate line', async () => {
    const data = 'a.example\n# x\nhttp://A.example/\nbit.ly\n\na.example # again\nb.example/1/2/3/4/5\nsome words\n';
    const { report } = await buildList({ format: 'lines', data, name: 'mine' });
    expect(report).toEqual({
      formats: [{ source: 'mine', format: 'lines' }],
      ignored: 0,
      accounts: 0,
      excepted: 0,
      entries: 6,
      listed: 2,
      byType: { URL: 1, PAGE: 1, ADDRESS: 0 },
      refused: [
        { line: 4, source: 'mine', reason: 'shared-host', host: 'bit.ly' },
        { line: 8, source: 'mine', reason: 'unknown' },
      ],
      refusedBy: { 'shared-host': 1, unknown: 1 },
      warnings: [
        { code: 'suffixes-unchecked' },
        { line: 3, source: 'mine', code: 'changed', from: 'http://A.example/', to: 'a.example' },
        { line: 7, source: 'mine', code: 'exact-only', to: 'b.example/1/2/3/4/5' },
        { line: 3, source: 'mine', code: 'duplicate', firstLine: 1, firstSource: 'mine' },
        { line: 6, source: 'mine', code: 'duplicate', firstLine: 1, firstSource: 'mine' },
      ],
      warningsBy: { 'suffixes-unchecked': 1, changed: 1, 'exact-only': 1, duplicate: 2 },
    });
  });

  test('names the text of each entry', async () => {
    const input = [
      { format: 'hosts', data: '0.0.0.0 a.example', name: 'hosts' } as const,
      'a.example',
      { format: 'lines', data: '\nA.example', name: 'lines' } as const,
    ];
    const { report } = await buildList(input, options);
    expect(report.warnings).toEqual([
      { line: 2, source: 'lines', code: 'changed', from: 'A.example', to: 'a.example' },
      { line: 0, code: 'duplicate', firstLine: 1, firstSource: 'hosts' },
      { line: 2, source: 'lines', code: 'duplicate', firstLine: 1, firstSource: 'hosts' },
    ]);
  });

  test('contains at most maxReportEntries entries, and counts all', async () => {
    const lines = Array.from({ length: 3_000 }, (_, at) => [`some words ${at}`, `WWW.Evil.example/${at % 10}`]).flat();
    const { report } = await buildList(lines, { ...options, maxReportEntries: 3 });
    expect(report.refused.map(({ line }) => line)).toEqual([0, 2, 4]);
    expect(report.refusedBy).toEqual({ unknown: 3_000 });
    expect(report.warningsBy).toEqual({ changed: 3_000, duplicate: 2_990 });
    const duplicates = report.warnings.filter((warning) => warning.code === 'duplicate');
    expect(duplicates.map(({ line, firstLine }) => [line, firstLine])).toEqual([
      [21, 1],
      [23, 3],
      [25, 5],
    ]);
    expect(report.warnings.length).toBe(6);
  });

  test('hides userinfo, query, fragment and secrets in links', async () => {
    const lines = [
      'http://robin:hunter2@A.example/x?token=hunter2&b#hunter2',
      '  robin:hunter2@b.example:80/x',
      'https:/\\hunter2@c.example/@me/x',
      'https://D.example/5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss/x',
      `https://E.example/${phrase.replace(/ /g, '%20')}`,
      'e.example/1/2/3/4/5/5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss',
    ];
    const { report } = await buildList(lines, options);
    expect(report.listed).toBe(6);
    expect(report.warnings.map((warning) => ('to' in warning ? { from: '', ...warning } : warning))).toMatchObject([
      { from: 'http://…@A.example/x?…#…', to: 'a.example/x?…' },
      { from: '…@b.example:80/x', to: 'b.example/x' },
      { from: 'https:/\\…@c.example/@me/x', to: 'c.example/@me/x' },
      { from: 'https://D.example/…/x', to: 'd.example/…/x' },
      { from: 'https://E.example/…', to: 'e.example/…' },
      { code: 'exact-only', to: 'e.example/1/2/3/4/5/…' },
    ]);
    for (const word of ['hunter2', 'robin', 'abandon', '5KYZ']) expect(JSON.stringify(report)).not.toContain(word);
  });

  test('never contains a secret, wherever it was', async () => {
    const key = '5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss';
    const linked = `http://X.example/?seed=${phrase.replace(/ /g, '%20')}`;
    const texts = [key, phrase, `my key: ${key}`, linked, `http://user:${key}@X.example/`].flatMap(inEveryFormat);
    const { report } = await buildList(texts, options);
    const shown = JSON.stringify(report);
    for (const word of [key.slice(0, 10), 'abandon', 'accident']) expect(shown).not.toContain(word);
    expect(report.entries).toBeGreaterThan(40);
    expect(report.listed).toBe(0);
  });

  test.each(['http://x:%s@X.example/a', 'http://%s@X.example/', 'https://X.example/a#%s', 'X.example#/?token=%s'])(
    'never contains a password or token: %s',
    async (pattern) => {
      const { report } = await buildList(inEveryFormat(pattern.replace('%s', 'hunter2')), options);
      expect(JSON.stringify(report)).not.toContain('hunter2');
      expect(report.warningsBy.changed).toBeGreaterThan(4);
    },
  );
});
