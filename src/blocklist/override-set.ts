import { PortcullisError } from '../core/errors.js';

/** What the user or the app has said about an asset. It goes before every list. */
export interface Override {
  readonly action: 'allow' | 'block';
  /** What it is kept under, in the spelling of `portcullis-1`. */
  readonly expression: string;
  /** Epoch time at which it ends. */
  readonly untilMs?: number | undefined;
  /** Epoch time at which it was made. */
  readonly atMs: number;
}

/** More than anybody clicks away in a life, and less than a store minds to write at once. */
const maxOverrides = 10_000;

/** Characters of one expression: a host, 16 KiB of path and 16 KiB of query are the longest there is, and nobody has many of those. */
const maxExpressionLength = 40_000;

/** An immutable set of overrides, by expression. */
export class Overrides implements Iterable<Override> {
  private readonly byExpression: ReadonlyMap<string, Override>;

  constructor(overrides: Iterable<Override> = []) {
    this.byExpression = new Map([...overrides].map((override) => [override.expression, override]));
  }

  get size(): number {
    return this.byExpression.size;
  }

  [Symbol.iterator](): IterableIterator<Override> {
    return this.byExpression.values() as IterableIterator<Override>;
  }

  /** The one that decides: the most specific, and a block where two are equally so. An account and its page are read from one text. */
  find(expressions: readonly string[], nowMs: number): Override | undefined {
    if (this.size === 0) return undefined;
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

  /** With this one, in the place of one of the same expression; without those that have ended. */
  with(override: Override, nowMs: number): Overrides {
    const kept = [...this].filter(({ expression, untilMs }) => expression !== override.expression && !(untilMs! <= nowMs));
    if (kept.length >= maxOverrides) throw new PortcullisError('LIMIT_EXCEEDED', `there are at most ${maxOverrides} overrides`);
    return new Overrides([...kept, override]);
  }

  without(expression: string): Overrides {
    return new Overrides([...this].filter((override) => override.expression !== expression));
  }

  toJSON(): readonly Override[] {
    return [...this];
  }

  /**
   * What `toJSON` gave. One that another release wrote otherwise costs none of the others.
   *
   * @throws PortcullisError `INVALID_ARTIFACT` for what is no list of them
   */
  static fromJSON(value: unknown): Overrides {
    if (!Array.isArray(value)) throw new PortcullisError('INVALID_ARTIFACT', 'the stored overrides are refused: they are none');
    return new Overrides(value.slice(0, maxOverrides).filter(isOverride));
  }
}

/** `address:0x…` and its like, which stand before the links of the same text and are as specific as the first of them. */
function isTyped(expression: string): boolean {
  return /^[a-z][a-z0-9_]*:/.test(expression);
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
