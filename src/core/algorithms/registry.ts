import type { Family } from '../assets/asset.js';
import { PortcullisError, requireString } from '../errors.js';
import type { Algorithm } from './algorithm.js';
import { portcullis1 } from './portcullis-1.js';

/** The algorithm meant where none is named. */
const defaultAlgorithm = 'portcullis-1';

/** `portcullis-1` over the families handed in, and what else is handed in, by name. A `Map`, because the name comes from a server. */
export function createRegistry(families: readonly Family[], others: readonly Algorithm[]): ReadonlyMap<string, Algorithm> {
  return new Map([portcullis1(families), ...others].map((algorithm) => [algorithm.name, algorithm]));
}

export function algorithmIn(registry: ReadonlyMap<string, Algorithm>, name: string = defaultAlgorithm): Algorithm {
  requireString(name, 'algorithm');
  const algorithm = registry.get(name);
  if (algorithm !== undefined) return algorithm;
  const known = [...registry.keys()].join(', ');
  throw new PortcullisError('ALGORITHM_UNKNOWN', `no algorithm has that name; known are ${known}`);
}
