import { spawn as spawnProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn as spawnInTerminal } from '@lydell/node-pty';
import { inject, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The command line as one would run it, from the sources of now. */
export function builtCli(): string {
  return join(inject('builtApps'), 'cli.js');
}

export interface RunOptions {
  /** What stands on standard input; without it, that is empty. */
  readonly input?: string | Uint8Array | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Sees the child while it runs. */
  readonly onStart?: (child: ReturnType<typeof spawnProcess>) => void;
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder of its own for each test, where nothing of the user's machine is. */
export function temporaryFolder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'portcullis-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }));
  return directory;
}

/** Nothing of the machine's user is read or written. */
function environment(env: RunOptions['env'] = {}): NodeJS.ProcessEnv {
  const { PATH } = process.env;
  const home = env['HOME'] ?? temporaryFolder();
  return { PATH, HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_CACHE_HOME: join(home, 'cache'), ...env };
}

/** Runs it without a terminal. */
export async function run(args: readonly string[], { input, env, cwd = root, onStart }: RunOptions = {}): Promise<Ran> {
  const child = spawnProcess(process.execPath, [builtCli(), ...args], { cwd, env: environment(env), stdio: 'pipe' });
  onStart?.(child);
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, stdout, stderr };
}

// Its shape is what a test is about.
// biome-ignore lint/suspicious/noExplicitAny: as above
type Json = any;

/** The one JSON document it prints. */
export async function runJson(
  args: readonly string[],
  options?: RunOptions,
): Promise<{ code: number | null; value: Json; stderr: string }> {
  const { code, stdout, stderr } = await run([...args, '--json'], options);
  return { code, value: JSON.parse(stdout), stderr };
}

export interface InTerminal {
  /** All that was written, both streams together, with its control characters. */
  readonly text: () => string;
  write(keys: string): void;
  kill(signal: string): void;
  readonly ended: Promise<number>;
}

/** Runs it on a pseudo-terminal. */
export async function runInTerminal(
  args: readonly string[],
  { env, cwd = root, columns = 80 }: RunOptions & { readonly columns?: number } = {},
): Promise<InTerminal> {
  const child = spawnInTerminal(process.execPath, [builtCli(), ...args], {
    cols: columns,
    rows: 30,
    cwd,
    env: { ...environment(env), TERM: 'xterm' } as Record<string, string>,
  });
  let text = '';
  child.onData((piece) => (text += piece));
  const ended = new Promise<number>((resolve) =>
    child.onExit(({ exitCode, signal }) => resolve(signal ? 128 + signal : exitCode)),
  );
  onTestFinished(() => {
    try {
      child.kill('SIGKILL');
    } catch {
      // It has ended.
    }
  });
  return { text: () => text, write: (keys) => child.write(keys), kill: (signal) => child.kill(signal), ended };
}

export interface Served {
  readonly url: string;
  readonly listening: string;
  readonly page: string;
  readonly relay?: string;
  readonly key?: string;
  /** All it has written. */
  output(): string;
  /** Ctrl-C. */
  interrupt(): Promise<number | null>;
  kill(): Promise<void>;
}

/** Starts a server, and waits until it says where it is. */
export async function startServer(args: readonly string[], { env, cwd = root }: RunOptions = {}): Promise<Served> {
  const child = spawnProcess(process.execPath, [builtCli(), ...args, '--json'], {
    cwd,
    env: environment(env),
    stdio: 'pipe',
  });
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await closed;
  };
  onTestFinished(kill);
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      if (text.includes('\n')) resolve(text.slice(text.indexOf('{'), text.indexOf('\n', text.indexOf('{'))));
    });
    void closed.then((code) => reject(new Error(`it ended with ${code}: ${text}`)));
  });
  const interrupt = (): Promise<number | null> => {
    child.kill('SIGINT');
    return closed;
  };
  return { ...(JSON.parse(line) as Omit<Served, 'output' | 'interrupt' | 'kill'>), output: () => text, interrupt, kill };
}
