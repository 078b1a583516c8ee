import type { ExtensionBrowser } from './extension-browser.js';
import type { StateKeeper } from './guard-state.js';
import type { Finding, ListFinder } from './list-finder.js';
import type { RuleKeeper } from './rule-keeper.js';
import type { TabNotes } from './tab-notes.js';
import type { Warnings } from './warnings.js';

/** What the parts of the guard that hear the browser share. */
export interface GuardParts {
  readonly browser: ExtensionBrowser;
  readonly gateUrl: string;
  readonly state: StateKeeper;
  readonly tabs: TabNotes;
  readonly finder: ListFinder;
  readonly rules: RuleKeeper;
  readonly warnings: Warnings;
}

/** What the list says about a link that a tab shows or goes to. In the mode `gate` the browser's rules follow. */
export async function findAndLearn({ state, finder, rules }: GuardParts, url: string): Promise<Finding> {
  const [found, mode] = await Promise.all([finder.find(url), finder.mode(), state.settled()]);
  // A list that cannot be read or asked now does not make clean what it confirmed before.
  const isConfirmed = (found.status === 'unknown' || found.status === 'unconfirmed') && rules.isStopped(url);
  // Without its expression it does not count as confirmed anew.
  const finding: Finding = isConfirmed ? { ...found, status: 'blocked', action: 'block', expression: undefined } : found;
  const learning = mode === 'gate' ? rules.learn(url, finding).catch(() => {}) : undefined;
  // A rule would send a link that opens to the gate again.
  if (finding.action === 'allow') await learning;
  return finding;
}

/** Whether a page that is open is known to be listed. */
export async function isKnownListed(parts: GuardParts, url: string): Promise<boolean> {
  return (await findAndLearn(parts, url)).status === 'blocked';
}
