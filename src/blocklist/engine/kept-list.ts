import { readU32 } from '../../core/bytes.js';
import { hashOf } from '../../core/hashing/sha256.js';
import { AscendingSet } from '../../core/prefixes/ascending-set.js';
import { createConfirmer } from '../ask/confirmer.js';
import type { BlocklistEvents, Listeners } from '../model/blocklist-events.js';
import { defaultPollMs, type Parts, type Settings } from '../model/blocklist-options.js';
import { hasPrefix } from '../model/generation.js';
import type { Source } from '../model/source.js';
import { missingReason } from '../rules/judge-hit.js';
import { mayDeny } from '../rules/version-order.js';
import { askedList } from '../rules/which-list.js';
import { calibrate } from '../sync/calibrate.js';
import { closeSource } from '../sync/close-source.js';
import { doubtfulAfter, hasSameBase, hasSameSets } from '../sync/combine.js';
import { createListSync, type ListEvent, type ListSync } from '../sync/list-sync.js';
import type { OpenStore } from '../sync/open-store.js';
import { createPoller, type Poller } from '../sync/poller.js';
import { allSets } from '../sync/recents.js';
import type { AskedList } from './ask.js';
import { createKeptConfirmations } from './kept-confirmations.js';
import { type NeverBlock, neverBlockOf } from './never-block.js';

/** One source's list, with its confirmations and its timer. */
export interface List extends AskedList {
  readonly sync: ListSync;
  readonly neverBlock: NeverBlock;
  readonly poller: Poller;
  /** Reads the stored list and the confirmed blocks. */
  load(): Promise<void>;
  close(): Promise<void>;
}

export function listOf(source: Source, settings: Settings, parts: Parts, store: OpenStore, listeners: Listeners): List {
  const { now } = settings;
  const neverBlock = neverBlockOf(settings.neverBlock, parts);
  let ignoredHosts = '';
  const emit = (event: ListEvent): void => {
    if (event.type !== 'changed') {
      const { type, ...about } = event;
      listeners.emit(type, { source: source.id, ...about } as BlocklistEvents[typeof type]);
      return;
    }
    const { generation, before } = event;
    confirmer?.doubt(doubtfulAfter(before, generation));
    if (before !== null && hasSameSets(before, generation)) return;
    const count = (generation.common?.size ?? generation.base.size - (generation.covers ?? 0)) + generation.recent.size;
    listeners.emit('changed', {
      source: source.id,
      generation: generation.sequence,
      count,
      isRecentOnly: hasSameBase(before, generation),
    });
    const hosts = neverBlock.heldBy(generation);
    if (hosts.length > 0 && hosts.join() !== ignoredHosts) listeners.emit('ignored', { source: source.id, hosts });
    ignoredHosts = hosts.join();
  };
  const sync = createListSync(
    {
      ...settings,
      pollMs: settings.pollMs || defaultPollMs,
      limits: settings,
      source,
      algorithms: parts.algorithms,
      sets: allSets,
      calibrate: (list, signal) => calibrate(source, parts.assets, list, signal),
      emit,
    },
    store,
  );
  const confirmer =
    source.confirm === undefined
      ? null
      : createConfirmer({
          confirm: (prefixes, call) =>
            source.confirm!(prefixes, {
              ...call,
              ...askedList(source, sync.state.newest, sync.held.generation, sync.state.checkpoint, now()),
            }),
          now,
          latest: () => Math.max(now(), sync.state.retry.failedAtMs),
          options: settings.confirm,
          terms: source.terms,
          deadlineMs: settings.deadlineMs,
          decoysFor: (prefix, count) => decoysIn(sync, prefix, count),
          mayDeny: () => mayDeny(source, sync.state.refusedAtMs, now()),
          onAsked: ({ prefixes, error }) => {
            listeners.emit('confirm', { source: source.id, prefixes, error });
            if (error !== undefined) listeners.emit('error', { source: source.id, where: 'confirm', error });
          },
          onPositive: (answer) => kept!.add(answer),
        });
  const kept =
    confirmer === null
      ? null
      : createKeptConfirmations(sync.saved, confirmer.cache, now, (error) =>
          listeners.emit('error', { source: source.id, where: 'store', error }),
        );
  const poller = createPoller({ now, nextSyncAtMs: sync.nextSyncAtMs, sync: () => sync.sync(false) });
  return {
    id: source.id,
    sync,
    confirmer,
    neverBlock,
    maxAgeMs: settings.maxAgeMs,
    get generation() {
      return sync.held.generation;
    },
    get missing() {
      return missingReason(sync.isLoading(), sync.state.lastError);
    },
    get failedAtMs() {
      return sync.state.retry.failedAtMs;
    },
    isIgnored: neverBlock.has,
    onUncovered: () => listeners.emit('uncovered', { source: source.id }),
    advisory: source.terms?.advisory,
    threatsOf: (expression) => confirmer?.threatsOf(source, expression) ?? [],
    poller,
    async load() {
      await Promise.all([sync.load(), kept?.load()]);
    },
    async close() {
      poller.stop();
      confirmer?.close();
      await sync.close();
      await kept?.settled();
      await closeSource(source, (error) => listeners.emit('error', { source: source.id, where: 'sync', error }));
    },
  };
}

/**
 * Entries of the set that holds the prefix: always the same ones for one prefix, as long as the set is unchanged. They depend on a secret
 * of this device. Otherwise anyone who has the list could tell which prefix the others were drawn for.
 */
function decoysIn({ held: { generation }, secret }: ListSync, prefix: number, count: number): number[] {
  if (generation === null) return [];
  const { base, recent } = generation;
  const set = hasPrefix(base, prefix) ? base : recent;
  if (!(set instanceof AscendingSet) || set.size === 0) return [];
  return Array.from({ length: count }, (_, at) => set.at(readU32(hashOf(`${secret} ${prefix} ${at}`), 0) % set.size));
}
