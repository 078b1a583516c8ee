import type { State } from '../state/state.js';
import type { DeliveryRecord, ScanRecord, Tables } from '../state/state-tables.js';

/**
 * How many finished deliveries, and how many finished scans, are kept. A hundred submissions of the maximum 100 assets start this many
 * scans; at a few hundred bytes each they take some megabytes.
 */
export const maxLogged = 10_000;

export function addDelivery(state: State, record: Omit<DeliveryRecord, 'id'>): DeliveryRecord {
  prune(state, 'deliveries', ({ dueMs }) => dueMs === null);
  return state.add('deliveries', record);
}

export function addScan(state: State, record: Omit<ScanRecord, 'id'>): ScanRecord {
  prune(state, 'scans', ({ reported }) => reported);
  return state.add('scans', record);
}

/** Removes the oldest records to make room for one more, but none that is unfinished. */
function prune<Name extends 'deliveries' | 'scans'>(state: State, table: Name, isDone: (record: Tables[Name]) => boolean): void {
  while (state.count(table) >= maxLogged) {
    const oldest = state.first(table)!;
    if (!isDone(oldest)) return;
    state.remove(table, oldest.id);
  }
}
