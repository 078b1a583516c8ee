import { spawnSync } from 'node:child_process';

export interface Change {
  readonly commitCount: number;
  /** The commit that this state is compared with, and the files that differ, also those that are not committed; `null` without a history. */
  readonly since: { readonly base: string; readonly files: ReadonlySet<string> } | null;
  /** Every file of the repository. */
  readonly allFiles: readonly string[];
}

export function readChange(): Change {
  const base = baseCommit();
  const loose = linesOf(git('ls-files', '--others', '--exclude-standard'));
  const files = base === null ? null : new Set([...linesOf(git('diff', '--name-only', base)), ...loose]);
  return {
    commitCount: Number(git('rev-list', '--count', 'HEAD') ?? 0),
    since: base === null || files === null ? null : { base, files },
    allFiles: [...linesOf(git('ls-files')), ...loose],
  };
}

/**
 * Where the change began: the merge base with `main` (or with what PORTCULLIS_BASE names). If that is this commit, `main` itself is
 * tested, and the change is what its last day brought.
 */
function baseCommit(): string | null {
  if (git('rev-parse', '--is-shallow-repository') !== 'false') return null;
  const names = [process.env['PORTCULLIS_BASE'], 'origin/main', 'main'].filter((name) => name !== undefined && name !== '');
  const merged = names.map((name) => git('merge-base', 'HEAD', name!)).find((commit) => commit !== null);
  if (merged !== undefined && merged !== git('rev-parse', 'HEAD')) return merged;
  const seconds = Number(git('log', '-1', '--format=%ct'));
  return git('rev-list', '-1', `--before=${seconds - 86_400}`, 'HEAD') || null;
}

/** `null` if git fails, as it does outside a repository. */
function git(...args: readonly string[]): string | null {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  return status === 0 ? stdout.trim() : null;
}

function linesOf(text: string | null): string[] {
  return (text ?? '').split('\n').filter((line) => line !== '');
}
