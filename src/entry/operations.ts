/**
 * The table of the service's operations: schemas, how certain each part is, the OpenAPI document.
 *
 * @packageDocumentation
 */
export { account } from '../api/operations/account.js';
export { allOperations, type FullOperation, type OperationName, type Provenance } from '../api/operations/all-operations.js';
export { assets } from '../api/operations/assets.js';
export { attachments, maxUploadBytes, maxUploadFiles, type UploadSource } from '../api/operations/attachments.js';
export { blocklist } from '../api/operations/blocklist.js';
export { deprecated } from '../api/operations/deprecated.js';
export { detections } from '../api/operations/detections.js';
export { disputes } from '../api/operations/disputes.js';
export { healthchecks } from '../api/operations/healthchecks.js';
export { metrics } from '../api/operations/metrics.js';
export { inputSchemaOf, type JsonSchema, openApi } from '../api/operations/openapi.js';
export type { Mark, Method, Operation, Paging, Route, SlugKey } from '../api/operations/operation.js';
export { type OperationGroups, operationGroups } from '../api/operations/operation-groups.js';
export { organization } from '../api/operations/organization.js';
export { queues } from '../api/operations/queues.js';
export { reports } from '../api/operations/reports.js';
export { takedowns } from '../api/operations/takedowns.js';
export { webhooks } from '../api/operations/webhooks.js';
