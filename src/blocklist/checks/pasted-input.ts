import type { Assets } from '../../core/algorithms/create-assets.js';
import { pastedText } from '../../core/assets/pasted.js';

/** What a pasted text means. */
export interface PastedInput {
  /** The text without what surrounds it. */
  readonly content: string;
  /** The text as it was written, if what surrounds it may belong to the path of a link. */
  readonly written: string | null;
}

/** Reads a text as people paste it; `null` if there is nothing around it, or nothing in it. */
export type ReadPasted = (text: string, assets: Assets) => PastedInput | null;

/** Leaves out brackets, quotes and marks around a text, and reads a defanged link as the link it means. For `createBlocklist` of `/core`. */
export const readPasted: ReadPasted = (text, assets) => {
  const content = pastedText(text);
  if (content === null || 'refused' in assets.normalizeAsset(content)) return null;
  // A text that reads as a secret in either form is one.
  const asWritten = assets.normalizeAsset(text);
  if ('refused' in asWritten && asWritten.refused === 'secret') return null;
  // At the end of a host, marks cannot belong to it: no top-level domain has one.
  return { content, written: assets.canonicalizeUrl(text)?.includes('/') === true ? text : null };
};
