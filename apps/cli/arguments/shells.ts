import { topicNames } from './help-topics.js';
import { commonOptions } from './option-rows.js';

/** The possible continuations of a command line. */
export interface Completed {
  /** A command, or a command and its subcommand: `api assetCheck`. */
  readonly line: string;
  readonly parts: readonly string[];
  readonly options: readonly string[];
  /** The choices of options that have them, by name with hyphens. */
  readonly choices: ReadonlyMap<string, readonly string[]>;
}

/**
 * Scripts by shell. Each contains the same table, in which the shell finds the longest line that was typed and offers what can follow.
 * All names consist of letters, digits and hyphens, so nothing needs quoting.
 */
export const shells: ReadonlyMap<string, (table: readonly Completed[]) => string> = new Map([
  ['bash', bash],
  ['zsh', zsh],
  ['fish', fish],
  ['powershell', powershell],
]);

const namesOf = (table: readonly Completed[]): string =>
  table.flatMap(({ line }) => (line.includes(' ') ? [] : [line])).join(' ');
/** What `help` describes. */
const helpedOf = (table: readonly Completed[]): string => [namesOf(table), ...topicNames].join(' ');
const followersOf = ({ parts, options }: Completed): string => [...parts, ...options].join(' ');

const commonFlags: ReadonlySet<string> = new Set(Object.keys(commonOptions).map((name) => `--${name}`));

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
    words="${helpedOf(table)}"
  else
    words="$(_portcullis_choices "\${COMP_WORDS[1]} \${COMP_WORDS[2]} \${COMP_WORDS[COMP_CWORD-1]}")"
    [ -n "$words" ] || words="$(_portcullis_choices "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD-1]}")"
    [ -n "$words" ] || words="$(_portcullis_follow "\${COMP_WORDS[1]} \${COMP_WORDS[2]}")"
    [ -n "$words" ] && [ "$COMP_CWORD" -gt 2 ] || words="$(_portcullis_follow "\${COMP_WORDS[1]}")"
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  # Paths, if nothing else fits.
  [ "\${#COMPREPLY[@]}" -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
_portcullis_follow() {
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
  local -A choices=(
${table.flatMap(({ line, choices }) => [...choices].map(([option, values]) => `    '${line} ${option}' '${values.join(' ')}'`)).join('\n')}
  )
  local found before="\${words[CURRENT-1]}"
  if (( CURRENT == 2 )); then
    found="${namesOf(table)} help"
  elif [[ "\${words[2]}" == help ]]; then
    found="${helpedOf(table)}"
  elif [[ "$before" == --output ]]; then
    found='${outputs.join(' ')}'
  else
    found="\${choices[\${words[2]} \${words[3]} $before]}"
    [[ -n "$found" ]] || found="\${choices[\${words[2]} $before]}"
    (( CURRENT > 3 )) && [[ -z "$found" ]] && found="\${follow[\${words[2]} \${words[3]}]}"
    [[ -n "$found" ]] || found="\${follow[\${words[2]}]}"
  fi
  compadd -- \${=found} || _files
}
if [[ "$funcstack[1]" == _portcullis ]]; then _portcullis "$@"; else compdef _portcullis portcullis; fi
`;
}

function fish(table: readonly Completed[]): string {
  const lines = table.flatMap(({ line, parts, options, choices }) => {
    const [name = '', part] = line.split(' ');
    const seen = `__fish_seen_subcommand_from ${name}${part === undefined ? '' : `; and __fish_seen_subcommand_from ${part}`}`;
    const complete = `complete -c portcullis -n '${seen}'`;
    return [
      ...(parts.length === 0 ? [] : [`${complete} -f -a '${parts.join(' ')}'`]),
      // An option that is declared with its choices is completed by fish itself.
      ...options
        .filter((option) => !commonFlags.has(option))
        .map((option) => {
          const values = choices.get(option);
          return `${complete} -l ${option.slice(2)}${values === undefined ? '' : ` -x -a '${values.join(' ')}'`}`;
        }),
    ];
  });
  return `complete -c portcullis -n __fish_use_subcommand -f -a '${namesOf(table)} help'
complete -c portcullis -n '__fish_seen_subcommand_from help' -f -a '${helpedOf(table)}'
${Object.keys(commonOptions)
  .map((name) => `complete -c portcullis -l ${name}${name === 'output' ? ` -x -a '${outputs.join(' ')}'` : ''}`)
  .join('\n')}
${lines.join('\n')}
`;
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
