import { isPortcullisError, type PortcullisError } from '../../../core/errors.js';
import type { CallOptions, InputOf, OutputOf, PartialClient } from '../client-types.js';
import type { HealthcheckGroup } from './task-clients.js';

/** What one health check found. */
export type HealthcheckOutcome =
  | {
      /** The id of the check. */
      readonly id: string;
      /** Whether the check ran. */
      readonly outcome: 'ran';
      /** What it found. */
      readonly result: OutputOf<'healthchecks.reviewingBacklog'>;
    }
  /** The check failed to run. */
  | {
      readonly id: string;
      readonly outcome: 'failed';
      /** Why it failed. */
      readonly error: PortcullisError;
    }
  /** The service announces it only, or has it under a name that this version does not know. */
  | {
      readonly id: string;
      readonly outcome: 'skipped';
      /** Why it was skipped. */
      readonly reason: string;
    };

type Check = (
  input: InputOf<'healthchecks.reviewingBacklog'>,
  options: CallOptions,
) => Promise<OutputOf<'healthchecks.reviewingBacklog'>>;

/**
 * Runs every health check that the service has, and returns one outcome for each, in the order of its list. A check that fails does not
 * stop the others.
 *
 * @throws PortcullisError if the list cannot be read, or the signal is aborted.
 */
export async function runHealthchecks(
  client: Pick<PartialClient<HealthcheckGroup>, 'healthchecks'>,
  input: InputOf<'healthchecks.reviewingBacklog'> = {},
  options: CallOptions = {},
): Promise<HealthcheckOutcome[]> {
  const { checks } = await client.healthchecks.list({}, options);
  const methods = new Map<string, unknown>(Object.entries(client.healthchecks));
  return Promise.all(
    checks.map(async ({ id, implemented, notImplementedReason }): Promise<HealthcheckOutcome> => {
      if (!implemented) return { id, outcome: 'skipped', reason: notImplementedReason ?? 'not implemented by the service' };
      const check = methods.get(verbOf(id)) as Check | undefined;
      if (check === undefined || id === 'list')
        return { id, outcome: 'skipped', reason: 'unknown to this version of the client' };
      try {
        return { id, outcome: 'ran', result: await check(input, options) };
      } catch (error) {
        if (!isPortcullisError(error) || error.code === 'ABORTED') throw error;
        return { id, outcome: 'failed', error };
      }
    }),
  );
}

/** `reviewing.old-proposals` is `reviewingOldProposals`. */
function verbOf(id: string): string {
  return String(id).replace(/[.-](\w)/g, (_, letter: string) => letter.toUpperCase());
}
