import type { ExtensionBrowser, GateRule } from './extension-browser.js';
import { firstPrivateId, type GatePass, passRules } from './gate-passes.js';
import { areSameRules } from './gate-rule.js';
import { type ListedPlace, listedRuleCount, listedRules } from './listed-rules.js';

/** A listed page that got past the gate in a tab, until the tab shows another page than its warning. */
export interface BlockRecord {
  readonly tabId: number;
  readonly url: string;
  /** It was loaded, so it is a step of the tab's history. */
  readonly isCommitted: boolean;
  /** The warning has been shown since it was loaded. */
  readonly isReplaced: boolean;
  /** The page was kept, and an alarm has tried again to replace it. */
  readonly isInsisted?: boolean;
}

/** Session storage holds 10 MB, and 200 warnings with longer links would exceed it. Longer ones are known until the worker ends. */
export const maxStoredLink = 8_192;

/** An origin that is longer has no address in DNS. */
const maxStoredOrigin = 300;

/** The last page that was blocked. */
export interface LastBlock {
  /** Its URL, cut after 8,192 characters. */
  readonly url: string;
  /** The status of its verdict. */
  readonly status: string;
  readonly atMs: number;
}

/** What the worker knows besides the list, until the browser ends. */
export interface GuardState {
  readonly passes: readonly GatePass[];
  readonly listed: readonly ListedPlace[];
  readonly blocks: readonly BlockRecord[];
  /** The generation that open tabs were checked against. */
  readonly generation: number;
  readonly blockedCount: number;
  readonly lastBlock: LastBlock | null;
  /** Rules of the worker for incognito windows, and when they were first seen. */
  readonly privateRules: readonly { readonly id: number; readonly sinceMs: number }[];
}

/** The state, which outlives the worker, and the session rules of its passes and listed places. */
export interface StateKeeper {
  current(): GuardState;
  /** Resolves once all changes that were begun are made. */
  settled(): Promise<void>;
  change(make: (before: GuardState) => Partial<GuardState>): Promise<void>;
  /** The first id of a pass. */
  readonly firstPassId: number;
  /** Removes rules of the worker for incognito windows that are older than this, because it may have ended before its passes. */
  dropPrivate(maxAgeMs: number): Promise<void>;
}

