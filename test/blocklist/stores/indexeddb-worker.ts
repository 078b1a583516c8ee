import { indexedDbStore } from '../../../src/blocklist/stores/indexeddb-store.js';

/** Acts as another tab for the database: runs the requested calls on its own store. */
export type Task =
  | { readonly kind: 'race'; readonly database: string; readonly commits: number }
  | { readonly kind: 'write'; readonly database: string; readonly byte: number }
  | { readonly kind: 'hold'; readonly database: string }
  | { readonly kind: 'persist'; readonly database: string };

const scope = globalThis as unknown as {
  postMessage(message: unknown): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<Task>) => void): void;
};

async function run(task: Task): Promise<unknown> {
  const store = indexedDbStore({ name: task.database, persist: task.kind === 'persist' });
  await store.open();
  if (task.kind === 'persist') return 'opened';
  if (task.kind === 'hold') {
    // Holds the lock until the worker is terminated.
    void store.lock!(() => {
      scope.postMessage('held');
      return new Promise(() => {});
    });
    return new Promise(() => {});
  }
  if (task.kind === 'write') {
    await store.write('value', Uint8Array.of(task.byte));
    const newest = (await store.heads('head'))[0]?.sequence ?? 0;
    return store.commit('head', Uint8Array.of(task.byte), newest);
  }
  const won: number[] = [];
  while (won.length < task.commits) {
    const newest = (await store.heads('head'))[0]?.sequence ?? 0;
    if (await store.commit('head', new Uint8Array(newest + 1), newest)) won.push(newest + 1);
  }
  await store.close();
  return won;
}

scope.addEventListener('message', ({ data }) => {
  run(data).then(
    (result) => scope.postMessage({ result }),
    (error: unknown) => scope.postMessage({ error: String(error) }),
  );
});
