import type { Blocklist, Verdict } from 'portcullis';

/** The verdicts of one message that name something to act on. */
export interface ScreenedMessage {
  readonly count: number;
  readonly blocked: readonly { readonly asset: string; readonly verdict: Verdict }[];
}

/** A message that will not become readable by trying again. */
export class PoisonedMessage extends Error {}

/** Far more than a producer should send: a message is the unit that is screened again after a crash. */
const maxAssets = 10_000;

/** Screens a message: a JSON array of assets. It knows no broker, so every broker can call it. */
export async function screenMessage(blocklist: Pick<Blocklist, 'checkMany'>, text: string): Promise<ScreenedMessage> {
  const assets = assetsIn(text);
  const verdicts = await blocklist.checkMany(assets);
  const blocked = assets.flatMap((asset, at) => {
    const verdict = verdicts[at]!;
    return verdict.action === 'block' ? [{ asset, verdict }] : [];
  });
  return { count: assets.length, blocked };
}

function assetsIn(text: string): string[] {
  let assets: unknown;
  try {
    assets = JSON.parse(text);
  } catch {
    throw new PoisonedMessage('the message is not JSON');
  }
  const isOne = Array.isArray(assets) && assets.length <= maxAssets && assets.every((asset) => typeof asset === 'string');
  if (!isOne) throw new PoisonedMessage(`the message is not an array of at most ${maxAssets} texts`);
  return assets as string[];
}
