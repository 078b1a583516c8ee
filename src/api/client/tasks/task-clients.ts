import type { OperationGroups } from '../../operations/operation-groups.js';

/** The groups that the tasks call: a full client has them, and so may a partial one. */
export type HealthcheckGroup = Pick<OperationGroups, 'healthchecks'>;
export type AssetGroup = Pick<OperationGroups, 'assets'>;
export type ReportGroup = Pick<OperationGroups, 'reports'>;
export type UploadGroups = Pick<OperationGroups, 'reports' | 'attachments'>;
