import type { AssetType } from '../asset-types.js';

/** One line of a row. Its expressions are compiled when they are first needed: few rows are in one life of a program. */
export interface Rule {
  /** Read from links, from texts with another scheme, from texts of an asset the caller names, from any text. */
  readonly ofLink: boolean;
  readonly ofUri: boolean;
  readonly ofNamed: boolean;
  readonly ofAny: boolean;
  /** Whether the first capture must be no reserved word. */
  readonly isGuarded: boolean;
  /** Whether it speaks of this host of its platform, or of this subdomain. */
  isAt(host: string, sub: string): boolean;
  readonly path: Lazy;
  readonly whole: Lazy;
  /** Of the parameter with one of these names in lower case; of the fragment where there are none. */
  readonly conditions: readonly { readonly names: readonly string[]; readonly pattern: Lazy }[];
  readonly results: readonly { readonly type: AssetType | undefined; readonly template: string }[];
}

type Lazy = () => RegExp;

function lazily(source: string): Lazy {
  let made: RegExp | undefined;
  return () => (made ??= new RegExp(source, 'i'));
}

/** The hosts of a row in full. */
export function parseHosts(list: string): string[] {
  const names = list.split(' ').flatMap((name) => {
    const [first, ...ends] = name.split('|') as [string, ...string[]];
    return [first, ...ends.map((end) => first.slice(0, first.lastIndexOf('.') + 1) + end)];
  });
  return names.map((name) => (name.endsWith('.') ? name + names[0] : name));
}

export function parseRules(lines: string): Rule[] {
  return lines
    .trim()
    .split(/\s*\n\s*/)
    .map(parseRule);
}

function parseRule(line: string): Rule {
  const [match, ...parts] = line.split(' ') as [string, ...string[]];
  const verb = /^[@!:]/.test(match) ? match[0]! : '';
  const rest = match.slice(verb.length);
  const isGuarded = rest.startsWith('-');
  const slash = rest.indexOf('/');
  // `@/a` is a path too, and `@a/b` is none.
  const ofLink = verb === '' || (verb === '@' && slash === (isGuarded ? 1 : 0));
  const places = ofLink
    ? rest
        .slice(isGuarded ? 1 : 0, slash)
        .split('|')
        .map(parsePlace)
    : [];
  const shape = expand(rest.slice(ofLink ? slash + 1 : isGuarded ? 1 : 0));
  return {
    ofLink,
    ofUri: verb === ':',
    ofNamed: verb === '@' || verb === '!',
    ofAny: verb === '!',
    isGuarded,
    isAt: (host, sub) => places.some((isHere) => isHere(host, sub)),
    path: lazily(`^${ofLink ? '/' : ''}${shape}${shape === '' || shape.endsWith('$') ? '' : '(?:/.*)?$'}`),
    whole: lazily(`^@?(?:${ofLink ? shape.replace(/^@\??/, '') : shape})$`),
    conditions: parts.filter((part) => part.startsWith('?') || part.startsWith('#')).map(parseCondition),
    results: parts.filter((part) => !part.startsWith('?') && !part.startsWith('#')).map(parseResult),
  };
}

/** Nothing for every host, `*` for any subdomain, `*{…}` for one of that shape, and else how the host begins. */
function parsePlace(name: string): Rule['isAt'] {
  if (name === '') return () => true;
  if (!name.startsWith('*')) return (host, sub) => sub === '' && host.startsWith(name);
  const shape = lazily(name === '*' ? '.' : `^(?:${name.slice(2, -1)})$`);
  return (_, sub) => shape().test(sub);
}

function parseCondition(part: string): Rule['conditions'][number] {
  if (part.startsWith('#')) return { names: [], pattern: lazily(`^${expand(part.slice(1))}`) };
  const equals = part.indexOf('=');
  return {
    names: part.slice(1, equals).toLowerCase().split('|'),
    pattern: lazily(`^${expand(part.slice(equals + 1))}$`),
  };
}

function parseResult(part: string): Rule['results'][number] {
  const tag = /^([A-Z_]+):(.*)$/.exec(part);
  return tag === null ? { type: undefined, template: part } : { type: tag[1] as AssetType, template: tag[2]! };
}

function expand(shape: string): string {
  return shape.replace(/<(\w+)>/g, (_, name: string) => shapes[name]!);
}

/** What many rules look for. */
export const shapes: Readonly<Record<string, string>> = {
  /** By name, by GUID, or by what looks like a mailbox. */
  addon: '(\\{[\\da-f-]{36}\\}|[\\w.+-]+@[\\w.-]+|[^/\\s@:]{1,64})',
  /** An Android package: dotted, of two parts or more. */
  app: '([a-z]\\w*(?:\\.[a-z]\\w*)+)',
  flatpak: '([a-z_][\\w-]*(?:\\.[a-z_][\\w-]*){2,})',
  product: '((?=[a-z]*\\d)[\\da-z]{12})',
  evm: '(0x[\\da-f]{40})',
  domain: '(?:[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?\\.)+[a-z](?:[a-z\\d-]{0,61}[a-z\\d])?',
  /** A language or a shop's country at the start of a path. */
  lang: '(?:[a-z]{2,3}(?:[-_][a-z]{2,4}){0,2}/)?',
};
