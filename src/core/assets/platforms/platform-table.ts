import type { Family } from '../asset.js';
import type { AssetType } from '../asset-types.js';

/**
 * One asset type of a platform: its hosts, the rules that find an identity in a text, and the words that look like an account but are
 * not. A row states facts, so that a reader can check it against the platform.
 *
 * **Hosts** are separated by spaces; canonical strings use the first. `www.`, `m.`, `mobile.` and `touch.` before any of them mean the
 * same host. `old.` (with a final dot) is short for `old.` and the first host; `a.com|de|co.uk` for three hosts; `*.` is any
 * subdomain, `~.` a language or country (`de`, `pt-br`); `.a.com` is `a.com` and any subdomain of it.
 *
 * **Rules** are one per line, and the first that matches counts: a match, conditions and results, separated by spaces.
 *
 * | begins with | matches |
 * |---|---|
 * | `/` | the path of a link to one of the hosts, from its start up to a `/` or its end; a `$` allows the end alone |
 * | `gist.\|api./` | the same on hosts that begin like this; `*{…}/` on a subdomain of that shape |
 * | `:` | a text with another scheme, from its start |
 * | `@` | a whole text, optionally after an `@`, if the caller names the type; `@/a` is both this and `/a` |
 * | `!` | a whole text in any case, because its form identifies it |
 * | `-` before a path or name | only if the first capture is not a reserved word (a subdomain never may be one) |
 *
 * Matching is by regular expression in any case, with the names of `shapes` in angle brackets. `?id=…` requires a parameter of the
 * query and `#…` a start of the fragment; their captures continue the numbering.
 *
 * The first result is the asset; the others are looked up with it. A rule without a result ends the search: the link leads to a page of
 * the platform, or to what another user posted there. A result with an empty capture is dropped. `$1` is a capture in
 * lower case, `%1` unchanged, `^1` in upper case, `$1:crate` passed through a filter, `$0` the subdomain, `$h` the host, `$p` the port.
 * A result that begins with a slash follows the first host, and `ADDRESS:$1` has another type.
 *
 * **Reserved words** are paths and subdomains of the platform itself; with a `*` before it, a word is reserved as a subdomain only. A
 * word is here only if the platform itself uses it: `help` and `blog` are names elsewhere. Words that several rows share have the
 * same order everywhere, which compresses better.
 *
 * A row of the type ADDRESS has **families** that read its results.
 */
export type PlatformRow = readonly [
  type: AssetType,
  hosts: string,
  rules: string,
  reserved?: string | undefined,
  families?: readonly Family[],
];

/** A group of platforms for `platforms`. */
export type PlatformTable = readonly PlatformRow[];

/**
 * The rows of a table, separated by empty lines: `TYPE hosts`, the rules, and possibly `reserved` and the reserved words. Call it in a
 * function marked pure, because a bundler cannot tell that a template has no side effects.
 */
export function rows({ raw }: TemplateStringsArray): PlatformTable {
  return raw[0]!.split(/\n\s*\n/).map((row): PlatformRow => {
    const [main, reserved] = row.trim().split(/\n *reserved /);
    const [, type, hosts, rules] = /^(\w+) (.+)\n([\s\S]+)/.exec(main!)!;
    return [type as AssetType, hosts!, rules!, reserved];
  });
}
