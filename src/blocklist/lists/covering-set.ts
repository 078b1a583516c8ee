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
import { sharedHostsOf } from './shared-hosts.js';

/**
 * Everything that must not be listed because it covers a shared host or folder: the entry itself, its parent folders, its host and the
 * parent domains down to two labels.
 *
 * @throws PortcullisError `INVALID_INPUT` for an entry that is neither a host nor a link without a query
 */
export function sharedHostSet(entries: Iterable<string>, path = 'sharedHosts'): ReadonlySet<string> {
  return runNow(coveringSet(entries, path, null));
}

/** The same for the hosts that are shared without an option. */
export function builtInHostSet(families: readonly Family[]): ReadonlySet<string> {
  return runNow(coveringSet(sharedHostsOf(families), '', null, partsOf));
}

/** The same for another option, whose items may also be assets of these families. */
export function* coveringSet(
  entries: Iterable<string>,
  path: string,
  families: readonly Family[] | null,
  linkOf: typeof linkIn = linkIn,
): Sliced<ReadonlySet<string>> {
  const set = new Set<string>();
  let count = 0;
  for (const entry of entries) {
    if (++count % coveredPerSlice === 0) yield;
    text()(entry, `${path}[${count - 1}]`);
    const link = linkOf(entry);
    const typed = families === null ? [] : readText(entry, {}, families).typed;
    const other = link === undefined ? typed[0] : typed.find(isOnPlatform);
    if (other !== undefined) set.add(other.canonical);
    if (other !== undefined && (link === undefined || link.query !== '')) continue;
    if (link === undefined || link.query !== '') refuse(`${path}[${count - 1}] must be a host or a folder on a host`);
    const site = withoutWww(link.host);
    for (let end = link.path.length; end > 0; end = link.path.lastIndexOf('/', end - 1)) set.add(site + link.path.slice(0, end));
    set.add(site);
    for (let dot = site.indexOf('.'); dot >= 0; dot = site.indexOf('.', dot + 1)) {
      const parent = site.slice(dot + 1);
      if (!isCommonSuffix(parent)) set.add(parent);
    }
  }
  return set;
}

function linkIn(entry: string): Pick<Link, 'host' | 'path' | 'query'> | undefined {
  const links = linksOf(cleanText(entry).link);
  return typeof links === 'string' ? undefined : links[0];
}

/** The built-in names are canonical, and reading all of them takes a tenth of the start of a command. */
function partsOf(entry: string): Pick<Link, 'host' | 'path' | 'query'> {
  const end = entry.indexOf('/');
  return end < 0 ? { host: entry, path: '', query: '' } : { host: entry.slice(0, end), path: entry.slice(end), query: '' };
}

/** A few milliseconds of reading. */
const coveredPerSlice = 1_000;
