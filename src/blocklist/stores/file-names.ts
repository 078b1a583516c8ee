/**
 * Names as file names, all in one folder. A prefix avoids the names Windows reserves (`con`, also as `con.x`), and a suffix the
 * final full stop it drops. Names have no upper case, so a file system that ignores case confuses none; and no part of a name is
 * empty or begins with a full stop, so none leads out of the folder.
 */
const valueStart = 'value-';
const valueEnd = '.bin';
const slash = '+';

const headPattern = /^head-(.+)\.([1-9]\d{0,15})$/;
const lockPattern = /^lock-([1-9]\d{0,15})$/;

export const temporaryStart = 'temporary-';

const fileSafe = (name: string): string => name.replace(/\//g, slash);
const nameOf = (safe: string): string => safe.split(slash).join('/');

export function valueFile(name: string): string {
  return `${valueStart}${fileSafe(name)}${valueEnd}`;
}

/** `null` for any other file. */
export function valueNameOf(file: string): string | null {
  if (!file.startsWith(valueStart) || !file.endsWith(valueEnd)) return null;
  return nameOf(file.slice(valueStart.length, -valueEnd.length));
}

export function headFile(name: string, sequence: number): string {
  return `head-${fileSafe(name)}.${sequence}`;
}

/** `null` for any other file. */
export function headOf(file: string): { readonly name: string; readonly sequence: number } | null {
  const [, safe, sequence] = headPattern.exec(file) ?? [];
  return safe === undefined ? null : { name: nameOf(safe), sequence: Number(sequence) };
}

export function lockFile(number: number): string {
  return `lock-${number}`;
}

/** The number in the name; 0 for any other file. */
export function lockNumberOf(file: string): number {
  return Number(lockPattern.exec(file)?.[1] ?? 0);
}
