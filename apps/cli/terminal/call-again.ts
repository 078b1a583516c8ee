import { basename, dirname, relative } from 'node:path';
import { version } from '../../../src/core/version.js';

/** Whether npx finds the package. `npm run docs:install` copies it from tools/install-lines.ts. */
const isPublished = false;

/** How a user calls this program again: by its name if the shell or npx finds it, and from a clone by its file. */
export function callAgain(program = process.argv[1] ?? '', folder = process.cwd()): string {
  const path = relative(folder, program);
  if (!/^portcullis(\.cmd)?$/.test(basename(program))) return `node ${argument(path)}`;
  if (basename(dirname(program)) !== '.bin') return 'portcullis';
  // Elsewhere, as in the cache of npx, npx would ask the registry for the name.
  return /^node_modules[/\\]/.test(path) ? 'npx portcullis' : `node ${argument(program)}`;
}

/** How a host of tools calls this program, whatever folder it starts in. */
export function hostCommand(program = process.argv[1] ?? ''): string {
  if (isPublished) return `npx -y portcullis@${version}`;
  return `node ${argument(program)}`;
}

/** A path as a shell takes it. */
const argument = (path: string): string => (/[^\w./:\\-]/.test(path) ? `"${path}"` : path);
