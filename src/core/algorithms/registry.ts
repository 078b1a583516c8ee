import type { Family } from '../assets/asset.js';
import { PortcullisError } from '../errors.js';
import { having, type Kind, type KindsOf, listOf, optional } from '../options/read-options.js';
import type { Algorithm } from './algorithm.js';
import { portcullis1 } from './portcullis-1.js';

/** The default algorithm. */
const defaultAlgorithm = 'portcullis-1';

/**
 * `portcullis-1` with the given families, and the other given algorithms, by name. A `Map`, because names come from a server and could be
 * `__proto__`.
 */
export function createRegistry(families: readonly Family[], others: readonly Algorithm[]): ReadonlyMap<string, Algorithm> {
  return new Map([portcullis1(families), ...others].map((algorithm) => [algorithm.name, algorithm]));
}

export const families = (): Kind<readonly Family[]> => optional(listOf(having<Family>('a family', 'read')), []);

interface RegistryParts {
  readonly families: readonly Family[];
  readonly algorithms: readonly Algorithm[];
}

export const partKinds = (): KindsOf<RegistryParts> => ({
  families: families(),
  algorithms: optional(listOf(having<Algorithm>('an algorithm', 'canonicalizeUrl', 'subjectsOf')), []),
});

export function namesIn(registry: ReadonlyMap<string, Algorithm>): string[] {
  return [...registry.keys()];
}

export function algorithmIn(registry: ReadonlyMap<string, Algorithm>, name: string = defaultAlgorithm): Algorithm {
  const algorithm = registry.get(name);
  if (algorithm !== undefined) return algorithm;
  const known = namesIn(registry).join(', ');
  throw new PortcullisError('ALGORITHM_UNKNOWN', `unknown algorithm; known algorithms: ${known}`);
}
