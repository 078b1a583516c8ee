export { type AcceptedReport, reportAcceptable } from '../api/client/tasks/report-acceptable.js';
export { type HealthcheckOutcome, runHealthchecks } from '../api/client/tasks/run-healthchecks.js';
export { type ReportWithFiles, uploadAndReport } from '../api/client/tasks/upload-and-report.js';
export { type ScanWaitOptions, waitForScan } from '../api/client/tasks/wait-for-scan.js';
export { watch } from '../api/client/watch.js';
