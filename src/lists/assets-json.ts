import { PortcullisError } from '../errors.js';
import type { EntrySink, ListReader } from './entry.js';
import { type JsonPath, JsonReader } from './json.js';
import { isBlocked } from './status.js';

/** Our own JSON: `{ "assets": [{ "type": "URL", "content": "evil.example" }, "https://b.example/a"] }`, or that array alone. */
export function readAssetsJson(sink: EntrySink): ListReader {
  let isFound = false;
  let item = new Map<string, string | null>();
  /** How long the path to an item is, where this is one or stands in one. */
  const itemDepth = (path: JsonPath): number => (typeof path[0] === 'number' ? 1 : path[0] === 'assets' ? 2 : Number.NaN);
  const json = new JsonReader({
    open(path, isArray) {
      if (isArray && (path.length === 0 || (path.length === 1 && path[0] === 'assets'))) isFound = true;
      if (path.length === itemDepth(path)) item = new Map();
    },
    close(path) {
      if (path.length === itemDepth(path)) sink(entryOf(lineOf(path), item));
    },
    string(path, text) {
      const depth = itemDepth(path);
      if (path.length === depth) sink(entryOf(lineOf(path), new Map([['content', text]])));
      else if (path.length === depth + 1) item.set(String(path[depth]), text);
    },
    other(path) {
      if (path.length === itemDepth(path)) sink({ line: lineOf(path), text: '' });
    },
  });
  return {
    write: (text) => json.write(text),
    end: () => {
      json.end();
      if (!isFound) throw new PortcullisError('INVALID_INPUT', 'the JSON has no array of assets');
    },
  };
}

function lineOf(path: JsonPath): number {
  return Number(path[path.length - 1]);
}

function entryOf(line: number, item: ReadonlyMap<string, string | null>): Parameters<EntrySink>[0] {
  const text = item.get('content');
  const type = item.get('type');
  if (text === null || type === null) return { line, text: '', problem: 'too-long' };
  const problem = isBlocked(item.get('status') ?? '') ? undefined : 'not-blocked';
  return { line, text: text ?? '', ...(type !== undefined && { type }), ...(problem !== undefined && { problem }) };
}
