import { requireTarget } from '../delivery/targets.js';
import { Problem } from '../http/problem.js';

/** Refuses an address of the input that nothing will be sent to. */
export function requireUrl(name: string, url: string, allowPrivateTargets: boolean): void {
  try {
    requireTarget(url, allowPrivateTargets);
  } catch (error) {
    throw new Problem(400, `${name} cannot be used: ${(error as Error).message}.`);
  }
}
