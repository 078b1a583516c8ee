import { families as familiesIn } from '../../core/algorithms/registry.js';
import type { Family } from '../../core/assets/asset.js';
import { lonePrivateSuffixes, privateSuffixes } from './private-suffix-table.js';
import { globalHosts, regionalHosts } from './shared-host-table.js';

/**
 * Hosts on which anyone can publish a page or get a subdomain, and folders in which anyone can publish. Listing one of them, or a parent
 * of one, would block everyone's pages; its subdomains and pages can be listed. The list is incomplete: pass a longer one if you have it.
 */
export const SHARED_HOSTS: readonly string[] = [
  ...regionalHosts.flatMap(([hosts, regions]) =>
    hosts.split(' ').flatMap((host) => regions.split(' ').map((region) => host.replace('*', region))),
  ),
  ...globalHosts.flatMap((line) => line.split(' ')),
  ...privateSuffixes.flatMap(([end, names]) => names.split(' ').map((name) => `${name}.${end}`)),
  ...lonePrivateSuffixes.split(' '),
];

/** The built-in hosts, and those of the platforms and redirectors that these families read. */
export function sharedHostsOf(families: readonly Family[]): readonly string[] {
  const known = familiesIn()(families, 'sharedHostsOf: families');
  return [...new Set([...SHARED_HOSTS, ...known.flatMap((family) => family.sharedHosts?.() ?? [])])];
}
