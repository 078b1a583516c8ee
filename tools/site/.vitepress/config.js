import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { slugOf } from '../../anchors.js';
import { searchedHtml, searchOptions } from '../site-search.js';

const { SITE_PAGES: pages, SITE_BASE: base } = process.env;
const { groups, made, readers, api, decisions } = JSON.parse(readFileSync(join(pages, 'site.json'), 'utf8'));

/** VitePress adds the base only to pages. */
const withBase = ({ text, link }) => ({
  text,
  link: link.includes('.html') || link.endsWith('/') ? link : `${base}${link.slice(1)}`,
});

/** Readers who search want to use the library; decisions, the list of changes and code have the same words, and are found by their pages. */
const searched = (source, env, markdown) => {
  const html = markdown.render(source, env);
  return /^(?:decisions\/|changelog)/.test(env.relativePath) || made.includes(env.relativePath)
    ? ''
    : searchedHtml(env.relativePath, html);
};

const toContents = { text: 'All pages', link: '/contents.html' };

export default defineConfig({
  lang: 'en',
  title: 'Portcullis',
  description: 'Block scam links and wallet addresses in your extension, wallet or server, on the device.',
  base,
  srcDir: pages,
  cacheDir: join(pages, '.cache'),
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}logo.svg` }],
    ['meta', { name: 'referrer', content: 'no-referrer' }],
  ],
  // Links like those of a code host, so that a link between pages works there and here.
  markdown: { anchor: { slugify: slugOf }, theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' } },
  vite: { publicDir: join(pages, 'public'), logLevel: 'warn' },
  themeConfig: {
    logo: '/logo.svg',
    outline: [2, 3],
    search: { provider: 'local', options: { detailedView: true, _render: searched, miniSearch: { searchOptions } } },
    nav: [
      { text: 'Tutorials', items: readers.map(({ name, tutorial }) => ({ text: name, link: tutorial })) },
      toContents,
      { text: 'API', link: '/api/', activeMatch: '/api/' },
      { text: 'Playground', link: '/try/', target: '_self' },
    ],
    sidebar: {
      '/api/': [{ text: 'API reference', link: '/api/', items: api }, toContents],
      '/decisions/': [{ text: 'Decisions', link: '/decisions/', items: decisions }, toContents],
      '/': groups.map(({ text, items }) => ({ text, items: items.map(withBase) })),
    },
    docFooter: { prev: 'Before', next: 'Next' },
  },
});
