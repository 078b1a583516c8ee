import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const origin = 'http://site.invalid';

/** Throws if a link or a picture of a built page has no target on the site, or if it leads to a heading that is not there. */
export function checkLinks(folder: string, base: string): void {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
  const ids = new Map<string, ReadonlySet<string>>();
  const faults: string[] = [];
  for (const name of pages) ids.set(name, idsOf(readFileSync(join(folder, name), 'utf8')));
  for (const name of pages) {
    const html = readFileSync(join(folder, name), 'utf8');
    for (const [, link = ''] of html.matchAll(/<[a-z]+ [^>]*?\b(?:href|src)="([^"]*)"/g)) {
      const fault = faultOf(link.replaceAll('&amp;', '&'), name);
      if (fault !== undefined) faults.push(`${name} links to ${link}: ${fault}`);
    }
  }
  if (faults.length > 0) throw new Error(`broken links:\n${[...new Set(faults)].join('\n')}`);

  function faultOf(link: string, name: string): string | undefined {
    const url = new URL(link, `${origin}${base}${name}`);
    if (url.origin !== origin) return undefined;
    if (!url.pathname.startsWith(base)) return 'it is outside the site';
    const path = decodeURIComponent(url.pathname.slice(base.length)).replace(/(^|\/)$/, '$1index.html');
    if (!existsSync(join(folder, path))) return 'there is no such file';
    const id = decodeURIComponent(url.hash.slice(1));
    return id === '' || ids.get(path)?.has(id) ? undefined : 'the page has no such heading';
  }
}

function idsOf(html: string): ReadonlySet<string> {
  return new Set([...html.matchAll(/\bid="([^"]+)"/g)].map(([, id = '']) => id));
}
