import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

export interface ExampleRelay {
  readonly url: string;
  readonly child: ChildProcess;
  /** Everything that it has printed. */
  output(): string;
}

/** Starts examples/ohttp-relay in a process of its own, until the test ends. */
export async function startExampleRelay(gatewayUrl: string): Promise<ExampleRelay> {
  const child = spawn(process.execPath, ['examples/ohttp-relay/relay.mjs'], {
    env: { PATH: process.env['PATH'], GATEWAY_URL: gatewayUrl, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  const listening = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const port = /^listening (\d+)$/m.exec(output)?.[1];
        if (port !== undefined) resolve(`http://127.0.0.1:${port}/`);
      });
    }
    void once(child, 'exit').then(() => reject(new Error(`the relay ended: ${output}`)));
  });
  return { url: await listening, child, output: () => output };
}
