import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, extname, join, normalize } from 'node:path';

/** A page of the site, made from a file or a folder of the repository. */
export interface SitePage {
  /** Where it comes from, from the root of the repository. */
  readonly source: string;
  /** Its Markdown file on the site. */
  readonly file: string;
}

/** A link of the sidebar. */
export interface SideLink {
  readonly text: string;
  readonly link: string;
}

export interface SideGroup {
  readonly text: string;
  readonly items: readonly SideLink[];
}

/** A reader of the documentation, with the tutorial to start with and the pages after it. */
export interface Reader {
  readonly name: string;
  readonly tutorial: string;
  readonly promise: string;
  readonly next: string;
}

/** Pages outside docs, and pages whose name says nothing on a site. */
const named: Readonly<Record<string, string>> = {
  'README.md': 'overview.md',
  'docs/README.md': 'contents.md',
  'docs/api/README.md': 'api/index.md',
  'ARCHITECTURE.md': 'architecture.md',
  'CONTRIBUTING.md': 'contributing.md',
  // docs/security.md is about the security of lists.
  'SECURITY.md': 'security-policy.md',
  'CHANGELOG.md': 'changelog.md',
  'bench/README.md': 'benchmarks.md',
};

/** Files that the site offers as they are. */
const isStatic = (path: string): boolean => /^docs\/(?:pictures|vectors)\/|^bench\/history\.json$/.test(path);

/** Every Markdown page. */
export function sitePages(): SitePage[] {
  const inDocs = readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name).replaceAll('\\', '/'));
  return [...new Set([...Object.keys(named), ...inDocs])].sort().map((source) => ({ source, file: siteFile(source) }));
}

const siteFile = (source: string): string => named[source] ?? source.slice('docs/'.length);

/** Where a link leads on the site. */
export type Target =
  | { readonly kind: 'page'; readonly link: string }
  /** Copied to the site as it is. */
  | { readonly kind: 'file'; readonly link: string; readonly source: string }
  /** A page that lists a folder or shows code, made because a page links to it. */
  | { readonly kind: 'made'; readonly link: string; readonly source: string };

/**
 * Maps the target of a link in a page to the site.
 *
 * @throws if the target does not exist
 */
export function targetOf(page: string, link: string): Target {
  const [, anchor] = link.split('#');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  const source = sourceOf(page, link);
  if (!existsSync(source)) throw new Error(`${page} links to ${link}, which does not exist`);
  if (source.endsWith('.md') && (source in named || source.startsWith('docs/'))) {
    return {
      kind: 'page',
      link: `/${siteFile(source).replace(/(?:index)?\.md$/, (end) => (end === 'index.md' ? '' : '.html'))}${hash}`,
    };
  }
  if (isStatic(source)) return { kind: 'file', link: `/${source.replace(/^docs\//, '')}`, source };
  const isFolder = statSync(source).isDirectory();
  // The generator skips folders that begin with a dot.
  return { kind: 'made', link: `/${source.replace(/^(docs\/|\.)/, '')}${isFolder ? '/' : '.html'}`, source };
}

/** What a link in a page means, from the root of the repository. */
function sourceOf(page: string, link: string): string {
  const [path = ''] = link.split('#');
  return path === ''
    ? page
    : normalize(join(dirname(page), path))
        .replaceAll('\\', '/')
        .replace(/\/$/, '');
}

const isElsewhere = (link: string): boolean => /^[a-z]+:/.test(link);

export interface Rewritten {
  readonly text: string;
  /** What the page links to besides other pages. */
  readonly needs: readonly Exclude<Target, { kind: 'page' }>[];
}

/**
 * Leads the links and pictures of a page to the site. Code stays as it is.
 *
 * @param titles Replace the names of files as the texts of links, because a site has none
 */
