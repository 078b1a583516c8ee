import { PortcullisError } from '../../../core/errors.js';
import { hasField, object, recordOf, type Snapshot, type TableName, tableNames } from './state-tables.js';

/** Fields whose value is the id of a record that must exist; such records are never removed. */
const references: Readonly<Record<string, TableName>> = {
  assetId: 'assets',
  organizationId: 'organizations',
  reportId: 'reports',
  configId: 'configs',
  proposalId: 'proposals',
};

/**
 * A copy of a valid snapshot: every record is complete, every id is used once, and every reference leads to a record.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function requireSnapshot(value: unknown): Snapshot {
  const { nextId, random, tables } = Object(value) as Partial<Snapshot>;
  if (!Number.isSafeInteger(nextId)) refuse('nextId must be an integer');
  if (!(Number.isInteger(random) && random! >= 0 && random! < 2 ** 32)) refuse('random must be an integer below 2^32');
  if (!object(tables)) refuse('tables is missing');
  const owners = new Map<unknown, string>();
  for (const [name, rows] of Object.entries(tables as Record<string, unknown>)) {
    if (!(tableNames as readonly string[]).includes(name)) refuse(`unknown table ${name}`);
    if (!Array.isArray(rows)) refuse(`${name} must be an array`);
    const isRecord = recordOf(name as TableName);
    for (const [at, row] of (rows as { id: number }[]).entries()) {
      if (!isRecord(row)) refuse(`${name}[${at}] is missing a field or has one of the wrong type`);
      if (row.id >= nextId!) refuse(`the id of ${name}[${at}] is not below nextId`);
      if (owners.has(row.id)) refuse(`the id of ${name}[${at}] is used twice`);
      owners.set(row.id, name);
    }
  }
  if (!tables!.keys?.length) refuse('it has no API key');
  for (const [name, rows] of Object.entries(tables!)) {
    for (const [field, table] of Object.entries(references)) {
      if (!hasField(name as TableName, field)) continue;
      const stray = (rows as unknown as Record<string, number | null>[]).findIndex(
        (row) => row[field] !== null && owners.get(row[field]) !== table,
      );
      if (stray >= 0) refuse(`the ${field} of ${name}[${stray}] is not in ${table}`);
    }
  }
  try {
    return structuredClone({ nextId, random, tables }) as Snapshot;
  } catch {
    return refuse('it holds values that are not plain data');
  }
}

function refuse(reason: string): never {
  throw new PortcullisError('INVALID_INPUT', `the snapshot is invalid: ${reason}`);
}
