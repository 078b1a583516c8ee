import fc from 'fast-check';
import { createBlocklist, handleWebhook } from 'portcullis';
import { memoryStore } from 'portcullis/stores';
import { expect, test } from 'vitest';
import type { Store } from '../../../src/blocklist/model/store.js';
import { propertyRuns } from '../../support/setup.js';
import { awaited } from './bad-days-contents.js';
import { told } from './harness.js';
import { names } from './model-world.js';
import { ownSource } from './own-source.js';

/**
 * Tabs at once: events, rounds and feeds of several clients on one store overlap in every order its answers may come in. In the end, every
 * client and the store know everything that any of them was told under one snapshot. The lock only saves work, so it is left out, too.
 */

const nowMs = Date.UTC(2026, 0, 1);

/** A store whose calls take arbitrarily long. */
function slow(store: Store, isLocked: boolean, turns: () => number) {
  const wait = async (): Promise<void> => {
    for (let turn = turns(); turn > 0; turn--) await new Promise(setImmediate);
  };
  const { lock: _, ...unlocked } = store;
  return awaited(isLocked ? store : unlocked, async (_name, run) => {
    await wait();
    const answer = await run();
    await wait();
    return answer;
  });
}

type Deed = {
  readonly client: number;
  readonly name: string;
  readonly does: 'webhook' | 'sync' | 'feed';
  readonly waits: number;
};

const anyDeed: fc.Arbitrary<Deed> = fc.record({
  client: fc.nat({ max: 1 }),
  name: fc.constantFrom(...names),
  does: fc.constantFrom('webhook', 'webhook', 'sync', 'feed'),
  waits: fc.nat({ max: 6 }),
});

async function run(deeds: readonly Deed[], delays: readonly number[], isLocked: boolean): Promise<void> {
  let at = 0;
  const under = slow(memoryStore(), isLocked, () => (delays.length === 0 ? 0 : delays[at++ % delays.length]!));
  const source = ownSource({ snapshot: ['base.example'], recentToken: 'r0', whole: true });
  const opened = async () => {
    const blocklist = createBlocklist({ sources: [source], store: under.store, now: () => nowMs });
    await blocklist.check('localhost');
    return blocklist;
  };
  const clients = [await opened(), await opened()];
  await clients[0]!.sync();
  await under.settled();
  const known = new Set<string>();
  const running: Promise<unknown>[] = [];
  for (const { client, name, does, waits } of deeds) {
    if (does !== 'sync') known.add(name);
    if (does === 'feed')
      Object.assign(source.list, { recentToken: `r${known.size}-${name}`, recent: [...source.list.recent, name] });
    running.push(does === 'webhook' ? handleWebhook(clients[client]!, told(name)) : clients[client]!.sync());
    for (let turn = waits; turn > 0; turn--) await new Promise(setImmediate);
  }
  await Promise.all(running);
  await under.settled();
  // The next round fetches what this one just missed.
  for (const client of clients) await client.sync();
  await under.settled();
  const third = await opened();
  for (const [place, client] of [...clients, third].entries()) {
    const missing = [...known].filter((name) => client.test(`https://${name}`).status !== 'blocked');
    expect(missing, `client ${place}`).toEqual([]);
  }
  await Promise.all([...clients, third].map((client) => client.close()));
}

test.each([
  ['with a lock', true],
  ['without one', false],
])('every client learns what any client has learned: %s', async (_, isLocked) => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyDeed, { maxLength: 8 }), fc.array(fc.nat({ max: 4 }), { maxLength: 12 }), (deeds, delays) =>
      run(deeds, delays, isLocked),
    ),
    { numRuns: Math.ceil(propertyRuns / 3) },
  );
});
