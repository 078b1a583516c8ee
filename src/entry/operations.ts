/**
 * The table of the service's operations: schemas, how sure each part is, the OpenAPI document.
 *
 * @packageDocumentation
 */
export { account } from '../operations/account.js';
export { allOperations, type FullOperation, type OperationName, type Provenance } from '../operations/all.js';
export { assets } from '../operations/assets.js';
export { attachments, type UploadSource, uploadBytesMax, uploadFilesMax } from '../operations/attachments.js';
export { blocklist } from '../operations/blocklist.js';
export { deprecated } from '../operations/deprecated.js';
export { detections } from '../operations/detections.js';
export { disputes } from '../operations/disputes.js';
export { healthchecks } from '../operations/healthchecks.js';
export { metrics } from '../operations/metrics.js';
export { openApi } from '../operations/openapi.js';
export type { Mark, Method, Operation, Paging, Route, SlugKey } from '../operations/operation.js';
export { operations } from '../operations/operations.js';
export { organization } from '../operations/organization.js';
export { reports } from '../operations/reports.js';
export { table } from '../operations/table.js';
export { takedowns } from '../operations/takedowns.js';
export { webhooks } from '../operations/webhooks.js';
