import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { blockedTitle } from './extension-site.js';
import { startChromium, untilBlocked } from './guarded-chromium.js';

const cache = resolve('node_modules/.cache/portcullis');
mkdirSync(cache, { recursive: true });
// Inside node_modules, so that the tutorial finds esbuild and the package its dependencies without a download.
const folder = mkdtempSync(join(cache, 'tutorial-'));
const profile = join(folder, 'profile');
let list: ChildProcess | undefined;

afterAll(() => {
  list?.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** The shell commands of the first block. */
function commands(): string[] {
  const block = readFileSync('docs/extension.md', 'utf8').match(/```sh\n([\s\S]*?)```/)![1]!;
  return block.trim().split('\n');
}

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}

test('the tutorial ends with an extension that blocks the listed page', async () => {
  run('npm', ['pack', '--silent', '--pack-destination', folder], '.');
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
  run('tar', ['-xzf', tarball], folder);
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  renameSync(join(folder, 'package'), join(folder, 'node_modules/portcullis'));
  symlinkSync('../portcullis/dist/cli.js', join(folder, 'node_modules/.bin/portcullis'));
  run('chmod', ['+x', 'node_modules/portcullis/dist/cli.js'], folder);

  const port = await freePort();
  const lines = commands().map((line) => line.replaceAll('8080', `${port}`));
  expect(lines[1]).toBe('npm install portcullis esbuild');
  for (const line of lines.filter((_, at) => at !== 1)) {
    if (line.endsWith(' &')) {
      const [command, ...args] = line.slice(0, -2).split(' ');
      list = spawn(command!, args, { cwd: folder, stdio: 'ignore' });
    } else run('sh', ['-c', line], folder);
  }

  const context = await startChromium(profile, join(folder, 'chromium'), port);
  try {
    await untilBlocked(context, blockedTitle);
  } finally {
    await context.close();
  }
  expect(readdirSync(join(folder, 'firefox'))).toContain('manifest.json');
});
