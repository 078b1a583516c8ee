import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A `ts` fence of a page. */
export interface Snippet {
  /** Page and line, as an editor opens it. */
  readonly place: string;
  readonly code: string;
  /** The content of a `text` fence right after it: what the snippet prints. */
  readonly printed: string | undefined;
}

/** The pages of docs without the API reference, which is not in the repository. */
export const documents: readonly string[] = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md') && !/^api\b/.test(name))
  .map((name) => join('docs', name));

export const pages: readonly string[] = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'bench/README.md',
  'llms.txt',
  ...documents,
];

/** The fences of the API reference are signatures; its examples are doc comments. */
const withoutSnippets = join('docs', 'api');

export function snippetsOf(page: string): Snippet[] {
  const markdown = readFileSync(page, 'utf8');
  const fences = [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  return fences.flatMap(([, language, code = ''], at) => {
    if (language !== 'ts') return [];
    const next = fences[at + 1];
    const line = markdown.slice(0, fences[at]?.index).split('\n').length;
    return [{ place: `${page}:${line}`, code, printed: next?.[1] === 'text' ? next[2] : undefined }];
  });
}

export function allSnippets(): Snippet[] {
  return pages.filter((page) => !page.startsWith(withoutSnippets)).flatMap(snippetsOf);
}
