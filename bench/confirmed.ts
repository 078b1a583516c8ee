import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Blocklist, Source, Store } from 'portcullis/core';
import { decodeAnswers, encodeAnswers } from '../src/blocklist/ask/stored-answers.js';
import { decodeRecord, encodeRecord } from '../src/blocklist/formats/record.js';
import { distinctPrefixes } from './inputs.js';
import { openBlocklist, sourceOf } from './lists.js';
import { collectGarbage, watched } from './measure.js';
import {
  countName,
  type Figures,
  type Group,
  limited,
  type Question,
  type Results,
  type Row,
  type Settings,
} from './question.js';

/** What does a confirmed hit cost on a device that remembers many? It must not depend on their number. */
export const confirmed: Question = {
  name: 'confirmed',
  title: 'A hit from check() until it is stored, beside earlier ones: processor time with a store in memory',
  groups,
  rows,
};

const ours = 'a hit';
const rival = 'reading, decoding and writing all';
const watchedHits = 'hits with the file store';
const restart = 'a restart with the file store';
const maxHitMs = 1;
const maxBlockMs = 10;
const maxGrowth = 3;

/** Enough for new hits to join the older ones three times. */
const hitCount = 500;
const rewriteCount = 10;

/** The default maximum, and one that only an app with many hits sets. */
const countsOf = ({ quick }: Settings): number[] => (quick ? [1_000, 2_000] : [10_000, 200_000]);

function groups(settings: Settings): Group[] {
  return countsOf(settings).map((count) => ({
    name: `${countName(count)} stored`,
    variants: [
      { name: ours, measure: () => timeHits(count) },
      { name: rival, measure: () => timeRewriting(count) },
      { name: watchedHits, measure: () => watchHits(count, settings) },
      { name: restart, measure: () => watchRestart(count, settings) },
    ],
  }));
}

function rows(results: Results, settings: Settings): Row[] {
  const [few, many] = groups(settings).map(({ name }) => name) as [string, string];
  const spread = (group: string, variant: string, figure: string): Row['value'] => results.spread(group, variant, figure);
  const growth = spread(many, ours, 'ms').median / spread(few, ours, 'ms').median;
  return [few, many].flatMap((group): Row[] => [
    group === few
      ? limited(`${group}: ${ours}`, 'ms', spread(group, ours, 'ms'), maxHitMs, `≤ ${maxHitMs} ms`)
      : {
          what: `${group}: ${ours}, ${growth.toFixed(2)} × that`,
          unit: 'ms',
          value: spread(group, ours, 'ms'),
          budget: { limit: `≤ ${maxGrowth} × that`, met: growth <= maxGrowth },
        },
    {
      what: `${group}: ${rival}`,
      unit: 'ms',
      value: spread(group, rival, 'ms'),
      ratio: results.ratio(group, ours, rival, 'ms'),
    },
    ...[watchedHits, restart].map((variant): Row => {
      const [what, value] = [`${group}: ${variant}, longest block`, spread(group, variant, 'blockMs')];
      return group === few ? limited(what, 'ms', value, maxBlockMs, `≤ ${maxBlockMs} ms`) : { what, unit: 'ms', value };
    }),
  ]);
}

const listId = 'bench';
const olderName = `${listId}/confirmed-older`;
const hostOf = (at: number): string => `hit-${at}.example`;

/** A store with so many confirmed hits, an hour old. */
async function filled(store: Store, count: number): Promise<Store> {
  const atMs = Date.now() - 3_600_000;
  const answers = Array.from(distinctPrefixes(count), (prefix) => {
    const hash = new Uint8Array(32);
    new DataView(hash.buffer).setUint32(0, prefix);
    return { prefix, hashes: [hash], atMs, positiveMs: 300_000 };
  });
  await store.open();
  await store.write(olderName, encodeRecord('confirmed', encodeAnswers(answers)));
  return store;
}

async function memory(): Promise<Store> {
  return (await import('portcullis/stores')).memoryStore();
}

async function files({ scratch }: Settings): Promise<Store> {
  const { fileStore } = await import('portcullis/stores/file');
  const directory = join(scratch, 'confirmed');
  await rm(directory, { recursive: true, force: true });
  return fileStore({ directory });
}

/** Opens a blocklist that remembers at most `count` hits and calls `onStored` when new ones are stored. */
async function opener(inner: Store, count: number, onStored: () => void): Promise<() => Promise<Blocklist>> {
  const { PrefixSet, hashOf, prefixOf } = await import('portcullis/core');
  const hashes = new Map(Array.from({ length: hitCount }, (_, at) => [prefixOf(hostOf(at)), [hashOf(hostOf(at))]]));
  const entries = PrefixSet.from(hashes.keys());
  const store: Store = {
    ...inner,
    async write(name, bytes) {
      await inner.write(name, bytes);
      if (name === `${listId}/confirmed`) onStored();
    },
  };
  const list = sourceOf({ snapshot: { token: 's', entries: () => entries } }, undefined, listId);
  const source: Source = {
    ...list,
    confirm: async (prefixes) => ({ hashes: new Map(prefixes.map((prefix) => [prefix, hashes.get(prefix)!])) }),
  };
  return () => openBlocklist([source], { store, confirm: { maxCount: count, prefixesPerMinute: 1_000_000 } });
}

/** Checks new hits, and waits until each is stored. */
async function hitsIn(store: Store, count: number): Promise<{ check: () => Promise<void>; close: () => Promise<void> }> {
  let onStored = (): void => {};
  const open = await opener(store, count, () => onStored());
  const blocklist = await open();
  let next = 0;
  const check = async (): Promise<void> => {
    for (const end = next + hitCount; next < end; next++) {
      const stored = new Promise<void>((resolve) => {
        onStored = resolve;
      });
      const { reason } = await blocklist.check(hostOf(next));
      if (reason !== 'confirmed') throw new Error(`the hit is ${reason}`);
      await stored;
    }
  };
  return { check, close: () => blocklist.close() };
}

async function timeHits(count: number): Promise<Figures> {
  const { check, close } = await hitsIn(await filled(await memory(), count), count);
  collectGarbage();
  const ms = await processorMs(check);
  await close();
  return { ms: ms / hitCount };
}

async function watchHits(count: number, settings: Settings): Promise<Figures> {
  const { check, close } = await hitsIn(await filled(await files(settings), count), count);
  collectGarbage();
  const figures = await watched(check);
  await close();
  return figures;
}

/** What a hit costs if each one replaces the stored value. */
async function timeRewriting(count: number): Promise<Figures> {
  const store = await filled(await memory(), count);
  collectGarbage();
  const ms = await processorMs(async () => {
    for (let at = 0; at < rewriteCount; at++) {
      const payload = decodeRecord('confirmed', (await store.read(olderName))!);
      const answers = new Map(Array.from(decodeAnswers(payload), (answer) => [answer.prefix, answer]));
      await store.write(olderName, encodeRecord('confirmed', encodeAnswers(answers.values())));
    }
  });
  return { ms: ms / rewriteCount };
}

async function watchRestart(count: number, settings: Settings): Promise<Figures> {
  const open = await opener(await filled(await files(settings), count), count, () => {});
  collectGarbage();
  return watched(async () => (await open()).close());
}

/** Of all threads: other programs do not count. */
async function processorMs(run: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
