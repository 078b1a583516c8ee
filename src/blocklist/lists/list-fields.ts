import type { ListEntry } from './list-entry.js';
import { isBlocked, isOtherStatus } from './listed-status.js';

/** Names of columns and fields, in lower case; the first one present is used. */
export const fieldNames = {
  content: ['content', 'asset', 'indicator', 'value', 'url', 'link', 'domain', 'host', 'hostname', 'address'],
  type: ['type', 'asset_type', 'assettype', 'asset type'],
  status: ['status', 'verdict', 'label', 'classification', 'class', 'category'],
} as const;

export type ListMeaning = 'blocked' | 'allow-entry' | 'fuzzy-entry';

/** Names of lists in a document, and what their entries mean. Names such as `hosts` or `urls` say neither good nor bad. */
export const clearNames: ReadonlyMap<string, ListMeaning> = new Map<string, ListMeaning>([
  ...['blacklist', 'blocklist', 'denylist', 'deny'].map((name): [string, ListMeaning] => [name, 'blocked']),
  ...['whitelist', 'allowlist', 'allow'].map((name): [string, ListMeaning] => [name, 'allow-entry']),
  ['fuzzylist', 'fuzzy-entry'],
]);

/** With the names of JSON lists. In YAML, which is mostly written for configurations, they would be too general. */
export const listNames: ReadonlyMap<string, ListMeaning> = new Map<string, ListMeaning>([
  ...['assets', 'domains', 'address', 'addresses'].map((name): [string, ListMeaning] => [name, 'blocked']),
  ...clearNames,
]);

/** The entry for a list that is not read. A name that is longer or has other characters could be a secret. */
export function unreadList(line: number, name: string): ListEntry {
  return { line, ...(/^[\w .-]{1,40}$/.test(name) && { list: name }), text: '', problem: 'unread-list' };
}

/** What a field of an item says; `undefined` for a field that is not read. */
export function fieldKind(name: string): keyof typeof fieldNames | undefined {
  return kinds.get(name);
}

const kinds: ReadonlyMap<string, keyof typeof fieldNames> = new Map(
  (['content', 'type', 'status'] as const).flatMap((kind) => fieldNames[kind].map((name) => [name, kind] as const)),
);

/** The entry of an item with named fields; `null` for a value that is not a text, or too long a text. */
export function entryOfFields(line: number, fields: ReadonlyMap<string, string | null>): ListEntry {
  const first = (names: readonly string[]): string | null | undefined => {
    const name = names.find((name) => fields.has(name));
    return name === undefined ? undefined : fields.get(name);
  };
  const content = first(fieldNames.content);
  if (content === null) return { line, text: '', problem: 'too-long' };
  const type = first(fieldNames.type);
  // A status decides; the others are often the kind of scam, and can only veto.
  const [status = '', verdict = ''] = [fields.get('status'), fields.get('verdict')];
  const isListed =
    [status, verdict].every((word) => word !== null && isBlocked(word)) &&
    !fieldNames.status.some((name) => isOtherStatus(fields.get(name) ?? ''));
  // The empty name is never a known type.
  return {
    line,
    text: content ?? '',
    ...(type !== undefined && { type: type ?? '' }),
    ...(!isListed && { problem: 'not-blocked' }),
  };
}
