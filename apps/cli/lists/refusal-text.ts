import type { RefusedEntry } from 'portcullis/publish';
import { adviceFor, type ListFormat, type ListRefusal } from 'portcullis/sources';
import { placeOf } from '../../shared/refusal-place.js';
import { countText, numberText } from '../terminal/unit-text.js';

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

/** The format by which advice is given: the formats of several lists may differ, and so may the examples. */
export function formatFor(formats: readonly { readonly format: ListFormat }[]): ListFormat | undefined {
  return formats.length === 1 ? formats[0]!.format : undefined;
}

/** What to do about a list without usable entries: if all have a wrong status, no other format would help. */
export function emptyListAdvice(
  { refusedBy }: Pick<Refusals, 'refusedBy'>,
  format: ListFormat | undefined,
  usual: string,
): string {
  const [reason, ...others] = Object.keys(refusedBy);
  return reason === 'not-blocked' && others.length === 0 ? `for ${reason}: ${adviceFor(reason, format)}` : usual;
}

/** Reasons with at most this many lines are shown in full. */
const maxRare = 5;

/**
 * The refused lines for a person: how many for each reason, the rare reasons line by line, and one example of each other.
 *
 * @param formatOf The format of a text
 */
export function refusalLines(
  { refused, refusedBy }: Refusals,
  formatOf: (source: string | undefined) => ListFormat | undefined,
): string[] {
  const reasons = (Object.entries(refusedBy) as [ListRefusal, number][]).sort(([, one], [, other]) => other - one);
  const count = reasons.reduce((sum, [, more]) => sum + more, 0);
  const linesOf = ([reason, total]: (typeof reasons)[number]): string[] => {
    const entries = refused.filter((entry) => entry.reason === reason);
    const shown = entries.slice(0, total > maxRare ? 1 : maxRare).map((entry) => refusalText(entry, formatOf(entry.source)));
    return total > maxRare ? shown.map((text) => `${text} (one of ${numberText(total)})`) : shown;
  };
  const lines = reasons.flatMap(linesOf);
  if (count <= lines.length) return lines;
  const counts = reasons.map(([reason, total]) => `${numberText(total)} ${reason}`);
  return [`${countText(count, 'line')} cannot be listed: ${counts.join(', ')}; --json lists them all`, ...lines];
}

/** Where a refused entry is, why it is refused, and what to write instead. */
function refusalText(entry: RefusedEntry, format: ListFormat | undefined): string {
  const { reason, host } = entry;
  const insist = reason === 'shared-host' && host !== undefined ? `; to list all of it: --allow-shared ${host}` : '';
  return `${placeOf(entry)}: ${reason}${host === undefined ? '' : ` ${host}`}; ${adviceFor(reason, format)}${insist}`;
}
