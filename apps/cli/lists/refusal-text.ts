import type { RefusedEntry } from 'portcullis/publish';
import { adviceFor, type ListFormat, type ListRefusal } from 'portcullis/sources';
import { placeOf } from '../../shared/refusal-place.js';
import { countText } from '../terminal/unit-text.js';

/** The parts that the reports of a source and of a build share. */
interface Refusals {
  readonly refused: readonly RefusedEntry[];
  readonly refusedBy: Readonly<Partial<Record<ListRefusal, number>>>;
}

/** How many refused entries are named. */
const maxShown = 3;

/** Which entries of a list are not used, and what to write instead for each reason; `null` if all are used. */
export function refusedText({ refused, refusedBy }: Refusals, format?: ListFormat): string | null {
  const count = Object.values(refusedBy).reduce((sum, more) => sum + more, 0);
  if (count === 0) return null;
  const first = refused.slice(0, maxShown).map((entry) => `${placeOf(entry)} (${entry.reason})`);
  const next = (Object.keys(refusedBy) as ListRefusal[]).map((reason) => {
    return `; for ${reason}: ${adviceFor(reason, format)}${reason === 'shared-host' ? ', or add --allow-shared with the host' : ''}`;
  });
  return `${countText(count, 'line')} cannot be listed: ${first.join(', ')}${count > maxShown ? ' …' : ''}${next.join('')}`;
}

/** Where a refused entry is, why it is refused, and what to write instead. */
export function refusalText(entry: RefusedEntry, format: ListFormat | undefined): string {
  const { reason, host } = entry;
  const insist = reason === 'shared-host' && host !== undefined ? `; to list all of it: --allow-shared ${host}` : '';
  return `${placeOf(entry)}: ${reason}${host === undefined ? '' : ` ${host}`}; ${adviceFor(reason, format)}${insist}`;
}
