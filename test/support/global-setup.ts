import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildCli } from '../../tools/build-cli.js';
import { buildPage } from '../../tools/build-page.js';
import { makeSources } from '../../tools/made-sources.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder with the built command line (`cli.js`) and the page (`playground/`), from the current sources. */
    builtApps: string;
  }
}

/**
 * The apps as a user runs them, built once for a run of the tests. They are inside the project, so that they find its dependencies.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  await makeSources();
  const cache = resolve('node_modules/.cache/portcullis');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'apps-'));
  // As in the package; without it Node would have to detect the module type.
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'portcullis-built', type: 'module' }));
  await Promise.all([buildPage(join(folder, 'playground')), buildCli(folder)]);
  project.provide('builtApps', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
