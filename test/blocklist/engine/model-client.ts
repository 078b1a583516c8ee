import type { CalibrationResult } from '../../../src/blocklist/model/generation.js';
import { dayMs, hourMs, minuteMs } from './harness.js';
import { forgotten, garbleIn, meet, probes, type World } from './model-world.js';

/**
 * A model of a client, as design §3, §7 and §8 describe it, in maps and sets, without hashes, stores or promises. It was written
 * from them and from the comments of the public types, not from the code.
 */

export const pollMs = 5 * minuteMs;

type Word = 'listed' | 'removed' | 'allowed';

/** A list as a client holds it. */
export interface Held {
  algoVersion: string;
  snapshotToken: string;
  recentToken: string | null;
  snapshot: readonly string[];
  /** Everything that any feed listed under this snapshot. */
  recents: readonly string[];
  /** The latest statement of a feed about an expression. */
  words: ReadonlyMap<string, Word>;
  snapshotAtMs: number;
  currentAtMs: number;
  calibration: CalibrationResult;
}

/** An answer about one expression. */
interface Remembered {
  readonly isListed: boolean;
  readonly atMs: number;
  /** Time until which the answer counts without asking again. */
  readonly untilMs: number;
}

/** An answer as it is stored; one that is not listed replaces an earlier one that was. */
interface Stored {
  readonly isListed: boolean;
  readonly atMs: number;
}

/** After failed questions the source is not asked for a while. */
interface Pause {
  readonly failures: number;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly reason: 'offline' | 'bad-answer';
}

interface Retry {
  readonly failures: number;
  readonly atMs: number;
  readonly dueAtMs: number;
  readonly heldUntilMs: number;
  readonly failedAtMs?: number;
}

interface Suspicion {
  readonly of: string;
  readonly isEmpty: boolean;
  readonly firstAtMs: number;
  readonly rounds: number;
}

interface Overridden {
  readonly action: 'allow' | 'block';
  readonly untilMs: number;
}

/** The state that outlives a client. */
export interface Kept {
  isFull: boolean;
  list: Held | null;
  positives: ReadonlyMap<string, Stored>;
  memo: { retry: Retry; suspicion: Suspicion | null };
  overrides: ReadonlyMap<string, Overridden>;
}

const noPause: Pause = { failures: 0, fromMs: 0, untilMs: 0, reason: 'offline' };

const positiveMs = 5 * minuteMs;

const noRetry: Retry = { failures: 0, atMs: 0, dueAtMs: 0, heldUntilMs: 0 };

export function newKept(): Kept {
  return { isFull: false, list: null, positives: new Map(), memo: { retry: noRetry, suspicion: null }, overrides: new Map() };
}

/** The outcome of a round. */
export type Outcome = 'updated' | 'unchanged' | 'deferred' | 'failed';

class Failed extends Error {
  readonly kind: 'away' | 'busy' | 'wait' | 'list' | 'algorithm';

  constructor(kind: Failed['kind']) {
    super(kind);
    this.kind = kind;
  }
}

export class ModelClient {
  held: Held | null = null;
  retry: Retry = noRetry;
  lastError: 'none' | 'algorithm' | 'other' = 'none';
  overrides: ReadonlyMap<string, Overridden> = new Map();
  private suspicion: Suspicion | null = null;
  /** A snapshot whose round failed later. */
  private spare: World | null = null;
  pause: Pause = noPause;
  /** What this client has learned. */
  private readonly mine = new Map<string, Stored>();
  private readonly cache = new Map<string, Remembered>();
  private readonly world: World;
  private readonly kept: Kept;
  private readonly isWhole: boolean;
  /** Other clients of the same store. */
  peers: readonly ModelClient[] = [];

  constructor(world: World, kept: Kept, isWhole: boolean, nowMs: number) {
    this.world = world;
    this.kept = kept;
    this.isWhole = isWhole;
    this.held = kept.list === null ? null : { ...kept.list };
    // Nothing of an earlier success holds back the round of a client that has lost its list.
    this.retry = this.held === null && kept.memo.retry.failures === 0 ? noRetry : kept.memo.retry;
    this.suspicion = kept.memo.suspicion;
    this.overrides = kept.overrides;
    this.recall(nowMs);
    // Stored, or each start would take it for new.
    if (this.correctTimes(nowMs)) this.keepList();
  }

