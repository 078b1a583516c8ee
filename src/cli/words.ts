/** Numbers as a person reads them. */

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

export function countText(count: number, name: string): string {
  return `${count.toLocaleString('en')} ${name}${count === 1 ? '' : 's'}`;
}

/** The largest unit says enough. */
export function timeText(ms: number): string {
  for (const [name, unit] of units) if (ms >= unit) return countText(Math.floor(ms / unit), name);
  return `${Math.round(ms)} ms`;
}

export function bytesText(bytes: number): string {
  if (bytes < 1_000) return countText(bytes, 'byte');
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
