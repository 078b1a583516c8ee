import { type Asset, type AssetType, type CheckInput, detectAssets, findAssets, normalizeAsset } from 'portcullis';

/** What of a text is checked. */
export interface Subject {
  /** As it stands in the text. */
  readonly text: string;
  readonly input: CheckInput;
  /** All it can be read as, the narrowest first. */
  readonly assets: readonly Asset[];
  /** What somebody said it is. */
  readonly type: AssetType | undefined;
}

/** The things in a text; `too-much` where a part would be told from the whole. */
export type Subjects = readonly Subject[] | 'too-much';

/** The text itself where it is one thing, or refused as one; else the things in it. */
export function subjectsOf(text: string, type: AssetType | undefined): Subjects {
  if (type !== undefined) return [typed(text, type)];
  const assets = detectAssets(text);
  const whole: Subject = { text, input: text, assets, type };
  if (assets.length > 0 && !hasSpaceInside(text)) return [whole];
  const read = normalizeAsset(text);
  if ('refused' in read && read.refused === 'secret') return [whole];
  const pieces = piecesOf(text);
  if (pieces === 'too-much') return pieces;
  if (assets.length === 0) return pieces.length > 0 && !isRefusedAsOne(read) ? pieces : [whole];
  // A browser takes a link with spaces in it as one, and so it may be meant; a message that begins with a link it is more often.
  if (pieces.length > 1) return pieces;
  const [piece] = pieces;
  return piece === undefined || piece.text === text.trim() ? [whole] : [piece, whole];
}

/** Also an account on some chains, and a transaction: it can be looked up, and nobody should send it anywhere. */
export function looksLikeKey({ text }: Subject): boolean {
  return /^(?:0x)?[0-9a-f]{64}$/i.test(text.trim());
}

function typed(text: string, type: AssetType): Subject {
  const read = normalizeAsset(text, { type });
  return { text, input: { content: text, type }, assets: 'refused' in read ? [] : [read], type };
}

function hasSpaceInside(text: string): boolean {
  return /\s/.test(text.trim());
}

/** A private page, a script: what stands behind its scheme is not what it leads to. */
function isRefusedAsOne(read: ReturnType<typeof normalizeAsset>): boolean {
  return 'refused' in read && read.refused !== 'unknown';
}

function piecesOf(text: string): Subjects {
  try {
    // The same thing twice in a message is checked once.
    const pieces = new Map(findAssets(text).map((piece) => [piece.text, piece]));
    return [...pieces.values()].map(({ text: found, assets }) => {
      const { canonical, type } = assets[0]!;
      return { text: found, input: { content: canonical, type }, assets, type: undefined };
    });
  } catch {
    return 'too-much';
  }
}
