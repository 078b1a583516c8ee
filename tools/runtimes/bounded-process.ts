import { type ChildProcess, spawn } from 'node:child_process';

/** Longest run of one process. The slowest takes a few seconds on a busy machine. */
const processTimeoutMs = 60_000;
/** A process that prints more than this is broken; what it prints is held in memory. */
const maxOutputLength = 16 * 1024 * 1024;

const running = new Set<ChildProcess>();

/** Ends every process that this run still has, whatever ends the run. */
export function killAll(): void {
  for (const child of running) killGroup(child);
}

export interface ProcessOptions {
  readonly cwd: string;
  /** Passes this process's environment on, which npm needs for its registry and its cache. */
  readonly isTrusted?: boolean;
}

/** Starts a program in a process group of its own, so that its children end with it. */
export function startProcess(
  file: string,
  args: readonly string[],
  { cwd, isTrusted = false, stdio = [] }: ProcessOptions & { readonly stdio?: readonly 'pipe'[] },
): ChildProcess {
  const { PATH = '' } = process.env;
  const child = spawn(file, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe', ...stdio],
    detached: process.platform !== 'win32',
    env: isTrusted ? process.env : { PATH, HOME: cwd, NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1', DO_NOT_TRACK: '1' },
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

export function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

export interface Ended {
  readonly output: string;
  readonly errors: string;
}

/** Runs a program to its end. Rejects if it fails, takes too long or prints too much. */
export function runProcess(
  file: string,
  args: readonly string[],
  { timeoutMs = processTimeoutMs, ...options }: ProcessOptions & { readonly timeoutMs?: number },
): Promise<Ended> {
  const child = startProcess(file, args, options);
  let [output, errors, ended] = ['', '', ''];
  const end = (reason: string): void => {
    ended = reason;
    killGroup(child);
  };
  const timer = setTimeout(() => end(`did not end within ${timeoutMs} ms`), timeoutMs);
  const keep = (text: string): void => {
    if (output.length + errors.length + text.length > maxOutputLength) end(`printed more than ${maxOutputLength} characters`);
  };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    keep(text);
    output += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    keep(text);
    errors += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code, signal) => {
      clearTimeout(timer);
      if (ended === '' && code === 0) return resolve({ output, errors });
      const why = ended === '' ? `exited with ${code ?? signal}` : ended;
      reject(new Error(`${file} ${why}\n${errors.slice(-4_000)}${output.slice(-2_000)}`));
    });
  });
}
