import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFirefox } from '../find-firefox.js';
import { type Preferences, preferences } from './firefox.js';

/** A Firefox whose own code can be called. */
export interface ChromeFirefox {
  /** Runs a function body in the parent process, with `args`. Its promise is awaited. */
  run(body: string, ...args: readonly unknown[]): Promise<unknown>;
  close(): Promise<void>;
}

const startupMs = 60_000;

/** Firefox without a window. Puppeteer has no access to the parent process, so it is driven over Marionette. */
export async function launchChromeFirefox(proxyPort: number, more: Preferences): Promise<ChromeFirefox> {
  const path = findFirefox();
  if (path === undefined) throw new Error('Firefox is not installed; run: npx tsx tools/find-firefox.ts');
  const profile = mkdtempSync(join(tmpdir(), 'firefox-'));
  const all = { ...preferences(proxyPort), 'marionette.port': 0, ...more };
  const lines = Object.entries(all).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`);
  writeFileSync(join(profile, 'user.js'), lines.join('\n'));
  const flags = ['--headless', '--marionette', '--remote-allow-system-access', '--no-remote', '--profile', profile];
  const child = spawn(path, flags, { stdio: 'ignore' });
  const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const close = async (): Promise<void> => {
    child.kill();
    await exit;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const session = await connectTo(await portOf(profile, child));
    await session('WebDriver:NewSession', {});
    await session('Marionette:SetContext', { value: 'chrome' });
    await session('WebDriver:SetTimeouts', { script: 600_000 });
    const run = async (body: string, ...args: readonly unknown[]): Promise<unknown> => {
      const script = `const [args, done] = arguments;
        (async () => { ${body} })().then((value) => done({ value }), (error) => done({ error: String(error) }));`;
      const answer = await session('WebDriver:ExecuteAsyncScript', {
        script,
        args: [args],
        sandbox: 'system',
        newSandbox: false,
      });
      const { value, error } = (answer as { value: { value?: unknown; error?: string } }).value;
      if (error !== undefined) throw new Error(error);
      return value;
    };
    return { run, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Firefox writes the port that it chose. */
async function portOf(profile: string, child: { readonly exitCode: number | null }): Promise<number> {
  const endMs = Date.now() + startupMs;
  while (Date.now() < endMs && child.exitCode === null) {
    try {
      const port = Number(readFileSync(join(profile, 'MarionetteActivePort'), 'utf8'));
      if (port > 0) return port;
    } catch {
      // Not yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`Firefox did not start within ${startupMs / 1_000} seconds`);
}

type Session = (command: string, parameters: object) => Promise<unknown>;

/** Messages are `<length>:[type, id, …]`: a command is `[0, id, name, parameters]`, its response `[1, id, error, result]`. */
function connectTo(port: number): Promise<Session> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1');
    const waiting = new Map<number, (error: { readonly message: string } | null, result: unknown) => void>();
    let received = Buffer.alloc(0);
    let count = 0;
    socket.on('error', reject);
    socket.on('close', () => {
      for (const end of waiting.values()) end({ message: 'Firefox closed the connection' }, null);
    });
    const session: Session = (command, parameters) =>
      new Promise((done, fail) => {
        const id = ++count;
        waiting.set(id, (error, result) => (error === null ? done(result) : fail(new Error(`${command}: ${error.message}`))));
        const text = JSON.stringify([0, id, command, parameters]);
        socket.write(`${Buffer.byteLength(text)}:${text}`);
      });
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      for (;;) {
        const colon = received.indexOf(':');
        const length = Number(received.subarray(0, Math.max(0, colon)).toString());
        if (colon < 0 || received.length < colon + 1 + length) return;
        const message = JSON.parse(received.subarray(colon + 1, colon + 1 + length).toString());
        received = received.subarray(colon + 1 + length);
        // The first message is a greeting.
        if (!Array.isArray(message)) resolve(session);
        else {
          const [, id, error, result] = message;
          waiting.get(id)?.(error, result);
          waiting.delete(id);
        }
      }
    });
  });
}
