import fc from 'fast-check';
import { hashOf, PrefixSet, prefixOf } from 'portcullis';
import { HashSet } from 'portcullis/assets';
import { describe, expect, test } from 'vitest';
import { AgedMap, ConfirmCache, type StoredAnswer } from '../../../src/blocklist/ask/answers.js';
import { decodeAnswers, encodeAnswers, mergedAnswers } from '../../../src/blocklist/ask/stored-answers.js';
import { type Generation, heldIn } from '../../../src/blocklist/model/generation.js';
import { type Override, Overrides } from '../../../src/blocklist/model/override-set.js';
import { type Mark, merge, type SourceFinding, type VerdictStatus, weigh } from '../../../src/blocklist/model/verdict.js';
import { patienceFor } from '../../../src/blocklist/rules/accept-version.js';
import { type Doubt, doubtAgain, readDoubt } from '../../../src/blocklist/rules/doubt.js';
import type { CachedAnswer } from '../../../src/blocklist/rules/judge-hit.js';
import { timesUnder } from '../../../src/blocklist/rules/terms.js';
import { addRecents, type Recents } from '../../../src/blocklist/sync/recents.js';
import { lostEntries } from '../../../src/blocklist/sync/round.js';
import { writeU32 } from '../../../src/core/bytes.js';
import { runNow } from '../../../src/core/slices.js';
import { dayMs, minuteMs } from './harness.js';
import { names } from './model-world.js';

/** Compares each deciding part with a model of plain sets and maps. */

const anyNames = fc.uniqueArray(fc.constantFrom(...names), { maxLength: 5 });
const maybeNames = fc.option(anyNames, { nil: undefined });

describe('recents', () => {
  interface Feed {
    readonly recent: readonly string[];
    readonly remove?: readonly string[] | undefined;
    readonly allow?: readonly string[] | undefined;
  }
  const anyFeed: fc.Arbitrary<Feed> = fc.record({ recent: anyNames, remove: maybeNames, allow: maybeNames });
  const hashes = (of: readonly string[]): HashSet => HashSet.from(of.map((name) => hashOf(name)));
  const setOf = (of: readonly string[], isWhole: boolean): HashSet | PrefixSet =>
    isWhole ? hashes(of) : PrefixSet.from(of.map(prefixOf));

  async function added(feeds: readonly Feed[], isWhole: boolean): Promise<Recents> {
    let recents: Recents = { recent: setOf([], isWhole), removed: null, allowed: null };
    for (const { recent, remove, allow } of feeds) {
      const artifact = {
        entries: setOf(recent, isWhole),
        isProven: false,
        remove: remove && hashes(remove),
        allow: allow && hashes(allow),
      };
      recents = await addRecents(recents, artifact, {});
    }
    return recents;
  }

  const says = { nothing: 'nothing', base: 'listed', recent: 'listed', removed: 'nothing', allowed: 'allowed' } as const;

  test.each([
    ['8', true],
    ['4', false],
  ])('entries of %s bytes: the last feed that mentions an entry decides', async (_, isWhole) => {
    const check = async (snapshot: readonly string[], feeds: readonly Feed[]): Promise<void> => {
      const lists = { base: setOf(snapshot, isWhole), ...(await added(feeds, isWhole)), hot: null };
      for (const name of names) {
        const speaking = feeds.findLast((feed) => [feed.allow, feed.recent, feed.remove].some((said) => said?.includes(name)));
        const isAllowed = speaking?.allow?.includes(name);
        // Four bytes may be another's, so what any feed has listed is asked about until the next snapshot.
        const isListed =
          speaking === undefined
            ? snapshot.includes(name)
            : speaking.recent.includes(name) || (!isWhole && feeds.some(({ recent }) => recent.includes(name)));
        expect(says[heldIn(lists, hashOf(name), prefixOf(name))], name).toBe(
          isAllowed ? 'allowed' : isListed ? 'listed' : 'nothing',
        );
      }
    };
    await fc.assert(fc.asyncProperty(anyNames, fc.array(anyFeed, { maxLength: 6 }), check));
  });

  test.each([
    ['8', true],
    ['4', false],
  ])('entries of %s bytes: feeds that only add entries yield their union in any order', async (_, isWhole) => {
    const check = async (feeds: readonly (readonly string[])[]): Promise<void> => {
      const forward = await added(
        feeds.map((recent) => ({ recent })),
        isWhole,
      );
      const backward = await added(feeds.map((recent) => ({ recent })).reverse(), isWhole);
      expect(forward.recent.toBytes()).toEqual(setOf(feeds.flat(), isWhole).toBytes());
      expect(backward.recent.toBytes()).toEqual(forward.recent.toBytes());
      expect([forward.removed, forward.allowed]).toEqual([null, null]);
    };
    await fc.assert(fc.asyncProperty(fc.array(anyNames, { maxLength: 6 }), check));
  });
});

