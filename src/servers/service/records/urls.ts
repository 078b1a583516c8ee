import { requireTarget } from '../delivery/targets.js';
import { Problem } from '../http/problem.js';

/** Rejects a target URL that must not receive requests. */
export function requireUrl(name: string, url: string, allowPrivateTargets: boolean): void {
  try {
    requireTarget(url, allowPrivateTargets);
  } catch (error) {
    throw new Problem(400, `${name} is rejected: ${(error as Error).message}.`);
  }
}
