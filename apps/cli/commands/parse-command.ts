import { type FoundAsset, findAssets } from 'portcullis/assets';
import type { Command, CommandCall } from '../command.js';
import { UsageError } from '../errors/usage.js';
import { refuseFiles } from '../lists/file-arguments.js';
import { wholeTextOf } from '../lists/input-lines.js';
import { openFile } from '../lists/open-file.js';
import type { Output } from '../terminal/output.js';

/** The finder takes 4,194,304 UTF-16 units, which have at most three bytes each in UTF-8. */
const maxTextBytes = 3 * 4_194_304;

export const parse: Command = {
  summary: 'Find links, addresses, mailboxes and numbers in text, on this machine. Does not check them.',
  positionals: '<text…|->',
  examples: [
    ['parse "pay at hxxps://scam-mint[.]example or call +1 202 555 0123"', 'Reads an argument'],
    ['parse --file mail.txt', 'Reads a file'],
    ['parse --json - < mail.txt', 'Reads standard input, and prints offsets'],
  ],
  options: {
    file: { value: 'file', text: 'Read the text from this file' },
    max: { value: 'count', text: 'Fail if more assets than this are found; defaults to 10000' },
  },
  notes:
    'Offsets are in UTF-16 units. Text longer than 4,194,304 units is rejected; split it at white space. Secrets are never reported. A piece without a scheme is marked (bare), or (weak) if it looks like the name of a file.',

  async run(call) {
    const { output, options } = call;
    const text = await givenText(call);
    const found = findAssets(text, { maxResults: options.number('max', 1, 1_000_000) });
    await output.result({ length: text.length, found }, () =>
      output.format === 'human' ? found.map((piece) => lineOf(piece, output)) : rowsOf(found),
    );
    return 0;
  },
};

async function givenText(call: CommandCall): Promise<string> {
  const { positionals, options } = call;
  const file = options.text('file') ?? (positionals.includes('-') ? '-' : undefined);
  if (file === undefined && positionals.length === 0) throw new UsageError('no text given', 'portcullis parse <text…|->');
  if (file === undefined) {
    await refuseFiles(positionals, (name) => `read it with: portcullis parse --file ${name}`);
    return positionals.join(' ');
  }
  const isAlone = positionals.length === (options.has('file') ? 0 : 1);
  if (!isAlone)
    throw new UsageError(
      'arguments, --file and - cannot be combined',
      'pass the text as arguments, with --file or on standard input',
    );
  const { pieces } = await openFile(file, call);
  return wholeTextOf(pieces, maxTextBytes, 'the text');
}

function lineOf({ start, end, text, certainty, assets: [first] }: FoundAsset, { paint }: Output): string {
  const { type, canonical } = first!;
  const meant = canonical === text ? '' : `  ${canonical}`;
  const doubt = certainty === 'explicit' ? '' : paint('dim', `  (${certainty})`);
  return `${paint('dim', `${start}-${end}`.padEnd(11))} ${paint('cyan', type.padEnd(12))} ${text}${meant}${doubt}`;
}

function rowsOf(found: readonly FoundAsset[]) {
  return found.flatMap(({ start, end, text, certainty, assets }) =>
    assets.map(({ type, canonical }) => ({ start, end, text, certainty, type, canonical })),
  );
}
