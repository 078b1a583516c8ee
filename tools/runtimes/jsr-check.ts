import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProcess } from './bounded-process.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Has Deno say what JSR would publish, from the packed package and jsr.json.
 *
 * @param deno Its program
 * @returns What is wrong; empty if nothing is
 */
export async function jsrFault(consumer: string, scratch: string, deno: string): Promise<string> {
  cpSync(join(consumer, 'node_modules/portcullis'), scratch, { recursive: true });
  cpSync(join(root, 'jsr.json'), join(scratch, 'jsr.json'));
  // The types were checked already, and Deno would download the dependencies for that.
  const args = ['publish', '--dry-run', '--allow-dirty', '--no-check'];
  const { output, errors } = await runProcess(deno, args, { cwd: scratch });
  const said = `${output}${errors}`;
  return said.includes('Dry run complete') && !said.includes('warning[') ? '' : said;
}
