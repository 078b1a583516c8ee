import { createHmac } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commands } from '../../../apps/cli/commands.js';
import { serve } from '../../support/scripted-server.js';
import { isDeep } from '../../support/setup.js';
import { run, start, temporaryFolder } from './in-process.js';

/** Clears the screen, sets the title, colors, reverses, hides and begins lines: with ESC, with one-character controls, and in Unicode. */
const hostile =
  '\u001b[2J\u001b]0;title\u0007\u001b[32m\u009b31m\u0085\u202e\u2066\u200b\u2028forged\u{e0041}\b\r\nforged\rforged';
const secret = 'whs_a-secret';
const event = JSON.stringify({ event: hostile, created_at: '2026-03-01T12:00:00Z', data: { [hostile]: hostile } });
const signature = `sha256=${createHmac('sha256', secret).update(event).digest('hex')}`;

/** A service, relay or host whose every answer is as hostile as JSON allows. */
function hostileAnswer(url: string): { status?: number; headers?: Record<string, string>; body: unknown } {
  const item = { id: 1, slug: hostile, name: hostile, type: hostile, content: hostile, status: hostile, [hostile]: hostile };
  const body = {
    organizations: [item],
    assets: [item],
    valid: true,
    [hostile]: hostile,
    list: [item],
    next_page: hostile,
    message: hostile,
    error: hostile,
  };
  if (/error|version/.test(url)) return { status: 400, body };
  return { body, headers: { sunset: 'soon \u009b2J', deprecation: '\u009b2J' } };
}

interface Place {
  readonly url: string;
  /** A folder with a hostile name. */
  readonly folder: string;
  readonly file: string;
}

type Line = readonly [args: (place: Place) => readonly string[], input?: string];

/** Every command, with hostile arguments, files, folders and answers. */
const lines: Readonly<Record<string, readonly Line[]>> = {
  check: [
    [() => ['check', '--local', hostile, `https://scam-mint.example/${hostile}`]],
    [({ file }) => ['check', '--list', file, 'a.example', hostile]],
    [({ url }) => ['check', '--relay', url, hostile]],
    [() => ['check', '--local', '-'], `scam-mint.example/\u009b2J\n${hostile}`],
    [() => ['check', '--local', '--type', hostile, 'x']],
    [() => ['check', `--${hostile}`, 'x']],
  ],
  explain: [[() => ['explain', '--local', hostile, `https://scam-mint.example/${hostile}`]]],
  screen: [
    [({ file }) => ['screen', '--local', file]],
    [({ folder }) => ['screen', '--local', join(folder, 'none')]],
    [() => ['screen', '--local', '--only', hostile, '-']],
  ],
  parse: [
    [() => ['parse', `${hostile} https://x.example/${hostile} a@b.example`]],
    [({ folder }) => ['parse', '--file', folder]],
  ],
  sync: [
    [({ file }) => ['sync', '--list', file]],
    [({ url, folder }) => ['sync', '--published', `${url}/version.json`, '--store', folder]],
    [({ url }) => ['sync', '--url', url]],
  ],
  status: [
    [({ url, folder }) => ['status', '--relay', url, '--store', folder]],
    [({ url, file }) => ['status', '--relay', url, '--store', file]],
  ],
  doctor: [
    [({ file }) => ['doctor', '--list', file]],
    [({ url, folder }) => ['doctor', '--relay', url, '--store', folder]],
    [({ url }) => ['doctor', '--url', `${url}/error`]],
  ],
  publish: [
    [({ file, folder }) => ['publish', file, '--out', join(folder, 'out')]],
    [({ file, folder }) => ['publish', file, '--out', folder, '--format', hostile]],
    [({ folder }) => ['publish', join(folder, 'none'), '--out', folder]],
  ],
  log: [
    [({ folder }) => ['log', 'verify', folder, '--key', hostile]],
    [({ url }) => ['log', 'verify', url, '--key', 'lists.example/scam+fd473f74+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c']],
    [({ file }) => ['log', hostile, file]],
  ],
  keygen: [[({ folder }) => ['keygen', join(folder, 'key')]], [({ file }) => ['keygen', file]]],
  mcp: [[({ file }) => ['mcp', '--list', '--blocklist', file]], [() => ['mcp', '--list', '--local', '--tools', hostile]]],
  serve: [
    [({ folder }) => ['serve', '--published', join(folder, 'none'), '--port', '0']],
    [({ file }) => ['serve', '--state', file, '--port', '0']],
    [() => ['serve', '--host', hostile, '--port', '0']],
    [() => ['serve', '--public-url', hostile]],
  ],
  demo: [[() => ['demo', hostile]]],
  api: [
    [({ url }) => ['api', 'assetCheck', '--url', url, '--content', 'x']],
    [({ url }) => ['api', 'assetCheck', '--url', `${url}/error`, '--content', 'x']],
    [({ url }) => ['api', 'assetList', '--url', url, '--type', 'URL', '--limit-items', '1']],
    [({ url }) => ['api', 'assetList', '--url', url, '--type', 'URL']],
    [({ url }) => ['api', 'userMe', '--url', url]],
    [({ url }) => ['api', 'assetUnblock', '--url', `${url}/${'%1b'}`, '--content', hostile, '--dry-run']],
    [() => ['api', hostile]],
  ],
  openapi: [[() => ['openapi', hostile]], [() => ['openapi']]],
  login: [[({ url }) => ['login', '--url', url, '--org', hostile], 'a-valid-key']],
  logout: [[() => ['logout', hostile]]],
  whoami: [[({ url }) => ['whoami', '--url', url, '--org', hostile]]],
  webhook: [
    [() => ['webhook', 'verify', '--signature', signature], event],
    [({ file }) => ['webhook', 'verify', '--signature', signature, '--headers', file], event],
    [() => ['webhook', hostile]],
  ],
  completions: [[() => ['completions', hostile]]],
  help: [[() => ['help', hostile]], [() => [hostile]]],
};

