import type { RefusedEntry } from 'portcullis/publish';

/** `line 7`, `feed.txt:7`, `domains[1]`, or the name of a list that is not read. */
export function placeOf({
  line,
  list,
  source,
  reason,
}: Omit<RefusedEntry, 'reason'> & { reason?: RefusedEntry['reason'] }): string {
  if (list === undefined) return source === undefined ? `line ${line}` : `${source}:${line}`;
  const place = reason === 'unread-list' ? list : `${list}[${line}]`;
  return source === undefined ? place : `${source}: ${place}`;
}