describe('a shrinking list', () => {
  const all = Array.from({ length: 400 }, (_, at) => prefixOf(`h${at}.example`));
  const others = Array.from({ length: 400 }, (_, at) => prefixOf(`o${at}.example`));
  const held = { base: PrefixSet.from(all), recent: PrefixSet.from([]) } as unknown as Generation;
  interface Round {
    readonly waitMs: number;
    readonly token: string;
    readonly count: number;
    /** Entries of another list among them. */
    readonly foreign: number;
    readonly isProven: boolean;
  }
  const anyRound: fc.Arbitrary<Round> = fc.record({
    waitMs: fc.constantFrom(0, 20 * minuteMs, 30 * minuteMs, 60 * minuteMs, 60 * minuteMs - 1, -minuteMs),
    token: fc.constantFrom('a', 'a', 'a', 'b'),
    count: fc.constantFrom(0, 0, 0, 199, 200, 300, 310, 379, 380, 400),
    foreign: fc.constantFrom(0, 0, 0, 1, 20, 21, 400),
    isProven: fc.constantFrom(false, false, false, false, true),
  });

  test('is accepted if it lost few entries or has a checksum, if it comes twice, or three times over an hour if half is lost', async () => {
    const check = async (rounds: readonly Round[], mayBeEmpty: boolean): Promise<void> => {
      let nowMs = Date.UTC(2026, 0, 1);
      let doubt: Doubt | null = null;
      let offers: { readonly of: string; readonly size: number; readonly atMs: number }[] = [];
      for (const { waitMs, token, count, foreign, isProven } of rounds) {
        nowMs += waitMs;
        const kept = Math.max(0, count - foreign);
        const entries = PrefixSet.from([...all.slice(0, kept), ...others.slice(0, count - kept)]);
        const lost = isProven ? 0 : runNow(lostEntries([held.base, held.recent], entries, undefined, true));
        const patience = patienceFor({ entries, isProven }, null, held, lost, mayBeEmpty);
        const offered = { token, digest: `${count} ${foreign}`, size: count };
        const next: Doubt | null = patience === null ? null : doubtAgain(doubt, offered, patience, nowMs);

        const isHalved = !isProven && count < 200;
        const isShrunk = !isProven && kept < 380;
        const isFree = !isHalved && !isShrunk && (count > 0 || mayBeEmpty);
        const offer = { of: `${token} ${count} ${foreign}`, size: count, atMs: nowMs };
        const last = offers.at(-1);
        const isKnown = last !== undefined && offers[0]!.atMs <= nowMs;
        const isSame = isKnown && last.of === offer.of;
        const isAlike = isKnown && !isHalved && Math.abs(last.size - count) <= 0.05 * Math.min(last.size, count);
        if (!isFree) offers = isSame || isAlike ? [...offers, offer] : [offer];
        const isBelieved = isFree || (isSame && !isHalved) || (offers.length >= 3 && nowMs - offers[0]!.atMs >= 60 * minuteMs);
        expect(next === null).toBe(isBelieved);
        // An accepted list replaces the held one.
        if (isBelieved) return;
        // A worker that restarts keeps only what is stored.
        doubt = readDoubt(JSON.parse(JSON.stringify(next)));
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(anyRound, { maxLength: 8 }), fc.boolean(), check));
  });
});

