import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { inject, onTestFinished } from 'vitest';
import { interrupted } from '../../../apps/cli/errors/usage.js';
import { main } from '../../../apps/cli/main.js';
import { pageFolder } from '../../../apps/cli/playground/page-files.js';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Standard input; empty by default. */
  readonly input?: string | Uint8Array | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A folder for one test. */
export function temporaryFolder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'portcullis-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }));
  return directory;
}

/** Keeps the command line away from the files of the user who runs the tests. */
export function environment(env: RunOptions['env'] = {}): Record<string, string | undefined> {
  const home = env['HOME'] ?? temporaryFolder();
  return { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_CACHE_HOME: join(home, 'cache'), ...env };
}

/** A command that is running in this process. */
export interface Running {
  readonly ended: Promise<number>;
  stdout(): string;
  stderr(): string;
  /** Resolves to the output once it matches. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  write(input: string | Uint8Array): void;
  end(): void;
  /** Presses Ctrl-C. */
  interrupt(): void;
  /** Reads the output of a command that was started with `isPaused`. */
  resume(): void;
  /** The calls of `setRawMode`. */
  readonly hidden: readonly boolean[];
}

export interface StartOptions extends Pick<RunOptions, 'env'> {
  /** Runs it on a terminal of this width. */
  readonly columns?: number;
  /** Leaves standard output unread. */
  readonly isPaused?: boolean;
}

/** Starts a command in this process, whose standard input stays open. */
export function start(args: readonly string[], { env, columns, isPaused = false }: StartOptions = {}): Running {
  pageFolder.built = pathToFileURL(join(inject('builtApps'), 'playground/'));
  const isTTY = columns !== undefined;
  const hidden: boolean[] = [];
  const setRawMode = (isRaw: boolean): number => hidden.push(isRaw);
  const stdin = Object.assign(new PassThrough(), isTTY && { isTTY, setRawMode });
  const stdout = Object.assign(new PassThrough(), isTTY && { isTTY, columns });
  const stderr = Object.assign(new PassThrough(), isTTY && { isTTY, columns });
  const texts = { stdout: '', stderr: '' };
  let changed: () => void = () => {};
  let isOver = false;
  for (const [name, stream] of [
    ['stdout', stdout],
    ['stderr', stderr],
  ] as const) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
      changed();
    });
  }
  const controller = new AbortController();
  onTestFinished(() => controller.abort(interrupted()));
  if (isPaused) stdout.pause();
  const ended = main(args, { env: environment(env), stdin, stdout, stderr }, controller.signal).then(async (code) => {
    // The streams deliver their text in later turns.
    await new Promise(setImmediate);
    isOver = true;
    changed();
    return code;
  });
  return {
    ended,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    until: async (pattern) => {
      for (;;) {
        const found = pattern.exec(texts.stdout + texts.stderr);
        if (found !== null) return found;
        if (isOver) throw new Error(`it ended without ${pattern}: ${texts.stdout}${texts.stderr}`);
        await new Promise<void>((resolve) => (changed = resolve));
      }
    },
    write: (input) => stdin.write(input),
    end: () => stdin.end(),
    interrupt: () => controller.abort(interrupted()),
    resume: () => stdout.resume(),
    hidden,
  };
}

/** Runs a command in this process to its end. */
export async function run(args: readonly string[], { input = '', env }: RunOptions = {}): Promise<Ran> {
  const running = start(args, env === undefined ? {} : { env });
  running.write(input);
  running.end();
  return { code: await running.ended, stdout: running.stdout(), stderr: running.stderr() };
}

// The caller states the expected shape.
// biome-ignore lint/suspicious/noExplicitAny: as above
type Json = any;

/** Runs a command that prints one JSON document. */
export async function runJson(
  args: readonly string[],
  options?: RunOptions,
): Promise<{ code: number | null; value: Json; stderr: string }> {
  const { code, stdout, stderr } = await run([...args, '--json'], options);
  return { code, value: JSON.parse(stdout), stderr };
}
