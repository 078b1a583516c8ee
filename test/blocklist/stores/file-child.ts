import { appendFileSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileStore } from '../../../src/blocklist/stores/file-store.js';
import { isPortcullisError } from '../../../src/core/errors.js';
import { lockStaleMs, type Task } from './tasks.js';

const say = (line: unknown): void => void writeSync(1, `${line}\n`);

async function run(task: Task, directory: string): Promise<void> {
  if (task.kind === 'permissions') {
    process.setgid?.(task.userId);
    process.setuid?.(task.userId);
  }
  const store = fileStore({ directory, lockStaleMs, watchPollMs: 20 });
  const newest = async (): Promise<number> => (await store.heads('list/head'))[0]?.sequence ?? 0;

  if (task.kind === 'permissions') {
    const calls = {
      open: () => store.open(),
      read: () => store.read('value'),
      write: () => store.write('value', Uint8Array.of(1)),
      heads: () => store.heads('head'),
      commit: () => store.commit('head', Uint8Array.of(1), 1),
      list: () => store.list(''),
      lock: async () => store.lock!(async () => {}),
    };
    for (const [name, call] of Object.entries(calls)) {
      const code = await call().then(
        () => 'done',
        (error: unknown) => (isPortcullisError(error) ? error.code : String(error)),
      );
      say(`${name} ${code}`);
    }
    return;
  }
  await store.open();
  if (task.kind === 'race') {
    for (let won = 0; won < task.commits; ) {
      const expected = await newest();
      if (!(await store.commit('list/head', Uint8Array.of(expected + 1), expected))) continue;
      say(expected + 1);
      won++;
    }
  } else if (task.kind === 'lock') {
    for (let round = 0; round < task.rounds; round++) {
      await store.lock!(async () => {
        appendFileSync(task.log, `in ${process.pid}\n`);
        await sleep(2);
        appendFileSync(task.log, `out ${process.pid}\n`);
      });
    }
  } else {
    await store.lock!(async () => {
      say('held');
      await new Promise((resolve) => process.stdin.once('data', resolve));
    });
    say('released');
    process.stdin.destroy();
  }
  await store.close();
}

const [, , directory = '', task = ''] = process.argv;
await run(JSON.parse(task) as Task, directory);
