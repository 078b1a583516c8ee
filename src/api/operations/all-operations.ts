import { operationSummaries } from '../../made/operation-summaries.js';
import { aboutAccount } from './account.js';
import { aboutAssets } from './assets.js';
import { aboutAttachments } from './attachments.js';
import { aboutBlocklist } from './blocklist.js';
import { aboutDeprecated } from './deprecated.js';
import { aboutDetections } from './detections.js';
import { aboutDisputes } from './disputes.js';
import { aboutHealthchecks } from './healthchecks.js';
import { made } from './kinds.js';
import { aboutMetrics } from './metrics.js';
import type { About, AboutColumns, Effect, Mark, Operation, WriteColumns } from './operation.js';
import { type OperationGroups, operationGroups, type RowsOf } from './operation-groups.js';
import { aboutOrganization } from './organization.js';
import { aboutQueues } from './queues.js';
import { aboutReports } from './reports.js';
import { aboutTakedowns } from './takedowns.js';
import { aboutWebhooks } from './webhooks.js';

/** The source of each part of an operation. */
export interface Provenance {
  readonly name: Mark;
  /** Method and path. */
  readonly route: Mark;
  /** `null` if it takes no input. */
  readonly input: Mark | null;
  readonly output: Mark;
}

/** The id of every operation. */
export type OperationName = RowsOf<OperationGroups>['name'];

/** A row with all its columns. */
export interface FullOperation extends Operation<OperationName>, AboutColumns {
  /** The name of its group. */
  readonly group: string;
  /** The key in its group: `client.<group>.<verb>`. */
  readonly verb: string;
  /** The name of the tool: `asset_check`. */
  readonly tool: string;
  readonly summary: string;
  /** What it changes; `null` if it only reads. */
  readonly effect: Effect | null;
  /** Cannot be undone through the API. */
  readonly destructive: boolean;
  readonly provenance: Provenance;
}

const about = {
  assets: aboutAssets,
  blocklist: aboutBlocklist,
  reports: aboutReports,
  attachments: aboutAttachments,
  disputes: aboutDisputes,
  webhooks: aboutWebhooks,
  organization: aboutOrganization,
  detections: aboutDetections,
  takedowns: aboutTakedowns,
  metrics: aboutMetrics,
  account: aboutAccount,
  queues: aboutQueues,
  healthchecks: aboutHealthchecks,
  deprecated: aboutDeprecated,
} satisfies { [Group in keyof OperationGroups]: About<OperationGroups[Group]> };

/** Every operation with all columns, in the order of the table. */
export const allOperations: readonly FullOperation[] = /* @__PURE__ */ made(() =>
  Object.entries(operationGroups).flatMap(([group, rows]) =>
    Object.entries(rows as Record<string, Operation<OperationName>>).map(([verb, row], at): FullOperation => {
      const [marks, columns = {}] = (about[group as keyof typeof about] as About<Record<string, Operation>>)[verb]!;
      const [kind, sentence] = (columns as Partial<WriteColumns>).effect ?? [];
      const [name, route, input, output] = marks.split(' ') as [Mark, Mark, Mark | '-', Mark];
      const tool = row.name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return {
        ...row,
        group,
        verb,
        tool,
        summary: operationSummaries[group]![at]!,
        provenance: { name, route, input: input === '-' ? null : input, output },
        scoped: row.slugAs === null ? 'none' : 'org',
        unknownSlug: 404,
        statuses: [],
        ...columns,
        effect: kind === undefined ? null : { kind, sentence: sentence! },
        destructive: kind === 'ends',
      };
    }),
  ),
);
