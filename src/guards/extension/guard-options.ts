import type { LightBlocklist } from '../../blocklist/light/light-options.js';
import {
  clock,
  type Filled,
  having,
  type Kind,
  type KindsOf,
  number,
  oneOf,
  optional,
  text,
  that,
} from '../../core/options/read-options.js';
import type { ExtensionBrowser } from './extension-browser.js';
import type { GateScope } from './gate-redirect.js';
import type { LastBlock } from './guard-state.js';

/**
 * `gate`: a listed page receives no request. `replace`: pages load as usual, and the warning replaces a listed one. `observe`: listed
 * pages are counted and stay open.
 */
export type GuardMode = 'gate' | 'replace' | 'observe';

/** The part of a blocklist that the guard uses. */
export type GuardedBlocklist = Pick<LightBlocklist, 'ready' | 'check' | 'test' | 'sync' | 'on'>;

/** What can change while the guard runs. A promise fits, because settings are read asynchronously and listeners must not wait. */
export interface GuardSettings {
  /** The list to check against. The guard makes it ready and polls it with an alarm, so create it with `pollMs: 0`. */
  readonly blocklist: GuardedBlocklist | Promise<GuardedBlocklist>;
  /** What happens to listed pages. @default 'gate' */
  readonly mode?: GuardMode | Promise<GuardMode> | undefined;
}

/** Options of `createExtensionGuard`. Times are in milliseconds. */
export interface ExtensionGuardOptions extends GuardSettings {
  /** `chrome`. */
  readonly browser: ExtensionBrowser;
  /** The worker's `self`. @default globalThis */
  readonly scope?: GateScope | undefined;
  /** Path of the page that calls `startGatePage`. @default 'gate.html' */
  readonly gatePage?: string | undefined;
  /** How long a clean origin skips the gate. It ends as soon as the list has the origin. @default 1_800_000 */
  readonly skipMs?: number | undefined;
  /** How long "open once" lasts, for that origin in that tab, and for the HTTPS one of an HTTP origin. @default 300_000 */
  readonly onceMs?: number | undefined;
  /** How long a page waits for the stored list when the worker starts, before the policy for `loading` decides. @default 5_000 */
  readonly loadWaitMs?: number | undefined;
  /** Current epoch time. @default Date.now */
  readonly now?: (() => number) | undefined;
}

/** What the guard has done since the browser started. */
export interface GuardStatus {
  readonly mode: GuardMode;
  /** Warnings, or listed pages that were only observed. */
  readonly blockedCount: number;
  /** Pages in incognito windows are left out. */
  readonly lastBlock: LastBlock | null;
  /** The browser refused the rule of the gate, so listed pages are only replaced once they load. The guard tries again each minute. */
  readonly isGateRefused: boolean;
}

/** Blocks listed pages in an extension. */
export interface ExtensionGuard {
  /** Resolves once the gate is in place and open tabs are checked. */
  ready(): Promise<void>;
  /** What the guard has done. */
  status(): Promise<GuardStatus>;
  /** Takes other settings. Close the previous blocklist afterwards. */
  update(settings: GuardSettings): Promise<void>;
}

export const guardMode: Kind<GuardMode> = (value, path) => oneOf<GuardMode>('gate', 'replace', 'observe')(value, path);

/** A value, or a promise of one, which is checked when it is there. */
const orLater = <Value>(kind: Kind<Value>): Kind<Value | Promise<Value>> => {
  return (value, path) => (value instanceof Promise ? value : kind(value, path));
};

export const settingKinds = (): KindsOf<Filled<GuardSettings, 'mode'>> => ({
  blocklist: orLater(having<GuardedBlocklist>('a blocklist, or a promise of one', 'ready', 'check', 'test', 'sync', 'on')),
  mode: optional(orLater(guardMode)),
});

const dayMs = 86_400_000;

export const guardKinds = (): KindsOf<Filled<ExtensionGuardOptions, 'mode'>> => ({
  ...settingKinds(),
  browser: that('chrome or browser, with runtime and tabs', (value: Partial<ExtensionBrowser> | null) => {
    return typeof value?.runtime === 'object' && typeof value.tabs === 'object';
  }),
  scope: optional(having<GateScope>('self of the worker', 'addEventListener'), globalThis as GateScope),
  gatePage: optional(text(), 'gate.html'),
  skipMs: optional(number(1_000, dayMs), 1_800_000),
  onceMs: optional(number(1_000, dayMs), 300_000),
  loadWaitMs: optional(number(0, 60_000), 5_000),
  now: clock,
});
