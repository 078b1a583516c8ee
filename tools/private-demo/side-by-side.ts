/** A column of text with a title. */
export interface Column {
  readonly title: string;
  readonly lines: readonly string[];
}

/** A narrower terminal shows the columns one below the other. */
const minColumns = 80;
const between = '  │ ';

/** @param bold Marks a title, without changing its width */
export function sideBySide(left: Column, right: Column, columns: number, bold: (text: string) => string): string[] {
  if (columns < minColumns) {
    return [left, right].flatMap(({ title, lines }) => [bold(title), ...lines.flatMap((line) => pieces(`  ${line}`, columns))]);
  }
  const width = Math.floor((Math.min(columns, 120) - between.length) / 2);
  const [first, second] = [left, right].map(({ lines }) => lines.flatMap((line) => pieces(line, width))) as [string[], string[]];
  const rows = Array.from({ length: Math.max(first.length, second.length) }, (_, at) =>
    `${(first[at] ?? '').padEnd(width)}${between}${second[at] ?? ''}`.trimEnd(),
  );
  return [`${bold(left.title)}${' '.repeat(Math.max(0, width - left.title.length))}${between}${bold(right.title)}`, ...rows];
}

/** A long line is continued below, with the indent of its start. */
function pieces(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const indent = /^ */.exec(line)![0];
  return [line.slice(0, width), ...pieces(indent + line.slice(width), width)];
}
