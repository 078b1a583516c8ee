import type { CheckInput } from '../../../blocklist/checks/question.js';
import { ASSET_TYPES, type AssetType } from '../../../core/assets/asset-types.js';
import { similarTo } from '../arguments/similar.js';
import type { Call, OptionRows } from '../command.js';
import { UsageError } from '../errors/usage.js';
import { linesOf } from './input-lines.js';

/** How inputs are to be read. */
export const readingOptions: OptionRows = {
  type: { value: 'type', text: 'What they are, as TWITTER or PHONE_NUMBER; otherwise they say it themselves' },
  chain: { value: 'chain', text: 'The chain of addresses: bitcoin, eth, eip155:1' },
};

/** So many are held at once; more are for screen, which holds none. */
const inputsMax = 100_000;
const bytesMax = 64 * 1024 * 1024;

/** What is to be checked, from the command line or, behind `-`, a line each from standard input. */
export async function inputsOf({ positionals, input, output }: Call, usage: string): Promise<string[]> {
  if (positionals.length === 0) throw new UsageError('nothing to check', `portcullis ${usage}`);
  if (!positionals.includes('-')) return [...positionals];
  if (positionals.length > 1) throw new UsageError('- stands alone: inputs come from standard input or from the command line');
  if (input.isTerminal) output.note('reading lines until Ctrl-D');
  const texts: string[] = [];
  for await (const { number, text } of linesOf(bounded(input))) {
    if (text === null)
      throw new UsageError(`line ${number} is too long, or no UTF-8`, 'portcullis screen goes on after such lines');
    if (text.trim() !== '') texts.push(text);
    if (texts.length > inputsMax) throw new UsageError(`more than ${inputsMax} lines`, 'portcullis screen takes any number');
  }
  return texts;
}

/** Without an end in sight it ends here, also where it is one line. */
async function* bounded(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > bytesMax) throw new UsageError(`more than ${bytesMax} bytes`, 'portcullis screen takes any number');
    yield piece;
  }
}

/** The text with what the call says about all of them. */
export function readingOf({ options }: Pick<Call, 'options'>): (content: string) => CheckInput {
  const type = options.text('type');
  const chain = options.text('chain');
  if (type !== undefined && !(ASSET_TYPES as readonly string[]).includes(type.toUpperCase())) {
    const similar = similarTo(type, ASSET_TYPES);
    throw new UsageError('there is no such type of asset', similar === undefined ? undefined : `did you mean --type=${similar}?`);
  }
  if (type === undefined && chain === undefined) return (content) => content;
  return (content) => ({
    content,
    ...(type !== undefined && { type: type.toUpperCase() as AssetType }),
    ...(chain !== undefined && { chain }),
  });
}