  /** A clock that was set back makes no list younger. The age of one with a future time is unknown, so it counts as new now, once. */
  private correctTimes(nowMs: number): boolean {
    if (this.held === null) return false;
    const { failedAtMs = 0 } = this.retry;
    const latestMs = Math.max(this.held.currentAtMs, failedAtMs);
    if (latestMs <= nowMs) return false;
    this.held.currentAtMs = nowMs - (latestMs - this.held.currentAtMs);
    this.retry = { ...this.retry, failedAtMs: Math.min(failedAtMs, nowMs) };
    this.held.snapshotAtMs = Math.min(this.held.snapshotAtMs, nowMs);
    return true;
  }

  /** Status and reason of `test`, or of `check` after it has asked. `failed`: why an expression has no answer. */
  verdict(probe: string, nowMs: number, failed?: ReadonlyMap<string, string>): string {
    const expressions = probes[probe]!;
    for (const expression of expressions) {
      const override = this.overrides.get(expression);
      if (override !== undefined && nowMs < override.untilMs)
        return override.action === 'block' ? 'blocked/override' : 'allowed/override';
    }
    const { held } = this;
    if (held === null) return `unknown/${this.lastError === 'algorithm' ? 'algorithm-unknown' : 'no-list'}`;
    const at = expressions.findIndex((expression) => this.wordOn(expression) === 'allowed');
    const above = expressions.slice(0, at < 0 ? expressions.length : at).filter((one) => this.wordOn(one) === 'listed');
    const said = above.map((expression) => this.ofHit(expression, nowMs, failed));
    for (const status of ['blocked', 'unconfirmed']) {
      const found = said.find((one) => one.startsWith(status));
      if (found !== undefined) return found;
    }
    if (at >= 0) return 'allowed/source-allows';
    if (this.ageMs(nowMs) > dayMs) return 'unknown/list-stale';
    if (held.calibration.outcome === 'failed') return 'unknown/algorithm-mismatch';
    return said.length > 0 ? 'clear/disproved' : 'clear/not-listed';
  }

  /** A clock that was set back after a failed round makes the list no younger. */
  ageMs(nowMs: number): number {
    return Math.max(0, Math.max(nowMs, this.retry.failedAtMs ?? 0) - this.held!.currentAtMs);
  }

  /** What the held list says about an expression. Four bytes from a feed cannot be removed, so the source is asked about them. */
  wordOn(expression: string): Word | 'nothing' {
    const { words, recents, snapshot } = this.held!;
    const word = words.get(expression);
    if (word === 'removed' && !this.isWhole && recents.includes(expression)) return 'listed';
    return word ?? (snapshot.includes(expression) ? 'listed' : 'nothing');
  }

  private ofHit(expression: string, nowMs: number, failed?: ReadonlyMap<string, string>): string {
    if (this.isWhole) return 'blocked/listed';
    const known = this.cache.get(expression);
    const isFresh = known !== undefined && known.atMs <= nowMs && nowMs < known.untilMs;
    if (isFresh) return known.isListed ? 'blocked/confirmed' : 'clear/disproved';
    if (known?.isListed && nowMs < known.atMs + 7 * dayMs) return 'blocked/confirmed-earlier';
    return `unconfirmed/${failed?.get(expression) ?? 'not-asked'}`;
  }

  /** The verdicts of `checkMany`. One request asks about all that is undecided, and about what was confirmed earlier, for later checks. */
  check(some: readonly string[], nowMs: number): string[] {
    const before = new Map(some.map((probe) => [probe, this.verdict(probe, nowMs)]));
    const asks = some.filter((probe) => /^unconfirmed|-earlier$/.test(before.get(probe)!));
    const expressions = new Set(asks.flatMap((probe) => probes[probe]!));
    const wanted = [...expressions].filter((one) => this.wordOn(one) === 'listed' && !this.isSettled(one, nowMs));
    const failed = new Map<string, string>();
    if (wanted.length > 0) this.ask(wanted, nowMs, failed);
    return some.map((probe) => {
      const first = before.get(probe)!;
      return first.startsWith('unconfirmed') ? this.verdict(probe, nowMs, failed) : first;
    });
  }

