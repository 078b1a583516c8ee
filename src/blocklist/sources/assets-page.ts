import { unusable } from '../../core/http/http-api.js';
import { firstOf, objectOf } from '../formats/spelling.js';

/** An asset as the service lists it; what it does not say is empty. */
export interface PageAsset {
  readonly content: string;
  readonly type: string;
  readonly status: string;
  /** `NaN` where it is not said. */
  readonly updatedAtMs: number;
}

export interface AssetsPage {
  readonly assets: readonly PageAsset[];
  /** Where the next page begins, or that there is none. */
  readonly next: string | number | null;
}

/** Characters of a cursor: far more than any seen. */
const cursorLengthMax = 4_096;

/**
 * One answer of the list operation. An asset without content or type is as if it were not there; anything else than a page is refused,
 * so that nothing that goes wrong reads as an empty list.
 *
 * @throws PortcullisError `INVALID_RESPONSE`
 */
export function readAssets(answer: unknown): AssetsPage {
  const page = objectOf(answer);
  const listed = firstOf(page, ['assets']);
  const next = firstOf(page, ['next_page']) ?? null;
  if (!Array.isArray(listed)) throw unusable('has no assets');
  const isCursor = next === null || typeof next === 'number' || (typeof next === 'string' && next.length <= cursorLengthMax);
  if (!isCursor) throw unusable('names no page');
  return { assets: listed.map(assetOf), next: next === '' ? null : next };
}

function assetOf(listed: unknown): PageAsset {
  const { content, type, status, updatedAt } = objectOf(listed);
  return {
    content: textOf(content),
    type: textOf(type).toUpperCase(),
    status: textOf(status).toUpperCase(),
    updatedAtMs: Date.parse(textOf(updatedAt)),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The UTC day of a time, as the list operation takes it. */
export function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}
