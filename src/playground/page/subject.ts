import { type Asset, type CheckInput, detectAssets, findAssets, normalizeAsset } from 'portcullis';

/** What of a text is checked. */
export interface Subject {
  /** As it stands in the text. */
  readonly text: string;
  readonly input: CheckInput;
  /** All it can be read as, the narrowest first. */
  readonly assets: readonly Asset[];
}

/** More in one text is offered by nobody's thumb. */
const subjectsMax = 20;

/** The text itself where it is one thing, or refused as one; else the things in it. */
export function subjectsOf(text: string): readonly Subject[] {
  const assets = detectAssets(text);
  const whole: Subject = { text, input: text, assets };
  if (assets.length > 0) return [whole];
  const read = normalizeAsset(text);
  if ('refused' in read && read.refused !== 'unknown') return [whole];
  const found = piecesOf(text);
  return found.length > 0 ? found : [whole];
}

function piecesOf(text: string): readonly Subject[] {
  try {
    return findAssets(text)
      .slice(0, subjectsMax)
      .map((piece) => {
        const { canonical, type } = piece.assets[0]!;
        return { text: piece.text, input: { content: canonical, type }, assets: piece.assets };
      });
  } catch {
    // More than a finder reads; as one thing it has an answer too.
    return [];
  }
}
