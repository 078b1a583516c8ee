import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn as spawnProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn as spawnInTerminal } from '@lydell/node-pty';
import { createService, type ServedService } from 'portcullis/testing';
import { expect, inject, onTestFinished } from 'vitest';
import { type Answer, type Recorded, serve } from '../../support/scripted-server.js';
import { environment as homeOf, type Ran, type RunOptions, start, temporaryFolder } from './in-process.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The built command line. */
export function builtCli(): string {
  return join(inject('builtApps'), 'cli.js');
}

interface ProcessOptions extends RunOptions {
  readonly cwd?: string;
}

function environment(env: RunOptions['env']): Record<string, string | undefined> {
  return { PATH: process.env['PATH'], ...homeOf(env) };
}

export interface Child {
  readonly process: ChildProcessWithoutNullStreams;
  /** The exit code of the process. */
  readonly ended: Promise<number | null>;
  stdout(): string;
  stderr(): string;
}

/** Starts a process of the command line without a terminal. Its standard input stays open. */
export function startProcess(args: readonly string[], { env, cwd = root }: ProcessOptions = {}): Child {
  const child = spawnProcess(process.execPath, [builtCli(), ...args], { cwd, env: environment(env), stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => {});
  return childOf(child);
}

function childOf(child: ChildProcessWithoutNullStreams): Child {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (texts[name] += text));
  }
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { process: child, ended, stdout: () => texts.stdout, stderr: () => texts.stderr };
}

async function ranOf({ process, ended, stdout, stderr }: Child, input: string | Uint8Array = ''): Promise<Ran> {
  process.stdin.end(input);
  return { code: await ended, stdout: stdout(), stderr: stderr() };
}

/** Runs a process of the command line to its end. */
export async function runProcess(
  args: readonly string[],
  { input, onStart, ...options }: ProcessOptions & { readonly onStart?: (child: ChildProcess) => void } = {},
): Promise<Ran> {
  const child = startProcess(args, options);
  onStart?.(child.process);
  return ranOf(child, input);
}

/** Runs a line of shell in which `portcullis` is the built command line. */
export async function shell(line: string, cwd: string, env: RunOptions['env'] = { HOME: cwd }): Promise<Ran> {
  const script = `portcullis() { '${process.execPath}' '${builtCli()}' "$@"; }; npx() { "$@"; }; ${line}`;
  return ranOf(childOf(spawnProcess('bash', ['-c', script], { cwd, env: environment(env) })));
}

export interface InTerminal {
  /** All output with its control characters. */
  readonly text: () => string;
  write(keys: string): void;
  kill(signal: string): void;
  readonly ended: Promise<number>;
}

/** Runs a process of the command line on a pseudo-terminal. */
export function runInTerminal(
  args: readonly string[],
  { env, columns = 80 }: Pick<RunOptions, 'env'> & { readonly columns?: number } = {},
): InTerminal {
  const child = spawnInTerminal(process.execPath, [builtCli(), ...args], {
    cols: columns,
    rows: 30,
    cwd: root,
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
      // The process has ended.
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
  output(): string;
  /** Sends Ctrl-C. */
  interrupt(): Promise<number | null>;
  kill(): Promise<number | null>;
}

/** Starts a process that serves, and waits until it says where. */
export async function startServer(args: readonly string[], options: ProcessOptions = {}): Promise<Served> {
  const child = startProcess([...args, '--json'], options);
  const end = (signal: NodeJS.Signals) => (): Promise<number | null> => {
    child.process.kill(signal);
    return child.ended;
  };
  const line = await new Promise<string>((resolve, reject) => {
    child.process.stdout.on('data', () => {
      if (child.stdout().includes('\n')) resolve(child.stdout().split('\n')[0]!);
    });
    void child.ended.then((code) => reject(new Error(`it ended with ${code}: ${child.stdout()}${child.stderr()}`)));
  });
  const output = (): string => child.stdout() + child.stderr();
  return { ...JSON.parse(line), output, interrupt: end('SIGINT'), kill: end('SIGKILL') };
}

/** Serves from this process, which takes a tenth of the time of another one, until the test ends. */
export async function serveHere(
  args: readonly string[],
  options: Pick<RunOptions, 'env'> = {},
): Promise<Omit<Served, 'interrupt' | 'kill'>> {
  const running = start(['serve', ...args, '--json'], options);
  onTestFinished(async () => {
    running.interrupt();
    await running.ended;
  });
  await running.until(/^\{.*\n/);
  return { ...JSON.parse(running.stdout().split('\n')[0]!), output: () => running.stdout() + running.stderr() };
}

export interface HalfAsked {
  readonly child: Child;
  readonly listening: string;
  /** A connection on which the server has received the head and the start of a request. */
  readonly socket: Socket;
  /** The bytes that the request lacks. */
  readonly rest: string;
}

/** Starts a process that serves, and sends it half a request. */
export async function halfAskedServer(): Promise<HalfAsked> {
  const child = startProcess(['serve', '--port', '0', '--json']);
  await expect.poll(child.stdout, { timeout: 60_000 }).toContain('\n');
  const { listening, key } = JSON.parse(child.stdout()) as { listening: string; key: string };
  const { host, port } = new URL(listening);
  const body = JSON.stringify({ content: 'https://scam-mint.example/' });
  const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  const fields = [`Host: ${host}`, `X-Api-Key: ${key}`, 'Content-Type: application/json', `Content-Length: ${body.length}`];
  socket.write(`${['POST /asset/check HTTP/1.1', ...fields, 'Expect: 100-continue'].join('\r\n')}\r\n\r\n${body.slice(0, 5)}`);
  // Sent once the head has been read.
  const [first] = (await once(socket, 'data')) as [string];
  expect(first).toMatch(/^HTTP\/1\.1 100 /);
  return { child, listening, socket, rest: body.slice(5) };
}

export interface RunningService {
  readonly service: ServedService;
  readonly url: string;
  /** Configures the command line for the service. */
  readonly env: Record<string, string>;
}

/** An embedded service that listens in this process. */
export async function runningService(): Promise<RunningService> {
  const service = createService();
  onTestFinished(() => service.close());
  const { url } = await service.listen();
  return { service, url, env: { HOME: temporaryFolder(), PORTCULLIS_API_URL: url, PORTCULLIS_API_KEY: service.key } };
}

/** A server that answers by script, with JSON. @returns its URL */
export async function answering(answer: (headers: Recorded['headers']) => Answer): Promise<string> {
  return (await serve(({ headers }) => ({ body: {}, ...answer(headers) }))).origin;
}
