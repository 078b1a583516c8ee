import type { HandlerCall } from '../handlers/handler-context.js';
import { iso } from '../handlers/handler-context.js';
import type { AssetRecord, Organization, ProposalRecord } from '../state/state-tables.js';
import { addDelivery } from './delivery-log.js';

/** Plans a delivery to each webhook of the organization that subscribed to the event. */
export function announce(call: HandlerCall, organizationId: number, event: string, data: object): void {
  const { state, clock } = call;
  const nowMs = clock.now();
  const body = JSON.stringify({ type: event, created_at: iso(nowMs), data });
  for (const webhook of state.all('webhooks')) {
    if (webhook.organizationId !== organizationId || !webhook.events.includes(event)) continue;
    addDelivery(state, { webhookId: webhook.id, event, body, status: 'PENDING', attempts: [], dueMs: nowMs });
  }
}

/** All organizations share the assets, so all are notified of a status change. */
export function announceStatus(call: HandlerCall, { id, type, content, status }: AssetRecord): void {
  for (const organization of call.state.all('organizations')) {
    announce(call, organization.id, 'asset.status-updated', { asset_id: id, type, content, status });
  }
}

export function announceEscalation(
  call: HandlerCall,
  asset: AssetRecord,
  proposal: ProposalRecord,
  organization: Organization,
): void {
  announce(call, organization.id, 'asset.status-escalated', {
    asset_id: asset.id,
    content: asset.content,
    // Lower case, as in the published sample.
    type: asset.type.toLowerCase(),
    status: asset.status,
    proposal_id: proposal.id,
    organization_id: organization.id,
  });
}
