import { createBlocklist, type Verdict } from 'portcullis';
import { createLightBlocklist, type LightBlocklist, type LightEvent, type LightOptions } from 'portcullis/light';
import type { Store } from 'portcullis/testing';
import { onTestFinished, vi } from 'vitest';
import { type Clock, heard } from './engine/harness.js';
import { type OwnList, type OwnOptions, type OwnSource, ownSource } from './engine/own-source.js';
import type { Engine } from './light/engines.js';

/** What both engines have. */
type Options = Partial<Omit<LightOptions, 'source' | 'families' | 'store'>> & { readonly store?: Store };

/** One list of its own source, kept by one of the two engines, with its own clock. */
export interface World {
  readonly blocklist: LightBlocklist;
  readonly source: OwnSource;
  readonly clock: Clock;
  /** Changes what the source offers, and runs a round after this time. */
  offer(list: Partial<OwnList>, afterMs?: number): ReturnType<LightBlocklist['sync']>;
  /** The verdicts of concurrent checks. */
  checkAll(texts: readonly string[]): Promise<readonly Verdict[]>;
  reasons(texts: readonly string[]): Promise<readonly string[]>;
  /** The calls of the source since the last time, in order. */
  calls(): readonly string[];
  heard<Type extends LightEvent>(...types: Type[]): ReturnType<typeof heard<Type>>;
  /** Closes it, and makes the same one again, with the same store and clock. */
  reopen(changed?: { readonly source?: OwnSource } & Options): Promise<World>;
  /** The same, and waits until the list is loaded. */
  restart(changed?: { readonly source?: OwnSource } & Options): Promise<World>;
}

/** Makes worlds of one engine. `listing` has fetched its list, which is `evil.example` by default. */
export function worldsOf(engine: Engine) {
  function opened(list: OwnOptions | OwnSource = {}, options: Options = {}, clock = { nowMs: Date.UTC(2026, 0, 1) }): World {
    const source = 'calls' in list ? list : ownSource({ snapshot: ['evil.example'], ...list });
    const settings = { pollMs: 0, now: () => clock.nowMs, random: () => 0.5, ...options };
    const blocklist = engine === 'full' ? oneOf(source, settings) : createLightBlocklist({ source, ...settings });
    onTestFinished(() => blocklist.close());
    const checkAll = (texts: readonly string[]) => Promise.all(texts.map((text) => blocklist.check(text)));
    const world: World = {
      ...{ blocklist, source, clock, checkAll },
      reasons: async (texts) => (await checkAll(texts)).map(({ reason }) => reason),
      calls: () => source.calls.splice(0),
      heard: (...types) => heard(blocklist as never, ...types),
      async offer(changed, afterMs = 0) {
        Object.assign(source.list, changed);
        clock.nowMs += afterMs;
        return blocklist.sync();
      },
      async reopen({ source: other = source, ...changed } = {}) {
        await blocklist.close();
        return opened(other, { ...options, ...changed }, clock);
      },
      async restart(changed) {
        const again = await world.reopen(changed);
        await again.blocklist.ready();
        return again;
      },
    };
    return world;
  }

  async function listing(list?: OwnOptions | OwnSource, options?: Options): Promise<World> {
    const world = opened(list, options);
    await world.blocklist.ready();
    return world;
  }

  return { opened, listing };
}

/** A blocklist with one source, in the form of a light list. */
function oneOf(source: OwnSource, options: Options): LightBlocklist {
  const blocklist = createBlocklist({ sources: [source], ...options });
  return {
    ...blocklist,
    sync: async (call) => (await blocklist.sync(call)).sources[0]!,
    status: () => blocklist.status().sources[0]!,
  };
}

/** Until the test ends. */
export function fakeTimers(): void {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
}

export const never = () => new Promise<never>(() => {});
/** Runs before each question, and before no other call of a source. */
export const onConfirm = (run: () => void | Promise<void>) => (call: string) => (call === 'confirm' ? run() : undefined);

export const hosts = (count: number): string[] => Array.from({ length: count }, (_, at) => `host${at}.example`);

/** How many there are of each. */
export const counted = (all: readonly string[]): Record<string, number> =>
  Object.fromEntries([...new Set(all)].map((one) => [one, all.filter((other) => other === one).length]));

/** A list that was published three times: each version lists one host more. Its confirmations are not those of an older copy. */
const confirmed = ['one.example', 'two.example', 'three.example'];
const version = (sequence: number): Partial<OwnList> => ({
  ...{ sequence, snapshotToken: `s${sequence}`, snapshot: confirmed.slice(0, sequence), confirmed },
});
export const versions = [version(1), version(2), version(3)] as const;
