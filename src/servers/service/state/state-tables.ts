/**
 * The records of the service, as plain JSON, by table and id. Every change goes through a transaction: it takes effect or is undone as a
 * whole (state.ts).
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

export interface Base {
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

/** An API key and the organizations it can access; `userId` is `null` for the key of an organization. */
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
  /** The organization whose report or allowlist set the status. */
  readonly organizationId: number | null;
}

export type AssetStatus = 'UNKNOWN' | 'ALLOWED' | 'BLOCKED';

/** A change of an asset's status. */
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
  /** The status that the report asks for. */
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
  /** Whether the callback was made, or none was requested. */
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
  /** The exact text that is sent and signed. */
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
  readonly configId: number;
  readonly confidence: 'low' | 'medium' | 'high';
  readonly createdAtMs: number;
}

/** Its status follows from these and the clock (records/takedown-records.ts). */
export interface TakedownRecord extends Base {
  readonly organizationId: number;
  readonly assetId: number;
  readonly brandId: number | null;
  readonly automated: boolean;
  readonly createdAtMs: number;
  /** When the asset stopped being blocked. */
  readonly releasedAtMs: number | null;
}

/** The published list: the asset ids in the snapshot, and those blocked since. */
export interface ListRecord extends Base {
  readonly snapshotIds: readonly number[];
  readonly recentIds: readonly number[];
  readonly publishedAtMs: number;
}

/** A blocklist file that a version document named, and the assets in it. */
export interface ArtifactRecord extends Base {
  readonly part: 'snapshot' | 'recent';
  readonly token: string;
  readonly assetIds: readonly number[];
}

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
