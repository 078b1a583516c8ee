import { numberAt, placeAfter } from './chance.js';
import { requireSnapshot, tableNames } from './state-snapshot.js';

/**
 * All that the service knows, as records of plain JSON by table and id. Every change goes through a transaction: it takes effect as a
 * whole, can be undone as a whole, and is handed on as the list of changed records, which is what is written to a file.
 */
export interface Tables {
  organizations: Organization;
  users: User;
  keys: Key;
  assets: AssetRecord;
  changes: Change;
  reports: ReportRecord;
  proposals: ProposalRecord;
  reviews: ReviewRecord;
  scans: ScanRecord;
  disputes: DisputeRecord;
  attachments: AttachmentRecord;
  groups: GroupRecord;
  memberships: MembershipRecord;
  brands: BrandRecord;
  webhooks: WebhookRecord;
  deliveries: DeliveryRecord;
  configs: ConfigRecord;
  detections: DetectionRecord;
  takedowns: TakedownRecord;
  lists: ListRecord;
  artifacts: ArtifactRecord;
}

export type TableName = keyof Tables;

interface Base {
  readonly id: number;
}

export interface Organization extends Base {
  readonly slug: string;
  readonly name: string;
  readonly createdAtMs: number;
  readonly contactUrl: string | null;
  readonly discordGuildIds: readonly string[];
  readonly telegramGroupIds: readonly string[];
  readonly services: Readonly<
    Record<'reporting' | 'reviewing' | 'protection' | 'takedowns' | 'detection' | 'darkWebMonitoring', boolean>
  >;
  readonly takedownsAutomated: boolean;
  readonly obligatoryAdminApproval: boolean;
  readonly subscriptionStatus: string;
}

export interface User extends Base {
  readonly fullName: string;
  readonly email: string;
  readonly role: string;
}

/** What may be done with a key. It reaches these organizations; a key of a user reaches all of hers. */
export interface Key extends Base {
  readonly value: string;
  readonly organizationIds: readonly number[];
  readonly userId: number | null;
}

export interface AssetRecord extends Base {
  readonly type: string;
  readonly content: string;
  readonly status: AssetStatus;
  readonly watchStatus: 'ENABLED' | 'DISABLED';
  readonly livenessStatus: 'ALIVE' | 'DEAD' | 'UNKNOWN' | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly blockedAtMs: number | null;
  /** Whose report or allowlist gave it its status. */
  readonly organizationId: number | null;
}

export type AssetStatus = 'UNKNOWN' | 'ALLOWED' | 'BLOCKED';

/** An asset went from one status to another. */
export interface Change extends Base {
  readonly assetId: number;
  readonly from: AssetStatus;
  readonly to: AssetStatus;
  readonly atMs: number;
  readonly by: 'review' | 'allowlist' | 'unblock' | 'seed';
  readonly organizationId: number | null;
}

