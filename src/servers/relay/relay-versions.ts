import {
  type ArtifactRef,
  type CalibrationScore,
  maxVersionBytes,
  rawAlgoVersion,
  rawSigned,
  readVersion,
  type VersionDocument,
} from '../../blocklist/formats/version-document.js';
import { utf8 } from '../../core/bytes.js';
import { known } from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';
import { unusable } from '../../core/http/http-api.js';
import { WeightedMap } from '../../core/weighted-map.js';
import type { Content } from './relay-answers.js';
import type { Join } from './relay-flights.js';
import type { Settings } from './relay-options.js';
import { artifactPath, versionPath } from './relay-routes.js';
import { type Gate, sha256Hex, type Upstream } from './upstream.js';

/** A version response of the service, and the response clients receive. */
export interface Version {
  readonly document: VersionDocument;
  /** Has the type that the service uses. */
  readonly algoVersion: unknown;
  /** The service's file for each artifact id that was given to clients. */
  readonly artifacts: ReadonlyMap<string, ArtifactRef>;
  /** The response without the calibration. */
  readonly written: object;
  readonly bytes: Uint8Array;
  readonly etag: string;
  readonly fetchedMs: number;
}

/** The snapshot of a version. */
export interface Snapshot {
  readonly document: VersionDocument;
  /** The artifact id under which clients fetch it. */
  readonly id: string;
}

export interface Versions {
  /** The newest known version: a fresh one, or the last good one while the service fails. */
  current(): Promise<Version>;
  /** The file behind this id, if a recent version names it. */
  artifact(id: string): Promise<ArtifactRef | undefined>;
  /** Ids of all recent versions. */
  ids(): ReadonlySet<string>;
  /** Changes whenever the list changes. */
  state(): string;
  /** Waits briefly for a first version: an instance may start with a confirmation. */
  ready(): Promise<void>;
  /** Whether the list has used this `algoVersion` since this instance started; `true` for any value while no version is known. */
  knows(given: string | number): Promise<boolean>;
  /** `algoVersion` with the type the service uses, if known. */
  algoVersionOf(given: string | number): unknown;
  /** Updates the newest version with a new score. */
  renew(): Promise<void>;
  contentOf(version: Version): Content;
}

/**
 * Versions whose artifacts are served, and algorithms that are confirmed: a client can finish what it began, even if the version
 * changes every minute.
 */
const maxVersions = 8;

/** Longest wait for a new answer if an older one can be served, in milliseconds. */
const staleWaitMs = 2_000;

/**
 * Age from which a version is refreshed for an unknown id or `algoVersion`, which another instance may have given out, in
 * milliseconds.
 */
const unknownRefreshMs = 10_000;

/** Added to the longest wait for the service, so that the service's own error arrives first. */
export const graceMs = 500;

