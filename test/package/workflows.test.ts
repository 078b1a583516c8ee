import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = '.github/workflows';
const workflows = readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, 'utf8'));
const { scripts, version, name } = JSON.parse(readFileSync('package.json', 'utf8'));
/** What a job runs, without what the shell adds. */
const commands = workflows.flatMap((text) => [...text.matchAll(/^\s+(?:- )?run: (?!\|)(.+)$/gm)].map(([, command]) => command));

test('workflows run commands of the project', () => {
  expect(commands).toContain('.ci/run');
  for (const command of commands) {
    const [, script] = /^npm run (\S+)/.exec(command ?? '') ?? [];
    if (script !== undefined) expect(scripts).toHaveProperty(script);
    if (command?.startsWith('.ci/')) expect(existsSync(command)).toBe(true);
  }
});

test('the checks run every command of the README that sets up a clone', () => {
  const shown = [...readFileSync('README.md', 'utf8').matchAll(/^npm ci && .+$/gm)].map(([line]) => line);
  expect(shown).toHaveLength(2);
  const run = readFileSync('.ci/run', 'utf8');
  for (const command of shown) expect(run).toContain(`.ci/in-fresh-clone '${command}'`);
});

test('workflows name foreign actions by commit, and only the publishing job may ask for an identity', () => {
  for (const text of workflows) {
    for (const [, action] of text.matchAll(/uses: (\S+)/g))
      if (!action?.startsWith('./')) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
    expect(text).not.toMatch(/secrets\.|pull_request_target|write-all/);
  }
  const release = readFileSync(`${folder}/release.yml`, 'utf8');
  expect(release.match(/id-token: write/g)).toHaveLength(1);
  const publish = release.slice(release.indexOf('\n  publish:'));
  expect(publish).toContain('id-token: write');
  // What holds the identity runs no code that a pull request could have changed.
  expect(publish).not.toMatch(/checkout|run: npm (ci|install|run)/);
});

test('the description for tool registries names this version, and only variables that the command reads', () => {
  const server = JSON.parse(readFileSync('server.json', 'utf8'));
  expect(server.description.length).toBeLessThanOrEqual(100);
  expect(server.version).toBe(version);
  expect(server.packages).toMatchObject([{ identifier: name, version, packageArguments: [{ value: 'mcp' }] }]);
  const help = readFileSync('docs/command-line.md', 'utf8') + readFileSync('apps/cli/commands/mcp-command.ts', 'utf8');
  for (const { name: variable } of server.packages[0].environmentVariables) expect(help).toContain(variable);
});
