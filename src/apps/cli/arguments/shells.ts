import { commonOptions } from './arguments.js';

/** What may follow a line's beginning. */
export interface Completed {
  /** A command, or a command and its first word: `api assetCheck`. */
  readonly line: string;
  readonly words: readonly string[];
  readonly options: readonly string[];
  /** What may follow an option that has choices, by its name with the hyphens. */
  readonly choices: ReadonlyMap<string, readonly string[]>;
}

/**
 * Scripts by shell. Each holds the same table; the shell finds the longest line in it that was typed, and offers what follows.
 * All names are ours, of letters, digits, hyphens, so nothing in them has to be quoted.
 */
export const shells: ReadonlyMap<string, (table: readonly Completed[]) => string> = new Map([
  ['bash', bash],
  ['zsh', zsh],
  ['fish', fish],
  ['powershell', powershell],
]);

const namesOf = (table: readonly Completed[]): string =>
  table.flatMap(({ line }) => (line.includes(' ') ? [] : [line])).join(' ');
const followersOf = ({ words, options }: Completed): string => [...words, ...options].join(' ');

/** What every command has; the others by command. */
const outputs = commonOptions['output']?.choices ?? [];

function choicesOf({ line, choices }: Completed): string[] {
  return [...choices].map(([option, values]) => `    '${line} ${option}') echo '${values.join(' ')}' ;;`);
}

function bash(table: readonly Completed[]): string {
  return `_portcullis() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${namesOf(table)} help"
  elif [ "\${COMP_WORDS[1]}" = help ] && [ "$COMP_CWORD" -eq 2 ]; then
    words="${namesOf(table)}"
  else
    words="$(_portcullis_choices "\${COMP_WORDS[1]} \${COMP_WORDS[2]} \${COMP_WORDS[COMP_CWORD-1]}")"
    [ -n "$words" ] || words="$(_portcullis_choices "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD-1]}")"
    [ -n "$words" ] || words="$(_portcullis_words "\${COMP_WORDS[1]} \${COMP_WORDS[2]}")"
    [ -n "$words" ] && [ "$COMP_CWORD" -gt 2 ] || words="$(_portcullis_words "\${COMP_WORDS[1]}")"
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  # A path, where nothing else fits.
  [ "\${#COMPREPLY[@]}" -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
_portcullis_words() {
  case "$1" in
${table.map((one) => `    '${one.line}') echo '${followersOf(one)}' ;;`).join('\n')}
  esac
}
_portcullis_choices() {
  case "$1" in
    *' --output') echo '${outputs.join(' ')}' ;;
${table.flatMap(choicesOf).join('\n')}
  esac
}
complete -F _portcullis portcullis
`;
}

function zsh(table: readonly Completed[]): string {
  return `#compdef portcullis
_portcullis() {
  local -A follow=(
${table.map((one) => `    '${one.line}' '${followersOf(one)}'`).join('\n')}
  )
  local found
  if (( CURRENT == 2 )); then
    found="${namesOf(table)} help"
  else
    (( CURRENT > 3 )) && found="\${follow[\${words[2]} \${words[3]}]}"
    [[ -n "$found" ]] || found="\${follow[\${words[2]}]}"
  fi
  compadd -- \${=found} || _files
}
if [[ "$funcstack[1]" == _portcullis ]]; then _portcullis "$@"; else compdef _portcullis portcullis; fi
`;
}

function fish(table: readonly Completed[]): string {
  const lines = table.map((one) => {
    const [name = '', word] = one.line.split(' ');
    const seen = `__fish_seen_subcommand_from ${name}${word === undefined ? '' : `; and __fish_seen_subcommand_from ${word}`}`;
    return `complete -c portcullis -n '${seen}' -a '${followersOf(one)}'`;
  });
  return `complete -c portcullis -n __fish_use_subcommand -f -a '${namesOf(table)} help'\n${lines.join('\n')}\n`;
}

function powershell(table: readonly Completed[]): string {
  return `Register-ArgumentCompleter -Native -CommandName portcullis -ScriptBlock {
  param($current, $ast)
  $follow = @{
${table.map((one) => `    '${one.line}' = '${followersOf(one)}'`).join('\n')}
  }
  $typed = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  if ($current -ne '') { $typed = @($typed | Select-Object -SkipLast 1) }
  $found = '${namesOf(table)} help'
  if ($typed.Count -ge 1) { $found = $follow[$typed[0]] }
  if ($typed.Count -ge 2 -and $follow["$($typed[0]) $($typed[1])"]) { $found = $follow["$($typed[0]) $($typed[1])"] }
  "$found".Split(' ') | Where-Object { $_ -and $_ -like "$current*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_)
  }
}
`;
}