  /** Whether the source is not asked. A pause ends if the clock is set back. */
  isPaused(nowMs: number): boolean {
    return this.pause.fromMs <= nowMs && nowMs < this.pause.untilMs;
  }

  private ask(wanted: readonly string[], nowMs: number, failed: Map<string, string>): void {
    const fail = (): void => {
      for (const expression of wanted) failed.set(expression, this.pause.reason);
    };
    if (this.isPaused(nowMs)) {
      fail();
      return;
    }
    const kind = meet(this.world, 'confirm');
    const garble = kind === null ? garbleIn(this.world) : null;
    if (kind !== null || (garble !== null && garble !== 'half')) {
      const failures = this.pause.failures + 1;
      const ms = Math.max(Math.min(1_000 * 2 ** (failures - 1), minuteMs), kind === 'wait' ? 15 * minuteMs : 0);
      this.pause = { failures, fromMs: nowMs, untilMs: nowMs + ms, reason: kind === null ? 'bad-answer' : 'offline' };
      fail();
      return;
    }
    this.pause = noPause;
    const leftOut = garble === 'half' && wanted.length > 1 ? wanted.filter((one) => one === forgotten) : [];
    let isStored = false;
    for (const expression of wanted) {
      if (leftOut.includes(expression)) continue;
      const isListed = this.world.blocked.includes(expression);
      const wasListed = this.cache.get(expression)?.isListed === true;
      this.cache.set(expression, { isListed, atMs: nowMs, untilMs: nowMs + (isListed ? positiveMs : 30 * minuteMs) });
      if (!isListed && !wasListed) continue;
      this.mine.set(expression, { isListed, atMs: nowMs });
      isStored = true;
    }
    if (isStored) this.keepPositives(nowMs);
    if (leftOut.length > 0) this.ask(leftOut, nowMs, failed);
  }

  private isSettled(expression: string, nowMs: number): boolean {
    return /^blocked\/confirmed$|^clear/.test(this.ofHit(expression, nowMs));
  }

  /** Of two writers, the one that learned it later is right, unless its clock was ahead. */
  private keepPositives(nowMs: number): void {
    this.recall(nowMs);
    const next = new Map<string, Stored>();
    for (const [expression, { isListed, atMs }] of this.kept.positives) {
      next.set(expression, { isListed, atMs: Math.min(atMs, nowMs) });
      const mine = this.mine.get(expression);
      if (mine !== undefined && atMs > mine.atMs && atMs <= nowMs) this.mine.delete(expression);
    }
    for (const [expression, mine] of this.mine) next.set(expression, mine);
    if (!this.kept.isFull) this.kept.positives = next;
  }

  /** Stored positives count as long as they would have without the restart, and then as earlier ones, unless they are too old by then. */
  private recall(nowMs: number): void {
    for (const [expression, { isListed, atMs }] of this.kept.positives) {
      const isLiving = isListed && nowMs < atMs + 7 * dayMs;
      const untilMs = atMs <= nowMs ? atMs + positiveMs : 0;
      if (isLiving && !this.cache.has(expression)) this.cache.set(expression, { isListed, atMs: Math.min(atMs, nowMs), untilMs });
    }
  }

  /** Forgets denials, because a denied entry may be listed now. */
  private doubt(isDoubtful: (expression: string) => boolean): void {
    for (const [expression, { isListed }] of this.cache) if (!isListed && isDoubtful(expression)) this.cache.delete(expression);
  }

  nextSyncAtMs(nowMs: number): number {
    const isBack = this.retry.atMs > nowMs || (this.held?.currentAtMs ?? 0) > nowMs;
    return isBack && !this.isHeld(nowMs) ? nowMs : this.retry.dueAtMs;
  }

  /** The source asked for a pause, and the clock has not gone back since. */
  private isHeld(nowMs: number): boolean {
    return this.retry.atMs <= nowMs && nowMs < this.retry.heldUntilMs;
  }

