import type { AssetType } from '../asset-types.js';

/** One line of a row. Its regular expressions are compiled on first use, because a program uses few rows. */
export interface Rule {
  /** Whether it reads links, texts with another scheme, texts whose type the caller names, and any text. */
  readonly ofLink: boolean;
  readonly ofUri: boolean;
  readonly ofNamed: boolean;
  readonly ofAny: boolean;
  /** Whether the first capture must not be a reserved word. */
  readonly isGuarded: boolean;
  /** Whether it applies to this host of its platform, or to this subdomain. */
  isAt(host: string, sub: string): boolean;
  readonly path: Lazy;
  readonly whole: Lazy;
  /** A pattern for a parameter with one of these lower-case names or, without names, for the fragment. */
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
  return names.flatMap((name) =>
    name.endsWith('.') ? name + names[0] : name.startsWith('.') ? [name.slice(1), `*${name}`] : name,
  );
}

export function parseRules(lines: string): Rule[] {
  return lines.split('\n').map((line) => parseRule(line.trim()));
}

function parseRule(line: string): Rule {
  const [match, ...parts] = line.split(' ') as [string, ...string[]];
  const verb = /^[@!:]/.test(match) ? match[0]! : '';
  const rest = match.slice(verb.length);
  const isGuarded = rest.startsWith('-');
  const slash = rest.indexOf('/');
  // `@/a` is also a path, and `@a/b` is not.
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

/** Empty for every host, `*` for any subdomain, `*{…}` for one of that shape, else the start of the host. */
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

/** Shapes that several rules share. */
export const shapes: Readonly<Record<string, string>> = {
  /** A name, a GUID, or an id that looks like a mailbox. */
  addon: '(\\{[\\da-f-]{36}\\}|[\\w.+-]+@[\\w.-]+|[^/\\s@:]{1,64})',
  /** An Android package: two or more parts separated by dots. */
  app: '([a-z]\\w*(?:\\.[a-z]\\w*)+)',
  flatpak: '([a-z_][\\w-]*(?:\\.[a-z_][\\w-]*){2,})',
  product: '((?=[a-z]*\\d)[\\da-z]{12})',
  evm: '(0x[\\da-f]{40})',
  /** The words before an address in the path of an explorer. */
  of: '(?:address(?:es)?|accounts?|tokens?(?:20|721)?|contracts?|coins?|wallets?|profiler?|send|transfer|payment|nft|explorer|objects?|collection|validators?|pools?)',
  domain: '(?:[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?\\.)+[a-z](?:[a-z\\d-]{0,61}[a-z\\d])?',
  /** A language or a store's country at the start of a path. */
  lang: '(?:[a-z]{2,3}(?:[-_][a-z]{2,4}){0,2}/)?',
};
