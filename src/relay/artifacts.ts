import type { ArtifactRef } from '../formats/version.js';
import { unusable } from '../http/api.js';
import { artifactBytesOf } from '../limits.js';
import { type Content, notFound } from './answers.js';
import { type Flights, within } from './flights.js';
import type { Settings } from './options.js';
import { createGate, type Gate, sha256Hex, type Upstream } from './upstream.js';
import { graceMs, type Versions } from './versions.js';

interface Artifact {
  readonly bytes: Uint8Array;
  readonly etag: string;
  /** Its bytes are those the version answer names by their SHA-256. */
  readonly isProven: boolean;
  readonly fetchedMs: number;
}

export interface Artifacts {
  content(id: string): Promise<Content>;
  /** Forgets what no version names any more. */
  prune(ids: ReadonlySet<string>): void;
  readonly count: number;
  readonly bytes: number;
  clear(): void;
}

/** An address names one file for ever, if it is the right file. One that nothing proves is fetched again, here and in every CDN, after an hour. */
const provenSeconds = 31_536_000;
const unprovenSeconds = 3_600;

export function createArtifacts(
  settings: Settings,
  upstream: Upstream,
  versions: Versions,
  flights: Flights<Artifact>,
): Artifacts {
  const { cacheBytesMax, artifactTimeoutMs, now } = settings;
  /** The one used longest ago first. */
  const cache = new Map<string, Artifact>();
  /** One each: a file that cannot be had must not keep another from its clients. */
  const gates = new Map<string, Gate>();
  let total = 0;

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
    if (artifact === undefined) return undefined;
    if (!artifact.isProven && Math.abs(now() - artifact.fetchedMs) >= unprovenSeconds * 1000) return undefined;
    cache.delete(id);
    cache.set(id, artifact);
    return artifact;
  }

  async function fetched({ url, count, sha256 }: ArtifactRef): Promise<Artifact> {
    const bytes = await upstream.file(url, Math.min(cacheBytesMax, artifactBytesOf(count)));
    if (bytes.length === 0 && count > 0) throw unusable('is empty');
    const digest = await sha256Hex(bytes);
    if (sha256 !== undefined && digest !== sha256) throw unusable('is not the file that was announced');
    return { bytes, etag: `"${digest.slice(0, 32)}"`, isProven: sha256 !== undefined, fetchedMs: now() };
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
    return living(id) ?? within(flights.join(id, load), artifactTimeoutMs + graceMs);
  }

  return {
    async content(id) {
      const { bytes, etag, isProven, fetchedMs } = await artifactOf(id);
      const maxAge = isProven ? provenSeconds : unprovenSeconds;
      return {
        bytes,
        headers: {
          'content-type': 'application/octet-stream',
          etag,
          // So that a CDN does not add its hour to ours.
          ...(!isProven && { age: String(Math.max(0, Math.floor((now() - fetchedMs) / 1000))) }),
          'cache-control': `public, max-age=${maxAge}, immutable`,
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
