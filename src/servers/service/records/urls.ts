import { requireTarget } from '../delivery/targets.js';
import { Problem } from '../http/problem.js';

/** Refuses a target in the input that nothing may be sent to. */
export function requireUrl(name: string, url: string, allowPrivateTargets: boolean): void {
  try {
    requireTarget(url, allowPrivateTargets);
  } catch (error) {
    throw new Problem(400, `${name} is rejected: ${(error as Error).message}.`);
  }
}
