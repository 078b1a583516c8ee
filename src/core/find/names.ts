import { decoded } from '../assets/web/escapes.js';

/** Whether a label, lower-case and in Unicode, is a top-level domain. */
export type IsTopLevelDomain = (label: string) => boolean;

/**
 * A name in which escapes and wide dots are replaced by as many characters of the same meaning for a host: `%2e` ends in a dot, `%40`
 * in an `@`, and every other escape is three letters.
 */
export function sameLength(name: string): string {
  if (!anySpecial.test(name)) return name;
  return name.replace(special, (one) => (one.length === 1 ? '.' : { '%2e': '--.', '%40': '--@' }[one.toLowerCase()] ?? 'xxx'));
}

const special = /%[\da-f]{2}|[\u2024\u3002\ufe52\uff0e\uff61]/gi;
const anySpecial = /[%\u2024\u3002\ufe52\uff0e\uff61]/;

/**
 * The length of the host at the start of a name; 0 if it is none. It ends at a label that is a top-level domain: in
 * `evil.com.Thanks` and `evil.com-based` a word follows. An item of a numbered list, `1.able`, is none, because recovery phrases are
 * written like that. `name` has the same length as `raw` and no escapes.
 */
export function hostLength(name: string, raw: string, isTopLevelDomain: IsTopLevelDomain | undefined): number {
  if (ipv4.test(name)) return name.length;
  if (/[%+]/.test(name)) return 0;
  let end = name.length;
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const label = plainLabel(raw.slice(dot + 1, end));
    const word = isTopLevelDomain === undefined ? null : /^[a-z]+(?=[-_])/.exec(label);
    if ((isTopLevelDomain ?? isPlausible)(label)) break;
    if (word !== null && isTopLevelDomain!(word[0])) {
      end = dot + 1 + word[0].length;
      break;
    }
    if (isTopLevelDomain === undefined) return 0;
    end = dot;
  }
  const host = name.slice(0, end);
  return host.indexOf('.') <= 0 || numbered.test(host) ? 0 : end;
}

/** Whether the last label could be a top-level domain that no list knows. */
export function looksLikeHost(name: string): boolean {
  const dot = name.lastIndexOf('.');
  return dot > 0 && isPlausible(plainLabel(name.slice(dot + 1))) && !/[%+]/.test(name) && !numbered.test(name);
}

/** The label as a browser reads it, apart from what only IDNA changes. */
function plainLabel(label: string): string {
  return lowerLetters.test(label) ? label : decoded(label).normalize('NFKC').toLowerCase();
}

function isPlausible(label: string): boolean {
  return topLevel.test(label);
}

const lowerLetters = /^[a-z]+$/;
const ipv4 = /^(?:\d{1,3}\.){3}\d{1,3}$/;
const topLevel = /^(?:[a-z]{2,63}|xn--[a-z\d-]{1,59}|[^\0-\x7f]{1,63})$/;
const numbered = /^\d{1,2}\.[^.]*$/;
