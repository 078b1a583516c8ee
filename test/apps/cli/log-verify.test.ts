import { cpSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listen } from '../../support/listen.js';
import { type Running, run, runJson, start, temporaryFolder } from './in-process.js';
import { type Logged, loggedList } from './logged-list.js';

function copyOf(folder: string): string {
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
}

/** @param folderFor Where a file of the host is. */
function hostOf(folderFor: (path: string) => string): Promise<string> {
  return listen({
    fetch: async (request: Request) => {
      const path = new URL(request.url).pathname;
      const file = join(folderFor(path), path);
      return existsSync(file) && statSync(file).isFile() ? new Response(readFileSync(file)) : new Response(null, { status: 404 });
    },
  });
}

const codesOf = (alerts: readonly { code: string }[]): string[] => alerts.map(({ code }) => code);

const followed = ({ key }: Logged, place: string, ...more: string[]): Running =>
  start(['log', 'verify', place, '--key', key, '--follow', '--interval', '1', '--json', ...more]);

test('log verify hides no version that was appended while it read', async () => {
  const list = await loggedList(1, 1);
  for (const hosts of [200, 210]) await list.publish(hosts);
  const old = copyOf(list.out);
  await list.publish(90, '--yes', '--new-snapshot');
  const shown = copyOf(list.out);
  cpSync(join(old, 'version.json'), join(shown, 'version.json'));
  expect((await runJson(['log', 'refresh', shown, '--key', list.key, '--log-policy', list.policy])).code).toBe(0);
  let isFirst = true;
  const url = await hostOf((path) => {
    const folder = isFirst && path === '/log/checkpoint' ? old : shown;
    if (path === '/log/checkpoint') isFirst = false;
    return folder;
  });
  const { code, value } = await list.verify(url);
  expect([code, value.size, value.listed]).toEqual([7, 3, 1]);
  expect(value.versions.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2]);
  expect(value.alerts).toMatchObject([{ code: 'SHRUNK', message: expect.stringContaining('version 2') }]);
  isFirst = true;
  const monitor = followed(list, url);
  await monitor.until(/"alert":\{"code":"SHRUNK"/);
  monitor.interrupt();
  expect([await monitor.ended, monitor.stdout().match(/"index":2/g)]).toEqual([7, ['"index":2']]);
});

test('log verify is patient with an upload that is not complete, and says that witnesses are ahead', async () => {
  const list = await loggedList();
  await list.publish(1);
  const hosted = copyOf(list.out);
  await list.publish(2);
  const url = await hostOf(() => hosted);
  const behind = await list.verify(url, '--log-policy', list.policy);
  expect([behind.code, codesOf(behind.value.alerts)]).toEqual([7, ['WITNESSES_AHEAD']]);
  expect(behind.value.alerts[0].message).toContain('w0: 2');
  // The documented order: version.json is last.
  for (const name of ['log', 'version.proof']) cpSync(join(list.out, name), join(hosted, name), { recursive: true });
  expect(await list.verify(url, '--log-policy', list.policy)).toMatchObject({ code: 0, value: { listed: 0, alerts: [] } });
  cpSync(join(list.out, 'version.json'), join(hosted, 'version.json'));
  expect(await list.verify(url, '--log-policy', list.policy)).toMatchObject({ code: 0, value: { listed: 1, alerts: [] } });
});

test('log verify refuses the policy of another log, as publish does', async () => {
  const [list, other] = [await loggedList(1, 1), await loggedList(1, 1)];
  await list.publish(1);
  const { code, value } = await list.verify(list.out, '--log-policy', other.policy);
  expect([code, value.error]).toMatchObject([3, { message: expect.stringContaining('the policy is for another log') }]);
});

test('log verify ends with 7 for a version without the cosignatures of the policy', async () => {
  const list = await loggedList(1, 1);
  const without = ['--out', list.out, '--sign', join(list.folder, 'list.key'), '--log', list.log];
  writeFileSync(join(list.folder, 'one.txt'), 'a.example\n');
  await run(['publish', join(list.folder, 'one.txt'), ...without, '--log-key', join(list.folder, 'log.key')]);
  const { code, value } = await list.verify(list.out, '--log-policy', list.policy);
  expect([code, new Set(codesOf(value.alerts))]).toEqual([7, new Set(['WITNESSES_UNKNOWN', 'LOG_NOT_WITNESSED'])]);
});

test('log verify --follow alerts when the log cannot be read any more, and ends with 8 unless it is back', async () => {
  const list = await loggedList(1, 1);
  await list.publish(1);
  const empty = temporaryFolder();
  let isGone = false;
  const url = await hostOf(() => (isGone ? empty : list.out));
  for (const isBack of [false, true]) {
    isGone = false;
    const monitor = followed(list, url);
    await monitor.until(/"index":0/);
    isGone = true;
    await monitor.until(/"alert":\{"code":"NOT_FOUND"/);
    isGone = !isBack;
    if (isBack) {
      await list.publish(2);
      await monitor.until(/"index":1/);
    }
    monitor.interrupt();
    expect(await monitor.ended).toBe(isBack ? 0 : 8);
    expect(monitor.stdout().match(/NOT_FOUND/g)).toHaveLength(1);
  }
});

test('log verify --follow reports each version outside the log, and one that comes back', async () => {
  const list = await loggedList(1, 1);
  await list.publish(1);
  const honest = readFileSync(join(list.out, 'version.json'));
  const forOne = async (host: string): Promise<Buffer> => {
    const folder = copyOf(list.out);
    writeFileSync(join(list.folder, 'one.txt'), `${host}\n`);
    await run(['publish', join(list.folder, 'one.txt'), '--out', folder, '--sign', join(list.folder, 'list.key'), '--yes']);
    return readFileSync(join(folder, 'version.json'));
  };
  const replace = (version: Buffer): void => {
    writeFileSync(join(list.folder, 'aside'), version);
    renameSync(join(list.folder, 'aside'), join(list.out, 'version.json'));
  };
  const targeted = [await forOne('a.example'), await forOne('b.example')];
  const monitor = followed(list, list.out);
  await monitor.until(/"index":0/);
  const seen: string[] = [];
  for (const version of [targeted[0]!, targeted[1]!, targeted[0]!]) {
    replace(version);
    const [line] = await monitor.until(new RegExp(`(?:.*"alert".*\n){${seen.length + 1}}`));
    seen.push(JSON.parse(line.trim().split('\n').at(-1)!).alert.message);
    replace(honest);
    await new Promise((resolve) => setTimeout(resolve, 1_800));
  }
  monitor.interrupt();
  expect(await monitor.ended).toBe(2);
  expect(seen.every((message) => /SHA-256 [\da-f]{16}….*not in the log/.test(message))).toBe(true);
  expect([seen[0] === seen[1], seen[0] === seen[2]]).toEqual([false, true]);
  rmSync(list.log, { recursive: true });
  expect((await list.verify(list.out)).code).toBe(8);
});
