import { PortcullisError } from '../../../core/errors.js';
import type { Snapshot, TableName, Tables } from './state-tables.js';

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
const services = shaped({
  reporting: flag,
  reviewing: flag,
  protection: flag,
  takedowns: flag,
  detection: flag,
  darkWebMonitoring: flag,
});
const externalReporter = shaped({ displayName: nullOr(text), avatarUrl: nullOr(text), platform: text });

/** The type of each field of each table, checked against the record types by the compiler. Tables are written in this order. */
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
    configId: id,
    confidence: oneOf('low', 'medium', 'high'),
    createdAtMs: number,
  },
  takedowns: {
    organizationId: id,
    assetId: id,
    brandId: nullOr(id),
    automated: flag,
    createdAtMs: number,
    releasedAtMs: nullOr(number),
  },
  lists: { snapshotIds: listOf(id), recentIds: listOf(id), publishedAtMs: number },
  artifacts: { part: oneOf('snapshot', 'recent'), token: text, assetIds: listOf(id) },
};

export const tableNames = Object.keys(shapes) as readonly TableName[];

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
    if (!Object.hasOwn(shapes, name)) refuse(`unknown table ${name}`);
    if (!Array.isArray(rows)) refuse(`${name} must be an array`);
    const isRecord = shaped({ id, ...shapes[name as TableName] });
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
      if (!Object.hasOwn(shapes[name as TableName], field)) continue;
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
