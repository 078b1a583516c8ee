import type { DeliveryRecord, ScanRecord, State, Tables } from '../state/state.js';

/**
 * Deliveries and scans that are kept, of each the last; what still has something to be done is kept beside them. A hundred of the
 * largest submissions, of 100 assets each, start so many scans; a delivery has a few hundred bytes, so this is some megabytes.
 */
export const logMax = 10_000;

export function addDelivery(state: State, record: Omit<DeliveryRecord, 'id'>): DeliveryRecord {
  prune(state, 'deliveries', ({ dueMs }) => dueMs === null);
  return state.add('deliveries', record);
}

export function addScan(state: State, record: Omit<ScanRecord, 'id'>): ScanRecord {
  prune(state, 'scans', ({ reported }) => reported);
  return state.add('scans', record);
}

/** Makes room for one more: the oldest are forgotten, up to one that is not done. */
function prune<Name extends 'deliveries' | 'scans'>(state: State, table: Name, isDone: (record: Tables[Name]) => boolean): void {
  while (state.count(table) >= logMax) {
    const oldest = state.first(table)!;
    if (!isDone(oldest)) return;
    state.remove(table, oldest.id);
  }
}
