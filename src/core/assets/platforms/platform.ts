import type { Asset, Family } from '../asset.js';
import type { AssetType } from '../asset-types.js';
import { phoneNumber } from '../contact/phone.js';
import { readTyped, webAssets } from '../read-text.js';
import { decoded } from '../web/escapes.js';
import { linksOf } from '../web/link.js';
import { filters } from './filters.js';
import { parseHosts, parseRules, type Rule } from './platform-rules.js';
import type { PlatformRow } from './platform-table.js';

/** The parts of a link that rules match. */
export interface Place {
  /** Canonical, without `www.`. */
  readonly host: string;
  /** `/` for the root, else without a final slash; for a text with another scheme, everything before its query. */
  readonly path: string;
  /** As written, without the question mark. */
  readonly query: string;
  readonly fragment: string;
  readonly port: string | undefined;
}

/** One row of a table, ready to read. Both functions return the asset and the assets looked up with it, or nothing. */
export interface Platform {
  readonly type: AssetType;
  /** In full; a wildcard begins with `*.` or `~.`. */
  readonly hosts: readonly string[];
  /** Whether it has rules for texts with its own scheme, and for texts that identify themselves by their form. */
  readonly hasUris: boolean;
  readonly hasMarks: boolean;
  readLink(place: Place): readonly Asset[];
  /** `isNamed`: the caller says that the text is of this type. */
  readText(text: string, place: Place, isNamed: boolean): readonly Asset[];
}

export function createPlatform([type, hostList, ruleList, reservedList = '', families]: PlatformRow): Platform {
  const hosts = parseHosts(hostList);
  // Even where account names are subdomains, these two belong to the platform.
  const reserved = new Set(`*www *m ${reservedList}`.match(/\S+/g));
  let compiled: readonly Rule[] | undefined;
  const rules = (): readonly Rule[] => (compiled ??= parseRules(ruleList));

  /** The assets of the first rule that matches and has a result. */
  const first = (capture: (rule: Rule) => Captures | null, place: Place): readonly Asset[] => {
    for (const rule of rules()) {
      const captures = capture(rule);
      if (captures === null || (rule.isGuarded && reserved.has(captures[1]?.toLowerCase() ?? ''))) continue;
      if (rule.results.length === 0) return none;
      const [own, ...others] = rule.results.map((result) => assetsOf(result, captures, place, type, hosts[0]!, families));
      if (own!.length > 0) return [...own!, ...others.flat()];
    }
    return none;
  };

  return {
    type,
    hosts,
    hasUris: /^ *:/m.test(ruleList),
    hasMarks: /^ *!/m.test(ruleList),
    readLink(place) {
      const spot = locate(place.host, hosts);
      if (spot === null || reserved.has(spot.sub) || reserved.has(`*${spot.sub}`)) return none;
      return first((rule) => (rule.ofLink && rule.isAt(spot.host, spot.sub) ? capturesAt(rule, place, spot.sub) : null), place);
    },
    readText(text, place, isNamed) {
      return first((rule) => {
        if (isNamed ? rule.ofNamed : rule.ofAny) return rule.whole().exec(text);
        return rule.ofUri ? capturesAt(rule, place, '') : null;
      }, place);
    },
  };
}

const none: readonly Asset[] = [];

/** The captures of a rule by number, the subdomain at 0. A group that did not take part is `undefined`. */
type Captures = readonly (string | undefined)[];

interface Spot {
  readonly host: string;
  readonly sub: string;
}

/** The platform host that this host matches. */
function locate(host: string, hosts: readonly string[]): Spot | null {
  const hasNames = hosts.some((name) => name.startsWith('*'));
  const plain = host.replace(hasNames ? /^m\./ : mobile, '');
  for (const name of [host, plain]) if (hosts.includes(name)) return { host: name, sub: '' };
  for (const name of hosts) {
    const behind = name.slice(1);
    const sub = host.slice(0, -behind.length);
    if (sub === '' || !host.endsWith(behind)) continue;
    if (name.startsWith('*')) return { host, sub };
    if (name.startsWith('~') && language.test(sub)) return { host: behind.slice(1), sub: '' };
  }
  return null;
}

export const mobile: RegExp = /^(?:m|mobile|touch)\./;

const language = /^[a-z]{2}(?:-[a-z]{2})?$/;

function capturesAt(rule: Rule, { path, query, fragment }: Place, sub: string): Captures | null {
  const found = rule.path().exec(path);
  if (found === null) return null;
  const captures: (string | undefined)[] = [sub, ...found.slice(1)];
  for (const { names, pattern } of rule.conditions) {
    const value = names.length === 0 ? fragment : parameterOf(query, names);
    const match = value === null ? null : pattern().exec(value);
    if (match === null) return null;
    captures.push(...match.slice(1));
  }
  return captures;
}

/** The first parameter with one of these names in any case; a plus is a space. */
function parameterOf(query: string, names: readonly string[]): string | null {
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=');
    if (equals > 0 && names.includes(decoded(pair.slice(0, equals)).toLowerCase()))
      return decoded(pair.slice(equals + 1).replace(/\+/g, ' '));
  }
  return null;
}

/** The assets of one result; none if a capture of the result is empty or a filter rejects it. */
function assetsOf(
  { type, template }: Rule['results'][number],
  captures: Captures,
  place: Place,
  own: AssetType,
  main: string,
  families: readonly Family[] | undefined,
): readonly Asset[] {
  let isWhole = true;
  const text = template.replace(/([$%^])([\dhp])(?::([a-z]\w+))?/g, (_, kind: string, name: string, filter?: string) => {
    const capture = (name === 'h' ? place.host : name === 'p' ? place.port : captures[Number(name)]) ?? '';
    const written = filters[filter ?? kind]!(capture);
    isWhole &&= Boolean(capture && written);
    return written ?? '';
  });
  if (!isWhole) return none;
  if (own === 'ADDRESS') return readTyped({ text, hint: { type: own } }, families!).slice(0, 1);
  if (type === undefined) return [{ type: own, canonical: text.startsWith('/') ? main.replace('*.', '') + text : text }];
  if (type === 'PAGE') {
    const links = linksOf(text);
    return typeof links === 'string' ? none : links.flatMap(webAssets);
  }
  const canonical = type === 'PHONE_NUMBER' ? phoneNumber(text) : /^0x/.test(text) ? text : null;
  return canonical === null ? none : [{ type, canonical }];
}
