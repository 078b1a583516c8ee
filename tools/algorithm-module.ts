import { readFileSync } from 'node:fs';

/** The text of src/servers/mcp/algorithm-document.ts. */
export function algorithmModule(): string {
  const text = readFileSync('docs/algorithm.md', 'utf8').replace(/[\\`]|\$(?=\{)/g, '\\$&');
  return `/** Made by \`npm run docs:algorithm\` from docs/algorithm.md, for the tool server's resource. */\nexport const algorithmDocument = \`${text}\`;\n`;
}
