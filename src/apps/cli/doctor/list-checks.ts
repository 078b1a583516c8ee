import type { ListStatus } from 'portcullis';
import { exitCodes } from '../errors/exit-codes.js';
import { refusedText } from '../lists/list-file.js';
import type { OpenList } from '../lists/open-list.js';
import { calibrationText, countText, timeText } from '../terminal/unit-text.js';
import { type DoctorCheck, fail, ok, warn } from './doctor-check.js';

export function* listChecks({ blocklist, origin, directory, reports }: OpenList): Generator<DoctorCheck> {
  for (const { source, list, lastError } of blocklist.status().sources) {
    if (list !== null) yield* checksOf(source, list);
    else if (directory !== null) yield warn(`list ${source}`, 'no copy is stored yet', 'portcullis sync');
    else {
      const next =
        origin === 'list' ? 'check the path and its permissions' : 'fix the failed checks above, then run doctor again';
      yield fail(`list ${source}`, lastError?.message ?? 'no list is available', exitCodes.partial, next);
    }
  }
  for (const [file, report] of reports) {
    const detail = refusedText(report);
    if (detail !== null) yield warn(`lines of ${file}`, detail);
  }
}

function* checksOf(source: string, { count, recentCount, ageMs, isStale, calibration }: ListStatus): Generator<DoctorCheck> {
  const detail = `${countText(count + recentCount, 'entry')}, ${timeText(ageMs)} old`;
  yield isStale
    ? fail(`list ${source}`, `${detail}; stale, so it cannot prove that an input is clear`, exitCodes.partial, 'portcullis sync')
    : ok(`list ${source}`, detail);
  const next = 'the service may use a new algorithm; look for a newer version of portcullis';
  yield calibration.outcome === 'failed'
    ? fail(`calibration ${source}`, calibrationText(calibration), exitCodes.partial, next)
    : ok(`calibration ${source}`, calibrationText(calibration));
}
