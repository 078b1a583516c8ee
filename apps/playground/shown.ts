import { replaceHidden, replaceTowers } from '../../src/core/visible-text.js';

/** Characters of a text that are shown. */
const maxShown = 300;

/** Makes an untrusted text safe to show next to others: what is invisible is shown by its number, except a plain space. */
export function shown(text: string, max: number = maxShown): string {
  const cut = text.length > max ? `${text.slice(0, max)}…` : text;
  return replaceHidden(
    replaceTowers(cut, () => '…'),
    (character) => (character === ' ' ? ' ' : `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`),
  );
}

const counts = new Intl.NumberFormat('en');

export function numberText(count: number): string {
  return counts.format(count);
}

export function countText(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}

const bytesPerKilobyte = 1_000;

export function bytesText(bytes: number): string {
  if (bytes < bytesPerKilobyte) return `${bytes} B`;
  const kilobytes = bytes / bytesPerKilobyte;
  return kilobytes < bytesPerKilobyte ? `${kilobytes.toFixed(1)} kB` : `${(kilobytes / bytesPerKilobyte).toFixed(1)} MB`;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

export function durationText(ms: number): string {
  if (ms < second) return `${Math.round(ms)} ms`;
  if (ms < minute) return `${Math.round(ms / second)} s`;
  if (ms < hour) return `${Math.floor(ms / minute)} min ${Math.floor((ms % minute) / second)} s`;
  return `${Math.floor(ms / hour)} h ${Math.floor((ms % hour) / minute)} min`;
}