describe('findings of several sources', () => {
  const statuses: readonly VerdictStatus[] = ['blocked', 'unconfirmed', 'allowed', 'unknown', 'clear'];
  const anyFinding: fc.Arbitrary<SourceFinding> = fc
    .record({
      status: fc.constantFrom(...statuses),
      ageMs: fc.nat({ max: 5 }),
      source: fc.constantFrom('a', 'b', 'c'),
      wasAsked: fc.boolean(),
    })
    .map(({ wasAsked, ...finding }) => ({
      ...finding,
      reason: finding.status === 'clear' && wasAsked ? 'disproved' : 'not-listed',
    }));
  const someFindings = fc.array(anyFinding, { minLength: 1, maxLength: 6 });

  test('a block wins, and clear needs the agreement of all sources', () => {
    fc.assert(
      fc.property(someFindings, (findings) => {
        const said = findings.map(({ status }) => status);
        const { status } = merge(findings);
        expect(status === 'blocked').toBe(said.includes('blocked'));
        expect(status === 'unconfirmed').toBe(said.includes('unconfirmed') && !said.includes('blocked'));
        expect(status === 'clear').toBe(said.every((one) => one === 'clear'));
        // An allow entry of one source does not cover an unconfirmed hit of another.
        if (status === 'allowed') expect(said.some((one) => one === 'blocked' || one === 'unconfirmed')).toBe(false);
      }),
    );
  });

  test('do not depend on the order, and clear has the age of the oldest list', () => {
    fc.assert(
      fc.property(
        someFindings.chain((findings) =>
          fc.tuple(fc.constant(findings), fc.shuffledSubarray(findings, { minLength: findings.length })),
        ),
        ([findings, shuffled]) => {
          const merged = merge(findings);
          expect(merge(shuffled).status).toBe(merged.status);
          if (merged.status === 'clear') {
            expect(merged.ageMs).toBe(Math.max(...findings.map(({ ageMs }) => ageMs!)));
            expect(merge(shuffled).ageMs).toBe(merged.ageMs);
            // `not-listed` promises that nothing left the device.
            const asked = findings.find(({ reason }) => reason === 'disproved');
            expect(merged.reason).toBe(asked === undefined ? 'not-listed' : 'disproved');
            expect(merge(shuffled).reason).toBe(merged.reason);
            if (asked !== undefined) expect(merged.source).toBe(asked.source);
          } else expect(merged).toBe(findings.find(({ status }) => status === merged.status));
        },
      ),
    );
  });
});

describe('marks of one source', () => {
  const anyMarks: fc.Arbitrary<Mark[]> = fc
    .array(fc.constantFrom<VerdictStatus | null>('blocked', 'unconfirmed', 'allowed', 'clear', null), { maxLength: 6 })
    .map((statuses) => statuses.flatMap((status, at) => (status === null ? [] : [{ at, status, reason: 'listed' as const }])));

  test('an allowed expression overrules equal and less specific blocks, and no others', () => {
    fc.assert(
      fc.property(anyMarks, (marks) => {
        const allowedAt = marks.find(({ status }) => status === 'allowed')?.at ?? Number.POSITIVE_INFINITY;
        const above = marks.filter(({ at }) => at < allowedAt).map(({ status }) => status);
        const wanted = (['blocked', 'unconfirmed'] as const).find((status) => above.includes(status));
        const decided = weigh(marks);
        const otherwise = allowedAt < 6 ? 'allowed' : marks.length > 0 ? 'clear' : undefined;
        expect(decided?.status).toBe(wanted ?? otherwise);
        // Of equal findings, the most specific is named.
        if (decided !== null) expect(decided.at).toBe(marks.find(({ status }) => status === decided.status)!.at);
      }),
    );
  });
});

