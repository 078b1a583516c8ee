import { type Asset, type AssetType, type CheckInput, detectAssets, findAssets, normalizeAsset } from 'portcullis';

/** A part of the text that is checked. */
export interface Subject {
  /** The part as written in the text. */
  readonly text: string;
  readonly input: CheckInput;
  /** Every way to read it, the most specific first. */
  readonly assets: readonly Asset[];
  /** The type that the user chose. */
  readonly type: AssetType | undefined;
}

/** The parts to check; `too-much` if only some of them could be found. */
export type Subjects = readonly Subject[] | 'too-much';

/** The text itself if it is one asset or refused as one; otherwise the assets in it. */
export function subjectsOf(text: string, type: AssetType | undefined): Subjects {
  if (type !== undefined) return [typed(text, type)];
  const assets = detectAssets(text);
  const whole: Subject = { text, input: text, assets, type };
  if (assets.length > 0 && !/\s/.test(text.trim())) return [whole];
  const read = normalizeAsset(text);
  if ('refused' in read && read.refused === 'secret') return [whole];
  const pieces = piecesOf(text);
  if (pieces === 'too-much') return pieces;
  // For example a script or a browser page, where a link after the scheme is not the destination.
  const isOne = 'refused' in read && read.refused !== 'unknown';
  if (assets.length === 0) return pieces.length > 0 && !isOne ? pieces : [whole];
  // A browser opens a link with spaces in it, but a text with spaces is more often a message that starts with a link.
  if (pieces.length > 1) return pieces;
  const [piece] = pieces;
  return piece === undefined || piece.text === text.trim() ? [whole] : [piece, whole];
}

/** Some account addresses and transaction hashes look the same, so it is checked, but never sent. */
export function looksLikeKey({ text }: Subject): boolean {
  return /^(?:0x)?[0-9a-f]{64}$/i.test(text.trim());
}

function typed(text: string, type: AssetType): Subject {
  const read = normalizeAsset(text, { type });
  return { text, input: { content: text, type }, assets: 'refused' in read ? [] : [read], type };
}

function piecesOf(text: string): Subjects {
  try {
    // Each text once, however often the message repeats it.
    const pieces = new Map(findAssets(text).map((piece) => [piece.text, piece]));
    return [...pieces.values()].map(({ text: found, assets }) => {
      const { canonical, type } = assets[0]!;
      return { text: found, input: { content: canonical, type }, assets, type: undefined };
    });
  } catch {
    return 'too-much';
  }
}
