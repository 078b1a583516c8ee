import { unusable } from '../../core/http/http-api.js';
import { firstOf, objectOf } from '../formats/spelling.js';

/** An asset as the service lists it. Missing fields are empty strings. */
export interface PageAsset {
  readonly content: string;
  readonly type: string;
  readonly status: string;
  /** `NaN` if missing or malformed. */
  readonly updatedAtMs: number;
}

export interface AssetsPage {
  readonly assets: readonly PageAsset[];
  /** The cursor of the next page, or `null` on the last page. */
  readonly next: string | number | null;
}

/** The maximum length of a cursor in characters, far more than any seen. */
const maxCursorLength = 4_096;

/**
 * Parses an answer of the list operation. Malformed assets get empty fields and are skipped later; any answer that is not a page is
 * rejected, so that a failure never reads as an empty list.
 *
 * @throws PortcullisError `INVALID_RESPONSE`
 */
export function readAssets(answer: unknown): AssetsPage {
  const page = objectOf(answer);
  const listed = firstOf(page, ['assets']);
  const next = firstOf(page, ['next_page']) ?? null;
  if (!Array.isArray(listed)) throw unusable('has no array of assets');
  const isCursor = next === null || typeof next === 'number' || (typeof next === 'string' && next.length <= maxCursorLength);
  if (!isCursor) throw unusable('has a malformed next_page');
  return { assets: listed.map(assetOf), next: next === '' ? null : next };
}

function assetOf(listed: unknown): PageAsset {
  const { content, type, status, updatedAt } = objectOf(listed);
  return {
    content: textOrEmpty(content),
    type: textOrEmpty(type).toUpperCase(),
    status: textOrEmpty(status).toUpperCase(),
    updatedAtMs: Date.parse(textOrEmpty(updatedAt)),
  };
}

function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The UTC date of a time, as the list operation expects it. */
export function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}
