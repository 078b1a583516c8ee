import { readFileSync } from 'node:fs';

/** The code of a page's block that begins with the name of its file in a comment: `// mmkv-store.js` or `# Containerfile`. */
export function guideBlock(page: string, file: string): string {
  const markdown = readFileSync(new URL(`../${page}`, import.meta.url), 'utf8');
  const blocks = [...markdown.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  const code = blocks.find((each) => [`// ${file}\n`, `# ${file}\n`].some((first) => each.startsWith(first)));
  if (code === undefined) throw new Error(`${page} has no block that begins with a comment "${file}"`);
  return code;
}
