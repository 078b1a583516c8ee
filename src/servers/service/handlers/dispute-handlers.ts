import { Problem } from '../http/problem.js';
import { findAsset } from '../records/asset-records.js';
import type { Handlers } from './handler-context.js';

export const disputeHandlers = {
  disputeCreate(call, { content, email, description }) {
    const { state, clock, key } = call;
    const asset = findAsset(call, content);
    if (asset === undefined) throw new Problem(404, 'The asset is unknown.');
    const user = key.userId === null ? undefined : state.get('users', key.userId);
    const address = email ?? user?.email;
    if (address === undefined || address === '')
      throw new Problem(400, 'email is missing, and the key does not belong to a user with an email address.');
    if (!/^[^\s@]+@[^\s@]+$/.test(address)) throw new Problem(400, 'email is malformed.');
    const again = state
      .all('disputes')
      .some((one) => one.assetId === asset.id && one.email.toLowerCase() === address.toLowerCase());
    if (again) throw new Problem(400, 'There is already a dispute about this asset from this address.');
    const dispute = state.add('disputes', {
      assetId: asset.id,
      email: address,
      description: description ?? null,
      createdAtMs: clock.now(),
    });
    return { id: String(dispute.id), content: asset.content, message: 'The dispute was received.' };
  },
} satisfies Partial<Handlers>;