export interface ReportRecord extends Base {
  readonly organizationId: number;
  readonly title: string;
  readonly description: string;
  readonly source: string;
  readonly reporterUserId: number | null;
  readonly externalReporter: {
    readonly displayName: string | null;
    readonly avatarUrl: string | null;
    readonly platform: string;
  } | null;
  readonly reportedByCustomer: boolean;
  readonly externalSubmissionLink: string | null;
  readonly attachmentUrls: readonly string[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly favoritedAtMs: number | null;
}

export interface ProposalRecord extends Base {
  readonly reportId: number;
  readonly assetId: number;
  /** The status the report asks for. */
  readonly wanted: AssetStatus;
  readonly brandSlug: string | null;
  readonly reviewStatus: 'PENDING' | 'APPROVED' | 'REJECTED';
  readonly watchlisted: boolean;
}

export interface ReviewRecord extends Base {
  readonly proposalId: number;
  readonly organizationId: number;
  readonly decision: 'APPROVE' | 'REJECT';
  readonly label: string;
  readonly brandId: number | null;
  readonly comment: string;
  readonly userId: number | null;
  readonly createdAtMs: number;
}

export interface ScanRecord extends Base {
  readonly assetId: number;
  readonly createdAtMs: number;
  readonly callbackUrl: string | null;
  /** The callback was made, or there is none. */
  readonly reported: boolean;
}

export interface DisputeRecord extends Base {
  readonly assetId: number;
  readonly email: string;
  readonly description: string | null;
  readonly createdAtMs: number;
}

export interface AttachmentRecord extends Base {
  readonly fileName: string;
  readonly type: string;
  /** Base64. */
  readonly bytes: string;
  readonly token: string;
}

export interface GroupRecord extends Base {
  readonly organizationId: number;
  readonly name: string;
}

/** An asset on an organization's allowlist. */
export interface MembershipRecord extends Base {
  readonly organizationId: number;
  readonly assetId: number;
  readonly name: string | null;
  readonly description: string | null;
  readonly groupId: number | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface BrandRecord extends Base {
  readonly organizationId: number;
  readonly name: string;
  readonly slug: string;
  readonly type: string;
}

export interface WebhookRecord extends Base {
  readonly organizationId: number;
  readonly url: string;
  readonly description: string | null;
  readonly events: readonly string[];
  readonly secret: string;
}

/** A webhook delivery and its attempts. */
export interface DeliveryRecord extends Base {
  readonly webhookId: number;
  readonly event: string;
  /** The exact bytes that are sent, as text. */
  readonly body: string;
  readonly status: 'PENDING' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE';
  readonly attempts: readonly { readonly atMs: number; readonly status: number | null; readonly error: string | null }[];
  readonly dueMs: number | null;
}

export interface ConfigRecord extends Base {
  readonly organizationId: number;
  readonly source: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly cron: string | null;
  readonly config: Readonly<Record<string, unknown>>;
  readonly brandId: number | null;
  readonly status: 'ENABLED' | 'DISABLED';
  readonly createdAtMs: number;
  readonly lastRunAtMs: number | null;
  readonly deleted: boolean;
}

export interface DetectionRecord extends Base {
  readonly organizationId: number;
  readonly assetId: number;
  readonly source: string;
  readonly configId: number | null;
  readonly confidence: 'none' | 'low' | 'medium' | 'high';
  /** 0 to 1. */
  readonly score: number;
  readonly reason: string;
  readonly reportedAtMs: number | null;
  readonly createdAtMs: number;
}

export interface TakedownRecord extends Base {
  readonly organizationId: number;
  readonly assetId: number;
  readonly status: string;
  readonly brandId: number | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly history: readonly TakedownStep[];
  /** What comes by itself unless the asset stops being blocked. */
  readonly planned: readonly TakedownStep[];
  readonly automated: boolean;
}

export interface TakedownStep {
  readonly status: string;
  readonly atMs: number;
}

/** What was published: the asset ids of the snapshot, and of what came after it. */
export interface ListRecord extends Base {
  readonly snapshotIds: readonly number[];
  readonly recentIds: readonly number[];
  readonly publishedAtMs: number;
}

/** A file of the blocklist that a version document named, by what is in it. */
export interface ArtifactRecord extends Base {
  readonly part: 'snapshot' | 'recent';
  readonly token: string;
  readonly assetIds: readonly number[];
}

/** A record that changed, or `null` where it is gone. */
export type Edit = { [Name in TableName]: readonly [table: Name, id: number, record: Tables[Name] | null] }[TableName];

/** What is counted over all records. */
export interface Counters {
  readonly nextId: number;
  /** Where the seeded chance stands. */
  readonly random: number;
}

/** The whole state, as JSON. */
export interface Snapshot extends Counters {
  readonly tables: { readonly [Name in TableName]?: readonly Tables[Name][] };
}

export class State {
  private readonly tables = new Map<TableName, Map<number, Base>>(tableNames.map((name) => [name, new Map()]));
  /** Assets by type and content: there is one of each. */
  private readonly assetIds = new Map<string, number>();
  private lastId = 0;
  /** The highest id each table ever had. */
  private readonly lastIds = new Map<TableName, number>();
  private place = 0;
  /** Records before the transaction that is under way, latest first. */
  private undo: (() => void)[] | null = null;
  private edits: Edit[] = [];
  private readonly revisions = new Map<TableName, number>();
  private readonly indexes = new Map<
    string,
    { readonly revision: number; readonly rows: ReadonlyMap<unknown, readonly Base[]> }
  >();