export function rewriteLinks(page: string, markdown: string, titles: ReadonlyMap<string, string> = new Map()): Rewritten {
  const needs: Exclude<Target, { kind: 'page' }>[] = [];
  const lead = (link: string): string => {
    if (isElsewhere(link) || link.startsWith('#')) return link;
    const target = targetOf(page, link);
    if (target.kind !== 'page') needs.push(target);
    return target.link;
  };
  const text = outsideCode(markdown, (prose) =>
    prose
      .replace(/\[[\w./-]+\.md([^\]]*)\]\(([^)\s]+)\)/g, (whole, rest: string, link: string) => {
        const title = titles.get(sourceOf(page, link));
        return title === undefined ? whole : `[${title}${rest}](${link})`;
      })
      .replace(/\]\(([^)\s]+)\)/g, (_, link: string) => `](${lead(link)})`)
      // The scheme can be chosen on the site, so it decides and not the system's.
      .replace(
        /<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">\s*<img src="([^"]+)"([^>]*)>\s*<\/picture>/g,
        (_, dark: string, light: string, rest: string) =>
          `<p><img class="in-dark" src="${lead(dark)}"${rest}><img class="in-light" src="${lead(light)}"${rest}></p>`,
      )
      .replace(/(<img [^>]*?src=")(?!\/)([^"]+)"/g, (_, before: string, link: string) => `${before}${lead(link)}"`),
  );
  return { text, needs };
}

/** Applies a change to everything but fences and code spans. */
function outsideCode(markdown: string, change: (prose: string) => string): string {
  const codes: string[] = [];
  const keep = (code: string): string => `\uE000${codes.push(code) - 1}\uE001`;
  const bare = markdown.replace(/^```[\s\S]*?^```$/gm, keep).replace(/`[^`\n]*`/g, keep);
  const restore = (text: string): string =>
    text.replace(/\uE000(\d+)\uE001/g, (_, at: string) => restore(codes[Number(at)] ?? ''));
  return restore(change(bare));
}

/** The short titles of pages in llms.txt. */
export function shortTitlesOf(index: string): ReadonlyMap<string, string> {
  return new Map([...index.matchAll(/^- \[([^\]]+)\]\(([^)]+)\)/gm)].map(([, title = '', source = '']) => [source, title]));
}

/** Made for the site: the repository does not have them. */
const generated: readonly SideLink[] = [
  { text: 'API reference', link: '/api/' },
  { text: 'OpenAPI', link: '/openapi.json' },
];

/** The groups of llms.txt, which has every page once; a test says so. */
export function sidebarOf(index: string): SideGroup[] {
  return index
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const text = section.split('\n', 1)[0] ?? '';
      const items = [...shortTitlesOf(section)].map(([source, title]) => ({
        text: title,
        link: targetOf('llms.txt', source).link,
      }));
      // "Optional" has a meaning for the readers of llms.txt, not for people.
      return { text: text === 'Optional' ? 'The project' : text, items: text === 'Reference' ? [...items, ...generated] : items };
    });
}

/** The table of readers in docs/README.md. */
export function readersOf(contents: string): Reader[] {
  const rows = contents.matchAll(/^\| (.+?) \| \[[^\]]+\]\(([^)]+)\): (.+?) \| (.+?) \|$/gm);
  return [...rows].map(([, name = '', tutorial = '', promise = '', next = '']) => ({
    name,
    tutorial: targetOf('docs/README.md', tutorial).link,
    promise,
    next,
  }));
}

/** The title of a page. */
export function titleOf(markdown: string): string {
  return /^# (.+)$/m.exec(markdown)?.[1]?.replaceAll('`', '') ?? '';
}

/** A page for a folder of pages, of files, or of code, or for one file of code. */
export function madePage(source: string): Rewritten {
  if (!statSync(source).isDirectory()) return { text: `# ${source}\n\n${fenced(source)}`, needs: [] };
  const files = readdirSync(source)
    .filter((name) => statSync(join(source, name)).isFile())
    .map((name) => `${source}/${name}`);
  if (files.every((file) => file.endsWith('.md'))) {
    const rows = files.map((file) => `* [${titleOf(readFileSync(file, 'utf8'))}](${targetOf('README.md', file).link})`);
    return { text: `# ${source === 'docs/decisions' ? 'Decisions' : source}\n\n${rows.join('\n')}\n`, needs: [] };
  }
  if (files.every(isStatic)) {
    const targets = files.map((file) => targetOf('README.md', file)).filter((target) => target.kind !== 'page');
    const rows = targets.map(({ link, source: file }) => `* [${file.replace(/^.*\//, '')}](${link})`);
    return { text: `# ${source}\n\n${rows.join('\n')}\n`, needs: targets };
  }
  const shown = files.filter((file) => extname(file) in languages);
  return {
    text: `# ${source}\n\n${shown.map((file) => `## ${file.replace(/^.*\//, '')}\n\n${fenced(file)}`).join('\n')}`,
    needs: [],
  };
}

const languages: Readonly<Record<string, string>> = { '.ts': 'ts', '.mjs': 'js', '.js': 'js', '.json': 'json', '.html': 'html' };

function fenced(file: string): string {
  const text = readFileSync(file, 'utf8');
  return `\`\`\`\`${languages[extname(file)] ?? 'text'}\n${text.endsWith('\n') ? text : `${text}\n`}\`\`\`\`\n`;
}
