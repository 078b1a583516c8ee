import { nearestName } from '../../../src/core/options/nearest-name.js';
import { commonOptions, type OptionRows } from '../arguments/option-rows.js';
import { quoted } from '../arguments/quoted.js';
import { type Completed, shells } from '../arguments/shells.js';
import type { Command, CommandEntry } from '../command.js';
import { UsageError } from '../errors/usage.js';

/** The table of commands is passed in, because it contains this command. */
export function completionsOf(commands: ReadonlyMap<string, CommandEntry>): Command {
  return {
    summary: 'Print shell completions for commands, operations and options.',
    positionals: `<${[...shells.keys()].join('|')}>`,
    examples: [
      ['completions bash > ~/.local/share/bash-completion/completions/portcullis', 'bash'],
      ['completions zsh > ~/.zfunc/_portcullis', 'zsh, with ~/.zfunc in fpath'],
      ['completions fish > ~/.config/fish/completions/portcullis.fish', 'fish'],
      ['completions powershell >> $PROFILE', 'PowerShell'],
    ],
    options: {},

    async run({ positionals, output }) {
      const [name, extra] = positionals;
      const script = name === undefined ? undefined : shells.get(name);
      if (script === undefined || extra !== undefined) {
        const names = [...shells.keys()];
        const what = name === undefined ? 'no shell given' : `unknown shell${quoted(name)}`;
        throw new UsageError(
          `${script === undefined ? what : `unexpected argument${quoted(extra ?? '')}`}; use one of ${names.join(', ')}`,
          `for example: portcullis completions ${nearestName(name ?? '', names) ?? 'bash'}`,
        );
      }
      // Loaded together, because one file after another would take longer.
      const rows = await Promise.all([...commands].map(([command, { load }]) => completedOf(command, load)));
      await output.text(script(rows.flat()));
      return 0;
    },
  };
}

async function completedOf(name: string, load: CommandEntry['load']): Promise<Completed[]> {
  const { options, parts } = await load();
  const names = parts?.names ?? [];
  const found: Completed[] = [{ line: name, parts: names, options: flagsOf(options), choices: choicesOf(options) }];
  for (const part of names) {
    const { options: own } = await parts!.of(part);
    found.push({ line: `${name} ${part}`, parts: [], options: flagsOf(own), choices: choicesOf(own) });
  }
  return found;
}

function flagsOf(options: OptionRows): string[] {
  return [...new Set([...Object.keys(options), ...Object.keys(commonOptions)])].map((name) => `--${name}`);
}

function choicesOf(options: OptionRows): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(options).flatMap(([name, { choices }]) => (choices ? [[`--${name}`, choices] as const] : [])));
}
