/**
 * Builds the documentation as a static site from docs and llms.txt, with the API reference and the playground in it.
 *
 *   npm run docs
 *   npm run docs -- --base /portcullis/ --out public
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openApi } from '../../src/entry/client-node.js';
import { writeApi } from './api-pages.js';
import { checkLinks } from './check-links.js';
import { madePage, readersOf, rewriteLinks, shortTitlesOf, sidebarOf, sitePages, targetOf, titleOf } from './site-pages.js';
import { buildSitePlayground } from './site-playground.js';

const generator = fileURLToPath(new URL('.', import.meta.url));
const cache = resolve('node_modules/.cache/portcullis');

export interface SiteOptions {
  /** Folder of the site; what it contains is deleted. */
  readonly out: string;
  /** Path of the site on its host; it starts and ends with a slash. */
  readonly base: string;
}

/** Builds the site. Throws if a link of a page leads nowhere. */
export async function buildSite({ out, base }: SiteOptions): Promise<void> {
  if (!/^\/(?:[\w.~-]+\/)*$/.test(base)) throw new Error(`malformed base ${base}; it must look like /portcullis/`);
  if (!existsSync(join(generator, 'node_modules/vitepress'))) {
    throw new Error('the generator is not installed; run npx tsx tools/install.ts tools/site');
  }
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'site-'));
  try {
    for (const warning of await writeApi()) console.warn(warning);
    writePages(folder);
    await runGenerator(folder, resolve(out), base);
    await buildSitePlayground(join(out, playgroundFolder), base);
    checkLinks(out, base);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The playground's folder on the site; docs/playground.md has the other name. */
const playgroundFolder = 'try';

function writePages(folder: string): void {
  const written = new Set<string>();
  const write = (file: string, text: string): void => {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    written.add(file);
  };
  const index = readFileSync('llms.txt', 'utf8');
  const titles = shortTitlesOf(index);
  const waiting = sitePages().flatMap(({ source, file }) => {
    const { text, needs } = rewriteLinks(source, readFileSync(source, 'utf8'), titles);
    write(file, text);
    return needs;
  });
  const made: string[] = [];
  for (let need = waiting.pop(); need !== undefined; need = waiting.pop()) {
    const { kind, link, source } = need;
    if (kind === 'file') {
      mkdirSync(dirname(join(folder, 'public', link)), { recursive: true });
      cpSync(source, join(folder, 'public', link));
      continue;
    }
    const file = link
      .replace(/\/$/, '/index')
      .replace(/\.html$/, '')
      .replace(/$/, '.md')
      .slice(1);
    if (written.has(file)) continue;
    const { text, needs } = madePage(source);
    write(file, text);
    made.push(file);
    waiting.push(...needs);
  }
  mkdirSync(join(folder, 'public'), { recursive: true });
  cpSync('docs/pictures/logo.svg', join(folder, 'public/logo.svg'));
  writeFileSync(join(folder, 'public/openapi.json'), `${JSON.stringify(openApi(), null, 1)}\n`);
  const groups = sidebarOf(index);
  write('index.md', homePage());
  write(
    'site.json',
    JSON.stringify({ groups, made, readers: readersOf(readFileSync('docs/README.md', 'utf8')), ...otherSidebars() }),
  );
}

/** The pages of the API and the decisions, which would be too long for the main sidebar. */
function otherSidebars(): object {
  const linked = (page: string, markdown: string): object[] =>
    [...markdown.matchAll(/\[([^\]]+)\]\((\S+\.md)\)/g)].map(([, text, path = '']) => ({
      text,
      link: targetOf(page, path).link,
    }));
  return {
    api: linked('docs/api/README.md', readFileSync('docs/api/README.md', 'utf8')),
    decisions: readdirSync('docs/decisions').map((name) => {
      const source = `docs/decisions/${name}`;
      return { text: titleOf(readFileSync(source, 'utf8')), link: targetOf('README.md', source).link };
    }),
  };
}

/** The first page: what it is, the six readers, and the README's six lines. */
function homePage(): string {
  const readme = readFileSync('README.md', 'utf8');
  const [, tagline = ''] = /^# Portcullis\n\n([\s\S]+?)\n\n/m.exec(readme) ?? [];
  const example = /^```ts\n[\s\S]*?^```\n\n```text\n[\s\S]*?^```$/m.exec(readme)?.[0];
  if (tagline === '' || example === undefined) throw new Error('README.md has lost its first paragraph or its first example');
  const features = readersOf(readFileSync('docs/README.md', 'utf8')).map(({ name, tutorial, promise }) => ({
    title: name,
    details: `${promise.charAt(0).toUpperCase()}${promise.slice(1)}.`,
    link: tutorial,
    linkText: 'Start here',
  }));
  const front = {
    layout: 'home',
    hero: {
      name: 'Portcullis',
      text: 'Is this link a known scam?',
      tagline: tagline.replaceAll('\n', ' '),
      image: { src: '/logo.svg', alt: '' },
      actions: [
        { theme: 'brand', text: 'Try it in this browser', link: `/${playgroundFolder}/`, target: '_self' },
        { theme: 'alt', text: 'What it is and how it works', link: '/overview.html' },
      ],
    },
    features,
  };
  // JSON is YAML.
  return `---\n${JSON.stringify(front, null, 2)}\n---\n\n## Six lines\n\n${example}\n\n[All pages, in reading order](/contents.html)\n`;
}

function runGenerator(folder: string, out: string, base: string): Promise<void> {
  const child = spawn(
    process.execPath,
    [join(generator, 'node_modules/vitepress/bin/vitepress.js'), 'build', generator, '--outDir', out],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, SITE_PAGES: folder, SITE_BASE: base } },
  );
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  child.stderr.on('data', (data) => (output += data));
  return new Promise((settle, reject) => {
    child.on('error', reject);
    child.on('exit', (code) =>
      code === 0 ? settle() : reject(new Error(`vitepress failed with exit code ${code}:\n${output}`)),
    );
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { base: { type: 'string', default: '/' }, out: { type: 'string', default: 'site' } } });
  await buildSite(values);
  console.log(`The site is in ${values.out}/. Serve that folder with any static server at ${values.base}`);
}
