import { PortcullisError } from '../../core/errors.js';
import { prefixOf } from '../../core/hashing/prefix.js';
import { coveredHost, coverPrefixOf } from '../../core/sure-miss/covers.js';

/** The user's or the app's decision about an asset. It takes precedence over every list. */
export interface Override {
  readonly action: 'allow' | 'block';
  /** Its expression of `portcullis-1`. */
  readonly expression: string;
  /** Epoch time at which it ends, in milliseconds. */
  readonly untilMs?: number | undefined;
  /** Epoch time at which it was made, in milliseconds. */
  readonly atMs: number;
}

/** More than any user makes, and few enough to store in one write. */
const maxOverrides = 10_000;

/** In characters. The longest expression is a host, 16 KiB of path and 16 KiB of query. */
const maxExpressionLength = 40_000;

/** Scope and duration of an override. */
export interface OverrideOptions {
  /** `asset`: the asset and everything below it; `host`: the whole host of a link. @default 'asset' */
  readonly scope?: 'asset' | 'host' | undefined;
  /** When it expires, as epoch time in milliseconds. @default never */
  readonly untilMs?: number | undefined;
}

/** Whether an expression has a type in front, such as `address:0x…`; the others are links. */
export function isTyped(expression: string): boolean {
  return /^[a-z][a-z0-9_]*:/.test(expression);
}

/** An immutable set of overrides, by expression. */
export class Overrides implements Iterable<Override> {
  private readonly byExpression: ReadonlyMap<string, Override>;
  private prefixes: ReadonlySet<number> | undefined;

  constructor(overrides: Iterable<Override> = []) {
    this.byExpression = new Map([...overrides].map((override) => [override.expression, override]));
  }

  /** Whether an override may have an expression with this prefix, or a cover (docs/formats.md §10). */
  mayHold(prefix: number): boolean {
    if (this.size === 0) return false;
    this.prefixes ??= new Set(
      [...this.byExpression.keys()].flatMap((expression) => {
        const host = coveredHost(expression);
        return host === null ? prefixOf(expression) : [prefixOf(expression), coverPrefixOf(host)];
      }),
    );
    return this.prefixes.has(prefix);
  }

  get size(): number {
    return this.byExpression.size;
  }

  [Symbol.iterator](): IterableIterator<Override> {
    return this.byExpression.values() as IterableIterator<Override>;
  }

  /** The override that decides: the most specific; of two equally specific ones, the block. One text may contain an account and its page. */
  find(expressions: readonly string[], nowMs: number): Override | undefined {
    if (this.size === 0) return undefined;
    // Expressions like `address:0x…` come before the links of the same text, and are as specific as the first link.
    const firstLink = expressions.findIndex((expression) => !isTyped(expression));
    let found: Override | undefined;
    for (let at = 0; at < expressions.length; at++) {
      if (found !== undefined && at > firstLink && firstLink >= 0) break;
      const override = this.byExpression.get(expressions[at]!);
      if (override === undefined || (override.untilMs ?? Number.POSITIVE_INFINITY) <= nowMs) continue;
      if (override.action === 'block') return override;
      found ??= override;
    }
    return found;
  }

  /** Adds an override, replaces the one with the same expression, and drops those that have ended. */
  with(override: Override, nowMs: number): Overrides {
    const kept = [...this].filter(({ expression, untilMs }) => expression !== override.expression && !(untilMs! <= nowMs));
    if (kept.length >= maxOverrides)
      throw new PortcullisError('LIMIT_EXCEEDED', `there are already ${maxOverrides} overrides; remove one first`);
    return new Overrides([...kept, override]);
  }

  without(expression: string): Overrides {
    return new Overrides([...this].filter((override) => override.expression !== expression));
  }

  toJSON(): readonly Override[] {
    return [...this];
  }

  /**
   * Reads what `toJSON` returned, without the entries it cannot read: another release may have written them.
   *
   * @throws PortcullisError `INVALID_ARTIFACT` if it is not an array
   */
  static fromJSON(value: unknown): Overrides {
    if (!Array.isArray(value))
      throw new PortcullisError('INVALID_ARTIFACT', 'the stored overrides are malformed and were ignored');
    return new Overrides(value.slice(0, maxOverrides).filter(isOverride));
  }
}

function isOverride(value: unknown): value is Override {
  const { action, expression, untilMs, atMs } = Object(value) as Partial<Override>;
  return (
    (action === 'allow' || action === 'block') &&
    typeof expression === 'string' &&
    expression !== '' &&
    expression.length <= maxExpressionLength &&
    typeof atMs === 'number' &&
    (untilMs === undefined || typeof untilMs === 'number')
  );
}