export function keepState(browser: ExtensionBrowser, gateUrl: string, now: () => number): StateKeeper {
  const rules = browser.declarativeNetRequest;
  const isPrivate = browser.extension?.inIncognitoContext === true;
  const stateKey = isPrivate ? 'portcullis-incognito' : 'portcullis';
  const isOurs = ({ id }: { readonly id: number }): boolean => id >= firstPrivateId === isPrivate;
  const firstId = isPrivate ? firstPrivateId : 1;
  let state: GuardState = {
    ...{ passes: [], listed: [], blocks: [], privateRules: [] },
    ...{ generation: -1, blockedCount: 0, lastBlock: null },
  };

  /** Runs one change after another, so that rules and state agree. */
  let last: Promise<void> = restore().catch(() => {});

  /**
   * Passes may have ended meanwhile. Rules without a state, of a worker that was stopped in between, would stay for ever; without the
   * rule of a pass, the gate would send its pages back to itself.
   */
  async function restore(): Promise<void> {
    const [stored, found] = await Promise.all([browser.storage.session.get(stateKey), rules?.getSessionRules() ?? []]);
    const before = { ...state, ...(stored[stateKey] as GuardState | undefined) };
    const ours = found.filter(isOurs) as GateRule[];
    const ids = new Set(ours.map(({ id }) => id));
    const isAlive = (pass: GatePass): boolean =>
      pass.untilMs > now() && (rules === undefined || passRules(pass).every(({ id }) => ids.has(id)));
    state = { ...before, passes: before.passes.filter(isAlive) };
    const isPlace = ({ id }: GateRule): boolean => id < firstId + listedRuleCount;
    const known = new Set(state.passes.flatMap(passRules).map(({ id }) => id));
    const unknown = ours.filter((rule) => !isPlace(rule) && !known.has(rule.id));
    const isSame = areSameRules(ours.filter(isPlace), placesOf(state));
    await replaceRules(isSame ? unknown : [...unknown, ...ours.filter(isPlace)], isSame ? [] : placesOf(state));
  }

  const placesOf = ({ listed }: GuardState): GateRule[] => listedRules(listed, gateUrl, firstId);

  async function replaceRules(removed: readonly GateRule[], addRules: GateRule[]): Promise<void> {
    const removeRuleIds = removed.map(({ id }) => id);
    if (removeRuleIds.length + addRules.length > 0) await rules?.updateSessionRules({ removeRuleIds, addRules });
  }

  async function apply(next: GuardState): Promise<void> {
    const before = state.passes;
    const removed = before.filter((pass) => !next.passes.includes(pass)).flatMap(passRules);
    const added = next.passes.filter((pass) => !before.includes(pass)).flatMap(passRules);
    const isSame = next.listed === state.listed;
    await replaceRules(isSame ? removed : [...removed, ...placesOf(state)], isSame ? added : [...added, ...placesOf(next)]);
    state = next;
    // Not awaited, because a page waits: if it fails, the next worker removes the rules that it does not know.
    browser.storage.session.set({ [stateKey]: storable(next) }).catch(() => {});
  }

  const keeper: StateKeeper = {
    current: () => state,
    settled: () => last,
    firstPassId: firstId + listedRuleCount,
    async dropPrivate(maxAgeMs) {
      if (isPrivate) return;
      const found = (await rules?.getSessionRules())?.filter((rule) => !isOurs(rule)) ?? [];
      if (found.length === 0 && state.privateRules.length === 0) return;
      const sinceOf = new Map(state.privateRules.map(({ id, sinceMs }) => [id, sinceMs]));
      const aged = found.map(({ id }) => ({ id, sinceMs: sinceOf.get(id) ?? now() }));
      const removeRuleIds = aged.flatMap(({ id, sinceMs }) => (now() - sinceMs > maxAgeMs ? [id] : []));
      if (removeRuleIds.length > 0) await rules?.updateSessionRules({ removeRuleIds, addRules: [] });
      await keeper.change(() => ({ privateRules: aged.filter(({ id }) => !removeRuleIds.includes(id)) }));
    },
    change(make) {
      const run = last.then(async () => {
        const change = make(state);
        const isSame = Object.entries(change).every(([key, value]) => state[key as keyof GuardState] === value);
        if (!isSame) await apply({ ...state, ...change });
      });
      last = run.catch(() => {});
      return run;
    },
  };
  return keeper;
}

function storable(state: GuardState): GuardState {
  return {
    ...state,
    passes: state.passes.filter(({ origin }) => origin.length <= maxStoredOrigin),
    blocks: state.blocks.filter(({ url }) => url.length <= maxStoredLink),
  };
}

/** Blocks kept, the latest of each tab: more than anyone has open with a warning. */
const maxBlocks = 200;

/** The blocks with another one for a tab, or with none; the same array if it is the same one. */
export function withBlock(
  blocks: readonly BlockRecord[],
  tabId: number,
  make: (block: BlockRecord | undefined) => BlockRecord | undefined,
): readonly BlockRecord[] {
  const before = blocks.find((block) => block.tabId === tabId);
  const after = make(before);
  if (after === before) return blocks;
  const others = blocks.filter((block) => block.tabId !== tabId);
  return after === undefined ? others : [...others.slice(-(maxBlocks - 1)), after];
}

/** What a tab was passed and warned about, under its new id. A warning that it has under that one is the later one. */
export function withTabId({ passes, blocks }: GuardState, from: number, to: number): Pick<GuardState, 'passes' | 'blocks'> {
  const moved = <Item extends { readonly tabId: number | null }>(items: readonly Item[]): readonly Item[] =>
    items.map((item) => (item.tabId === from ? { ...item, tabId: to } : item));
  const isLater = blocks.some(({ tabId }) => tabId === to);
  return { passes: moved(passes), blocks: isLater ? without(blocks, ({ tabId }) => tabId === from) : moved(blocks) };
}

/** The same array if nothing is removed, so that a change that changes nothing is recognized. */
export function without<Item>(items: readonly Item[], isRemoved: (item: Item) => boolean): readonly Item[] {
  const left = items.filter((item) => !isRemoved(item));
  return left.length === items.length ? items : left;
}
