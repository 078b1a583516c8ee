import type { Family } from '../assets/asset.js';
import { PortcullisError } from '../errors.js';
import type { Algorithm } from './algorithm.js';
import { portcullis1 } from './portcullis-1.js';
import { safeBrowsing4 } from './safe-browsing-4.js';

/** The algorithm meant where none is named. */
export const defaultAlgorithm = 'portcullis-1';

/** The names a list may announce and be understood. */
export const ALGORITHM_NAMES: readonly string[] = [defaultAlgorithm, safeBrowsing4.name];

/** The algorithms by name, over the families handed in. A `Map`, because the name comes from a server. */
export function createRegistry(families: readonly Family[]): ReadonlyMap<string, Algorithm> {
  return new Map([portcullis1(families), safeBrowsing4].map((algorithm) => [algorithm.name, algorithm]));
}

export function algorithmIn(registry: ReadonlyMap<string, Algorithm>, name: string = defaultAlgorithm): Algorithm {
  const algorithm = registry.get(name);
  if (algorithm !== undefined) return algorithm;
  const known = [...registry.keys()].join(', ');
  throw new PortcullisError('ALGORITHM_UNKNOWN', `no algorithm has that name; known are ${known}`);
}