export function createVersions(
  settings: Settings,
  upstream: Upstream,
  gate: Gate,
  join: Join<Version>,
  onFresh: () => void,
  scoreOf: (snapshot: Snapshot) => CalibrationScore | undefined,
): Versions {
  const { versionTtlMs, maxStaleMs, timeoutMs, now } = settings;
  const { fetched, scored } = createVersionReader(settings, upstream, scoreOf);
  /** The recent versions, newest first. */
  let kept: readonly Version[] = [];
  /** The last version of each `algoVersion`. Clients keep a list longer than `kept` does. */
  const algorithms = new WeightedMap<{ readonly algoVersion: unknown }>(maxVersions);

  const last = (): Version | undefined => kept[0];

  function isYounger(version: Version | undefined, maxMs: number): version is Version {
    if (version === undefined) return false;
    const ageMs = now() - version.fetchedMs;
    // A clock set back must not make a version younger.
    return ageMs >= 0 && ageMs < maxMs;
  }

  const ttlMsOf = (version: Version | undefined): number => Math.max(versionTtlMs, version?.document.minWaitMs ?? 0);

  async function refreshed(): Promise<Version> {
    const version = await gate(fetched);
    kept = [version, ...kept.filter(({ etag }) => etag !== version.etag)].slice(0, maxVersions);
    algorithms.set(version.document.algoVersion, version);
    onFresh();
    return version;
  }

  const refresh = (): Promise<Version> => join('version', refreshed);

  async function noOlderThan(maxMs: number): Promise<Version> {
    const known = last();
    if (isYounger(known, maxMs)) return known;
    const mayServe = isYounger(known, maxStaleMs);
    try {
      return await bounded(mayServe ? staleWaitMs : timeoutMs + graceMs, undefined, refresh);
    } catch (error) {
      const rest = last();
      if (isYounger(rest, maxStaleMs)) return rest;
      throw error;
    }
  }

  /** From the newest version, whose URL is valid longest. */
  const known = (id: string): ArtifactRef | undefined => kept.find(({ artifacts }) => artifacts.has(id))?.artifacts.get(id);

  /**
   * Asks for an id or `algoVersion` that another instance may have given out, even before `minWaitMs` is over, because its clients
   * have no other source.
   */
  const lookAgain = (): Promise<unknown> => noOlderThan(Math.min(unknownRefreshMs, versionTtlMs)).catch(() => {});

  return {
    current: () => noOlderThan(ttlMsOf(last())),
    async artifact(id) {
      // Refreshing also renews signed URLs, which may expire within minutes.
      await noOlderThan(ttlMsOf(last())).catch((error: unknown) => {
        if (kept.length === 0) throw error;
      });
      if (known(id) === undefined) await lookAgain();
      return known(id);
    },
    ids: () => new Set(kept.flatMap(({ artifacts }) => [...artifacts.keys()])),
    state: () => last()?.etag ?? '',
    async ready() {
      if (kept.length === 0) await bounded(staleWaitMs, undefined, refresh).catch(() => {});
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
    algoVersionOf: (given) => algorithms.get(String(given))?.algoVersion ?? given,
    contentOf: (version) => {
      const ageMs = Math.max(0, now() - version.fetchedMs);
      return {
        bytes: version.bytes,
        headers: {
          'content-type': 'application/json',
          etag: version.etag,
          // Caches subtract `Age` from `max-age`, so they revalidate an old response at once.
          age: String(Math.floor(ageMs / 1000)),
          'cache-control': `public, max-age=${Math.floor(ttlMsOf(version) / 1000)}, stale-if-error=${Math.floor(maxStaleMs / 1000)}`,
        },
      };
    },
  };
}

/** Reads version responses of the service, and writes the responses for clients. */
function createVersionReader(
  { publicUrl, now }: Settings,
  upstream: Upstream,
  scoreOf: (snapshot: Snapshot) => CalibrationScore | undefined,
) {
  async function fetched(): Promise<Version> {
    const answer = await upstream.call({ method: 'GET', path: versionPath }, maxVersionBytes);
    const document = readVersion(answer);
    const { algoVersion, snapshot, recent, minWaitMs, listName, sequence, expiresAtMs } = document;
    const artifacts = new Map<string, ArtifactRef>();
    const written = async (part: 'snapshot' | 'recent', ref: ArtifactRef): Promise<ArtifactRef> => {
      // Rejects the whole response, so that the last good one stays in use.
      if (!upstream.mayFetch(ref.url)) throw unusable(`has a ${part} URL that must not be fetched`);
      const id = await idOf(part, algoVersion, ref);
      artifacts.set(id, ref);
      return { ...ref, url: publicUrl + artifactPath + id };
    };
    const raw = rawAlgoVersion(answer);
    // Unchanged: the relay has no key, and its clients take only the URLs from outside of the signature.
    const signed = rawSigned(answer);
    const answered = {
      algoVersion: raw,
      snapshot: await written('snapshot', snapshot),
      recent: await written('recent', recent),
      ...known({ minWaitMs, listName, sequence, expiresAtMs, signed }),
    };
    return scored({ document, algoVersion: raw, artifacts, written: answered, fetchedMs: now() });
  }

  /** Adds the score of its snapshot if it is known. */
  async function scored(version: Omit<Version, 'bytes' | 'etag'>): Promise<Version> {
    const { document, artifacts, written } = version;
    // The snapshot's id was added first.
    const [id = ''] = artifacts.keys();
    const calibration = scoreOf({ document, id });
    const bytes = utf8(JSON.stringify({ ...written, ...(calibration !== undefined && { calibration }) }));
    return { ...version, bytes, etag: `"${(await sha256Hex(bytes)).slice(0, 32)}"` };
  }

  return { fetched, scored };
}

async function idOf(part: string, algoVersion: string, { token, count, sha256 }: ArtifactRef): Promise<string> {
  // Independent of the URL, which may be signed anew for the same file, and equal in all instances.
  const name = JSON.stringify([part, algoVersion, token, count, sha256]);
  return (await sha256Hex(utf8(name))).slice(0, 32);
}
