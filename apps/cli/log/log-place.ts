import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { FetchLike } from '../../../src/core/http/fetch.js';
import { requireOk } from '../../../src/core/http/http-status.js';
import { send } from '../../../src/core/http/send.js';
import { UsageError } from '../errors/usage.js';
import { isUrl } from '../lists/list-options.js';
import { orNull } from '../lists/replace-file.js';
import { requireUrl } from '../service/given-url.js';

/** A folder, here or on a host. */
export interface Place {
  readonly name: string;
  /**
   * `null` if there is no such file.
   *
   * @param version For a file that is replaced: as a query it keeps a cache from answering with an older one.
   */
  read(path: string, maxBytes: number, version?: string): Promise<Uint8Array | null>;
  /** A folder inside. */
  at(name: string): Place;
}

/** A bundle of large entries from a slow host. */
const timeoutMs = 60_000;

export function placeOf(given: string, signal: AbortSignal): Place {
  return isUrl(given) ? urlPlace(requireUrl(given), signal) : folderPlace(given);
}

function folderPlace(folder: string): Place {
  return {
    name: folder,
    async read(path, maxBytes) {
      const handle = await orNull(open(join(folder, path)));
      if (handle === null) return null;
      try {
        const { size } = await handle.stat();
        if (size > maxBytes) throw new UsageError(`${join(folder, path)} is larger than ${maxBytes} bytes`);
        return new Uint8Array(await handle.readFile());
      } finally {
        await handle.close();
      }
    },
    at: (name) => folderPlace(join(folder, name)),
  };
}

function urlPlace(url: string, signal: AbortSignal): Place {
  return {
    name: url,
    async read(path, maxBytes, version) {
      const query = version === undefined ? '' : `?${version}`;
      const request = { method: 'GET', url: `${url}/${path}${query}`, headers: { 'cache-control': 'no-cache' } };
      const answer = await send(request, { fetch: fetch as FetchLike, timeoutMs, maxBytes, signal });
      if (answer.status === 404) return null;
      requireOk(answer, Date.now());
      return answer.bytes;
    },
    at: (name) => urlPlace(`${url}/${name}`, signal),
  };
}
