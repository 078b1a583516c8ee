import type { Assets } from '../../core/algorithms/create-assets.js';
import type { SignalLike } from '../../core/errors.js';
import type { Blocklist, SyncResult } from '../model/blocklist-interface.js';
import type { CheckOptions, Parts, Settings } from '../model/blocklist-options.js';
import type { CheckInput } from '../model/question.js';
import type { Verdict } from '../model/verdict.js';
import type { Ask } from './ask.js';
import type { Checker } from './checker.js';
import type { List } from './kept-list.js';
import type { KeptOverrides } from './kept-overrides.js';
import type { Session } from './session.js';

/** What the functions that take a blocklist need of it. They are not methods, so that a bundle has only those that an app imports. */
export interface Internals {
  readonly parts: Parts;
  readonly settings: Settings;
  readonly lists: readonly List[];
  readonly checker: Checker<List>;
  readonly session: Session;
  readonly overrides: KeptOverrides;
  checkWith(ask: Ask, inputs: Iterable<CheckInput>, options: CheckOptions): Promise<Verdict[]>;
  /** Runs a round of some lists, which the app asked for. */
  syncSome(some: readonly List[], signal?: SignalLike): Promise<SyncResult>;
}

const all = /* @__PURE__ */ new WeakMap<Blocklist, Internals>();
const readers = /* @__PURE__ */ new WeakMap<object, Assets>();

export function withInternals(blocklist: Blocklist, internals: Internals): Blocklist {
  all.set(blocklist, internals);
  return rememberAssets(blocklist, internals.parts.assets);
}

/** Remembers what a blocklist, of this thread or of another, reads its inputs with. */
export function rememberAssets<Any extends object>(blocklist: Any, assets: Assets): Any {
  readers.set(blocklist, assets);
  return blocklist;
}

export function knownAssets(blocklist: object): Assets | undefined {
  return readers.get(blocklist);
}

/** @throws TypeError */
export function internalsOf(blocklist: Blocklist): Internals {
  const internals = all.get(blocklist);
  if (internals === undefined)
    throw new TypeError('the first argument must be a blocklist made by createBlocklist or createCoreBlocklist');
  return internals;
}
