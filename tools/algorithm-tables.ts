import { platformTables } from '../src/core/assets/all-families.js';
import { unlistedWords } from '../src/core/assets/all-secrets.js';
import { callingCode, trunkZero, zeros } from '../src/core/assets/contact/phone.js';
import { filter, firstCode, fnvPrime, start } from '../src/core/assets/phrase-words.js';
import { shapes } from '../src/core/assets/platforms/platform-rules.js';
import { wrapperTable } from '../src/core/assets/wrapper-table.js';

/** The tables of docs/algorithm.md as data, by the name of their file. Clients in other languages read these files. */
export function algorithmTables(): ReadonlyMap<string, string> {
  const redirectors = wrapperTable
    .trim()
    .split('\n')
    .map((line) => line.split(/ +/));
  const platforms = platformTables.flat().map(([type, hosts, rules, reserved]) => ({
    type,
    hosts: hosts.split(' '),
    rules: rules
      .trim()
      .split(/\s*\n\s*/)
      .map((rule) => rule.split(' ')),
    reserved: reserved?.split(' ').filter(Boolean) ?? [],
  }));
  const numbers = Array.from({ length: 999 }, (_, at) => String(at + 1));
  const isWhole = (pattern: RegExp, code: string): boolean => pattern.exec(code)?.[0] === code;
  return new Map([
    table('redirectors', '§6.7: links that carry a link. Each row: site, path, take.', redirectors),
    table(
      'platforms',
      '§6.6: the rows in their order, each rule in its parts, and what shapes in angle brackets mean.',
      platforms,
      {
        shapes,
      },
    ),
    table(
      'telephone',
      '§6.3: the calling codes; the first are those with a trunk 0; and the zeros of the digits of other scripts.',
      [
        numbers.filter((code) => isWhole(callingCode, code) && isWhole(trunkZero, code)),
        numbers.filter((code) => isWhole(callingCode, code) && !isWhole(trunkZero, code)),
        zeros.map((zero) => zero.toString(16)),
      ],
    ),
    table('phrases', '§7: the words of sentences, and the filter of the words of phrases.', unlistedWords.trim().split(' '), {
      filter: { start, prime: fnvPrime, firstCode, digits: filter },
    }),
  ]);
}

function table(name: string, about: string, rows: readonly unknown[], more: object = {}): [string, string] {
  const lines = rows.map((row) => `  ${JSON.stringify(row)}`).join(',\n');
  const rest = Object.entries(more).map(([key, value]) => `,\n "${key}": ${JSON.stringify(value)}`);
  return [`docs/tables/${name}.json`, `{\n "about": ${JSON.stringify(about)},\n "rows": [\n${lines}\n ]${rest.join('')}\n}\n`];
}
