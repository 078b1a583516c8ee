import { PortcullisError } from '../../../core/errors.js';
import { numberAt, placeAfter } from './chance.js';
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

/** All records in memory. A transaction takes effect, and can be undone, as a whole. */
export class State {
  private readonly tables = new Map<TableName, Map<number, Base>>(tableNames.map((name) => [name, new Map()]));
  /** Ids by type and content: each asset exists once. */
  private readonly assetIds = new Map<string, number>();
  private lastId = 0;
  /** The highest id each table ever had. */
  private readonly lastIds = new Map<TableName, number>();
  private place = 0;
  /** Undo steps of the current transaction, oldest first. */
  private undo: (() => void)[] | null = null;
  private edits: Edit[] = [];
  /** Tables to which a record was put back. */
  private readonly unsorted = new Set<TableName>();
  private readonly revisions = new Map<TableName, number>();
  private readonly indexes = new Map<
    string,
    { readonly revision: number; readonly rows: ReadonlyMap<unknown, readonly Base[]> }
  >();

  get<Name extends TableName>(table: Name, id: number): Tables[Name] | undefined {
    return this.rows(table).get(id);
  }

  /** Ordered by id. */
  all<Name extends TableName>(table: Name): Tables[Name][] {
    return [...this.rows(table).values()];
  }

  count(table: TableName): number {
    return this.rows(table).size;
  }

  first<Name extends TableName>(table: Name): Tables[Name] | undefined {
    for (const record of this.rows(table).values()) return record;
    return undefined;
  }

  assetBy(type: string, content: string): AssetRecord | undefined {
    const id = this.assetIds.get(`${type} ${content}`);
    return id === undefined ? undefined : this.get('assets', id);
  }

  /** Records with this value in a field, ordered by id. The index is built on first use after a change of the table. */
  where<Name extends TableName>(table: Name, field: keyof Tables[Name], value: number): readonly Tables[Name][] {
    const key = `${table} ${String(field)}`;
    const revision = this.revisionOf(table);
    let index = this.indexes.get(key);
    if (index?.revision !== revision) {
      const rows = new Map<unknown, Base[]>();
      for (const record of this.rows(table).values()) {
        const same = rows.get(record[field]);
        if (same === undefined) rows.set(record[field], [record]);
        else same.push(record);
      }
      index = { revision, rows };
      this.indexes.set(key, index);
    }
    return (index.rows.get(value) ?? []) as unknown as readonly Tables[Name][];
  }

  /** Changes with every change of the table, for caches of derived values. */
  revisionOf(table: TableName): number {
    return this.revisions.get(table) ?? 0;
  }

  add<Name extends TableName>(table: Name, record: Omit<Tables[Name], 'id'>): Tables[Name] {
    const added = { id: this.lastId + 1, ...record } as unknown as Tables[Name];
    this.set(table, added.id, added);
    return added;
  }

  change<Name extends TableName>(table: Name, id: number, fields: Partial<Omit<Tables[Name], 'id'>>): Tables[Name] {
    const before = this.rows(table).get(id);
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
    for (const name of tableNames) {
      this.tables.get(name)?.clear();
      this.revisions.set(name, this.revisionOf(name) + 1);
    }
    this.assetIds.clear();
    this.lastIds.clear();
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

  /** Rows are ordered by id, but a record that is put back was appended. Sorted once, because an undo can put back thousands. */
  private sortRows(): void {
    for (const table of this.unsorted) {
      const rows = this.tables.get(table)!;
      const sorted = [...rows].sort(([a], [b]) => a - b);
      rows.clear();
      for (const [id, row] of sorted) rows.set(id, row);
    }
    this.unsorted.clear();
  }

  private rows<Name extends TableName>(table: Name): Map<number, Tables[Name]> {
    return this.tables.get(table) as Map<number, Base> as Map<number, Tables[Name]>;
  }

  private set<Name extends TableName>(table: Name, id: number, record: Tables[Name] | null): void {
    const rows = this.rows(table);
    const before = rows.get(id);
    const lastId = this.lastId;
    this.put(table, rows, id, record);
    this.lastId = Math.max(lastId, id);
    this.undo?.push(() => {
      this.put(table, rows, id, before ?? null);
      this.lastId = lastId;
    });
    if (this.undo !== null) this.edits.push([table, id, record] as unknown as Edit);
  }

  private put<Name extends TableName>(
    table: Name,
    rows: Map<number, Tables[Name]>,
    id: number,
    record: Tables[Name] | null,
  ): void {
    const asset = (record ?? (table === 'assets' ? rows.get(id) : null)) as AssetRecord | null | undefined;
    this.revisions.set(table, this.revisionOf(table) + 1);
    const lastId = this.lastIds.get(table) ?? 0;
    const isBack = record !== null && !rows.has(id) && id < lastId;
    this.lastIds.set(table, Math.max(lastId, id));
    if (record === null) rows.delete(id);
    else rows.set(id, record);
    if (isBack) this.unsorted.add(table);
    if (table !== 'assets' || !asset) return;
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
