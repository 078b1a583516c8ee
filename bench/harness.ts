import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Progress } from './progress.js';
import { type Figures, type Group, prepareName, type Question, Results, type Settings } from './question.js';

/**
 * Bundles the code of the child processes, because a TypeScript loader inside them would be measured too: it takes
 * memory, and tsx wraps every inner function in a call that names it. The library itself is not bundled but imported by
 * its name from dist/, as its users do.
 */
export async function compileChild(): Promise<void> {
  await mkdir(resultsFolder, { recursive: true });
  await build({
    entryPoints: [fileURLToPath(new URL('child.ts', import.meta.url))],
    outfile: childFile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
  });
}

/** Bundles the page of the browser benchmark, with the built library in it. */
export async function compilePage(): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL('page.ts', import.meta.url))],
    outfile: fileURLToPath(new URL('results/.build/page.js', import.meta.url)),
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    // It warns about imports for side effects, which no chunk of the library has.
    logLevel: 'error',
    target: 'es2022',
  });
}

/**
 * Runs one question: a fresh process for each variant and round. Odd rounds run in reverse order, which cancels drift.
 *
 * Every group runs once. Another round begins only if it is likely to end within the group's part of `maxMs`, so that a slow machine
 * takes fewer rounds and not more time.
 */
export async function measured(question: Question, settings: Settings, maxMs: number, progress: Progress): Promise<Results> {
  const results = new Results();
  const groups = question.groups(settings);
  for (const [place, group] of groups.entries()) {
    const startMs = progress.elapsedMs();
    const partMs = (maxMs - startMs) / (groups.length - place);
    if (group.prepare) progress.show(`${question.name}: preparing ${group.name}`);
    if (group.prepare) await runChild(question, group.name, prepareName, settings);
    const rounds = group.rounds ?? settings.rounds;
    let roundMs = 0;
    for (let round = 0; round < rounds; round++) {
      const roundStartMs = progress.elapsedMs();
      if (round > 0 && roundStartMs + roundMs - startMs > partMs) break;
      const order = round % 2 === 0 ? group.variants : [...group.variants].reverse();
      for (const variant of order) {
        progress.show(`${question.name}: round ${round + 1} of ${rounds}, ${group.name}: ${variant.name}`);
        results.add(group.name, variant.name, await runChild(question, group.name, variant.name, settings));
      }
      roundMs = progress.elapsedMs() - roundStartMs;
    }
    if (group.sameAnswer) assertSameAnswer(group, results);
  }
  return results;
}

/** Results and intermediate files; not in git. */
export const resultsFolder: string = fileURLToPath(new URL('results/', import.meta.url));

const childFile = fileURLToPath(new URL('results/.build/child.mjs', import.meta.url));
const packageRoot = fileURLToPath(new URL('..', import.meta.url));

function runChild(question: Question, group: string, variant: string, settings: Settings): Promise<Figures> {
  const args = ['--expose-gc', childFile, question.name, group, variant, JSON.stringify(settings)];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: packageRoot, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      // The last line has the figures; a rival may have printed something before it.
      if (code === 0) resolve(JSON.parse(output.trim().split('\n').at(-1) ?? '') as Figures);
      else reject(new Error(`${question.name}, ${group}: ${variant} failed with exit code ${code}`));
    });
  });
}

function assertSameAnswer(group: Group, results: Results): void {
  const answers = group.variants.map((variant) => results.spread(group.name, variant.name, 'answer'));
  const distinct = new Set(answers.flatMap((answer) => answer.samples));
  if (distinct.size !== 1) throw new Error(`${group.name}: the variants gave different answers: ${[...distinct].join(', ')}`);
}
