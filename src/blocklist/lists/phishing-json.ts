import { refuse } from '../../core/errors.js';
import { JsonReader } from './json-reader.js';
import type { EntryProblem, EntrySink, ListReader } from './list-entry.js';

/**
 * The configuration of eth-phishing-detect: `{ blacklist, whitelist, fuzzylist, tolerance, version }`, with its older and newer names.
 * Only the blacklist can be published: hashes can express neither "allowed" nor "looks like".
 */
export function readPhishingJson(sink: EntrySink): ListReader {
  let isFound = false;
  const json = new JsonReader({
    open(path, isArray) {
      if (isArray && path.length === 1 && arrays.get(String(path[0])) === null) isFound = true;
      if (path.length === 2) take(path, '');
    },
    close() {},
    string: (path, text) => take(path, text),
    other: (path) => take(path, ''),
  });
  function take(path: readonly (string | number)[], text: string | null): void {
    const problem = arrays.get(String(path[0]));
    const line = path[1];
    if (problem === undefined || path.length !== 2 || typeof line !== 'number') return;
    if (problem !== null) sink({ line, text: text ?? '', problem });
    else sink(text === null ? { line, text: '', problem: 'too-long' } : { line, text });
  }
  return {
    write: (text) => json.write(text),
    end: () => {
      json.end();
      if (!isFound) refuse('the JSON has no "blacklist" or "blocklist" array');
    },
  };
}

/** The meaning of each array; `null` for blocked. */
const arrays: ReadonlyMap<string, EntryProblem | null> = new Map<string, EntryProblem | null>([
  ['blacklist', null],
  ['blocklist', null],
  ['whitelist', 'allow-entry'],
  ['allowlist', 'allow-entry'],
  ['fuzzylist', 'fuzzy-entry'],
]);
