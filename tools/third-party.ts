import { readFile } from 'node:fs/promises';

/** The license of a package that is bundled. */
export function licenseOf(name: string): Promise<string> {
  return readFile(new URL(`../node_modules/${name}/LICENSE`, import.meta.url), 'utf8');
}

/** The notice for the list of public suffixes, which the command line and the page for publishers contain. */
export async function suffixNotice(subject: string): Promise<string> {
  return `${subject} contains tldts (https://github.com/remusao/tldts) and in it the Public Suffix List
(https://publicsuffix.org/list/), which is available under the Mozilla Public License 2.0. The license of tldts:

${await licenseOf('tldts')}`;
}