  sync(nowMs: number): Outcome {
    if (this.isHeld(nowMs)) return 'deferred';
    if (this.correctTimes(nowMs)) this.keepList();
    try {
      const before = this.held;
      const { held, minWaitMs = 0 } = this.round(nowMs);
      this.adopt(held);
      this.keepList();
      const dueAtMs = nowMs + Math.max(pollMs, minWaitMs);
      this.retry = { failures: 0, atMs: nowMs, dueAtMs, heldUntilMs: minWaitMs === 0 ? 0 : nowMs + minWaitMs };
      this.suspicion = null;
      this.lastError = 'none';
      this.keepMemo();
      return held.snapshot === before?.snapshot && held.words === before?.words && held.recentToken === before.recentToken
        ? 'unchanged'
        : 'updated';
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      this.lastError = error.kind === 'algorithm' ? 'algorithm' : 'other';
      const failures = this.retry.failures + 1;
      const waitMs =
        error.kind === 'list' || error.kind === 'algorithm'
          ? pollMs
          : error.kind === 'away'
            ? Math.min(5_000 * 2 ** (failures - 1), 5 * minuteMs)
            : Math.min((this.held === null ? 0.5 : 15) * minuteMs * 1.5 * 2 ** (failures - 1), 2 * hourMs);
      const heldMs = error.kind === 'wait' ? 40 * minuteMs : 0;
      const dueAtMs = nowMs + (heldMs > 0 && this.held === null ? heldMs * 1.1 : Math.max(waitMs, heldMs));
      const failedAtMs = Math.max(this.retry.failedAtMs ?? 0, nowMs);
      this.retry = { failures, atMs: nowMs, dueAtMs, heldUntilMs: heldMs === 0 ? 0 : nowMs + heldMs, failedAtMs };
      this.keepMemo();
      return 'failed';
    }
  }

  /** A poll does nothing before it is due, or if another writer polled less than half an interval ago. */
  syncDue(nowMs: number): Outcome | 'not due' {
    if (this.nextSyncAtMs(nowMs) > nowMs) return 'not due';
    const ageMs = this.held === null ? pollMs : nowMs - this.held.currentAtMs;
    if (this.retry.failures === 0 && this.retry.atMs <= nowMs && ageMs >= 0 && ageMs < pollMs / 2) {
      this.retry = { failures: 0, atMs: nowMs, dueAtMs: nowMs + pollMs, heldUntilMs: 0 };
      this.keepMemo();
      return 'unchanged';
    }
    return this.sync(nowMs);
  }

  private round(nowMs: number): { held: Held; minWaitMs: number | undefined } {
    const { held } = this;
    let version = this.version();
    for (let attempt = 0; attempt < 3; attempt++) {
      const isSame = held !== null && held.algoVersion === version.algoVersion && held.snapshotToken === version.snapshotToken;
      const isWanted = !isSame || nowMs - held.snapshotAtMs >= 7 * dayMs;
      if (!isWanted && held.recentToken === (version.recentToken ?? null)) {
        // A relay may correct its score.
        const calibration = version.found === undefined ? held.calibration : judged(version.found);
        return { held: { ...held, calibration, currentAtMs: nowMs }, minWaitMs: version.minWaitMs };
      }
      if (version.algoVersion === 'nobodys') throw new Failed('algorithm');
      const spare = this.spare;
      const isSpare = spare?.snapshotToken === version.snapshotToken && spare.algoVersion === version.algoVersion;
      const fetched = isWanted ? (isSpare ? spare : this.artifact('snapshot', version)) : null;
      let fed: World | null = null;
      let after = version;
      try {
        if (version.recentToken !== undefined) fed = this.artifact('recent', version);
        // Checksums exclude that the files are of two versions.
        if (fetched?.isProven === false || fed?.isProven === false) after = this.version();
      } catch (error) {
        this.spare = fetched && { ...fetched, snapshotToken: version.snapshotToken, algoVersion: version.algoVersion };
        throw error;
      }
      this.spare = null;
      if (after.snapshotToken !== version.snapshotToken || after.algoVersion !== version.algoVersion) {
        version = after;
        continue;
      }
      if (fetched !== null) this.requireBelievable(fetched, fed, version.snapshotToken, nowMs);
      const snapshot = fetched?.snapshot ?? held!.snapshot;
      const before = isSame
        ? held
        : { recents: [], words: new Map((fetched?.allow ?? []).map((one) => [one, 'allowed'] as const)) };
      const isJudged = isSame && held.calibration.outcome !== 'skipped';
      return {
        held: {
          algoVersion: version.algoVersion,
          snapshotToken: version.snapshotToken,
          recentToken: version.recentToken ?? null,
          snapshot: fetched === null ? held!.snapshot : [...snapshot],
          recents: [...new Set([...before.recents, ...(fed?.recent ?? [])])],
          words: fed === null ? before.words : wordsWith(before.words, fed),
          snapshotAtMs: fetched === null ? held!.snapshotAtMs : nowMs,
          currentAtMs: nowMs,
          calibration: isJudged && version.found === undefined ? held.calibration : judged(version.found),
        },
        minWaitMs: version.minWaitMs,
      };
    }
    throw new Failed('away');
  }

