import type { FoundAsset } from '../../../core/find/find.js';
import { findAssets } from '../../../core/find/find-all.js';
import type { Call, Command } from '../command.js';
import { UsageError } from '../errors/usage.js';
import { wholeOf } from '../lists/input-lines.js';
import { openFile } from '../operation/upload-files.js';
import type { Output } from '../terminal/output.js';
import { printable } from '../terminal/terminal.js';

/** All that the finder takes, 4,194,304 units of text, has at most so many bytes in UTF-8. */
const textBytesMax = 3 * 4_194_304;

export const parse: Command = {
  summary: 'Find links, addresses, mailboxes and numbers in a text, on this machine. Looks nothing up.',
  positionals: '<text…|->',
  examples: [
    ['parse "pay at hxxps://scam-mint[.]example or call +1 202 555 0123"', 'A text of the command line'],
    ['parse --file mail.txt', 'The text of a file'],
    ['parse --json - < mail.txt', 'Standard input, with offsets'],
  ],
  options: {
    file: { value: 'file', text: 'Read the text from here' },
    max: { value: 'count', text: 'The most pieces a text may have; 10000 if it is not given' },
  },
  notes:
    'Offsets are in UTF-16 units. A text of more than 4,194,304 units is refused as a whole: cut it at white space. Secrets are never found.',

  async run(call) {
    const { output, options } = call;
    const text = await textOf(call);
    const found = findAssets(text, { maxResults: options.number('max', 1, 1_000_000) });
    await output.result({ length: text.length, found }, () =>
      output.format === 'human' ? found.map((piece) => lineOf(piece, output)).join('\n') : rowsOf(found),
    );
    return 0;
  },
};

async function textOf(call: Call): Promise<string> {
  const { positionals, options } = call;
  const file = options.text('file') ?? (positionals.includes('-') ? '-' : undefined);
  if (file === undefined && positionals.length === 0) throw new UsageError('nothing to read', 'portcullis parse <text…|->');
  if (file === undefined) return positionals.join(' ');
  const isAlone = positionals.length === (options.has('file') ? 0 : 1);
  if (!isAlone) throw new UsageError('a text comes from the command line, from --file or from -, not from two of them');
  const { pieces } = await openFile(file, call);
  const bytes = await wholeOf(pieces, textBytesMax, 'the text');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError('the text is no UTF-8');
  }
}

function lineOf({ start, end, text, assets: [first] }: FoundAsset, { paint }: Output): string {
  const { type, canonical } = first!;
  const meant = canonical === text ? '' : `  ${printable(canonical)}`;
  return `${paint('dim', `${start}-${end}`.padEnd(11))} ${paint('cyan', type.padEnd(12))} ${printable(text)}${meant}`;
}

function rowsOf(found: readonly FoundAsset[]) {
  return found.flatMap(({ start, end, text, assets }) =>
    assets.map(({ type, canonical }) => ({ start, end, text, type, canonical })),
  );
}
