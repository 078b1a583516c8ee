import { PortcullisError } from '../../../core/errors.js';
import type { Snapshot, TableName, Tables } from './state.js';

type Kind = (value: unknown) => boolean;

const text: Kind = (value) => typeof value === 'string';
const flag: Kind = (value) => typeof value === 'boolean';
const number: Kind = Number.isFinite;
const id: Kind = (value) => Number.isSafeInteger(value) && (value as number) > 0;
const object: Kind = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const nullOr =
  (kind: Kind): Kind =>
  (value) =>
    value === null || kind(value);
const listOf =
  (kind: Kind): Kind =>
  (value) =>
    Array.isArray(value) && value.every(kind);
const oneOf =
  (...values: string[]): Kind =>
  (value) =>
    values.includes(value as string);
const shaped =
  (shape: Readonly<Record<string, Kind>>): Kind =>
  (value) =>
    object(value) && Object.entries(shape).every(([name, holds]) => holds((value as Record<string, unknown>)[name]));

const status = oneOf('UNKNOWN', 'ALLOWED', 'BLOCKED');
const step = shaped({ status: text, atMs: number });
const services = shaped({
  reporting: flag,
  reviewing: flag,
  protection: flag,
  takedowns: flag,
  detection: flag,
  darkWebMonitoring: flag,
});
const externalReporter = shaped({ displayName: nullOr(text), avatarUrl: nullOr(text), platform: text });

/** What each field of each table is. The compiler holds it to the records; the order is the one tables are written in. */
const shapes: { readonly [Name in TableName]: { readonly [Field in Exclude<keyof Tables[Name], 'id'>]: Kind } } = {
  organizations: {
    slug: text,
    name: text,
    createdAtMs: number,
    contactUrl: nullOr(text),
    discordGuildIds: listOf(text),
    telegramGroupIds: listOf(text),
    services,
    takedownsAutomated: flag,
    obligatoryAdminApproval: flag,
    subscriptionStatus: text,
  },
  users: { fullName: text, email: text, role: text },
  keys: { value: text, organizationIds: listOf(id), userId: nullOr(id) },
  assets: {
    type: text,
    content: text,
    status,
    watchStatus: oneOf('ENABLED', 'DISABLED'),
    livenessStatus: nullOr(oneOf('ALIVE', 'DEAD', 'UNKNOWN')),
    createdAtMs: number,
    updatedAtMs: number,
    blockedAtMs: nullOr(number),
    organizationId: nullOr(id),
  },
  changes: {
    assetId: id,
    from: status,
    to: status,
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
    wanted: status,
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
  scans: { assetId: id, createdAtMs: number, callbackUrl: nullOr(text), reported: flag },
  disputes: { assetId: id, email: text, description: nullOr(text), createdAtMs: number },
  attachments: { fileName: text, type: text, bytes: text, token: text },
  groups: { organizationId: id, name: text },
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
  },
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
    configId: nullOr(id),
    confidence: oneOf('none', 'low', 'medium', 'high'),
    score: number,
    reason: text,
    reportedAtMs: nullOr(number),
    createdAtMs: number,
  },
  takedowns: {
    organizationId: id,
    assetId: id,
    status: text,
    brandId: nullOr(id),
    createdAtMs: number,
    updatedAtMs: number,
    history: listOf(step),
    planned: listOf(step),
    automated: flag,
  },
  lists: { snapshotIds: listOf(id), recentIds: listOf(id), publishedAtMs: number },
  artifacts: { part: oneOf('snapshot', 'recent'), token: text, assetIds: listOf(id) },
};

export const tableNames = Object.keys(shapes) as readonly TableName[];

/** Fields that name a record which must be there: nothing that is named so is ever removed. */
const references: Readonly<Record<string, TableName>> = {
  assetId: 'assets',
  organizationId: 'organizations',
  reportId: 'reports',
  proposalId: 'proposals',
};

/** A snapshot that can be one, as a copy: every record whole, every id of one record alone, everything that is named there. */
export function requireSnapshot(value: unknown): Snapshot {
  const { nextId, random, tables } = Object(value) as Partial<Snapshot>;
  if (!Number.isSafeInteger(nextId)) refuse('nextId is no whole number');
  if (!(Number.isInteger(random) && random! >= 0 && random! < 2 ** 32)) refuse('random is no whole number of 32 bits');
  if (!object(tables)) refuse('it has no tables');
  const owners = new Map<unknown, string>();
  for (const [name, rows] of Object.entries(tables as Record<string, unknown>)) {
    if (!Object.hasOwn(shapes, name)) refuse(`there is no table ${name}`);
    if (!Array.isArray(rows)) refuse(`${name} is no list`);
    const isRecord = shaped({ id, ...shapes[name as TableName] });
    for (const [at, row] of (rows as { id: number }[]).entries()) {
      if (!isRecord(row)) refuse(`${name}[${at}] is no record`);
      if (row.id >= nextId! || owners.has(row.id)) refuse(`${name}[${at}] has an id that is not its own`);
      owners.set(row.id, name);
    }
  }
  if (!tables!.keys?.length) refuse('it has no key');
  for (const [name, rows] of Object.entries(tables!)) {
    for (const [field, table] of Object.entries(references)) {
      if (!Object.hasOwn(shapes[name as TableName], field)) continue;
      const stray = (rows as unknown as Record<string, number | null>[]).findIndex(
        (row) => row[field] !== null && owners.get(row[field]) !== table,
      );
      if (stray >= 0) refuse(`the ${field} of ${name}[${stray}] leads nowhere`);
    }
  }
  // Copied before anything is lost, because what is no data cannot be.
  try {
    return structuredClone({ nextId, random, tables }) as Snapshot;
  } catch {
    return refuse('there is more in it than data');
  }
}

function refuse(what: string): never {
  throw new PortcullisError('INVALID_INPUT', `this is no snapshot of a service: ${what}`);
}
