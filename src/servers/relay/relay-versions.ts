import { type ArtifactRef, readVersion, type VersionDocument } from '../../blocklist/formats/version-document.js';
import { utf8 } from '../../core/bytes.js';
import { unusable } from '../../core/http/http-api.js';
import type { Content } from './relay-answers.js';
import type { Score, Snapshot } from './relay-calibration.js';
import { type Flights, within } from './relay-flights.js';
import type { Settings } from './relay-options.js';
import { artifactPath, versionPath } from './relay-routes.js';
import { type Gate, sha256Hex, type Upstream } from './upstream.js';

/** A version answer of the service, and what clients get for it. */
export interface Version {
  readonly document: VersionDocument;
  /** As the service wrote it: a number may be what it takes. */
  readonly algoVersion: unknown;
  /** What is fetched for each id we gave out. */
  readonly artifacts: ReadonlyMap<string, ArtifactRef>;
  /** What clients get, but the calibration. */
  readonly written: object;
  readonly bytes: Uint8Array;
  readonly etag: string;
  readonly fetchedMs: number;
}

export interface Versions {
  /** The newest version known: fresh, or the last good one while the service fails. */
  current(): Promise<Version>;
  /** What this id stands for, in one of the last versions. */
  artifact(id: string): Promise<ArtifactRef | undefined>;
  /** Ids that stand for something now. */
  ids(): ReadonlySet<string>;
  /** Another text after each change of the list. */
  state(): string;
  /** Waits a little where no version is known yet: an instance may begin with a confirmation. */
  ready(): Promise<void>;
  /** Whether the list has or had this algorithm's version since this instance began; any may be one while no list is known. */
  knows(given: string | number): Promise<boolean>;
  /** An algorithm's version as the service writes it, as far as that is known. */
  algoVersionOf(given: string | number): unknown;
  /** Something new is known of the newest version's snapshot. */
  renew(): Promise<void>;
  contentOf(version: Version): Content;
}

/** Versions whose artifacts are given, and algorithms that are confirmed: a client that began under one finishes, also where each minute brings another. */
const versionsMax = 8;

/** Bytes of a version answer: two tokens and two addresses of the greatest length that is read. */
const versionBytesMax = 64 * 1024;

/** Where there is something to go on with, nobody waits longer for a new answer, in milliseconds. */
const staleWaitMs = 2_000;

/** Another instance may have given out an id or an algorithm's version that is not known here yet, in milliseconds since the last look. */
const strangerMs = 10_000;

/** Beyond the longest wait for the service: the service's own failure is told first. */
export const graceMs = 500;

