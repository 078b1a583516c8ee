import type { Algorithm } from '../../core/algorithms/algorithm.js';
import type { Assets } from '../../core/algorithms/create-assets.js';
import { isPortcullisError, PortcullisError, refuse } from '../../core/errors.js';
import { decodeJsonRecord, encodeJsonRecord } from '../formats/record.js';
import { type Override, Overrides } from '../override-set.js';
import type { Store } from '../store.js';
import { expressionsFor, type Question } from './question.js';

/** Scope and duration of an override. */
export interface OverrideOptions {
  /** `asset`: the asset and everything below it; `host`: the whole host of a link. @default 'asset' */
  readonly scope?: 'asset' | 'host' | undefined;
  /** When it expires, as epoch time in milliseconds. @default never */
  readonly untilMs?: number | undefined;
}

interface Tools {
  readonly store: Store;
  readonly assets: Assets;
  readonly own: Algorithm;
  readonly now: () => number;
  readonly onDamaged: (error: PortcullisError) => void;
  readonly onError: (error: PortcullisError) => void;
}

type Change = (overrides: Overrides) => Overrides;

const name = 'overrides';

/** Attempts to commit while other writers commit. */
const maxAttempts = 8;

/** Stored overrides. Each change is applied to what the store holds at that time, so two tabs do not overwrite each other. */
export class KeptOverrides {
  current: Overrides = new Overrides();
  private readonly tools: Tools;
  private sequence = 0;
  /** Changes that are not stored yet, in order. The next successful commit includes them. */
  private unsaved: readonly Change[] = [];
  private saving: Promise<unknown> = Promise.resolve();
  /** The next save, which includes all changes made before it starts. */
  private nextSaving: Promise<void> | null = null;

  constructor(tools: Tools) {
    this.tools = tools;
  }

  async load(): Promise<void> {
    const { store, onDamaged, onError } = this.tools;
    try {
      const heads = await store.heads(name);
      const newest = heads[0]?.sequence ?? 0;
      if (newest === this.sequence) return;
      this.sequence = newest;
      for (const { bytes } of heads) {
        try {
          const stored = Overrides.fromJSON(decodeJsonRecord('overrides', bytes));
          this.current = this.unsaved.reduce((overrides, apply) => apply(overrides), stored);
          return;
        } catch (error) {
          if (!isPortcullisError(error)) throw error;
          onDamaged(error);
        }
      }
    } catch (cause) {
      onError(storeError('the overrides could not be read', cause));
    }
  }

  /** Takes effect at once. If it cannot be stored it rejects, and the override applies until the process exits. */
  set(action: Override['action'], question: Question, { scope = 'asset', untilMs }: OverrideOptions): Promise<Override> {
    if (scope !== 'asset' && scope !== 'host') refuse("scope must be 'asset' or 'host'");
    if (untilMs !== undefined && !(typeof untilMs === 'number' && untilMs >= 0)) throw new TypeError('untilMs must be a number');
    const { now } = this.tools;
    const override: Override = {
      action,
      expression: this.expressionOf(question, scope),
      atMs: now(),
      ...(untilMs !== undefined && untilMs !== Number.POSITIVE_INFINITY && { untilMs }),
    };
    return this.change((overrides) => overrides.with(override, now())).then(() => override);
  }

  async remove(expression: string): Promise<boolean> {
    let isThere = false;
    await this.change((overrides) => {
      const without = overrides.without(expression);
      isThere = isThere || without.size < overrides.size;
      return without;
    });
    return isThere;
  }

  private expressionOf(question: Question, scope: 'asset' | 'host'): string {
    const { assets, own } = this.tools;
    const site = scope === 'host' ? assets.normalizeAsset(question.content, { type: 'URL' }) : null;
    if (site !== null && 'refused' in site) refuse("the input is not a link, so it has no host; use scope 'asset'");
    const expression = site === null ? expressionsFor(question, own)[0] : own.expressionsOf(site)[0];
    if (expression === undefined) refuse('the input contains nothing a list could hold');
    return expression;
  }

  private change(apply: Change): Promise<void> {
    this.current = apply(this.current);
    this.unsaved = [...this.unsaved, apply];
    this.nextSaving ??= this.saving.then(() => {
      this.nextSaving = null;
      return this.save();
    });
    const saving = this.nextSaving;
    this.saving = saving.catch(() => {});
    return saving;
  }

  private async save(): Promise<void> {
    const { store } = this.tools;
    const changes = this.unsaved;
    try {
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const expected = this.sequence;
        if (await store.commit(name, encodeJsonRecord('overrides', this.current), expected)) {
          this.sequence = Math.max(this.sequence, expected + 1);
          this.unsaved = this.unsaved.filter((change) => !changes.includes(change));
          return;
        }
        await this.load();
      }
    } catch (cause) {
      throw storeError('the override could not be stored; it applies until the process exits', cause);
    }
    throw new PortcullisError(
      'CONFLICT',
      `lost the write race ${maxAttempts} times; the override applies until the process exits`,
    );
  }
}

function storeError(what: string, cause: unknown): PortcullisError {
  return isPortcullisError(cause) ? cause : new PortcullisError('STORE_UNAVAILABLE', what, { cause });
}
