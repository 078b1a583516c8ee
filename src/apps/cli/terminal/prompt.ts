import type { Call } from '../command.js';
import { exitCodes } from '../errors/exit.js';
import { UsageError } from '../errors/usage.js';
import { linesOf } from '../lists/input-lines.js';

/** Asks before what cannot be undone; no answer is no. Where nobody can be asked, `--yes` has to be given. */
export async function confirm({ options, output, input }: Call, what: string): Promise<void> {
  if (options.has('yes')) return;
  if (options.has('no-input') || !output.isTerminal || !input.isTerminal) {
    throw new UsageError(`${what} cannot be undone`, 'give --yes if it is meant, or --dry-run to see what would be sent');
  }
  output.prompt(`${what} cannot be undone. Go on? [y/N] `);
  for await (const { text } of linesOf(input)) {
    if (/^\s*y(es)?\s*$/i.test(text ?? '')) return;
    break;
  }
  throw new UsageError('nothing was done', undefined, { code: 'DECLINED' });
}

const [ctrlC, ctrlD, ctrlU, backspace, arrow] = ['\u0003', '\u0004', '\u0015', '\u007f', '\u001b'] as const;

/** What a person types while the terminal shows nothing; what is pasted too. */
export async function askHidden({ output, input, signal }: Call, question: string, lengthMax: number): Promise<string> {
  input.setHidden(true);
  try {
    output.prompt(question);
    const decoder = new TextDecoder();
    let typed = '';
    for await (const bytes of input) {
      for (const key of keysOf(decoder.decode(bytes, { stream: true }))) {
        if (key === '\r' || key === '\n') return typed;
        // In this mode the terminal makes no signal of it.
        if (key === ctrlC) throw new UsageError('interrupted', undefined, interrupted);
        if (key === ctrlD) throw new UsageError('nothing was entered');
        if (key === ctrlU) typed = '';
        else if (key === backspace || key === '\b') typed = [...typed].slice(0, -1).join('');
        else if (!key.startsWith(arrow)) typed += key;
        if (typed.length > lengthMax) throw new UsageError(`more than ${lengthMax} characters`);
      }
    }
    throw signal.reason ?? new UsageError('nothing was entered');
  } finally {
    input.setHidden(false);
    output.prompt('\n');
  }
}

const interrupted = { code: 'INTERRUPTED', exitCode: exitCodes.interrupted };

/** Characters, and arrows and marks of a paste, which are several, as one. */
function keysOf(text: string): string[] {
  return text.match(/\u001b\[[\d;]*[A-Za-z~]|[\s\S]/gu) ?? [];
}
