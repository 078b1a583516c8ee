import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkLinks } from '../../tools/site/check-links.js';
import { madePage, readersOf, rewriteLinks, shortTitlesOf, sidebarOf, sitePages, targetOf } from '../../tools/site/site-pages.js';
import { documents } from '../../tools/snippets.js';

const contents = readFileSync('docs/README.md', 'utf8');
const groups = sidebarOf(readFileSync('llms.txt', 'utf8'));

test('every page of docs has one page on the site, and no two share a file', () => {
  const pages = sitePages();
  expect(pages.map(({ source }) => source)).toEqual(expect.arrayContaining([...documents, 'README.md', 'CHANGELOG.md']));
  expect(new Set(pages.map(({ file }) => file.toLowerCase())).size).toBe(pages.length);
  expect(pages.map(({ file }) => file)).not.toContain('index.md');
});

test('the sidebar reaches every page but those of the API and the decisions, which have their own', () => {
  const links = groups.flatMap(({ items }) => items.map(({ link }) => link));
  const wanted = sitePages()
    .filter(({ file }) => !/^(?:api|decisions)\//.test(file))
    .map(({ file }) => `/${file.replace(/\.md$/, '.html')}`);
  expect(links).toEqual(expect.arrayContaining([...wanted, '/api/']));
  expect(new Set(links).size).toBe(links.length);
});

test('the six readers have a tutorial each, in the group of tutorials', () => {
  const readers = readersOf(contents);
  expect(readers.map(({ tutorial }) => tutorial)).toEqual(
    ['extension', 'wallet', 'node-service', 'own-list', 'command-line', 'tools'].map((name) => `/${name}.html`),
  );
  const tutorials = groups.find(({ text }) => text === 'Tutorials')?.items.map(({ link }) => link);
  for (const { tutorial, promise } of readers) {
    expect(tutorials).toContain(tutorial);
    expect(promise).toMatch(/^[a-z].*[^.]$/);
  }
});

test('every link of every page has a target on the site', () => {
  // The build of the site writes docs/api and follows the links of its pages.
  for (const { source } of sitePages().filter((page) => !page.source.startsWith('docs/api/'))) {
    const { text, needs } = rewriteLinks(source, readFileSync(source, 'utf8'));
    const links = [
      ...text
        .replace(/^```[\s\S]*?^```$/gm, '')
        .replace(/`[^`\n]*`/g, '')
        .matchAll(/\]\(([^)\s]+)\)/g),
    ];
    for (const [, link] of links) expect(link, source).toMatch(/^(?:\/|#|https:)/);
    for (const need of needs) if (need.kind === 'made') expect(madePage(need.source).text).toMatch(/^# .+\n\n./);
  }
});

test.each([
  ['docs/sync.md', 'verdicts.md#reasons', { kind: 'page', link: '/verdicts.html#reasons' }],
  ['docs/security.md', '../SECURITY.md', { kind: 'page', link: '/security-policy.html' }],
  ['docs/README.md', '../README.md', { kind: 'page', link: '/overview.html' }],
  ['docs/decisions/0018-size-of-core.md', '0017-generations.md', { kind: 'page', link: '/decisions/0017-generations.html' }],
  ['README.md', 'docs/decisions', { kind: 'made', link: '/decisions/', source: 'docs/decisions' }],
  ['README.md', 'LICENSE', { kind: 'made', link: '/LICENSE.html', source: 'LICENSE' }],
  ['docs/streams.md', '../examples/stream', { kind: 'made', link: '/examples/stream/', source: 'examples/stream' }],
  ['docs/speed.md', 'pictures/ratios.svg', { kind: 'file', link: '/pictures/ratios.svg', source: 'docs/pictures/ratios.svg' }],
] as const)('in %s, %s leads to %o', (page, link, target) => {
  expect(targetOf(page, link)).toEqual(target);
});

test('a link to a file that does not exist is an error', () => {
  expect(() => rewriteLinks('docs/sync.md', 'See [here](verdict.md).')).toThrow(
    'docs/sync.md links to verdict.md, which does not exist',
  );
});

test('the name of a file as the text of a link becomes the title of the page', () => {
  const titles = new Map([['docs/verdicts.md', 'Verdicts']]);
  const markdown =
    'See [verdicts.md](verdicts.md#reasons), [verdicts.md §2](verdicts.md), [the rules](verdicts.md), [sync.md](sync.md).';
  expect(rewriteLinks('docs/client.md', markdown, titles).text).toBe(
    'See [Verdicts](/verdicts.html#reasons), [Verdicts §2](/verdicts.html), [the rules](/verdicts.html), [sync.md](/sync.html).',
  );
  expect(shortTitlesOf(readFileSync('llms.txt', 'utf8')).get('docs/verdicts.md')).toBe('Verdicts');
});

test('code keeps its text, and a picture follows the scheme of the site', () => {
  const markdown = [
    'See [`code`](verdicts.md) and `[a](nothing.md)`.',
    '```md',
    '[b](nothing.md)',
    '```',
    '<picture>',
    '  <source media="(prefers-color-scheme: dark)" srcset="pictures/terminal-dark.svg">',
    '  <img src="pictures/terminal-light.svg" alt="A shell">',
    '</picture>',
  ].join('\n');
  const { text, needs } = rewriteLinks('docs/sync.md', markdown);
  expect(text).toBe(
    [
      'See [`code`](/verdicts.html) and `[a](nothing.md)`.',
      '```md',
      '[b](nothing.md)',
      '```',
      '<p><img class="in-dark" src="/pictures/terminal-dark.svg" alt="A shell"><img class="in-light" src="/pictures/terminal-light.svg" alt="A shell"></p>',
    ].join('\n'),
  );
  expect(needs.map(({ source }) => source)).toEqual(['docs/pictures/terminal-dark.svg', 'docs/pictures/terminal-light.svg']);
});

test('a built page with a broken link, a missing heading or a link out of its base fails the build', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-links-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'api'));
  writeFileSync(join(folder, 'api/index.html'), '<h1 id="top">API</h1><a href="../index.html">Home</a>');
  const write = (links: string): void => writeFileSync(join(folder, 'index.html'), `<h2 id="a-b">A</h2>${links}`);
  write('<a class="x" href="#a-b"></a><a href="/base/api/#top"></a><a href="https://elsewhere.example/">Elsewhere</a>');
  expect(() => checkLinks(folder, '/base/')).not.toThrow();
  write('<a href="/base/api/#bottom"></a><a href="/base/missing.html"></a><img src="/logo.svg">');
  expect(() => checkLinks(folder, '/base/')).toThrow(
    [
      'broken links:',
      'index.html links to /base/api/#bottom: the page has no such heading',
      'index.html links to /base/missing.html: there is no such file',
      'index.html links to /logo.svg: it is outside the site',
    ].join('\n'),
  );
});
