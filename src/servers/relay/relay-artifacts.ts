import type { ArtifactRef } from '../../blocklist/formats/version-document.js';
import { bounded } from '../../core/http/bounded.js';
import { unusable } from '../../core/http/http-api.js';
import { noSuchPath } from '../../core/http/http-refusal.js';
import { maxArtifactBytesOf } from '../../core/limits.js';
import { decodeContainer, isContainer, readHeader } from '../../core/prefixes/container.js';
import { runInSlices } from '../../core/slices.js';
import { WeightedMap } from '../../core/weighted-map.js';
import type { Content } from './relay-answers.js';
import type { Join } from './relay-flights.js';
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
 * `sum`: its SHA-256 matches the version response; `container`: it is a complete container of ours with the announced count; `none`: it has
 * neither, so nothing proves its content.
 */
type Proof = 'sum' | 'container' | 'none';

export interface Artifacts {
  content(id: string): Promise<Content>;
  /** Drops artifacts that no version names any more. */
  prune(ids: ReadonlySet<string>): void;
  readonly count: number;
  readonly bytes: number;
  clear(): void;
}

/** A year: a verified file never changes under its URL. */
const sumMs = 31_536_000_000;

/** An hour: a complete container may still belong to another list. */
const containerMs = 3_600_000;

/** @throws INVALID_RESPONSE, INVALID_ARTIFACT, if the bytes cannot be the announced file */
async function proofOf(
  bytes: Uint8Array,
  digest: string,
  { count, sha256 }: Pick<ArtifactRef, 'count' | 'sha256'>,
): Promise<Proof> {
  if (sha256 !== undefined && digest !== sha256) throw unusable('does not match its sha256');
  if (sha256 !== undefined) return 'sum';
  if (!isContainer(bytes)) return 'none';
  const header = readHeader(bytes);
  if (header.count !== count) throw unusable('does not match its count');
  await runInSlices(decodeContainer(bytes, header));
  return 'container';
}

export function createArtifacts(settings: Settings, upstream: Upstream, versions: Versions, join: Join<Artifact>): Artifacts {
  const { maxCacheBytes, artifactTimeoutMs, versionTtlMs, maxStaleMs, now } = settings;
  const cache = new WeightedMap<Artifact>(maxCacheBytes, ({ bytes }) => bytes.length);
  /** One per artifact: a file that fails must not block the others. */
  const gates = new Map<string, Gate>();

  /** How long an artifact is served, here and by caches, before it is fetched again; an unproven one may be damaged. */
  const maxAgesMs: Readonly<Record<Proof, number>> = {
    sum: sumMs,
    container: containerMs,
    none: Math.min(versionTtlMs, containerMs),
  };

  function isYounger({ fetchedMs }: Artifact, maxMs: number): boolean {
    return Math.abs(now() - fetchedMs) < maxMs;
  }

  function fresh(id: string): Artifact | undefined {
    const artifact = cache.get(id);
    if (artifact === undefined || !isYounger(artifact, maxAgesMs[artifact.proof])) return undefined;
    // Marks it as recently used.
    cache.set(id, artifact);
    return artifact;
  }

  async function fetched({ url, count, sha256 }: ArtifactRef): Promise<Artifact> {
    const bytes = await upstream.file(url, Math.min(maxCacheBytes, maxArtifactBytesOf(count)));
    if (bytes.length === 0 && count > 0) throw unusable('is empty');
    const digest = await sha256Hex(bytes);
    return { bytes, etag: `"${digest.slice(0, 32)}"`, proof: await proofOf(bytes, digest, { count, sha256 }), fetchedMs: now() };
  }

  async function artifactOf(id: string): Promise<Artifact> {
    const found = fresh(id);
    if (found) return found;
    const ref = await versions.artifact(id);
    if (ref === undefined) throw noSuchPath();
    const gate = gates.get(id) ?? createGate('artifact', settings, artifactTimeoutMs + graceMs);
    gates.set(id, gate);
    const load = async (): Promise<Artifact> => {
      const artifact = await gate(() => fetched(ref));
      cache.set(id, artifact);
      return artifact;
    };
    const again = fresh(id);
    if (again) return again;
    try {
      return await bounded(artifactTimeoutMs + graceMs, undefined, () => join(id, load));
    } catch (error) {
      // As with versions, an old artifact is served while the service fails.
      const old = cache.get(id);
      if (old !== undefined && isYounger(old, maxAgesMs[old.proof] + maxStaleMs)) return old;
      throw error;
    }
  }

  return {
    async content(id) {
      const { bytes, etag, proof, fetchedMs } = await artifactOf(id);
      const maxAge = Math.floor(maxAgesMs[proof] / 1000);
      return {
        bytes,
        headers: {
          'content-type': 'application/octet-stream',
          etag,
          // So that a CDN counts the time it was cached here.
          ...(proof !== 'sum' && { age: String(Math.max(0, Math.floor((now() - fetchedMs) / 1000))) }),
          'cache-control': `public, max-age=${maxAge}${proof === 'none' ? '' : ', immutable'}`,
        },
      };
    },
    prune(ids) {
      for (const id of cache.keys()) if (!ids.has(id)) cache.delete(id);
      for (const id of [...gates.keys()]) if (!ids.has(id)) gates.delete(id);
    },
    get count() {
      return cache.size;
    },
    get bytes() {
      return cache.weight;
    },
    clear: () => cache.clear(),
  };
}
