import { exitCodes } from '../errors/exit.js';
import { UsageError } from '../errors/usage.js';
import type { OpenList } from './open-list.js';

/**
 * Answers that nobody can say anything would be no answers. One list of several is enough: the verdicts tell what the others lack.
 *
 * @throws what kept the first list that failed from being had
 */
export function requireList({ blocklist }: OpenList): void {
  const { sources } = blocklist.status();
  if (sources.some(({ list }) => list !== null)) return;
  const error = sources.find(({ lastError }) => lastError !== null)?.lastError;
  throw (
    error ?? new UsageError('there is no list', 'portcullis sync fetches it', { code: 'NO_LIST', exitCode: exitCodes.network })
  );
}
