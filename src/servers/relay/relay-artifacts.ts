import type { ArtifactRef } from '../../blocklist/formats/version-document.js';
import { unusable } from '../../core/http/http-api.js';
import { maxArtifactBytesOf } from '../../core/limits.js';
import { decodeContainer, isContainer, readHeader } from '../../core/prefixes/container.js';
import { runInSlices } from '../../core/slices.js';
import { type Content, notFound } from './relay-answers.js';
import { type Flights, within } from './relay-flights.js';
import type { Settings } from './relay-options.js';
import { graceMs, type Versions } from './relay-versions.js';
import { createGate, type Gate, sha256Hex, type Upstream } from './upstream.js';

interface Artifact {
  readonly bytes: Uint8Array;
  readonly etag: string;
  readonly proof: Proof;
  readonly fetchedMs: number;
}

/**
 * `sum`: its bytes are those the version answer names by their SHA-256; `container`: it is one of ours, whole and of the count that was
 * announced; `none`: it has neither a sum nor marks of its own, and may be anything.
 */
type Proof = 'sum' | 'container' | 'none';

export interface Artifacts {
  content(id: string): Promise<Content>;
  /** Forgets what no version names any more. */
  prune(ids: ReadonlySet<string>): void;
  readonly count: number;
  readonly bytes: number;
  clear(): void;
}

/** An address names one file for ever, if it is the right file: a year. */
const provenMs = 31_536_000_000;

/** A whole container may still be another list's. */
const wholeMs = 3_600_000;

/** @throws INVALID_RESPONSE, INVALID_ARTIFACT, for what cannot be the file that was announced */
async function proofOf(
  bytes: Uint8Array,
  digest: string,
  { count, sha256 }: Pick<ArtifactRef, 'count' | 'sha256'>,
): Promise<Proof> {
  if (sha256 !== undefined && digest !== sha256) throw unusable('is not the file that was announced');
  if (sha256 !== undefined) return 'sum';
  if (!isContainer(bytes)) return 'none';
  const header = readHeader(bytes);
  if (header.count !== count) throw unusable('has another count than was announced');
  await runInSlices(decodeContainer(bytes, header));
  return 'container';
}

export function createArtifacts(
  settings: Settings,
  upstream: Upstream,
  versions: Versions,
  flights: Flights<Artifact>,
): Artifacts {
  const { cacheBytesMax, artifactTimeoutMs, versionTtlMs, staleMaxMs, now } = settings;
  /** The one used longest ago first. */
  const cache = new Map<string, Artifact>();
  /** One each: a file that cannot be had must not keep another from its clients. */
  const gates = new Map<string, Gate>();
  let total = 0;

  /** How long it is given, here and by caches, before it is fetched again: one that may be damaged no longer than a version answer. */
  const holdsMs: Readonly<Record<Proof, number>> = {
    sum: provenMs,
    container: wholeMs,
    none: Math.min(versionTtlMs, wholeMs),
  };

  function isYounger({ fetchedMs }: Artifact, maxMs: number): boolean {
    return Math.abs(now() - fetchedMs) < maxMs;
  }

  function drop(id: string): void {
    total -= cache.get(id)?.bytes.length ?? 0;
    cache.delete(id);
  }

  function keep(id: string, artifact: Artifact): void {
    drop(id);
    cache.set(id, artifact);
    total += artifact.bytes.length;
    for (const oldest of cache.keys()) {
      if (total <= cacheBytesMax) return;
      drop(oldest);
    }
  }

  function living(id: string): Artifact | undefined {
    const artifact = cache.get(id);
    if (artifact === undefined || !isYounger(artifact, holdsMs[artifact.proof])) return undefined;
    cache.delete(id);
    cache.set(id, artifact);
    return artifact;
  }

  async function fetched({ url, count, sha256 }: ArtifactRef): Promise<Artifact> {
    const bytes = await upstream.file(url, Math.min(cacheBytesMax, maxArtifactBytesOf(count)));
    if (bytes.length === 0 && count > 0) throw unusable('is empty');
    const digest = await sha256Hex(bytes);
    return { bytes, etag: `"${digest.slice(0, 32)}"`, proof: await proofOf(bytes, digest, { count, sha256 }), fetchedMs: now() };
  }

  async function artifactOf(id: string): Promise<Artifact> {
    const found = living(id);
    if (found) return found;
    const ref = await versions.artifact(id);
    if (ref === undefined) throw notFound();
    const gate = gates.get(id) ?? createGate('artifact', settings);
    gates.set(id, gate);
    const load = async (): Promise<Artifact> => {
      const artifact = await gate.run(() => fetched(ref));
      keep(id, artifact);
      return artifact;
    };
    const again = living(id);
    if (again) return again;
    try {
      return await within(flights.join(id, load), artifactTimeoutMs + graceMs);
    } catch (error) {
      // As with versions: what was good is better than nothing while the service fails.
      const old = cache.get(id);
      if (old !== undefined && isYounger(old, holdsMs[old.proof] + staleMaxMs)) return old;
      throw error;
    }
  }

  return {
    async content(id) {
      const { bytes, etag, proof, fetchedMs } = await artifactOf(id);
      const maxAge = Math.floor(holdsMs[proof] / 1000);
      return {
        bytes,
        headers: {
          'content-type': 'application/octet-stream',
          etag,
          // So that a CDN does not add its time to ours.
          ...(proof !== 'sum' && { age: String(Math.max(0, Math.floor((now() - fetchedMs) / 1000))) }),
          'cache-control': `public, max-age=${maxAge}${proof === 'none' ? '' : ', immutable'}`,
        },
      };
    },
    prune(ids) {
      for (const id of [...cache.keys()]) if (!ids.has(id)) drop(id);
      for (const id of [...gates.keys()]) if (!ids.has(id)) gates.delete(id);
    },
    get count() {
      return cache.size;
    },
    get bytes() {
      return total;
    },
    clear() {
      cache.clear();
      total = 0;
    },
  };
}
