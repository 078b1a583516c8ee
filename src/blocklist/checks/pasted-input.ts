import type { Assets } from '../../core/algorithms/create-assets.js';
import { pastedText } from '../../core/assets/pasted.js';

/** A pasted text without its surroundings. */
export interface PastedInput {
  /** The text without the characters around it. */
  readonly content: string;
  /** The original text, if the characters around `content` may belong to the path of a link. */
  readonly written: string | null;
}

/** Reads a text as people paste it; `null` if nothing surrounds it, or if nothing is left without the surroundings. */
export type ReadPasted = (text: string, assets: Assets) => PastedInput | null;

/** Removes brackets, quotes and punctuation around a text, and refangs a defanged link. For `createBlocklist` of `/core`. */
export const readPasted: ReadPasted = (text, assets) => {
  const content = pastedText(text);
  if (content === null || 'refused' in assets.normalizeAsset(content)) return null;
  // A text that is a secret in either form is refused as one.
  const asWritten = assets.normalizeAsset(text);
  if ('refused' in asWritten && asWritten.refused === 'secret') return null;
  // Punctuation after a host cannot belong to it: no top-level domain contains any.
  return { content, written: assets.canonicalizeUrl(text)?.includes('/') === true ? text : null };
};
