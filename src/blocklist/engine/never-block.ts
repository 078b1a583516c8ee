import { expressionsOf } from '../../core/algorithms/algorithm.js';
import { refuse } from '../../core/errors.js';
import { prefixOf } from '../../core/hashing/prefix.js';
import { hashOf } from '../../core/hashing/sha256.js';
import type { Parts } from '../model/blocklist-options.js';
import { type Generation, heldIn } from '../model/generation.js';

/** Hosts that no list may block as a whole. */
export interface NeverBlock {
  /** The expressions of the hosts. */
  readonly expressions: ReadonlySet<string>;
  /** Whether an entry with this expression is ignored, because it covers one of the hosts. */
  has(expression: string): boolean;
  /** The hosts that a list has an entry for. A hit of four bytes can be chance. */
  heldBy(generation: Generation): readonly string[];
}

/**
 * A host's expressions are the host and the domains above it, so ignoring them spares it, and an entry for one of its pages or subdomains
 * still counts.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function neverBlockOf(hosts: readonly string[], { assets, algorithms }: Parts): NeverBlock {
  const ignored = new Set<string>();
  const expressions = hosts.map((host, at) => {
    const link = assets.canonicalizeUrl(host);
    if (link === null || /[/?]/.test(link)) refuse(`neverBlock[${at}] must be a host`);
    const own = [...algorithms.values()].flatMap((algorithm) => expressionsOf(algorithm, link));
    for (const expression of own) ignored.add(expression);
    return own;
  });
  return {
    expressions: ignored,
    has: (expression) => ignored.has(expression),
    heldBy(generation) {
      const isHeld = (expression: string): boolean => {
        const place = heldIn(generation, hashOf(expression), prefixOf(expression));
        return place === 'base' || place === 'recent';
      };
      return hosts.filter((_, at) => expressions[at]!.some(isHeld));
    },
  };
}
