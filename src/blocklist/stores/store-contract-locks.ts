import type { SignalLike } from '../../core/errors.js';
import { createEnd } from '../../core/http/end-signal.js';
import type { Store } from '../store.js';
import { all, bytesOf, type ContractTools, fails, same, until, wait } from './store-contract-support.js';

export function testLocks({ test, make, lock, withStore, withTwo }: ContractTools): void {
  if (lock !== 'none') {
    withStore('lock: runs one at a time, in order, and returns the results', async (store) => {
      const order: number[] = [];
      let inside = 0;
      const results = await all(6, (at) =>
        store.lock!(async () => {
          same(++inside, 1, 'holders of the lock');
          order.push(at);
          await wait(5);
          inside--;
          return at * 2;
        }),
      );
      same(order, [0, 1, 2, 3, 4, 5], 'the order');
      same(results, [0, 2, 4, 6, 8, 10], 'the results');
    });

    withStore('lock: is released after a failure, which it passes on', async (store) => {
      const failure = new Error('mine');
      const failing = store.lock!(async () => {
        await wait(5);
        throw failure;
      });
      const after = store.lock!(async () => 'after');
      same(await failing.catch((error: unknown) => error), failure, 'the failure');
      same(await after, 'after', 'the next');
    });

    withStore('lock: a signal aborts the wait, and nothing else', async (store) => {
      const held = createEnd();
      const { holding, release } = await hold(store, held.signal);
      const waiting = createEnd();
      let ran = false;
      const aborted = store.lock!(async () => {
        ran = true;
      }, waiting.signal);
      const patient = store.lock!(async () => 'patient', createEnd().signal);
      await wait(5);
      waiting.abort();
      await fails(() => aborted, 'ABORTED', 'the aborted wait');
      held.abort();
      await fails(() => store.lock!(async () => (ran = true), waiting.signal), 'ABORTED', 'a wait aborted before the call');
      release();
      same(await holding, 'held', 'the holder whose signal aborted');
      same(await patient, 'patient', 'the other waiter');
      same(ran, false, 'the aborted waiter ran');
    });

    test('lock: a close ends the wait', async () => {
      const store = await make();
      await store.open();
      const { holding, release } = await hold(store);
      const waiting = store.lock!(async () => 'ran');
      const refused = fails(() => waiting, 'CLOSED', 'the wait');
      await wait(5);
      await store.close();
      await refused;
      release();
      await holding;
    });
  }

  if (lock === 'everybody') {
    withTwo('lock: excludes other stores too', async (one, other) => {
      let inside = 0;
      let runs = 0;
      await all(8, (at) =>
        (at % 2 === 0 ? one : other).lock!(async () => {
          same(++inside, 1, 'holders of the lock');
          await wait(10);
          inside--;
          runs++;
        }),
      );
      same(runs, 8, 'the runs');
    });
  }
}

/** Takes the lock until `release` is called. */
async function hold(store: Store, signal?: SignalLike): Promise<{ readonly holding: Promise<string>; release(): void }> {
  let release: (() => void) | undefined;
  const taken = (): Promise<string> => new Promise((resolve) => (release = () => resolve('held')));
  const holding = store.lock!(taken, signal);
  await until(() => release !== undefined, 'the lock is taken');
  return { holding, release: release! };
}

export function testWatches({ watch, withStore, withTwo }: ContractTools): void {
  if (watch !== 'none') {
    withStore('watch: calls every listener until it is removed, and no listener fails a commit', async (store) => {
      const notified: string[] = [];
      const ended: string[] = [];
      const endThrowing = store.watch!(() => {
        throw new Error('a listener that throws');
      });
      const end = store.watch!((name) => notified.push(name));
      const endOther = store.watch!((name) => ended.push(name));
      same(await store.commit('one', bytesOf(1, 1), 0), true, 'the commit');
      await until(() => notified.includes('one') && ended.includes('one'), 'both listeners are called');
      endOther();
      endOther();
      const before = ended.length;
      await store.commit('two', bytesOf(1, 1), 0);
      await until(() => notified.includes('two'), 'the remaining listener is called');
      same(ended.length, before, 'calls of the removed listener');
      end();
      endThrowing();
    });
  }

  if (watch === 'everybody') {
    withTwo('watch: reports the commits of other stores', async (one, other) => {
      const notified: string[] = [];
      const end = other.watch!((name) => notified.push(name));
      await one.commit('some/head', bytesOf(1, 1), 0);
      await until(() => notified.includes('some/head'), 'the other store is notified');
      notified.length = 0;
      await wait(10);
      await one.commit('some/head', bytesOf(1, 2), 1);
      await until(() => notified.includes('some/head'), 'the other store is notified again');
      end();
    });
  }
}
