import { isRecord } from '../../../core/errors.js';

/** A check of a value, from which the compiler takes its type. */
type Kind<T> = (value: unknown) => value is T;
type Shape = Readonly<Record<string, Kind<unknown>>>;
type Held<Of> = Of extends Kind<infer T> ? T : never;
type Fields<Of> = { readonly [Name in keyof Of as undefined extends Held<Of[Name]> ? never : Name]: Held<Of[Name]> } & {
  readonly [Name in keyof Of as undefined extends Held<Of[Name]> ? Name : never]?: Held<Of[Name]>;
};

const text = (value: unknown): value is string => typeof value === 'string';
const flag = (value: unknown): value is boolean => typeof value === 'boolean';
const number = (value: unknown): value is number => Number.isFinite(value);
const id = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;
export const object: Kind<Readonly<Record<string, unknown>>> = isRecord;
const nullOr =
  <T>(kind: Kind<T>) =>
  (value: unknown): value is T | null =>
    value === null || kind(value);
const orAbsent =
  <T>(kind: Kind<T>) =>
  (value: unknown): value is T | undefined =>
    value === undefined || kind(value);
const listOf =
  <T>(kind: Kind<T>) =>
  (value: unknown): value is readonly T[] =>
    Array.isArray(value) && value.every(kind);
const oneOf =
  <T extends string>(...values: T[]) =>
  (value: unknown): value is T =>
    values.includes(value as T);
const shaped =
  <Of extends Shape>(shape: Of) =>
  (value: unknown): value is Fields<Of> =>
    object(value) && Object.entries(shape).every(([name, holds]) => holds(value[name]));

const assetStatus = oneOf('UNKNOWN', 'ALLOWED', 'BLOCKED');
/** The services of an organization. */
export const serviceFlags = {
  reporting: flag,
  reviewing: flag,
  protection: flag,
  takedowns: flag,
  detection: flag,
  darkWebMonitoring: flag,
};
const externalReporter = shaped({ displayName: nullOr(text), avatarUrl: nullOr(text), platform: text });

/**
 * The fields of the records of each table, besides their ids. Records are plain JSON and are written in this order. Every change goes
 * through a transaction: it takes effect or is undone as a whole (state.ts).
 */
const shapes = {
  organizations: {
    slug: text,
    name: text,
    createdAtMs: number,
    contactUrl: nullOr(text),
    discordGuildIds: listOf(text),
    telegramGroupIds: listOf(text),
    services: shaped(serviceFlags),
    takedownsAutomated: flag,
    obligatoryAdminApproval: flag,
    subscriptionStatus: text,
  },
  users: { fullName: text, email: text, role: text },
  /** API keys and the organizations each reaches; `userId` is `null` for the key of an organization. */
  keys: { value: text, organizationIds: listOf(id), userId: nullOr(id) },
  assets: {
    type: text,
    content: text,
    status: assetStatus,
    watchStatus: oneOf('ENABLED', 'DISABLED'),
    livenessStatus: nullOr(oneOf('ALIVE', 'DEAD', 'UNKNOWN')),
    createdAtMs: number,
    updatedAtMs: number,
    blockedAtMs: nullOr(number),
    /** The organization whose report or allowlist set the status. */
    organizationId: nullOr(id),
  },
  /** Changes of the status of assets. */
  changes: {
    assetId: id,
    from: assetStatus,
    to: assetStatus,
    atMs: number,
    by: oneOf('review', 'allowlist', 'unblock', 'seed'),
    organizationId: nullOr(id),
  },
  reports: {
    organizationId: id,
    title: text,
    description: text,
    source: text,
    reporterUserId: nullOr(id),
    externalReporter: nullOr(externalReporter),
    reportedByCustomer: flag,
    externalSubmissionLink: nullOr(text),
    attachmentUrls: listOf(text),
    createdAtMs: number,
    updatedAtMs: number,
    favoritedAtMs: nullOr(number),
  },
  proposals: {
    reportId: id,
    assetId: id,
    /** The status that the report asks for. */
    wanted: assetStatus,
    brandSlug: nullOr(text),
    reviewStatus: oneOf('PENDING', 'APPROVED', 'REJECTED'),
    watchlisted: flag,
  },
  reviews: {
    proposalId: id,
    organizationId: id,
    decision: oneOf('APPROVE', 'REJECT'),
    label: text,
    brandId: nullOr(id),
    comment: text,
    userId: nullOr(id),
    createdAtMs: number,
  },
  scans: {
    assetId: id,
    createdAtMs: number,
    callbackUrl: nullOr(text),
    /** Whether the callback was made, or none was requested. */
    reported: flag,
  },
  disputes: { assetId: id, email: text, description: nullOr(text), createdAtMs: number },
  attachments: {
    fileName: text,
    type: text,
    /** Base64. */
    bytes: text,
    token: text,
    /** Who uploaded it; absent in a state that was stored before. */
    organizationId: orAbsent(nullOr(id)),
  },
  groups: { organizationId: id, name: text },
  /** Assets on the allowlist of an organization. */
  memberships: {
    organizationId: id,
    assetId: id,
    name: nullOr(text),
    description: nullOr(text),
    groupId: nullOr(id),
    createdAtMs: number,
    updatedAtMs: number,
  },
  brands: { organizationId: id, name: text, slug: text, type: text },
  webhooks: { organizationId: id, url: text, description: nullOr(text), events: listOf(text), secret: text },
  deliveries: {
    webhookId: id,
    event: text,
    body: text,
    status: oneOf('PENDING', 'IN_PROGRESS', 'SUCCESS', 'FAILURE'),
    attempts: listOf(shaped({ atMs: number, status: nullOr(number), error: nullOr(text) })),
    dueMs: nullOr(number),
  } satisfies { readonly [Name in Exclude<keyof DeliveryRecord, 'id'>]: Kind<DeliveryRecord[Name]> },
  configs: {
    organizationId: id,
    source: text,
    title: nullOr(text),
    description: nullOr(text),
    cron: nullOr(text),
    config: object,
    brandId: nullOr(id),
    status: oneOf('ENABLED', 'DISABLED'),
    createdAtMs: number,
    lastRunAtMs: nullOr(number),
    deleted: flag,
  },
  detections: {
    organizationId: id,
    assetId: id,
    source: text,
    configId: id,
    confidence: oneOf('low', 'medium', 'high'),
    createdAtMs: number,
  },
  /** Their status follows from these and the clock (records/takedown-records.ts). */
  takedowns: {
    organizationId: id,
    assetId: id,
    brandId: nullOr(id),
    automated: flag,
    createdAtMs: number,
    /** When the asset stopped being blocked. */
    releasedAtMs: nullOr(number),
  },
  /** The published list: the asset ids in the snapshot, and those blocked since. */
  lists: { snapshotIds: listOf(id), recentIds: listOf(id), publishedAtMs: number },
  /** Blocklist files that a version document named, and the assets in them. */
  artifacts: { part: oneOf('snapshot', 'recent'), token: text, assetIds: listOf(id) },
} as const;

