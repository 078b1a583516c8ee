import { refuse } from '../../core/errors.js';
import { type JsonPath, JsonReader } from './json-reader.js';
import type { EntrySink, ListReader } from './list-entry.js';
import { isBlocked } from './listed-status.js';

/** Our own JSON: `{ "assets": [{ "type": "URL", "content": "evil.example" }, "https://b.example/a"] }`, or that array alone. */
export function readAssetsJson(sink: EntrySink): ListReader {
  let isFound = false;
  let item: Item = {};
  /** How long the path to an item is, where this is one or stands in one. */
  const itemDepth = (path: JsonPath): number => (typeof path[0] === 'number' ? 1 : path[0] === 'assets' ? 2 : Number.NaN);
  const json = new JsonReader({
    open(path, isArray) {
      if (isArray && (path.length === 0 || (path.length === 1 && path[0] === 'assets'))) isFound = true;
      if (path.length === itemDepth(path)) item = {};
      takeOther(path);
    },
    close(path) {
      if (path.length === itemDepth(path)) sink(entryOf(lineOf(path), item));
    },
    string(path, text) {
      const depth = itemDepth(path);
      if (path.length === depth) sink(entryOf(lineOf(path), { content: text }));
      else if (isField(path)) item[path[depth] as keyof Item] = text;
    },
    other(path, isNull) {
      if (path.length === itemDepth(path)) sink({ line: lineOf(path), text: '' });
      else if (!isNull) takeOther(path);
    },
  });
  const isField = (path: JsonPath): boolean => {
    const depth = itemDepth(path);
    return path.length === depth + 1 && fields.has(path[depth]!);
  };
  /** A type or a status that is no text says something, and nobody knows what. */
  function takeOther(path: JsonPath): void {
    const name = path[itemDepth(path)];
    if (isField(path) && name !== 'content') item[name as keyof Item] = null;
  }
  return {
    write: (text) => json.write(text),
    end: () => {
      json.end();
      if (!isFound) refuse('the JSON has no array of assets');
    },
  };
}

function lineOf(path: JsonPath): number {
  return Number(path[path.length - 1]);
}

/** What is read of an item, so that nothing else of it is held; `null` for what cannot be read. */
interface Item {
  content?: string | null;
  type?: string | null;
  status?: string | null;
}

const fields: ReadonlySet<string | number> = new Set(['content', 'type', 'status'] satisfies (keyof Item)[]);

function entryOf(line: number, { content, type, status = '' }: Item): Parameters<EntrySink>[0] {
  if (content === null) return { line, text: '', problem: 'too-long' };
  const isListed = status !== null && isBlocked(status);
  // No type has an empty name.
  return {
    line,
    text: content ?? '',
    ...(type !== undefined && { type: type ?? '' }),
    ...(!isListed && { problem: 'not-blocked' }),
  };
}
