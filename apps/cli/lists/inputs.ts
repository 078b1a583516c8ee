import { ASSET_TYPES, type AssetType, type CheckInput } from 'portcullis';
import { detectAssets } from 'portcullis/assets';
import { nearestName } from '../../../src/core/options/nearest-name.js';
import type { OptionRows } from '../arguments/option-rows.js';
import { notThis } from '../arguments/quoted.js';
import type { CommandCall } from '../command.js';
import { UsageError } from '../errors/usage.js';
import { textPieces } from './binary-input.js';
import { refuseFiles } from './file-arguments.js';
import { bounded, linesOf } from './input-lines.js';
import { originWords } from './list-options.js';
import { refuseTable } from './table-input.js';

export const readingOptions: OptionRows = {
  type: { value: 'type', text: 'The type of all inputs, such as TWITTER or PHONE_NUMBER; detected by default' },
  chain: { value: 'chain', text: 'The chain of address inputs, such as bitcoin, eth or eip155:1' },
};

/** All inputs are in memory at once. */
const maxInputs = 100_000;
const maxInputBytes = 64 * 1024 * 1024;
const screenAdvice = 'portcullis screen takes any number of lines';

/** The inputs of a call: arguments, or lines of standard input for `-`. */
export async function inputsOf({ positionals, options, input, output }: CommandCall, usage: string): Promise<string[]> {
  if (positionals.length === 0) throw new UsageError('nothing to check', `portcullis ${usage}`);
  if (!positionals.includes('-')) {
    const next = (file: string): string =>
      `check its lines with: portcullis screen${originWords(options)} ${file}; to check the name itself, add --type URL`;
    if (!options.has('type')) await refuseFiles(positionals, next);
    return [...positionals];
  }
  if (positionals.length > 1) throw new UsageError('- cannot be combined with other inputs', 'pass inputs as arguments or lines');
  if (input.isTerminal) output.note('reading lines until Ctrl-D');
  const texts: string[] = [];
  const pieces = textPieces(input, 'standard input');
  for await (const { number, text } of linesOf(bounded(pieces, maxInputBytes, 'standard input', screenAdvice))) {
    if (text === null)
      throw new UsageError(`line ${number} is too long or not UTF-8`, 'portcullis screen reports such lines and continues');
    if (text.trim() !== '') texts.push(text);
    if (texts.length > maxInputs) throw new UsageError(`standard input has more than ${maxInputs} lines`, screenAdvice);
  }
  if (texts.length === 0) output.alarm('the input is empty, so nothing was checked');
  const isAsset = (cell: string): boolean => detectAssets(cell).length > 0;
  refuseTable(texts.join('\n'), isAsset, (option) => `check a column with: portcullis screen${originWords(options)} ${option} -`);
  return texts;
}

/** What a call says about all its inputs. */
export interface Hints {
  readonly type: AssetType | undefined;
  readonly chain: string | undefined;
}

export function hintsOf({ options }: Pick<CommandCall, 'options'>): Hints {
  const type = options.text('type');
  if (type !== undefined && !(ASSET_TYPES as readonly string[]).includes(type.toUpperCase())) {
    const similar = nearestName(type, ASSET_TYPES);
    const next = similar === undefined ? `the types are ${ASSET_TYPES.join(', ')}` : `did you mean --type=${similar}?`;
    throw new UsageError(`--type must be an asset type${notThis(type)}`, next);
  }
  return { type: type?.toUpperCase() as AssetType | undefined, chain: options.text('chain') };
}

/** Completes a text with the type and chain that the call gives for all inputs. */
export function readingOf(call: Pick<CommandCall, 'options'>): (content: string) => CheckInput {
  return readingWith(hintsOf(call));
}

export function readingWith({ type, chain }: Hints): (content: string) => CheckInput {
  if (type === undefined && chain === undefined) return (content) => content;
  return (content) => ({ content, ...(type !== undefined && { type }), ...(chain !== undefined && { chain }) });
}
