import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { snippetsOf } from '../../tools/snippets.js';

const page = 'docs/wallet.md';

function run(command: string, folder: string): string {
  const quiet = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_prefer_offline: 'true' };
  const { status, stdout, stderr } = spawnSync(command, {
    cwd: folder,
    shell: true,
    encoding: 'utf8',
    env: { ...process.env, ...quiet },
  });
  expect(status, `${command}\n${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

test('the tutorial for wallets ends with what it shows, from an empty folder and the packed package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-tutorial-'));
  try {
    // `prepack` builds it first.
    run(`npm pack --silent --pack-destination ${folder}`, resolve('.'));
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
    const [install] = /^npm init .*/m.exec(readFileSync(page, 'utf8')) ?? [''];
    expect(install).toMatch(/ portcullis /);
    // As in the page, but the package is the one that was just packed.
    run(install.replace(' portcullis ', ` ./${tarball} `), folder);

    const [tutorial] = snippetsOf(page);
    writeFileSync(join(folder, 'wallet.mts'), tutorial!.code);
    expect(run('npx tsx wallet.mts', folder)).toBe(tutorial!.printed);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
