import { type Algorithm, listedExpression, type Subject } from '../../core/algorithms/algorithm.js';
import { isPartOf } from '../../core/assets/web/part-of.js';
import { isPortcullisError, PortcullisError, refuse, wrapError } from '../../core/errors.js';
import { inTurn } from '../../core/in-turn.js';
import { type Filled, type KindsOf, number, oneOf, optional, readOptions } from '../../core/options/read-options.js';
import { decodeJsonRecord, encodeJsonRecord } from '../formats/record.js';
import { ownAlgorithm, type Parts } from '../model/blocklist-options.js';
import type { OverrideOptions } from '../model/override-set.js';
import { isTyped, type Override, Overrides } from '../model/override-set.js';
import { assetsIn, type Question, subjectsFor } from '../model/question.js';
import { maxCommits, type OpenStore } from '../sync/open-store.js';

export const overrideKinds = (): KindsOf<Filled<OverrideOptions, 'untilMs'>> => ({
  scope: optional(oneOf<'asset' | 'host'>('asset', 'host'), 'asset'),
  untilMs: optional(number(0, Number.POSITIVE_INFINITY)),
});

type Change = (overrides: Overrides) => Overrides;

const name = 'overrides';

/** Stored overrides. Each change is applied to what the store holds at that time, so two tabs do not overwrite each other. */
export interface KeptOverrides {
  readonly current: Overrides;
  load(): Promise<void>;
  /** Takes effect at once. If it cannot be stored it rejects, and the override applies until the process exits. */
  set(action: Override['action'], question: Question, options?: OverrideOptions): Promise<Override>;
  remove(expression: string): Promise<boolean>;
}

export function createKeptOverrides(
  store: OpenStore,
  parts: Parts,
  now: () => number,
  onDamaged: (error: PortcullisError) => void,
  onError: (error: PortcullisError) => void,
): KeptOverrides {
  const kept = { current: new Overrides(), load, set, remove };
  let sequence = 0;
  /** Changes that are not stored yet, in order. The next successful commit includes them. */
  let unsaved: readonly Change[] = [];
  const queue = inTurn();
  /** The next save, which includes all changes made before it starts. */
  let nextSaving: Promise<void> | null = null;

  async function load(): Promise<void> {
    try {
      const heads = await store.heads(name);
      const newest = heads[0]?.sequence ?? 0;
      if (newest === sequence) return;
      sequence = newest;
      for (const { bytes } of heads) {
        try {
          const stored = Overrides.fromJSON(decodeJsonRecord('overrides', bytes));
          kept.current = unsaved.reduce((overrides, apply) => apply(overrides), stored);
          return;
        } catch (error) {
          if (!isPortcullisError(error)) throw error;
          onDamaged(error);
        }
      }
    } catch (cause) {
      onError(wrapError(cause, 'STORE_UNAVAILABLE', 'the overrides could not be read'));
    }
  }

  async function set(action: Override['action'], question: Question, options?: OverrideOptions): Promise<Override> {
    const { scope, untilMs } = readOptions(action, overrideKinds(), options);
    const made = expressionsOf(question, scope, parts).map(
      (expression): Override => ({
        action,
        expression,
        atMs: now(),
        ...(untilMs !== undefined && untilMs !== Number.POSITIVE_INFINITY && { untilMs }),
      }),
    );
    await change((overrides) => made.reduce((all, override) => all.with(override, now()), overrides));
    return made[0]!;
  }

  async function remove(expression: string): Promise<boolean> {
    let isThere = false;
    await change((overrides) => {
      const without = overrides.without(expression);
      isThere = isThere || without.size < overrides.size;
      return without;
    });
    return isThere;
  }

  function change(apply: Change): Promise<void> {
    kept.current = apply(kept.current);
    unsaved = [...unsaved, apply];
    nextSaving ??= queue(() => {
      nextSaving = null;
      return save();
    });
    return nextSaving;
  }

  async function save(): Promise<void> {
    const changes = unsaved;
    try {
      for (let attempt = 0; attempt < maxCommits; attempt++) {
        const expected = sequence;
        if (await store.commit(name, encodeJsonRecord('overrides', kept.current), expected)) {
          sequence = Math.max(sequence, expected + 1);
          unsaved = unsaved.filter((done) => !changes.includes(done));
          return;
        }
        await load();
      }
    } catch (cause) {
      throw wrapError(cause, 'STORE_UNAVAILABLE', 'the override could not be stored; it applies until the process exits');
    }
    throw new PortcullisError(
      'CONFLICT',
      `lost the write race ${maxCommits} times; the override applies until the process exits`,
    );
  }

  return kept;
}

/** One for each target that the input names. */
function expressionsOf(question: Question, scope: 'asset' | 'host', { assets, algorithms }: Parts): readonly string[] {
  const own = algorithms.get(ownAlgorithm)!;
  const sites = assetsIn(question, assets).filter(({ type }) => type === 'URL');
  if (scope === 'host' && sites.length === 0) refuse("the input is not a link, so it has no host; use scope 'asset'");
  const listed =
    scope === 'host'
      ? sites.map((site) => listedExpression(own, site))
      : subjectsFor(question, own).map((subject) => namedIn(subject, own));
  const expressions = listed.filter((expression) => expression !== undefined);
  if (expressions.length === 0) refuse('the input contains nothing a list could hold');
  return expressions;
}

/** What a subject names: its account, but the page for a message of a channel, so that allowing one message does not allow the channel. */
function namedIn(subject: Subject, own: Algorithm): string | undefined {
  const [first] = subject;
  const page = subject.find((expression) => !isTyped(expression));
  if (first === undefined || page === undefined || page === first) return first;
  const names = (text: string): boolean => own.subjectsOf(text).flat().includes(first);
  return isPartOf(page.replace(/\?.*/, ''), names) ? page : first;
}