export interface Base {
  readonly id: number;
}

export type TableName = keyof typeof shapes;
type RecordOf<Name extends TableName> = Base & Fields<(typeof shapes)[Name]>;

// Named, so that the types of a snapshot can be read.
export interface Organization extends RecordOf<'organizations'> {}
export interface User extends RecordOf<'users'> {}
export interface Key extends RecordOf<'keys'> {}
export interface AssetRecord extends RecordOf<'assets'> {}
export interface Change extends RecordOf<'changes'> {}
export interface ReportRecord extends RecordOf<'reports'> {}
export interface ProposalRecord extends RecordOf<'proposals'> {}
interface ReviewRecord extends RecordOf<'reviews'> {}
export interface ScanRecord extends RecordOf<'scans'> {}
interface DisputeRecord extends RecordOf<'disputes'> {}
export interface AttachmentRecord extends RecordOf<'attachments'> {}
export interface GroupRecord extends RecordOf<'groups'> {}
export interface MembershipRecord extends RecordOf<'memberships'> {}
export interface BrandRecord extends RecordOf<'brands'> {}
interface WebhookRecord extends RecordOf<'webhooks'> {}
export interface ConfigRecord extends RecordOf<'configs'> {}
export interface DetectionRecord extends RecordOf<'detections'> {}
export interface TakedownRecord extends RecordOf<'takedowns'> {}
export interface ListRecord extends RecordOf<'lists'> {}
interface ArtifactRecord extends RecordOf<'artifacts'> {}

/** A webhook delivery and its attempts. */
export interface DeliveryRecord extends Base {
  readonly webhookId: number;
  readonly event: string;
  /** The exact text that is sent and signed. */
  readonly body: string;
  readonly status: 'PENDING' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE';
  readonly attempts: readonly { readonly atMs: number; readonly status: number | null; readonly error: string | null }[];
  readonly dueMs: number | null;
}

export type AssetStatus = AssetRecord['status'];

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

export const tableNames = Object.keys(shapes) as readonly TableName[];

export const hasField = (table: TableName, field: string): boolean => Object.hasOwn(shapes[table], field);

/** Whether a value is a complete record of a table. */
export const recordOf = (table: TableName): ((value: unknown) => boolean) => shaped({ id, ...shapes[table] });

/** A changed record; `null` for a removed one. */
export type Edit = { [Name in TableName]: readonly [table: Name, id: number, record: Tables[Name] | null] }[TableName];

/** Values kept beside the records. */
export interface Counters {
  readonly nextId: number;
  /** Position of the seeded random number generator. */
  readonly random: number;
}

/** The whole state as plain JSON. */
export interface Snapshot extends Counters {
  readonly tables: { readonly [Name in TableName]?: readonly Tables[Name][] };
}
