import { writeSync } from 'node:fs';
import type { Source } from '../../../src/blocklist/model/source.js';
import { type Blocklist, createBlocklist, handleWebhook, PrefixSet, prefixOf } from '../../../src/entry/index.js';
import { fileStore } from '../../../src/entry/store-file.js';
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
  const store = fileStore({ directory, ...fast });
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
  await blocklist.ready();
  for (;;) {
    const { outcome } = await blocklist.sync();
    if (outcome === 'updated' || outcome === 'unchanged') sayList(blocklist);
  }
}

const [, , directory = '', task = ''] = process.argv;
await run(JSON.parse(task) as Task, directory);
