import { PortcullisError } from '../../../core/errors.js';
import { numberAt, placeAfter } from './chance.js';
import { grouped } from './grouped.js';
import {
  type AssetRecord,
  type Base,
  type Counters,
  type Edit,
  hasField,
  object,
  recordOf,
  type Snapshot,
  type TableName,
  type Tables,
  tableNames,
} from './state-tables.js';

/** The changes of a transaction, and how to undo them. */
export interface Transaction<T> {
  readonly result: T;
  /** Empty where the whole state was replaced. */
  readonly edits: readonly Edit[];
  readonly isChange: boolean;
  readonly undo: () => void;
}

/** The records of a table. */
class Table<Row extends Base> {
  /** Ordered by id, but records that were put back are last until `sort`. */
  readonly rows = new Map<number, Row>();
  /** Values made of the records, until the next change. */
  readonly derived = new Map<PropertyKey, unknown>();
  /** The highest id there ever was. */
  private lastId = 0;
  private isUnsorted = false;

  put(id: number, row: Row | null): void {
    this.isUnsorted ||= row !== null && !this.rows.has(id) && id < this.lastId;
    this.lastId = Math.max(this.lastId, id);
    if (row === null) this.rows.delete(id);
    else this.rows.set(id, row);
    this.derived.clear();
  }

  /** Sorts once, because an undo can put back thousands. */
  sort(): void {
    if (!this.isUnsorted) return;
    const sorted = [...this.rows].sort(([a], [b]) => a - b);
    this.rows.clear();
    for (const [id, row] of sorted) this.rows.set(id, row);
    this.isUnsorted = false;
  }

  clear(): void {
    this.rows.clear();
    this.derived.clear();
    this.lastId = 0;
  }
}

/** All records in memory. A transaction takes effect, and can be undone, as a whole. */
export class State {
  private readonly tables = Object.fromEntries(tableNames.map((name) => [name, new Table()])) as unknown as {
    readonly [Name in TableName]: Table<Tables[Name]>;
  };
  /** Ids by type and content: each asset exists once. */
  private readonly assetIds = new Map<string, number>();
  private lastId = 0;
  private place = 0;
  /** Undo steps of the current transaction, oldest first. */
  private undo: (() => void)[] | null = null;
  private edits: Edit[] = [];

  get<Name extends TableName>(table: Name, id: number): Tables[Name] | undefined {
    return this.tables[table].rows.get(id);
  }

  /** Ordered by id. */
  all<Name extends TableName>(table: Name): Tables[Name][] {
    return [...this.tables[table].rows.values()];
  }

  count(table: TableName): number {
    return this.tables[table].rows.size;
  }

  first<Name extends TableName>(table: Name): Tables[Name] | undefined {
    return this.tables[table].rows.values().next().value;
  }

  assetBy(type: string, content: string): AssetRecord | undefined {
    const id = this.assetIds.get(`${type} ${content}`);
    return id === undefined ? undefined : this.get('assets', id);
  }

  /** Records with this value in a field, ordered by id. */
  where<Name extends TableName>(table: Name, field: keyof Tables[Name], value: number): readonly Tables[Name][] {
    const { rows } = this.tables[table];
    const index = this.derived(table, field, () => grouped([...rows.values()].map((row) => [row[field], row])));
    return (index as ReadonlyMap<unknown, readonly Tables[Name][]>).get(value) ?? [];
  }

  /** A value made of the records of a table, kept until the table changes. */
  derived<T>(table: TableName, name: PropertyKey, make: () => T): T {
    const { derived } = this.tables[table];
    if (!derived.has(name)) derived.set(name, make());
    return derived.get(name) as T;
  }

  add<Name extends TableName>(table: Name, record: Omit<Tables[Name], 'id'>): Tables[Name] {
    const added = { id: this.lastId + 1, ...record } as unknown as Tables[Name];
    this.set(table, added.id, added);
    return added;
  }

  change<Name extends TableName>(table: Name, id: number, fields: Partial<Omit<Tables[Name], 'id'>>): Tables[Name] {
    const before = this.get(table, id);
    if (before === undefined) throw new Error(`${table} has no record ${id}`);
    const changed = { ...before, ...fields };
    this.set(table, id, changed);
    return changed;
  }

  remove(table: TableName, id: number): void {
    this.set(table, id, null);
  }

  /** Restarts the seeded random numbers. */
  seed(seed: number): void {
    this.place = seed >>> 0;
  }

  /** The next seeded random number, from 0 up to but not including 1. Undoing the transaction also restores the generator. */
  draw(): number {
    const before = this.place;
    this.place = placeAfter(before);
    this.undo?.push(() => {
      this.place = before;
    });
    return numberAt(this.place);
  }

  private get counters(): Counters {
    return { nextId: this.lastId + 1, random: this.place };
  }

  /** Runs `work` and returns its result, the records it changed, and a way to undo the changes. If it throws, nothing changed. */
  transact<T>(work: () => T): Transaction<T> {
    if (this.undo !== null) throw new Error('transactions cannot be nested');
    const steps: (() => void)[] = [];
    const undo = (): void => {
      for (const back of steps.reverse()) back();
      this.sortRows();
    };
    this.undo = steps;
    this.edits = [];
    try {
      const result = work();
      return { result, edits: this.edits, isChange: this.edits.length > 0, undo };
    } catch (error) {
      this.undo = null;
      undo();
      throw error;
    } finally {
      this.undo = null;
    }
  }

  /** The snapshot without a copy, for `JSON.stringify`. */
  toJSON(): Snapshot {
    const tables = Object.fromEntries(tableNames.map((name) => [name, this.all(name)]));
    return { ...this.counters, tables } as Snapshot;
  }

  snapshot(): Snapshot {
    return structuredClone(this.toJSON());
  }

  /** Removes everything, and restarts ids and random numbers. */
  clear(): void {
    for (const name of tableNames) this.tables[name].clear();
    this.assetIds.clear();
    this.lastId = 0;
    this.place = 0;
  }

  /** Replaces everything. An invalid snapshot is rejected and changes nothing. */
  restore(snapshot: Snapshot): void {
    const { tables, nextId, random } = requireSnapshot(snapshot);
    this.clear();
    for (const name of tableNames) for (const record of tables[name] ?? []) this.set(name, record.id, record as never);
    this.sortRows();
    this.lastId = Math.max(this.lastId, nextId - 1);
    this.place = random;
  }

  private sortRows(): void {
    for (const name of tableNames) this.tables[name].sort();
  }

  private set<Name extends TableName>(table: Name, id: number, record: Tables[Name] | null): void {
    const before = this.get(table, id) ?? null;
    const lastId = this.lastId;
    this.put(table, id, record);
    this.lastId = Math.max(lastId, id);
    this.undo?.push(() => {
      this.put(table, id, before);
      this.lastId = lastId;
    });
    if (this.undo !== null) this.edits.push([table, id, record] as unknown as Edit);
  }

  private put<Name extends TableName>(table: Name, id: number, record: Tables[Name] | null): void {
    const asset = (table === 'assets' ? (record ?? this.get(table, id)) : undefined) as AssetRecord | undefined;
    this.tables[table].put(id, record);
    if (asset === undefined) return;
    const key = `${asset.type} ${asset.content}`;
    if (record === null) this.assetIds.delete(key);
    else this.assetIds.set(key, id);
  }
}

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
function requireSnapshot(value: unknown): Snapshot {
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
      const stray = (rows as unknown as Record<string, number | null | undefined>[]).findIndex(
        (row) => (row[field] ?? null) !== null && owners.get(row[field]) !== table,
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