export function createVersions(
  settings: Settings,
  upstream: Upstream,
  gate: Gate,
  flights: Flights<Version>,
  onFresh: () => void,
  scoreOf: (snapshot: Snapshot) => Score | undefined,
): Versions {
  const { publicUrl, versionTtlMs, staleMaxMs, timeoutMs, now } = settings;
  /** Oldest first. */
  let kept: readonly Version[] = [];
  /** As the service writes them, by their text; oldest first. A client keeps a list that it understands longer than `kept` does. */
  const algorithms = new Map<string, unknown>();

  const last = (): Version | undefined => kept[kept.length - 1];

  function isYounger(version: Version | undefined, maxMs: number): version is Version {
    if (version === undefined) return false;
    const ageMs = now() - version.fetchedMs;
    // A clock that was set back makes nothing younger.
    return ageMs >= 0 && ageMs < maxMs;
  }

  const ttlMsOf = (version: Version | undefined): number => Math.max(versionTtlMs, version?.document.minWaitMs ?? 0);

  async function idOf(part: string, algoVersion: string, { token, count, sha256 }: ArtifactRef): Promise<string> {
    // Not of the address: it may be signed anew for each answer, and stay the same file. The same in all instances.
    const name = JSON.stringify([part, algoVersion, token, count, sha256]);
    return (await sha256Hex(utf8(name))).slice(0, 32);
  }

  async function fetched(): Promise<Version> {
    const answer = await upstream.call({ method: 'GET', path: versionPath }, versionBytesMax);
    const document = readVersion(answer);
    const { algoVersion, snapshot, recent, minWaitMs } = document;
    const artifacts = new Map<string, ArtifactRef>();
    const written = async (part: 'snapshot' | 'recent', ref: ArtifactRef): Promise<ArtifactRef> => {
      // The whole answer is refused, so that the last good one stays.
      if (!upstream.mayFetch(ref.url)) throw unusable(`names a ${part} where none is fetched from`);
      const id = await idOf(part, algoVersion, ref);
      artifacts.set(id, ref);
      return { ...ref, url: publicUrl + artifactPath + id };
    };
    const raw = rawAlgoVersion(answer);
    const answered = {
      algoVersion: raw,
      snapshot: await written('snapshot', snapshot),
      recent: await written('recent', recent),
      ...(minWaitMs !== undefined && { minWaitMs }),
    };
    return scored({ document, algoVersion: raw, artifacts, written: answered, fetchedMs: now() });
  }

  /** With what is known of its snapshot. */
  async function scored(version: Omit<Version, 'bytes' | 'etag'>): Promise<Version> {
    const { document, artifacts, written } = version;
    // Made first, of the snapshot.
    const [id = ''] = artifacts.keys();
    const calibration = scoreOf({ document, id });
    const bytes = utf8(JSON.stringify({ ...written, ...(calibration !== undefined && { calibration }) }));
    return { ...version, bytes, etag: `"${(await sha256Hex(bytes)).slice(0, 32)}"` };
  }

  async function refreshed(): Promise<Version> {
    const version = await gate.run(fetched);
    kept = [...kept.filter(({ etag }) => etag !== version.etag), version].slice(-versionsMax);
    const { algoVersion } = version.document;
    algorithms.delete(algoVersion);
    algorithms.set(algoVersion, version.algoVersion);
    if (algorithms.size > versionsMax) algorithms.delete(algorithms.keys().next().value as string);
    onFresh();
    return version;
  }

  async function atMost(maxMs: number): Promise<Version> {
    const known = last();
    if (isYounger(known, maxMs)) return known;
    const mayServe = isYounger(known, staleMaxMs);
    try {
      return await within(flights.join('version', refreshed), mayServe ? staleWaitMs : timeoutMs + graceMs);
    } catch (error) {
      const rest = last();
      if (isYounger(rest, staleMaxMs)) return rest;
      throw error;
    }
  }

  function known(id: string): ArtifactRef | undefined {
    // The newest first: its address works longest.
    for (let at = kept.length - 1; at >= 0; at--) {
      const ref = kept[at]!.artifacts.get(id);
      if (ref !== undefined) return ref;
    }
    return undefined;
  }

  /** Looks for what another instance may have given out, however long the service wants to be left alone: its clients have nothing else. */
  const lookAgain = (): Promise<unknown> => atMost(Math.min(strangerMs, versionTtlMs)).catch(() => {});

  return {
    current: () => atMost(ttlMsOf(last())),
    async artifact(id) {
      // The first look also renews addresses, which may hold for minutes only.
      await atMost(ttlMsOf(last())).catch((error: unknown) => {
        if (kept.length === 0) throw error;
      });
      if (known(id) === undefined) await lookAgain();
      return known(id);
    },
    ids: () => new Set(kept.flatMap(({ artifacts }) => [...artifacts.keys()])),
    state: () => last()?.etag ?? '',
    async ready() {
      if (kept.length === 0) await within(flights.join('version', refreshed), staleWaitMs).catch(() => {});
    },
    async knows(given) {
      if (algorithms.size > 0 && !algorithms.has(String(given))) await lookAgain();
      return algorithms.size === 0 || algorithms.has(String(given));
    },
    async renew() {
      const newest = last();
      if (newest === undefined) return;
      const again = await scored(newest);
      kept = kept.map((version) => (version === newest ? again : version));
    },
    algoVersionOf: (given) => algorithms.get(String(given)) ?? given,
    contentOf: (version) => {
      const ageMs = Math.max(0, now() - version.fetchedMs);
      return {
        bytes: version.bytes,
        headers: {
          'content-type': 'application/json',
          etag: version.etag,
          // Caches count `Age` against `max-age`, so an old answer is asked for again at once.
          age: String(Math.floor(ageMs / 1000)),
          'cache-control': `public, max-age=${Math.floor(ttlMsOf(version) / 1000)}, stale-if-error=${Math.floor(staleMaxMs / 1000)}`,
        },
      };
    },
  };
}

/** `readVersion` makes a text of it. */
function rawAlgoVersion(answer: unknown): unknown {
  const { algoVersion, data } = answer as { algoVersion?: unknown; data?: { algoVersion?: unknown } };
  return algoVersion ?? data?.algoVersion;
}
