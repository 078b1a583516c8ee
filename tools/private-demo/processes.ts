import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../free-port.js';

/** What the relay's operator could write down about a request. */
export interface ReceivedByRelay {
  /** Address and port of the client. */
  readonly from: string;
  readonly headers: readonly string[];
  /** In hex. */
  readonly body: string;
}

/** A process that prints a line when it listens. */
interface Process {
  readonly pid: number;
  readonly firstLine: string;
  readonly lines: string[];
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const running = new Set<ChildProcess>();

/** Ends every process that was started here. */
export function endProcesses(): void {
  for (const child of running) child.kill('SIGKILL');
}

async function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Process> {
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(process.execPath, args, { cwd: root, env: { PATH: process.env['PATH'], ...env }, stdio: [...stdio] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const lines: string[] = [];
  let rest = '';
  const first = new Promise<string>((resolve, reject) => {
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
      if (lines.length > 0) resolve(lines[0]!);
    });
    void once(child, 'exit').then(([code]) => reject(new Error(`${args.join(' ')} ended with ${code}`)));
  });
  return { pid: child.pid!, firstLine: await first, lines };
}

/** How relay-log.mjs begins its lines. */
const mark = 'received ';

export interface Relay {
  readonly url: string;
  readonly pid: number;
  received(): ReceivedByRelay[];
}

/** The relay of the examples, unchanged, in a process of its own. */
export async function startRelay(gatewayUrl: string): Promise<Relay> {
  const log = new URL('relay-log.mjs', import.meta.url).href;
  const args = ['--import', log, 'examples/ohttp-relay/relay.mjs'];
  const { pid, firstLine, lines } = await start(args, { GATEWAY_URL: gatewayUrl, PORT: '0' });
  return {
    url: `http://127.0.0.1:${firstLine.replace(/^listening /, '')}/`,
    pid,
    received: () =>
      lines.flatMap((line) => (line.startsWith(mark) ? [JSON.parse(line.slice(mark.length)) as ReceivedByRelay] : [])),
  };
}

export interface Witness {
  readonly name: string;
  readonly vkey: string;
  readonly url: string;
  readonly pid: number;
}

/** The witness of the examples in a process of its own. */
export async function startWitness(folder: string, name: string, logKey: string): Promise<Witness> {
  const port = await freePort();
  const args = ['--import', 'tsx', 'examples/witness/witness.ts', folder, `${name}.example`, String(port), logKey];
  const { pid, firstLine } = await start(args);
  return { name, vkey: firstLine, url: `http://127.0.0.1:${port}`, pid };
}
