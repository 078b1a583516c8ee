import { commonOptions } from '../arguments/arguments.js';
import { type Completed, shells } from '../arguments/shells.js';
import { similarTo } from '../arguments/similar.js';
import type { Command, OptionRows } from '../command.js';
import { commands } from '../commands.js';
import { UsageError } from '../errors/usage.js';

export const completions: Command = {
  summary: 'Print completions for a shell: commands, operations and options.',
  positionals: `<${[...shells.keys()].join('|')}>`,
  examples: [
    ['completions bash > ~/.local/share/bash-completion/completions/portcullis', 'bash'],
    ['completions zsh > ~/.zfunc/_portcullis', 'zsh, with ~/.zfunc in fpath'],
    ['completions fish > ~/.config/fish/completions/portcullis.fish', 'fish'],
    ['completions powershell >> $PROFILE', 'PowerShell'],
  ],
  options: {},

  async run({ positionals, output }) {
    const [name = ''] = positionals;
    const script = shells.get(name);
    if (script === undefined || positionals.length > 1) {
      const similar = similarTo(name, shells.keys());
      throw new UsageError(
        `which shell? ${[...shells.keys()].join(', ')}`,
        similar === undefined ? 'portcullis completions bash' : `did you mean: portcullis completions ${similar}`,
      );
    }
    await output.raw(script(await completed()));
    return 0;
  },
};

/** What there is to complete, from the registry. All of it is read at once: one file after another would take longer. */
async function completed(): Promise<readonly Completed[]> {
  return (await Promise.all([...commands].map(([name, { load }]) => completedOf(name, load)))).flat();
}

async function completedOf(name: string, load: () => Promise<Command>): Promise<Completed[]> {
  const { options, parts } = await load();
  const words = parts?.names ?? [];
  const found: Completed[] = [{ line: name, words, options: flagsOf(options), choices: choicesOf(options) }];
  for (const word of words) {
    const part = await parts!.of(word);
    found.push({ line: `${name} ${word}`, words: [], options: flagsOf(part.options), choices: choicesOf(part.options) });
  }
  return found;
}

function flagsOf(options: OptionRows): string[] {
  return [...new Set([...Object.keys(options), ...Object.keys(commonOptions)])].map((name) => `--${name}`);
}

function choicesOf(options: OptionRows): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(options).flatMap(([name, { choices }]) => (choices ? [[`--${name}`, choices] as const] : [])));
}
