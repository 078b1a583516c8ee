import { countText } from '../terminal/unit-text.js';

/** How many entries of a list are a link to an account, so that nobody wonders why it has more entries than lines; `null` if none. */
export function accountText(accounts: number): string | null {
  if (accounts === 0) return null;
  const verb = accounts === 1 ? 'names an account, a post or a work, which is' : 'name accounts, posts or works, which are';
  return `${countText(accounts, 'line')} ${verb} listed as well`;
}
