import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';
import type { Task } from './tasks.js';

export interface Child {
  readonly process: ChildProcess;
  /** The output of the process. */
  readonly lines: readonly string[];
  /** Resolves when it has printed this many lines. */
  printed(count: number): Promise<void>;
  /** The exit code of the process, or its signal. */
  readonly ended: Promise<number | string>;
}

export interface Folders<Kind> {
  /** The path of a folder that does not exist yet. */
  next(): string;
  start(directory: string, task: Kind): Child;
}

/** Folders for stores, and processes that work in them; all are removed at the end of the tests. */
export function folders<Kind = Task>(entry: URL = new URL('./file-child.ts', import.meta.url)): Folders<Kind> {
  const root = mkdtempSync(join(tmpdir(), 'store-'));
  const script = join(root, 'child.mjs');
  const children = new Set<ChildProcess>();
  let count = 0;
  // Other users must be able to read the script.
  chmodSync(root, 0o755);
  beforeAll(async () => {
    await build({
      entryPoints: [fileURLToPath(entry)],
      outfile: script,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
    });
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(root, { recursive: true, force: true });
  });
  return {
    next: () => join(root, String(++count)),
    start(directory, task) {
      const child = spawn(process.execPath, [script, directory, JSON.stringify(task)], { stdio: ['pipe', 'pipe', 'inherit'] });
      children.add(child);
      const lines: string[] = [];
      let rest = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        const all = (rest + text).split('\n');
        rest = all.pop() ?? '';
        lines.push(...all);
      });
      const ended = once(child, 'close').then(([code, signal]) => {
        children.delete(child);
        return (code ?? signal) as number | string;
      });
      return {
        process: child,
        lines,
        ended,
        async printed(wanted) {
          while (lines.length < wanted) await once(child.stdout, 'data');
        },
      };
    },
  };
}
