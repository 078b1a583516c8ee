import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Made {
  readonly name: string;
  /** Files and folders that decide its text. */
  readonly from: readonly string[];
  text(): Promise<string>;
}

const sources: readonly Made[] = [
  {
    name: 'field-descriptions',
    from: ['src/api/operations', 'src/api/client/client-types.ts', 'tools/field-comments.ts'],
    async text() {
      // Loads the compiler, which takes longer than everything else here.
      const { commentedFields, descriptionsModule } = await import('./field-comments.js');
      return descriptionsModule(commentedFields(join(root, 'src/api/client/client-types.ts'), true));
    },
  },
  {
    name: 'operation-summaries',
    from: ['src/api/operations', 'tools/operation-summaries.ts'],
    async text() {
      const { summariesModule } = await import('./operation-summaries.js');
      return summariesModule(join(root, 'src/api/operations'));
    },
  },
  {
    name: 'algorithm-document',
    from: ['docs/algorithm.md'],
    async text() {
      const text = readFileSync(join(root, 'docs/algorithm.md'), 'utf8').replace(/[\\`]|\$(?=\{)/g, '\\$&');
      return `/** docs/algorithm.md, for the tool server, which has no file system on every platform. */\nexport const algorithmDocument = \`${text}\`;\n`;
    },
  },
  {
    name: 'sha256-rounds',
    from: ['tools/sha256-rounds.ts'],
    async text() {
      const { roundsModule } = await import('./sha256-rounds.js');
      return roundsModule();
    },
  },
];

/** Writes the files of src/made that are missing or older than what they are made from, and returns their names. */
export async function makeSources(): Promise<string[]> {
  const folder = join(root, 'src/made');
  mkdirSync(folder, { recursive: true });
  const written: string[] = [];
  for (const { name, from, text } of sources) {
    const file = join(folder, `${name}.ts`);
    const mark = `// Made by \`npm run made\` from ${from.join(', ')}: ${checksumOf([...from, 'tools/made-sources.ts'])}\n`;
    if (existsSync(file) && readFileSync(file, 'utf8').startsWith(mark)) continue;
    // Another process may read it, or write the same.
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, mark + (await text()));
    renameSync(draft, file);
    written.push(name);
  }
  return written;
}

function checksumOf(places: readonly string[]): string {
  const hash = createHash('sha256');
  for (const place of places) {
    const names =
      place.endsWith('.ts') || place.endsWith('.md') ? [place] : readdirSync(join(root, place)).map((name) => `${place}/${name}`);
    for (const name of names.sort()) hash.update(`${name}\n`).update(readFileSync(join(root, name)));
  }
  return hash.digest('hex').slice(0, 16);
}
