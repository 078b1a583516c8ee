import { basename, dirname, relative } from 'node:path';
import { version } from '../../../src/core/version.js';

/** Whether npx finds the package. `npm run docs:install` copies it from tools/install-lines.ts. */
const isPublished = false;

/** How a user calls this program again: by its name if the shell or npx finds it, and from a clone by its file. */
export function callAgain(program = process.argv[1] ?? '', folder = process.cwd()): string {
  if (!/^portcullis(\.cmd)?$/.test(basename(program))) return `node ${relative(folder, program)}`;
  return basename(dirname(program)) === '.bin' ? 'npx portcullis' : 'portcullis';
}

/** How a host of tools calls this program, whatever folder it starts in. */
export function hostCommand(program = process.argv[1] ?? ''): string {
  if (isPublished) return `npx -y portcullis@${version}`;
  return `node ${/[^\w./:\\-]/.test(program) ? `"${program}"` : program}`;
}
