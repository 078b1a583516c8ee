import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { packageListAt } from '../../../apps/cli/lists/package-list.js';
import { runProcess } from './harness.js';
import { temporaryFolder } from './in-process.js';

/** A folder with a package in it, as `npm install` leaves it. */
function folderWith(name: string, files: Readonly<Record<string, string>>, manifest: object = {}): string {
  const folder = temporaryFolder();
  const all = { 'package.json': JSON.stringify({ name, ...manifest }), ...files };
  for (const [file, text] of Object.entries(all)) {
    const path = join(folder, 'node_modules', name, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return folder;
}

const config = JSON.stringify({ version: 2, tolerance: 0, fuzzylist: [], whitelist: [], blacklist: ['scam-mint.example'] });

test('check --list npm:<package> uses the list of an installed package, and names its version and license', async () => {
  const cwd = folderWith('eth-phishing-detect', { 'src/config.json': config }, { version: '1.2.0', license: 'DBAD' });
  const args = ['check', '--list', 'npm:eth-phishing-detect', 'https://login.scam-mint.example/'];
  const { code, stdout, stderr } = await runProcess(args, { cwd });
  expect([code, stderr]).toEqual([6, 'the list of eth-phishing-detect 1.2.0, license DBAD\n']);
  expect(stdout).toMatch(/^blocked/);
  const published = await runProcess(['publish', 'npm:eth-phishing-detect', '--out', 'list'], { cwd });
  expect([published.code, published.stdout]).toEqual([0, expect.stringMatching(/^1 entry published in /)]);
});

test('a file of any package can be named', () => {
  const folder = folderWith('@team/lists', { 'data/hosts.txt': 'a.example\n' });
  expect(packageListAt('npm:@team/lists/data/hosts.txt', folder)).toEqual({
    file: join('node_modules', '@team/lists', 'data/hosts.txt'),
    about: '@team/lists, a license that its package.json does not name',
  });
});

test.each([
  ['npm:', 'not a package name'],
  ['npm:../secrets', 'not a package name'],
  ['npm:some-list', 'the package some-list is not installed here'],
  ['npm:@team/lists', 'no list file is known for @team/lists'],
  ['npm:@team/lists/../../secrets.txt', 'the file must be inside the package'],
])('%s is an error that says what to do', (place, message) => {
  const folder = folderWith('@team/lists', {});
  expect(() => packageListAt(place, folder)).toThrow(message);
});

test.each(['list.txt', 'https://lists.example/npm:x', '-'])('%s is no list of a package', (place) => {
  expect(packageListAt(place)).toBeNull();
});