/** What may break a line or move the cursor: everything but line feeds and, in CSV, the carriage returns before them. */
const controls = /(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/u;

/** The long tests print every format; the fast ones that for a person, and JSON in a test of its own. */
const formats = isDeep ? ['human', 'json', 'csv', 'markdown'] : ['human'];

test('every command has a hostile line', () => {
  expect(Object.keys(lines).sort()).toEqual([...commands.keys(), 'help'].sort());
});

test.each(Object.keys(lines))('%s prints no text of others that a terminal would obey', async (name) => {
  const server = await serve(({ url }) => hostileAnswer(url));
  for (const format of formats) {
    for (const [args, input] of lines[name]!) {
      const home = join(temporaryFolder(), hostile.replaceAll('/', ''));
      const folder = join(home, 'folder');
      mkdirSync(folder, { recursive: true });
      const file = join(folder, `list${hostile}`);
      writeFileSync(file, `a.example\n${hostile}\n`);
      const env = { HOME: home, PORTCULLIS_API_KEY: 'a-valid-key', PORTCULLIS_WEBHOOK_SECRET: secret };
      const given = args({ url: server.origin, folder, file });
      const line = name === 'help' ? given : [...given, `--output=${format}`];
      const { stdout, stderr } = await run(line, { input, env });
      const what = JSON.stringify({ line, stdout, stderr });
      expect(stdout + stderr, what).not.toBe('');
      expect(controls.exec(format === 'csv' ? stdout.replaceAll('\r\n', '\n') : stdout), what).toBeNull();
      expect(controls.exec(stderr), what).toBeNull();
      expect(stderr, what).not.toMatch(/^forged/m);
      if (format !== 'csv') expect(stdout, what).not.toMatch(/^forged/m);
      if (format === 'json' && name !== 'help')
        for (const text of stdout.split(/\n(?=\{|\[)/)) if (text.trim() !== '') JSON.parse(text);
    }
  }
});

test('JSON still says what others wrote', async () => {
  const { stdout } = await run(['check', '--local', hostile, '--json']);
  expect(stdout).not.toContain('\u009b');
  expect(JSON.parse(stdout).input).toBe(hostile);
  const screened = await run(['screen', '--local', '--ndjson', '-'], { input: JSON.stringify(hostile) });
  expect(JSON.parse(screened.stdout).input).toBe(hostile);
});

test('colors of a terminal are those of this program', async () => {
  const running = start(['check', '--local', `scam-mint.example/${hostile}`], { columns: 80 });
  await running.ended;
  const own = new Set(running.stdout().match(/\u001b\[[^m]*m/g));
  expect([...own].sort()).toEqual(['\u001b[2m', '\u001b[22m', '\u001b[31m', '\u001b[39m'].sort());
  expect(running.stdout().replace(/\u001b\[(2|22|31|39)m/g, '')).not.toMatch(controls);
});

test('only one file writes to the terminal', () => {
  const files = readdirSync('apps/cli', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const writers = files.filter((file) =>
    /\b(?:stdout|stderr|stream)\.write\(|\bconsole\./.test(readFileSync(join('apps/cli', file), 'utf8')),
  );
  // process.ts writes when output has failed, and only the system's code for it.
  expect(writers.sort()).toEqual(['process.ts', 'terminal/print.ts']);
});
