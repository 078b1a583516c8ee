import type { Oddities } from './deceptive-text.js';
import { countText, shown } from './shown.js';

/** Of each kind; a message can have thousands. */
const maxNamed = 3;

/** The notice about an odd text; empty if nothing is odd. */
export function oddityText({ mixed, hidden }: Oddities): string {
  const sentences = mixed
    .slice(0, maxNamed)
    .map(
      ({ label, encoded, scripts }) =>
        `“${shown(label)}” (${encoded}) mixes ${scripts.join(' and ')} letters, as a look-alike of another name does.`,
    );
  if (mixed.length > maxNamed) sentences.push(`${countText(mixed.length - maxNamed, 'more name')} mix letters, too.`);
  if (hidden.length > 0) {
    const named = [...hidden.slice(0, maxNamed), ...(hidden.length > maxNamed ? ['…'] : [])].join(', ');
    sentences.push(`The text contains invisible characters (${named}), which can hide or reorder what you read.`);
  }
  return sentences.length === 0 ? '' : `Look closely. ${sentences.join(' ')} This notice does not change the verdict.`;
}
