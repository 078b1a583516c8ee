import type { Blocklist, CommonOptions } from 'portcullis/core';
import type { PrefixSet, Source } from 'portcullis/sources';
import { distinctPrefixes } from './inputs.js';

/** What a source in memory says its list is; a benchmark changes it between two rounds. */
export interface OwnList {
  snapshot: OwnPart;
  recent?: OwnPart;
}

interface OwnPart {
  token: string;
  /** Made anew at each fetch, as from a network: what the source itself kept would count as the blocklist's memory. */
  entries: () => PrefixSet | Promise<PrefixSet>;
}

/** What the source was asked. */
interface Asked {
  /** When version was answered first since somebody set it to 0. */
  versionAtMs: number;
  confirmations: number;
}

/** A list without a network. Hits are confirmed by nobody. */
export function sourceOf(list: OwnList, asked: Asked = { versionAtMs: 0, confirmations: 0 }, id = 'bench'): Source {
  const partOf = ({ token }: OwnPart): { token: string } => ({ token });
  return {
    id,
    async version() {
      if (asked.versionAtMs === 0) asked.versionAtMs = performance.now();
      return {
        algoVersion: 'portcullis-1',
        snapshot: partOf(list.snapshot),
        ...(list.recent !== undefined && { recent: partOf(list.recent) }),
      };
    },
    async artifact(part) {
      return { entries: await list[part]!.entries(), isProven: true };
    },
    async confirm(prefixes) {
      asked.confirmations++;
      // As long as a fast network takes, so that others come meanwhile.
      await new Promise((resolve) => setTimeout(resolve, 5));
      return { hashes: new Map(prefixes.map((prefix) => [prefix, []])) };
    },
  };
}

/** A blocklist as /core makes it, with this list and EVM addresses beside links, asked by nobody but its caller. */
export async function openBlocklist(sources: readonly Source[], options: CommonOptions = {}): Promise<Blocklist> {
  const { createBlocklist, evm } = await import('portcullis/core');
  const blocklist = createBlocklist({ families: [evm], sources, pollMs: 0, ...options });
  await blocklist.ready();
  return blocklist;
}

/** The same with a snapshot of these entries and nothing after it. */
export async function blocklistWith(entries: () => PrefixSet | Promise<PrefixSet>): Promise<Blocklist> {
  const blocklist = await openBlocklist([sourceOf({ snapshot: { token: 'only', entries } })]);
  if (blocklist.status().sources[0]?.list === null) throw new Error('the list was not taken');
  return blocklist;
}

/** A host that every list of `entriesOf` has. */
export const listedHost = 'listed.example';

/** `count` entries, `listedHost` among them; those of another index are different ones. */
export async function entriesOf(count: number, fromIndex = 0): Promise<PrefixSet> {
  const { PrefixSet, prefixOf } = await import('portcullis/core');
  const entries = distinctPrefixes(count, fromIndex);
  entries[0] = prefixOf(listedHost);
  return PrefixSet.from(entries);
}
