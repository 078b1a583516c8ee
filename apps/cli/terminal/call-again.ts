import { basename, dirname, relative } from 'node:path';

/** How a user calls this program again: by its name if the shell or npx finds it, and from a clone by its file. */
export function callAgain(program = process.argv[1] ?? '', folder = process.cwd()): string {
  if (!/^portcullis(\.cmd)?$/.test(basename(program))) return `node ${relative(folder, program)}`;
  return basename(dirname(program)) === '.bin' ? 'npx portcullis' : 'portcullis';
}
