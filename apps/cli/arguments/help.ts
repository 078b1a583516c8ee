import type { Command } from '../command.js';
import { commonOptions, type OptionRows } from './option-rows.js';

const indent = '  ';

/** The two commonest calls come first, because a line to copy answers most questions. */
export function helpOf(name: string, command: Command, columns: number): string {
  const { summary, positionals, examples, options, notes = '', canDryRun } = command;
  const common = Object.fromEntries(
    Object.entries(commonOptions).filter(([key]) => canDryRun || (key !== 'dry-run' && key !== 'yes')),
  );
  const lines = examples.map(([line, does]) => `${lineToCopy(line, columns)}\n${wrap(does, columns, indent.repeat(3))}`);
  const noteLines = notes
    .split('\n')
    .map((line) => (line.startsWith(indent) ? commandToCopy(line.trim(), columns) : wrap(line, columns, '')));
  const parts = [
    lines.slice(0, 2).join('\n'),
    wrap(summary, columns, ''),
    lines.length > 2 ? section('More examples', lines.slice(2)) : '',
    section('Usage', [wrap(`portcullis ${name}${positionals && ` ${positionals}`} [options]`, columns, indent)]),
    Object.keys(options).length === 0 ? '' : section('Options', optionLines(options, columns)),
    section('Common options', optionLines(common, columns)),
    noteLines.join('\n'),
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

/** A call of this program to copy. */
export function lineToCopy(line: string, columns: number): string {
  return commandToCopy(`portcullis ${line}`, columns);
}

/** A command to copy. On a narrow terminal a backslash continues it in the next line, so that no word is broken. */
function commandToCopy(command: string, columns: number): string {
  const whole = `${indent}${command}`;
  if (whole.length <= columns) return whole;
  // Quoted text stays in one piece, because a break would become part of it.
  const words = whole.trim().replace(/"[^"]*"/g, (quoted) => quoted.replaceAll(' ', '\0'));
  return wrap(words, columns - 2, indent)
    .replaceAll('\n', ' \\\n')
    .replaceAll('\0', ' ');
}

function section(title: string, lines: readonly string[]): string {
  return [title, ...lines].join('\n');
}

function optionLines(rows: OptionRows, columns: number): string[] {
  const entries = Object.entries(rows).map(([name, { short, value, text, choices }]) => {
    const head = `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`;
    return [head, choices === undefined ? text : `${text}; one of ${choices.join(', ')}`] as const;
  });
  return aligned(entries, columns);
}

/** Two columns, or one below the other on a narrow terminal. */
export function aligned(entries: readonly (readonly [head: string, text: string])[], columns: number): string[] {
  const width = Math.max(...entries.map(([head]) => head.length)) + 2 * indent.length;
  if (columns - width < 24) {
    return entries.flatMap(([head, text]) => [
      `${indent}${head}`,
      ...(text === '' ? [] : [wrap(text, columns, indent.repeat(3))]),
    ]);
  }
  return entries.map(([head, text]) =>
    `${indent}${head.padEnd(width - indent.length)}${wrap(text, columns, ' '.repeat(width)).trimStart()}`.trimEnd(),
  );
}

/** Breaks text between words into lines no longer than the terminal. */
export function wrap(text: string, columns: number, before: string): string {
  const lines: string[] = [];
  let line = before;
  for (const word of text.split(' ')) {
    const isFirst = line === before;
    if (!isFirst && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = before + word;
    } else {
      line += isFirst ? word : ` ${word}`;
    }
  }
  return [...lines, line].join('\n');
}
