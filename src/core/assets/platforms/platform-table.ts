import type { AssetType } from '../asset-types.js';

/**
 * One asset type of a platform: its hosts, the rules that find an identity in a text, and the words that look like an account and
 * are none. Facts, written so that a reader can check a row against the platform.
 *
 * **Hosts**, separated by spaces; the first is the one canonical strings are written with. `www.`, `m.`, `mobile.` and `touch.` in
 * front of any of them are the same host. `old.` (a dot at the end) is short for `old.` and the first host; `a.com|de|co.uk` for
 * three hosts; `*.` stands for any subdomain, `~.` for a language or country (`de`, `pt-br`).
 *
 * **Rules**, one a line, the first that matches counts: what to match, then conditions, then what it gives, separated by spaces.
 *
 * | begins with | matches |
 * |---|---|
 * | `/` | the path of a link to one of the hosts, from its start up to a `/` or its end; a `$` allows the end alone |
 * | `gist.\|api./` | the same where the host begins so; `*{…}/` on a subdomain of that shape |
 * | `:` | a text with another scheme, from its start |
 * | `@` | a text with nothing around it, perhaps behind an `@`, when the caller names the type; `@/a` is both this and `/a` |
 * | `!` | such a text always: its form says what it is |
 * | `-` in front of a path or name | and the first capture is no reserved word (a subdomain never is) |
 *
 * Matching is by regular expression, whatever the case, with the abbreviations of `shapes` in angle brackets. `?id=…` asks for a
 * parameter of the query and `#…` for a beginning of the fragment; their captures are counted on.
 *
 * The first result is the asset, the others are looked up with it; one whose capture is empty is left out. `$1` is a capture in
 * lower case, `%1` as it is, `^1` in upper case, `$1:crate` by a filter, `$0` the subdomain, `$h` the host, `$p` the port. A result that
 * begins with a slash stands behind the first host, and `ADDRESS:$1` is one of another type.
 *
 * **Reserved words** are paths of the platform itself; `+` stands for those that nearly every platform keeps.
 *
 * Each table is what a pure function gives, because a bundler takes `raw` for work that has to be done.
 */
export type PlatformRow = readonly [type: AssetType, hosts: string, rules: string, reserved?: string];

/** Platforms that are handed in together. */
export type PlatformTable = readonly PlatformRow[];

export const raw: typeof String.raw = String.raw;