describe('overrides', () => {
  /** Two readings of one text: a handle and a link. The handle is as specific as the longest expression of the link. */
  const expressions = ['handle:good', 'a.h.example/p', 'a.h.example', 'h.example'] as const;
  const rankOf = (expression: string): number => Math.max(0, expressions.indexOf(expression as never) - 1);
  const startMs = 1_000;
  type Change = { readonly at: number; readonly action: 'allow' | 'block' | 'remove'; readonly untilMs: number | undefined };
  const anyChange: fc.Arbitrary<Change> = fc.record({
    at: fc.nat({ max: 3 }),
    action: fc.constantFrom('allow', 'block', 'remove'),
    untilMs: fc.constantFrom(undefined, startMs + 5, startMs + 10),
  });

  test('the most specific override that has not expired decides; if two are equally specific, the block wins', () => {
    fc.assert(
      fc.property(fc.array(anyChange, { maxLength: 8 }), fc.nat({ max: 15 }), (changes, passedMs) => {
        let overrides = new Overrides();
        const model = new Map<string, Override>();
        for (const { at, action, untilMs } of changes) {
          const expression = expressions[at]!;
          const override: Override = { action: action as 'allow', expression, untilMs, atMs: startMs };
          overrides = action === 'remove' ? overrides.without(expression) : overrides.with(override, startMs);
          if (action === 'remove') model.delete(expression);
          else model.set(expression, override);
        }
        expect(
          new Map([...Overrides.fromJSON(JSON.parse(JSON.stringify(overrides)))].map((one) => [one.expression, one])),
        ).toEqual(
          new Map(
            [...model].map(([expression, { untilMs, ...rest }]) => [
              expression,
              { ...rest, ...(untilMs !== undefined && { untilMs }) },
            ]),
          ),
        );
        const nowMs = startMs + passedMs;
        const live = [...model.values()].filter(({ untilMs }) => untilMs === undefined || nowMs < untilMs);
        const rank = Math.min(...live.map(({ expression }) => rankOf(expression)));
        const best = live.filter(({ expression }) => rankOf(expression) === rank);
        const found = overrides.find(expressions, nowMs);
        expect(found?.action).toBe(best.some(({ action }) => action === 'block') ? 'block' : best[0]?.action);
        if (found !== undefined) expect(best).toContainEqual(found);
      }),
    );
  });

  test('an allowed account stays allowed if only its site is blocked', () => {
    const overrides = new Overrides([
      { action: 'allow', expression: 'handle:good', atMs: 0 },
      { action: 'block', expression: 'h.example', atMs: 0 },
    ]);
    expect(overrides.find(expressions, 0)?.action).toBe('allow');
  });

  test('expired overrides do not count toward the limit', () => {
    const ended: Override = { action: 'allow', expression: 'a.example', untilMs: 5, atMs: 0 };
    const other: Override = { action: 'block', expression: 'b.example', atMs: 5 };
    expect([...new Overrides([ended]).with(other, 5)]).toEqual([other]);
    expect([...new Overrides([ended]).with(other, 4)]).toEqual([ended, other]);
  });
});

