import type { Blocklist, CommonOptions } from 'portcullis/core';
import type { PrefixSet, Source } from 'portcullis/sources';
import { distinctPrefixes } from './inputs.js';

/** The current list of a source in memory; a benchmark changes it between two rounds. */
export interface OwnList {
  snapshot: OwnPart;
  recent?: OwnPart;
  covers?: number;
}

interface OwnPart {
  token: string;
  /** Called for each fetch. Entries that the source keeps would count as the blocklist's memory. */
  entries: () => PrefixSet | Promise<PrefixSet>;
}

/** Counts the calls of a source. */
interface Asked {
  /** Time of the first version answer since this was set to 0. */
  versionAtMs: number;
  confirmations: number;
}

/** A source without a network. It confirms no hit. */
export function sourceOf(list: OwnList, asked: Asked = { versionAtMs: 0, confirmations: 0 }, id = 'bench'): Source {
  const partOf = ({ token }: OwnPart): { token: string } => ({ token });
  return {
    id,
    async version() {
      if (asked.versionAtMs === 0) asked.versionAtMs = performance.now();
      return {
        algoVersion: 'portcullis-1',
        snapshot: partOf(list.snapshot),
        ...(list.covers !== undefined && { covers: list.covers }),
        ...(list.recent !== undefined && { recent: partOf(list.recent) }),
      };
    },
    async artifact(part) {
      return { entries: await list[part]!.entries(), isProven: true };
    },
    async confirm(prefixes) {
      asked.confirmations++;
      // As long as a fast network takes, so that other checks arrive in the meantime.
      await new Promise((resolve) => setTimeout(resolve, 5));
      return { hashes: new Map(prefixes.map((prefix) => [prefix, []])) };
    },
  };
}

/** A blocklist of `portcullis/core` with these sources, links and EVM addresses, without polling. */
export async function openBlocklist(sources: readonly Source[], options: CommonOptions = {}): Promise<Blocklist> {
  const { createCoreBlocklist, evm } = await import('portcullis/core');
  const blocklist = createCoreBlocklist({ families: [evm], sources, pollMs: 0, ...options });
  await blocklist.ready();
  return blocklist;
}

/** A blocklist with one source, whose snapshot has these entries and whose recent part is empty. */
export async function blocklistWith(entries: () => PrefixSet | Promise<PrefixSet>): Promise<Blocklist> {
  const blocklist = await openBlocklist([sourceOf({ snapshot: { token: 'only', entries } })]);
  if (blocklist.status().sources[0]?.list === null) throw new Error('the list was not accepted');
  return blocklist;
}

/** A blocklist of these expressions and their covers (docs/formats.md §10), as `buildList` publishes them. */
export async function blocklistWithCovers(expressions: readonly string[]): Promise<Blocklist> {
  const { PrefixSet, prefixOf } = await import('portcullis/core');
  const sites = expressions.map((expression) => /[^./]+\.[^./]+(?=\/|$)/.exec(expression)![0]);
  const covered = new Set(sites.filter((site, at) => site !== expressions[at]));
  const covers = Array.from(covered, (site) => (prefixOf(site) ^ 1) >>> 0);
  const entries = (): PrefixSet => PrefixSet.from([...expressions.map(prefixOf), ...covers]);
  return openBlocklist([sourceOf({ snapshot: { token: 'only', entries }, covers: covers.length })]);
}

/** A host that is on every list of `entriesOf`. */
export const listedHost = 'listed.example';

/** `count` entries including `listedHost`; another `fromIndex` gives other entries. */
export async function entriesOf(count: number, fromIndex = 0): Promise<PrefixSet> {
  const { PrefixSet, prefixOf } = await import('portcullis/core');
  const entries = distinctPrefixes(count, fromIndex);
  entries[0] = prefixOf(listedHost);
  return PrefixSet.from(entries);
}
