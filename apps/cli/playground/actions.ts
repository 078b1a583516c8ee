import { expressionsOf, PortcullisError } from 'portcullis';
import type { Client } from 'portcullis/client';
import { fullHashOf, prefixDigits } from '../../shared/full-hash.js';

/** The actions behind the page's buttons. Each rejects with the reason for the user, even if the change will reach no list. */
export interface PlaygroundActions {
  block(content: string): Promise<void>;
  allow(content: string): Promise<void>;
}

export interface ServiceActionsOptions {
  /** With a key that may report, review and unblock; the page never sees it. */
  readonly client: Pick<Client, 'assets' | 'blocklist' | 'reports'>;
  /** Publishes a new snapshot, because only that removes an unblocked asset from the list. */
  readonly publish: () => Promise<unknown>;
}

/** Other clients may report at the same time, so the new report need not be the first one. */
const reportsPerPage = 20;

/** Blocks as an organization does, by a report that it then approves; this reaches the recent feed at once. */
export function serviceActions({ client, publish }: ServiceActionsOptions): PlaygroundActions {
  return {
    async block(content) {
      const { id } = await client.reports.create({ assets: [{ content }], title: 'Blocked in the playground' });
      const { reports } = await client.reports.list({ limit: reportsPerPage });
      const proposal = reports.find((report) => report.id === id)?.proposals?.[0];
      if (proposal === undefined) {
        throw new PortcullisError('CONFLICT', `the new report is not among the latest ${reportsPerPage}; try again`);
      }
      const decided = { proposalId: proposal.id, assetId: proposal.asset.id } as const;
      await client.reports.proposalsReview({ ...decided, decision: 'APPROVE', label: 'General Phishing' });
      // The service also blocks public suffixes and shared hosts, and leaves them out of its list.
      if (!(await isListed(client, content))) {
        const message =
          'The service blocks it but does not list it: other people have pages on that host, or its type has no list rule.';
        throw new PortcullisError('CONFLICT', message, { status: 409 });
      }
    },
    async allow(content) {
      await client.assets.unblock({ content });
      await publish();
    },
  };
}

/** Asks for full hashes, which the service has before the next list is published. */
async function isListed({ blocklist }: Pick<Client, 'blocklist'>, content: string): Promise<boolean> {
  const wanted = expressionsOf(content).map(fullHashOf);
  const { algoVersion } = await blocklist.version({});
  const answer: unknown = await blocklist.confirm({ algoVersion, prefixes: wanted.map((hash) => hash.slice(0, prefixDigits)) });
  const { hashes } = Object(answer) as { hashes?: Readonly<Record<string, readonly string[]>> };
  return wanted.some((hash) => hashes?.[hash.slice(0, prefixDigits)]?.includes(hash));
}