describe('confirmation cache', () => {
  const times = {
    ...timesUnder(undefined, { positiveMs: 5 * minuteMs, negativeMs: 30 * minuteMs, earlierMs: 7 * dayMs }),
    maxCount: 3,
  };
  /** Hashes that share four bytes: an answer about one disproves the other. */
  const hash = (prefix: number, other: number): Uint8Array => {
    const bytes = new Uint8Array(32).fill(other);
    writeU32(bytes, 0, prefix);
    return bytes;
  };

  interface Remembered {
    readonly listed: readonly number[];
    readonly atMs: number;
    readonly positiveMs: number;
    negativeMs: number;
  }

  type Deed =
    | { readonly does: 'answer'; readonly prefix: number; readonly listed: readonly number[]; readonly ms: number | undefined }
    | { readonly does: 'doubt'; readonly prefixes: readonly number[] }
    | { readonly does: 'wait'; readonly ms: number }
    | { readonly does: 'restart' };

  const anyPrefix = fc.nat({ max: 5 });
  const anyWait = fc.constantFrom(
    ...[1, 5 * minuteMs - 1, 5 * minuteMs, 30 * minuteMs - 1, 30 * minuteMs, 7 * dayMs - 1, 7 * dayMs],
    ...[-1, -minuteMs, -dayMs],
  );
  const anyDeed: fc.Arbitrary<Deed> = fc.oneof(
    fc.record({
      does: fc.constant('answer' as const),
      prefix: anyPrefix,
      listed: fc.subarray([1, 2]),
      ms: fc.constantFrom(undefined, undefined, 0, minuteMs, 30 * dayMs),
    }),
    fc.record({ does: fc.constant('doubt' as const), prefixes: fc.uniqueArray(anyPrefix) }),
    fc.record({ does: fc.constant('wait' as const), ms: anyWait }),
    fc.record({ does: fc.constant('restart' as const) }),
  );

  const knownIn = (model: ReadonlyMap<number, Remembered>, prefix: number, other: number, nowMs: number): CachedAnswer => {
    const entry = model.get(prefix);
    if (entry === undefined) return 'unknown';
    const { listed, atMs, positiveMs, negativeMs } = entry;
    const isWithin = (ms: number): boolean => atMs <= nowMs && nowMs < atMs + Math.min(ms, times.earlierMs);
    if (!listed.includes(other)) return isWithin(negativeMs) ? 'disproved' : 'unknown';
    if (isWithin(positiveMs)) return 'blocked';
    return nowMs < atMs + times.earlierMs ? 'earlier' : 'unknown';
  };

  test('returns each answer while it is valid, and evicts blocks last', () => {
    fc.assert(
      fc.property(fc.array(anyDeed, { maxLength: 20 }), (deeds) => {
        let nowMs = Date.UTC(2026, 0, 1);
        let cache = new ConfirmCache(times);
        let model = new Map<number, Remembered>();
        let stored = new Map<number, StoredAnswer>();
        for (const deed of deeds) {
          if (deed.does === 'wait') nowMs += deed.ms;
          else if (deed.does === 'doubt') {
            cache.doubt((prefix) => deed.prefixes.includes(prefix));
            for (const [prefix, entry] of model) if (deed.prefixes.includes(prefix)) entry.negativeMs = 0;
            for (const prefix of deed.prefixes) if (model.get(prefix)?.listed.length === 0) model.delete(prefix);
          } else if (deed.does === 'answer') {
            const { prefix, listed, ms } = deed;
            const hadAny = (model.get(prefix)?.listed.length ?? 0) > 0;
            const answer = { hashes: listed.map((other) => hash(prefix, other)), positiveMs: ms, negativeMs: ms };
            const put = cache.put(prefix, answer, nowMs);
            expect(put !== null).toBe(hadAny || listed.length > 0);
            if (put !== null) stored.set(prefix, put);
            model.delete(prefix);
            if (model.size === times.maxCount) {
              const blocks = [...model].filter(([, entry]) => entry.listed.length > 0);
              const denials = [...model].filter(([, entry]) => entry.listed.length === 0);
              const isOver = blocks.length > 0 && nowMs >= blocks[0]![1].atMs + times.earlierMs;
              model.delete((isOver ? blocks : [...denials, ...blocks])[0]![0]);
            }
            model.set(prefix, { listed, atMs: nowMs, positiveMs: ms ?? times.positiveMs, negativeMs: ms ?? times.negativeMs });
          } else {
            cache = new ConfirmCache(times);
            model = new Map();
            const read = [...decodeAnswers(encodeAnswers(stored.values()))];
            expect(read).toEqual(
              [...stored.values()].map((one) => ({ ...one, positiveMs: one.hashes.length > 0 ? one.positiveMs : 2 ** 32 - 1 })),
            );
            stored = new Map(read.map((one) => [one.prefix, one]));
            for (const one of read) {
              cache.restore(one, nowMs);
              const { prefix, hashes, atMs, positiveMs } = one;
              if (hashes.length === 0 || nowMs >= atMs + times.earlierMs || model.size === times.maxCount) continue;
              const isFromFuture = atMs > nowMs;
              const listed = hashes.map((of) => of[4]!);
              model.set(prefix, {
                listed,
                atMs: Math.min(atMs, nowMs),
                positiveMs: isFromFuture ? 0 : positiveMs,
                negativeMs: 0,
              });
            }
          }
          expect(cache.size).toBe(model.size);
          for (let prefix = 0; prefix < 6; prefix++) {
            for (const other of [1, 2])
              expect(cache.known(prefix, hash(prefix, other), nowMs)).toBe(knownIn(model, prefix, other, nowMs));
          }
        }
      }),
    );
  });

  const storedAt = (prefix: number, atMs: number, others = [1]): StoredAnswer => ({
    prefix,
    hashes: others.map((other) => hash(prefix, other)),
    atMs,
    positiveMs: times.positiveMs,
  });

  test('a positive from the future counts from the moment it is read', () => {
    const cache = new ConfirmCache(times);
    cache.restore(storedAt(0, 2 * dayMs), dayMs);
    expect(cache.known(0, hash(0, 1), dayMs)).toBe('earlier');
    expect(cache.known(0, hash(0, 1), 8 * dayMs - 1)).toBe('earlier');
    expect(cache.known(0, hash(0, 1), 8 * dayMs)).toBe('unknown');
  });

  test('a stored positive counts as long as it would have without the restart', () => {
    const cache = new ConfirmCache(times);
    cache.restore(storedAt(0, dayMs), dayMs + minuteMs);
    expect(cache.known(0, hash(0, 1), dayMs + times.positiveMs - 1)).toBe('blocked');
    expect(cache.known(0, hash(0, 1), dayMs + times.positiveMs)).toBe('earlier');
    expect(cache.known(0, hash(0, 2), dayMs + minuteMs)).toBe('unknown');
  });

  test('stored positives in another format are not restored', () => {
    const payload = encodeAnswers([storedAt(1, dayMs), storedAt(2, dayMs, [1, 2])]);
    expect([...decodeAnswers(payload)]).toEqual([storedAt(1, dayMs), storedAt(2, dayMs, [1, 2])]);
    const text = new TextEncoder().encode(`${dayMs} ${'00'.repeat(32)}`);
    for (const other of [null, new Uint8Array(), text, payload.subarray(1), payload.subarray(0, -1), payload.fill(2, 0, 1)])
      expect([...decodeAnswers(other)]).toEqual([]);
  });

  test('newer stored answers replace older ones, denials are dropped, and the oldest are cut', () => {
    const older = encodeAnswers([storedAt(1, 1), storedAt(2, 2), storedAt(3, 3, [1, 2]), storedAt(4, 4)]);
    const newer = encodeAnswers([storedAt(2, 5, [2]), { ...storedAt(3, 6), hashes: [] }, storedAt(5, 7)]);
    const merged = (endedMs: number, maxCount: number) => [
      ...decodeAnswers(runNow(mergedAnswers(older, newer, endedMs, maxCount))),
    ];
    expect(merged(0, 10)).toEqual([storedAt(1, 1), storedAt(4, 4), storedAt(2, 5, [2]), storedAt(5, 7)]);
    expect(merged(4, 10)).toEqual([storedAt(2, 5, [2]), storedAt(5, 7)]);
    expect(merged(0, 2)).toEqual([storedAt(2, 5, [2]), storedAt(5, 7)]);
  });

  test('a map knows its oldest key after any additions and deletions', () => {
    const anyStep = fc.tuple(fc.constantFrom('add', 'delete', 'oldest'), fc.nat({ max: 9 }));
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
        const map = new AgedMap<number>();
        const model: number[] = [];
        for (const [step, key] of steps) {
          const at = model.indexOf(key);
          if (at >= 0 && step !== 'oldest') model.splice(at, 1);
          if (step !== 'oldest') expect(map.delete(key)).toBe(at >= 0);
          if (step === 'add') {
            map.add(key, key);
            model.push(key);
          }
          if (step === 'oldest') expect(map.oldest()).toBe(model[0]);
          expect([map.size, [...map].map(([one]) => one)]).toEqual([model.length, model]);
        }
      }),
    );
  });
});
