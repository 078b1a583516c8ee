import { allFamilies } from 'portcullis/core';
import { sharedHostsOf } from 'portcullis/sources';
import type { CommandCall } from '../command.js';
import { UsageError } from '../errors/usage.js';

/**
 * The shared hosts that must not be listed as a whole: all but those in `--allow-shared`, and what is on or below them, because listing a
 * host covers that too. `undefined` for all.
 *
 * @throws UsageError for a host that is not shared, which may be a typing error
 */
export function sharedHostsFor({ options }: Pick<CommandCall, 'options'>): readonly string[] | undefined {
  const allowed = options.all('allow-shared').map((text) => text.toLowerCase().replace(/^(https?:\/\/)?(www\.)?|\/+$/g, ''));
  if (allowed.length === 0) return undefined;
  const shared = sharedHostsOf(allFamilies);
  for (const one of allowed) {
    if (!shared.some((entry) => covers(one, entry))) {
      throw new UsageError(`--allow-shared: ${one} is not a shared host, so it needs no permission`, 'leave the option out');
    }
  }
  return shared.filter((entry) => !allowed.some((one) => covers(one, entry)));
}

/** Whether listing a host or folder would cover another. */
function covers(listed: string, other: string): boolean {
  const [host = ''] = other.split('/', 1);
  return listed === other || other.startsWith(`${listed}/`) || host === listed || host.endsWith(`.${listed}`);
}

/** The public suffixes without the shared hosts among them (`github.io`) that are allowed. */
export function suffixesFor(
  call: Pick<CommandCall, 'options'>,
  isPublicSuffix: (host: string) => boolean,
): (host: string) => boolean {
  const kept = sharedHostsFor(call);
  if (kept === undefined) return isPublicSuffix;
  const stays = new Set(kept);
  const lifted = new Set(sharedHostsOf(allFamilies).filter((entry) => !stays.has(entry)));
  return (host) => !lifted.has(host) && isPublicSuffix(host);
}
