import type { Client } from '../../api/client/web-client.js';
import { readConfirm } from '../../blocklist/formats/confirm-answer.js';
import { expressionsOf } from '../../core/algorithms/all-algorithms.js';
import { toHex, u32ToHex } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';
import { prefixOf } from '../../core/hashing/prefix.js';
import { hashOf } from '../../core/hashing/sha256.js';

/** What the buttons of the page do. They reject with why not, also where it was done and no list comes to hold it. */
export interface PlaygroundActions {
  block(content: string): Promise<void>;
  allow(content: string): Promise<void>;
}

export interface ServiceActionsOptions {
  /** With a key that may report, review and unblock; the page never sees it. */
  readonly client: Pick<Client, 'assets' | 'blocklist' | 'reports'>;
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
      // The service blocks a public suffix or a shared host too, and leaves it out of its list.
      if (!(await isListed(client, content))) {
        const why =
          'It is blocked on the service, but no list holds it: others have pages on that host, or its type has no rule.';
        throw new PortcullisError('CONFLICT', why, { status: 409 });
      }
    },
    async allow(content) {
      await client.assets.unblock({ content });
      await publish();
    },
  };
}

/** Whether the service knows a full hash of it: that needs no new list. */
async function isListed({ blocklist }: Pick<Client, 'blocklist'>, content: string): Promise<boolean> {
  const expressions = expressionsOf(content);
  const prefixes = expressions.map(prefixOf);
  const { algoVersion } = await blocklist.version({});
  const confirmed = readConfirm(await blocklist.confirm({ algoVersion, prefixes: prefixes.map(u32ToHex) }), prefixes);
  return expressions.some((expression, at) => {
    const hash = toHex(hashOf(expression));
    return confirmed.get(prefixes[at]!)?.some((known) => toHex(known) === hash);
  });
}