  get<Name extends TableName>(table: Name, id: number): Tables[Name] | undefined {
    return this.rows(table).get(id);
  }

  /** In the order of their ids. */
  all<Name extends TableName>(table: Name): Tables[Name][] {
    return [...this.rows(table).values()];
  }

  /** How many there are, without making a list of them. */
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

  /** The records of a table that have a value in a field, in the order of their ids; one pass over all of them after a change. */
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

  /** Another number after every change of a table, for what is computed from it. */
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
    if (before === undefined) throw new Error(`there is no record ${id} in ${table}`);
    const changed = { ...before, ...fields };
    this.set(table, id, changed);
    return changed;
  }

  remove(table: TableName, id: number): void {
    this.set(table, id, null);
  }

  /** Begins the seeded chance. */
  seed(seed: number): void {
    this.place = seed >>> 0;
  }

  /** The next number of the seeded chance, from 0 to 1. A transaction that is undone drew none. */
  draw(): number {
    const before = this.place;
    this.place = placeAfter(before);
    this.undo?.push(() => {
      this.place = before;
    });
    return numberAt(this.place);
  }

  /** What is kept beside the records. */
  get counters(): Counters {
    return { nextId: this.lastId + 1, random: this.place };
  }

  set counters({ nextId, random }: Counters) {
    this.lastId = Math.max(this.lastId, nextId - 1);
    this.place = random;
  }

  /** Every record, as if each had just been made. */
  *records(): Generator<Edit> {
    for (const table of tableNames) for (const record of this.rows(table).values()) yield [table, record.id, record] as never;
  }

  /**
   * Runs `work` and gives what it gives, with the records it changed and a way to take them back. If it throws, it changed nothing.
   */
  transact<T>(work: () => T): { result: T; edits: readonly Edit[]; undo: () => void } {
    if (this.undo !== null) throw new Error('a transaction within a transaction');
    const steps: (() => void)[] = [];
    const undo = (): void => {
      for (const back of steps.reverse()) back();
    };
    this.undo = steps;
    this.edits = [];
    try {
      return { result: work(), edits: this.edits, undo };
    } catch (error) {
      this.undo = null;
      undo();
      throw error;
    } finally {
      this.undo = null;
    }
  }

  /** Takes over changed records, as they were written earlier. */
  apply(edits: readonly Edit[]): void {
    for (const [table, id, record] of edits) this.set(table, id, record as never);
  }

  snapshot(): Snapshot {
    const tables = Object.fromEntries(tableNames.map((name) => [name, this.all(name)]));
    return structuredClone({ ...this.counters, tables }) as Snapshot;
  }

  /** Forgets everything, ids and chance too. */
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

  /** Takes the place of all there is. A snapshot that cannot be one is refused, and nothing changes. */
  restore(snapshot: Snapshot): void {
    const { tables, ...counters } = requireSnapshot(snapshot);
    this.clear();
    for (const name of tableNames) for (const record of tables[name] ?? []) this.set(name, record.id, record as never);
    this.counters = counters;
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
    // A record that comes back stands at the end, and rows stand by their ids.
    if (isBack) {
      const sorted = [...rows].sort(([a], [b]) => a - b);
      rows.clear();
      for (const [key, row] of sorted) rows.set(key, row);
    }
    if (table !== 'assets' || !asset) return;
    const key = `${asset.type} ${asset.content}`;
    if (record === null) this.assetIds.delete(key);
    else this.assetIds.set(key, id);
  }
}
