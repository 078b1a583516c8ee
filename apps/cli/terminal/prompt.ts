import type { CommandCall } from '../command.js';
import { interrupted, UsageError } from '../errors/usage.js';
import { linesOf } from '../lists/input-lines.js';

/** Asks before something that cannot be undone; the default is no. Without a terminal it requires `--yes`. */
export async function confirm({ options, output, input }: CommandCall, what: string): Promise<void> {
  if (options.has('yes')) return;
  if (options.has('no-input') || !output.isTerminal || !input.isTerminal) {
    throw new UsageError(`${what} cannot be undone`, 'confirm with --yes, or see the request with --dry-run');
  }
  output.prompt(`${what} cannot be undone. Continue? [y/N] `);
  for await (const { text } of linesOf(input)) {
    if (/^\s*y(es)?\s*$/i.test(text ?? '')) return;
    break;
  }
  throw new UsageError('cancelled; nothing was changed', undefined, { code: 'DECLINED' });
}

const [ctrlC, ctrlD, ctrlU, backspace, arrow] = ['\u0003', '\u0004', '\u0015', '\u007f', '\u001b'] as const;

/** Reads a line that is typed or pasted without showing it. */
export async function askHidden({ output, input, signal }: CommandCall, question: string, maxLength: number): Promise<string> {
  input.setHidden(true);
  try {
    output.prompt(question);
    const decoder = new TextDecoder();
    let typed = '';
    for await (const bytes of input) {
      for (const key of keysOf(decoder.decode(bytes, { stream: true }))) {
        if (key === '\r' || key === '\n') return typed;
        // In raw mode the terminal sends no signal.
        if (key === ctrlC) throw interrupted();
        if (key === ctrlD) throw new UsageError('nothing was entered');
        if (key === ctrlU) typed = '';
        else if (key === backspace || key === '\b') typed = [...typed].slice(0, -1).join('');
        else if (!key.startsWith(arrow)) typed += key;
        if (typed.length > maxLength) throw new UsageError(`the input is longer than ${maxLength} characters`);
      }
    }
    throw signal.reason ?? new UsageError('nothing was entered');
  } finally {
    input.setHidden(false);
    output.endPrompt();
  }
}

/** Splits text into keys; an arrow or a paste mark is one key of several characters. */
function keysOf(text: string): string[] {
  return text.match(/\u001b\[[\d;]*[A-Za-z~]|[\s\S]/gu) ?? [];
}