  private version(): World {
    const kind = meet(this.world, 'version');
    if (kind !== null) throw new Failed(kind);
    return { ...this.world };
  }

  private artifact(part: 'snapshot' | 'recent', version: World): World {
    const kind = meet(this.world, part);
    if (kind !== null) throw new Failed(kind);
    const token = part === 'snapshot' ? 'snapshotToken' : 'recentToken';
    if (this.world.isProven && this.world[token] !== version[token]) throw new Failed('away');
    return { ...this.world };
  }

  private requireBelievable({ snapshot, isProven }: World, fed: World | null, token: string, nowMs: number): void {
    const { held } = this;
    if (held === null) return;
    const isHalved = !isProven && held.snapshot.length > 0 && snapshot.length < held.snapshot.length / 2;
    const isEmpty = snapshot.length === 0 && (fed?.recent ?? []).length === 0;
    const isEmptied = isEmpty && held.snapshot.length + held.recents.length > 0;
    if (!isHalved && !isEmptied) return;
    const of = [token, ...[...snapshot].sort()].join();
    const before = this.suspicion !== null && this.suspicion.firstAtMs <= nowMs ? this.suspicion : null;
    const isSame = before?.of === of;
    if (isSame && !isHalved) return;
    // Two empty lists have the same size, whatever their tokens.
    const isAgain = isSame || (before?.isEmpty === true && !isHalved);
    this.suspicion = isAgain
      ? { ...before!, of, isEmpty: snapshot.length === 0, rounds: before!.rounds + 1 }
      : { of, isEmpty: snapshot.length === 0, firstAtMs: nowMs, rounds: 1 };
    if (this.suspicion.rounds < 3 || nowMs - this.suspicion.firstAtMs < hourMs) throw new Failed('list');
  }

  /** A verified event: a blocked asset takes effect at once, as if a feed had listed it. */
  hear(expression: string): void {
    if (this.held === null) return;
    this.adopt({
      ...this.held,
      recents: [...new Set([...this.held.recents, expression])],
      words: new Map(this.held.words).set(expression, 'listed'),
    });
    this.keepList();
  }

  /** Replaces the list that answers. */
  adopt(next: Held): void {
    const before = this.held;
    this.held = next;
    if (before?.snapshot !== next.snapshot || before.algoVersion !== next.algoVersion) this.doubt(() => true);
    else if (before.words !== next.words) this.doubt((expression) => next.recents.includes(expression));
  }

  override(expression: string, change: Overridden | null, nowMs: number): void {
    const next = new Map(this.overrides);
    next.delete(expression);
    if (change !== null) {
      for (const [other, { untilMs }] of next) if (untilMs <= nowMs) next.delete(other);
      next.set(expression, change);
    }
    this.overrides = next;
    if (this.kept.isFull) return;
    this.kept.overrides = next;
    for (const peer of this.peers) peer.overrides = next;
  }

  private keepList(): void {
    if (this.kept.isFull) return;
    this.kept.list = { ...this.held! };
    for (const peer of this.peers) peer.adopt({ ...this.held! });
  }

  private keepMemo(): void {
    if (!this.kept.isFull) this.kept.memo = { retry: this.retry, suspicion: this.suspicion };
  }
}

function judged(found: number | undefined): CalibrationResult {
  if (found === undefined) return { outcome: 'skipped', samples: 0, found: 0 };
  return { outcome: found >= 18 ? 'passed' : 'failed', samples: 20, found };
}

/** The statement of one feed about an expression: allowed, else listed, else removed. */
function wordsWith(before: Held['words'], { recent, remove, allow }: World): Held['words'] {
  const words = new Map(before);
  for (const expression of remove ?? []) words.set(expression, 'removed');
  for (const expression of recent) words.set(expression, 'listed');
  for (const expression of allow ?? []) words.set(expression, 'allowed');
  return words;
}
