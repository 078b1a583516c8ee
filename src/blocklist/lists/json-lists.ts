import { refuse } from '../../core/errors.js';
import { type JsonPath, JsonReader } from './json-reader.js';
import type { EntrySink, ListFormat, ListReader } from './list-entry.js';
import { entryOfFields, fieldKind, type ListMeaning, listNames, unreadList } from './list-fields.js';

/**
 * JSON: an array of texts and objects, or an object with arrays that have a known name: `{ "assets": [{ "type": "URL", "content":
 * "evil.example" }, "https://b.example/a"] }`, `{ "domains": [], "address": [] }`, the configuration of eth-phishing-detect.
 */
export function readJson(sink: EntrySink): ListReader {
  return new JsonLists(sink, 'json', listNames);
}

/** The configuration of eth-phishing-detect: `{ blacklist, whitelist, fuzzylist, tolerance, version }`, with its older and newer names. */
export function readPhishingJson(sink: EntrySink): ListReader {
  return new JsonLists(sink, 'eth-phishing-detect', phishingNames);
}

const phishingNames: ReadonlyMap<string, ListMeaning> = new Map(
  ['blacklist', 'blocklist', 'whitelist', 'allowlist', 'fuzzylist'].map((name) => [name, listNames.get(name)!]),
);

class JsonLists implements ListReader {
  format: ListFormat;
  private readonly sink: EntrySink;
  private readonly names: ReadonlyMap<string, ListMeaning>;
  private isFound = false;
  /** The array that is not read around the present path, and whether it was reported. */
  private unread: { readonly name: string; readonly depth: number; isReported: boolean } | null = null;
  private item: Map<string, string | null> = new Map();
  private readonly json = new JsonReader({
    open: (path, isArray) => {
      if (isArray) this.find(path);
      if (isArray && this.unread === null && this.isUnread(path))
        this.unread = { name: path.join('.'), depth: path.length, isReported: false };
      if (this.isItem(path)) this.item = new Map();
      this.takeOther(path);
    },
    close: (path) => {
      if (this.unread?.depth === path.length) this.unread = null;
      if (this.isItem(path)) this.takeItem(path);
    },
    string: (path, text) => {
      this.reportUnread(path);
      const field = this.fieldOf(path);
      if (field !== null) this.item.set(field, text);
      if (!this.isItem(path)) return;
      this.item = new Map([['content', text]]);
      this.takeItem(path);
    },
    other: (path, isNull) => {
      if (this.isItem(path)) this.sink({ ...placeOf(path), text: '' });
      else if (!isNull) this.takeOther(path);
    },
  });

  constructor(sink: EntrySink, format: ListFormat, names: ReadonlyMap<string, ListMeaning>) {
    this.sink = sink;
    this.format = format;
    this.names = names;
  }

  write(text: string): void {
    this.json.write(text);
  }

  end(): void {
    this.json.end();
    if (this.isFound) return;
    const blocked = [...this.names].filter(([, meaning]) => meaning === 'blocked').map(([name]) => `"${name}"`);
    const [first, ...others] = blocked;
    refuse(`the JSON has no ${first} array, and none named ${others.join(', ')}`);
  }

  private find([name, ...inner]: JsonPath): void {
    if (inner.length > 0) return;
    if (name === undefined ? this.format === 'json' : this.names.get(String(name)) === 'blocked') this.isFound = true;
    if (name === 'blacklist' || name === 'fuzzylist') this.format = 'eth-phishing-detect';
  }

  /** Path length of the items around this path; `NaN` outside of lists. */
  private depthOf([first]: JsonPath): number {
    return typeof first === 'number' ? 1 : this.names.has(String(first)) ? 2 : Number.NaN;
  }

  private isItem(path: JsonPath): boolean {
    return path.length === this.depthOf(path) && typeof path[path.length - 1] === 'number';
  }

  /** The known field at this path, or `null`. */
  private fieldOf(path: JsonPath): string | null {
    if (path.length !== this.depthOf(path) + 1 || typeof path[path.length - 2] !== 'number') return null;
    const name = String(path[path.length - 1]).toLowerCase();
    return fieldKind(name) === undefined ? null : name;
  }

  /** A type or status that is not a text cannot be interpreted. */
  private takeOther(path: JsonPath): void {
    const name = this.fieldOf(path);
    if (name !== null && fieldKind(name) !== 'content') this.item.set(name, null);
  }

  private takeItem(path: JsonPath): void {
    const meaning = this.names.get(String(path[0])) ?? 'blocked';
    const entry = { ...entryOfFields(0, this.item), ...placeOf(path) };
    this.sink(meaning === 'blocked' ? entry : { ...entry, problem: meaning });
  }

  /** Whether an array is outside of the lists that are read, and outside of their items. */
  private isUnread([first, second]: JsonPath): boolean {
    if (typeof first !== 'string') return false;
    return this.names.has(first) ? typeof second === 'string' : true;
  }

  /** Once for each array, if it has a text that could be an entry. */
  private reportUnread(path: JsonPath): void {
    const { unread } = this;
    const last = path[path.length - 1];
    if (unread === null || unread.isReported) return;
    if (typeof last === 'string' && fieldKind(last.toLowerCase()) !== 'content') return;
    unread.isReported = true;
    this.sink(unreadList(0, unread.name));
  }
}

function placeOf(path: JsonPath): { line: number; list?: string } {
  const [first] = path;
  return { line: Number(path[path.length - 1]), ...(typeof first === 'string' && { list: first }) };
}
