import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { isRecord } from '../../../src/core/errors.js';
import { quoted } from '../arguments/quoted.js';
import { UsageError } from '../errors/usage.js';
import type { Output } from '../terminal/output.js';

const prefix = 'npm:';

/** Where packages keep their list. */
const files: Readonly<Record<string, string>> = { 'eth-phishing-detect': 'src/config.json' };

/** A list in a package that the user has installed. */
export interface PackageList {
  /** The file of the list, from the current folder. */
  readonly file: string;
  /** The package with its version and its license, for a person. */
  readonly about: string;
}

/**
 * The list in a package, for `npm:<package>` or `npm:<package>/<file>`; `null` for any other place. The package is the one that a program in the
 * current folder would load.
 *
 * @throws UsageError
 */
export function packageListAt(place: string, folder = process.cwd()): PackageList | null {
  if (!place.startsWith(prefix)) return null;
  const [, name, within] = /^((?:@[a-z\d][\w.-]*\/)?[a-z\d][\w.-]*)(?:\/([^\0]+))?$/i.exec(place.slice(prefix.length)) ?? [];
  if (name === undefined)
    throw new UsageError(`not a package name${quoted(place)}`, 'write npm:<package>, or npm:<package>/<file>');
  const manifest = manifestOf(name, folder);
  const file = within ?? (Object.hasOwn(files, name) ? files[name] : undefined);
  if (file === undefined) {
    throw new UsageError(`no list file is known for ${name}`, `name the file: npm:${name}/<file>`);
  }
  const path = join(dirname(manifest.path), file);
  if (relative(dirname(manifest.path), path).startsWith('..'))
    throw new UsageError('the file must be inside the package', `write npm:${name}/<file>, from the folder of the package`);
  const { version, license } = manifest.fields;
  const licensed = typeof license === 'string' ? `license ${license}` : 'a license that its package.json does not name';
  return {
    file: relative(folder, path),
    about: `${name}${typeof version === 'string' ? ` ${version}` : ''}, ${licensed}`,
  };
}

/** The place that is opened: of a list in a package, its file. A package is named with its license. */
export function openedPlace(place: string, output: Output): string {
  const list = packageListAt(place);
  if (list === null) return place;
  output.note(`the list of ${list.about}`);
  return list.file;
}

interface Manifest {
  readonly path: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

function manifestOf(name: string, folder: string): Manifest {
  // Some packages do not export their package.json, so the folders are tried as Node does.
  for (const modules of createRequire(join(folder, 'list.js')).resolve.paths(`${name}/package.json`) ?? []) {
    const path = join(modules, name, 'package.json');
    try {
      const fields: unknown = JSON.parse(readFileSync(path, 'utf8'));
      if (isRecord(fields)) return { path, fields };
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) continue;
      throw new UsageError(`${path} cannot be read`, `install ${name} again, or pass the file of the list`);
    }
  }
  throw new UsageError(`the package ${name} is not installed here`, `check its name, and install it with: npm install ${name}`);
}
