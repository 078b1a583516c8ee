import type { Client } from '../client/web.js';
import { PortcullisError } from '../errors.js';

/** What the buttons of the page do. They reject with why not. */
export interface PlaygroundActions {
  block(content: string): Promise<void>;
  allow(content: string): Promise<void>;
}

export interface ServiceActionsOptions {
  /** With a key that may report, review and unblock; the page never sees it. */
  readonly client: Pick<Client, 'assets' | 'reports'>;
  /** Makes a new snapshot: an unblock leaves the list with the next one only. */
  readonly publish: () => Promise<unknown>;
}

/** Reports looked through for the one just made, while others report too. */
const reportsPerPage = 20;

/** The way an organization goes: a block is a report that is approved, which is in the recent feed at once. */
export function serviceActions({ client, publish }: ServiceActionsOptions): PlaygroundActions {
  return {
    async block(content) {
      const { id } = await client.reports.create({ assets: [{ content }], title: 'Blocked in the playground' });
      const { reports } = await client.reports.list({ limit: reportsPerPage });
      const proposal = reports.find((report) => report.id === id)?.proposals?.[0];
      if (proposal === undefined) throw new PortcullisError('CONFLICT', 'the report is not among the latest ones any more');
      const decided = { proposalId: proposal.id, assetId: proposal.asset.id } as const;
      await client.reports.proposalsReview({ ...decided, decision: 'APPROVE', label: 'General Phishing' });
    },
    async allow(content) {
      await client.assets.unblock({ content });
      await publish();
    },
  };
}
