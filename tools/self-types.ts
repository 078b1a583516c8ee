import { readFile, writeFile } from 'node:fs/promises';

/** Names the declarations of a built entry in its first line, because Deno and JSR do not read the export map for them. */
export async function nameTypes(file: string, declarations: string): Promise<void> {
  const code = await readFile(file, 'utf8');
  await writeFile(file, `/* @ts-self-types="./${declarations}" */\n${code}`);
  const map = JSON.parse(await readFile(`${file}.map`, 'utf8')) as { mappings: string };
  // The first line has no source.
  await writeFile(`${file}.map`, JSON.stringify({ ...map, mappings: `;${map.mappings}` }));
}
