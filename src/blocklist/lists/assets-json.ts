import { refuse } from '../../core/errors.js';
import { type JsonPath, JsonReader } from './json-reader.js';
import type { EntrySink, ListReader } from './list-entry.js';
import { isBlocked } from './listed-status.js';

/** This package's JSON: `{ "assets": [{ "type": "URL", "content": "evil.example" }, "https://b.example/a"] }`, or only the array. */
export function readAssetsJson(sink: EntrySink): ListReader {
  let isFound = false;
  let item: Item = {};
  /** Path length of the item at or around this path, `NaN` outside of items. */
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
  /** A type or status that is not a string cannot be interpreted. */
  function takeOther(path: JsonPath): void {
    const name = path[itemDepth(path)];
    if (isField(path) && name !== 'content') item[name as keyof Item] = null;
  }
  return {
    write: (text) => json.write(text),
    end: () => {
      json.end();
      if (!isFound) refuse('the JSON has no "assets" array');
    },
  };
}

function lineOf(path: JsonPath): number {
  return Number(path[path.length - 1]);
}

/** The fields read from an item; all others are not kept. `null` for a value that cannot be interpreted. */
interface Item {
  content?: string | null;
  type?: string | null;
  status?: string | null;
}

const fields: ReadonlySet<string | number> = new Set(['content', 'type', 'status'] satisfies (keyof Item)[]);

function entryOf(line: number, { content, type, status = '' }: Item): Parameters<EntrySink>[0] {
  if (content === null) return { line, text: '', problem: 'too-long' };
  const isListed = status !== null && isBlocked(status);
  // The empty name is never a known type.
  return {
    line,
    text: content ?? '',
    ...(type !== undefined && { type: type ?? '' }),
    ...(!isListed && { problem: 'not-blocked' }),
  };
}
