import type { Family } from '../../core/assets/asset.js';
import { cleanText } from '../../core/assets/clean.js';
import { readText } from '../../core/assets/read-text.js';
import { withoutWww } from '../../core/assets/web/host.js';
import { type Link, linksOf } from '../../core/assets/web/link.js';
import { refuse } from '../../core/errors.js';
import { text } from '../../core/options/read-options.js';
import { runNow, type Sliced } from '../../core/slices.js';
import { isCommonSuffix } from './common-suffix.js';
import { isOnPlatform } from './named-account.js';
import { SHARED_HOSTS, sharedHostsOf } from './shared-hosts.js';

/**
 * Everything that must not be listed because it covers a shared host or folder: the entry itself, its parent folders, its host and the
 * parent domains down to two labels.
 *
 * @throws PortcullisError `INVALID_INPUT` for an entry that is neither a host nor a link without a query
 */
export function sharedHostSet(entries: Iterable<string>, path = 'sharedHosts'): ReadonlySet<string> {
  return runNow(coveringSet(entries, path, null));
}

/** Names that must not be listed. A set is one. */
export interface SharedHosts extends Iterable<string> {
  has(name: string): boolean;
}

/**
 * The same for the hosts that are shared without an option. The set takes longer to build than a short list to read, so the first names
 * are compared with all hosts.
 */
export function builtInHostSet(families: readonly Family[]): SharedHosts {
  let left = comparedNames;
  let set: Set<string> | undefined;
  const whole = (): Set<string> => {
    if (set !== undefined) return set;
    set = new Set();
    for (const entry of sharedHostsOf(families)) coverLink(set, hostIn(entry), entry.slice(hostIn(entry).length));
    return set;
  };
  return {
    has(name) {
      if (set !== undefined || left-- <= 0) return whole().has(name);
      return [SHARED_HOSTS, ...families.map((family) => family.sharedHosts?.() ?? [])].some((hosts) => isCovering(name, hosts));
    },
    [Symbol.iterator]: () => whole().values(),
  };
}

/** Comparing a name takes a tenth as long as building the set. */
const comparedNames = 16;

/** Whether listing a name would cover one of these canonical hosts and folders. */
function isCovering(name: string, entries: readonly string[]): boolean {
  const isParent = name.indexOf('/') < 0 && !isCommonSuffix(name);
  const [folder, parent] = [`${name}/`, `.${name}`];
  return entries.some((entry) => entry === name || entry.startsWith(folder) || (isParent && hostIn(entry).endsWith(parent)));
}

function hostIn(entry: string): string {
  const end = entry.indexOf('/');
  return end < 0 ? entry : entry.slice(0, end);
}

/** The same for another option, whose items may also be assets of these families. */
export function* coveringSet(
  entries: Iterable<string>,
  path: string,
  families: readonly Family[] | null,
): Sliced<ReadonlySet<string>> {
  const set = new Set<string>();
  let count = 0;
  for (const entry of entries) {
    if (++count % coveredPerSlice === 0) yield;
    text()(entry, `${path}[${count - 1}]`);
    const link = linkIn(entry);
    const typed = families === null ? [] : readText(entry, {}, families).typed;
    const other = link === undefined ? typed[0] : typed.find(isOnPlatform);
    if (other !== undefined) set.add(other.canonical);
    if (other !== undefined && (link === undefined || link.query !== '')) continue;
    if (link === undefined || link.query !== '') refuse(`${path}[${count - 1}] must be a host or a folder on a host`);
    coverLink(set, link.host, link.path);
  }
  return set;
}

function coverLink(set: Set<string>, host: string, path: string): void {
  const site = withoutWww(host);
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) set.add(site + path.slice(0, end));
  set.add(site);
  for (let dot = site.indexOf('.'); dot >= 0; dot = site.indexOf('.', dot + 1)) {
    const parent = site.slice(dot + 1);
    if (!set.has(parent) && !isCommonSuffix(parent)) set.add(parent);
  }
}

function linkIn(entry: string): Pick<Link, 'host' | 'path' | 'query'> | undefined {
  const links = linksOf(cleanText(entry).link);
  return typeof links === 'string' ? undefined : links[0];
}

/** A few milliseconds of reading. */
const coveredPerSlice = 1_000;
