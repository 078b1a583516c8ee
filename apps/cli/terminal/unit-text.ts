const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** A number as all commands print it for a person. */
export function numberText(number: number): string {
  return number.toLocaleString('en');
}

export function countText(count: number, name: string): string {
  const several = /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`;
  return `${numberText(count)} ${count === 1 ? name : several}`;
}

/** How many of the entries that a list must contain were found. */
export function calibrationText({ outcome, samples, found }: { outcome: string; samples: number; found: number }): string {
  return outcome === 'skipped' ? 'not calibrated' : `${found} of ${samples} known entries found`;
}

/** A duration in the largest unit that fits. */
export function timeText(ms: number): string {
  for (const [name, unit] of units) if (ms >= unit) return countText(Math.floor(ms / unit), name);
  return `${Math.round(ms)} ms`;
}

/** When a list expires or has expired. */
export function expiryText(expiresAtMs: number): string {
  const leftMs = expiresAtMs - Date.now();
  return leftMs > 0 ? `expires in ${timeText(leftMs)}` : `expired ${timeText(-leftMs)} ago`;
}

const byteUnits = [
  ['TB', 1e12],
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
] as const;

export function bytesText(bytes: number): string {
  if (bytes < 1_000) return countText(bytes, 'byte');
  const [name, size] = byteUnits.find(([, most]) => bytes >= most)!;
  return `${(bytes / size).toFixed(1)} ${name}`;
}
