import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './in-process.js';

function scriptsOf(path: string): string[] {
  return [...readFileSync(path, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code.trim());
}

/** The lines to copy on the page about the command line. */
export const linesOfPage: readonly string[] = scriptsOf('docs/command-line.md').flatMap((code) => code.split('\n'));

/** The files that these lines read. */
export const documentedFiles: Readonly<Record<string, string>> = {
  'my-list.txt': 'evil.example\nhttps://pages.example/a/fake\n',
  'feed.csv': 'url,status\nb.example,blocked\nc.example,allowed\n',
  'links.txt': 'example.com\nexample.org\n',
  'mail.txt': 'see https://evil.example/a\n',
  'assets.ndjson': '{"content":"@example","type":"TWITTER"}\n"example.com"\n',
};

/** A folder with these files. */
export function documentedFolder(): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(documentedFiles)) writeFileSync(join(folder, name), text);
  return folder;
}

export const isServer = (line: string): boolean => line.startsWith('portcullis serve');
