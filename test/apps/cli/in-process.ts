import { PassThrough } from 'node:stream';
import { main } from '../../../src/apps/cli/main.js';
import { temporaryFolder } from './harness.js';

export interface Called {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in this process, where a test needs hundreds of them. */
export async function call(
  args: readonly string[],
  { input = '', env = {} }: { input?: string; env?: object } = {},
): Promise<Called> {
  const stdin = new PassThrough();
  stdin.end(input);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const texts = { stdout: '', stderr: '' };
  stdout.setEncoding('utf8').on('data', (text: string) => (texts.stdout += text));
  stderr.setEncoding('utf8').on('data', (text: string) => (texts.stderr += text));
  const home = temporaryFolder();
  const terminal = { env: { HOME: home, XDG_CONFIG_HOME: home, ...env }, stdin, stdout, stderr };
  const code = await main(args, terminal, new AbortController().signal);
  await new Promise(setImmediate);
  return { code, ...texts };
}
