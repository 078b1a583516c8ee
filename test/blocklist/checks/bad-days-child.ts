import { writeSync } from 'node:fs';
import type { Source } from '../../../src/blocklist/source.js';
import { type Blocklist, createBlocklist, handleWebhook, PrefixSet, prefixOf } from '../../../src/entry/index.js';
import { fileStore } from '../../../src/entry/store-file.js';
import { watchedFileSystem } from '../stores/watched-file-system.js';
import { fast, recentOf, shared, type Task } from './bad-days-tasks.js';

const say = (line: string): void => void writeSync(1, `${line}\n`);

function sayList(blocklist: Blocklist): void {
  const { list, isStored } = blocklist.status().sources[0]!;
  say(`list ${list?.snapshotToken} ${list?.recentToken} ${isStored}`);
}

/** A snapshot of one entry, and a window of recents that shows each of them once. */
function windowOf(id: number): Source & { round: number } {
  const source: Source & { round: number } = {
    id: 'service',
    round: 0,
    version: async () => ({ algoVersion: 'portcullis-1', snapshot: { token: 's' }, recent: { token: `${id}-${source.round}` } }),
    artifact: async (part) => ({
      entries: PrefixSet.from([prefixOf(part === 'snapshot' ? shared : recentOf(id, source.round))]),
      isProven: false,
    }),
    confirm: async () => ({ hashes: new Map() }),
  };
  return source;
}

async function run(task: Task, directory: string): Promise<void> {
  if (task.kind === 'user') {
    process.setgid?.(task.userId);
    process.setuid?.(task.userId);
  }
  const { dieAt, half } = task.kind === 'round' ? task : { dieAt: -1, half: false };
  const fileSystem = watchedFileSystem(async ({ number, name, run, runHalf }) => {
    if (task.kind === 'round' && dieAt < 0) say(`call ${name}`);
    if (number !== dieAt) return run();
    if (half) await runHalf();
    process.kill(process.pid, 'SIGKILL');
    return new Promise(() => {});
  });
  const store = fileStore({ directory, ...fast, fileSystem });
  if (task.kind === 'recents') {
    const source = windowOf(task.id);
    const blocklist = createBlocklist({ sources: [source], store, pollMs: 0 });
    await blocklist.ready();
    for (let round = 1; round <= task.rounds; round++) {
      const told = recentOf(task.id, round);
      if (round % 3 === 0) {
        const data = { status: 'BLOCKED', type: 'URL', content: `https://${told}/` };
        await handleWebhook(blocklist, { type: 'asset.status-updated', data });
      } else {
        source.round = round;
        await blocklist.sync();
      }
      if (round % 5 === 0) await blocklist.block(`${task.id}-${round}.override.example`);
      if (blocklist.status().sources[0]!.isStored) say(`stored ${told}`);
    }
    await blocklist.close();
    return;
  }
  const blocklist = createBlocklist({ baseUrl: task.url, apiKey: task.key, store, pollMs: 0 });
  blocklist.on('error', ({ where, error }) => say(`error ${where} ${error.code}`));
  await blocklist.ready();
  if (task.kind === 'rounds') {
    for (;;) {
      const { outcome } = await blocklist.sync();
      if (outcome === 'updated' || outcome === 'unchanged') sayList(blocklist);
    }
  }
  const { outcome } = await blocklist.sync();
  say(`outcome ${outcome}`);
  sayList(blocklist);
  const { status } = await blocklist.check('old-0.example');
  say(`check ${status}`);
  await blocklist.block('mine.example').then(
    () => say('override'),
    (error: { code: string }) => say(`override ${error.code}`),
  );
  await blocklist.close();
  say('closed');
}

const [, , directory = '', task = ''] = process.argv;
await run(JSON.parse(task) as Task, directory);
