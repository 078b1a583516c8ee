import type { ListOrigin } from '../lists/list-options.js';
import type { Remote } from '../lists/open-list.js';
import { reach } from '../service/reach.js';
import { timeText } from '../terminal/unit-text.js';
import { type DoctorCheck, failed, ok, warn } from './doctor-check.js';

/** With a larger difference, the timestamps of lists and of the service cannot be compared. */
const maxClockSkewMs = 300_000;

export async function* connectionChecks(remote: Remote, origin: ListOrigin, signal: AbortSignal): AsyncGenerator<DoctorCheck> {
  const { apiKey } = remote;
  const { error, ms, clockAheadMs } = await reach(remote, signal);
  const isKeyRefused = error?.status === 401 || error?.status === 403;
  if (error !== null && !isKeyRefused) yield failed('connection', error, 'check the URL, and whether the service is running');
  else yield ok('connection', `answered within ${Math.max(1, Math.round(ms))} ms`);
  if (isKeyRefused) {
    const detail =
      apiKey === undefined ? 'the service requires a key, and none is set' : `the key was rejected (${error.status})`;
    yield { ...failed('key', error), detail };
  } else if (origin === 'service' && error === null) {
    yield apiKey === undefined
      ? warn('key', 'none; the service answered without one', 'portcullis login')
      : ok('key', 'accepted');
  }
  if (clockAheadMs !== null) yield clockCheck(clockAheadMs);
}

function clockCheck(aheadMs: number): DoctorCheck {
  const skewMs = Math.abs(aheadMs);
  if (skewMs <= maxClockSkewMs) return ok('clock', 'in step with the server’s clock');
  const detail = `${timeText(skewMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} the server’s clock`;
  return warn('clock', detail, 'set the clock of this machine');
}
