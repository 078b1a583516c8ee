import { fetchableFrom, fileUrl } from '../../core/http/address.js';
import { createEnd } from '../../core/http/end-signal.js';
import { boolean, type Filled, type KindsOf, optional, readOptions, signal, whole } from '../../core/options/read-options.js';
import { download } from './download.js';
import { type Signal, type TransportOptions, transportKinds, transportOf } from './source-options.js';
import { Unpacker } from './unpacker.js';

export interface FetchListOptions extends TransportOptions {
  /** Bytes of the list, compressed and not; a longer list is rejected. @default 1_073_741_824 */
  readonly maxBytes?: number | undefined;
  /** Allow plain `http:` from another machine, which lets others on the network change the list. @default false */
  readonly allowInsecureHttp?: boolean | undefined;
  readonly signal?: Signal;
}

/**
 * The content of a list at a URL, as `data` of `buildList`: fetched while it is read, decompressed if it is a gzip file, and under the same rules
 * and limits as the files of `textSource`.
 *
 * @throws TypeError, PortcullisError `INVALID_INPUT` for a URL that must not be fetched
 */
export function fetchList(url: string, options?: FetchListOptions): AsyncIterable<Uint8Array> {
  const { signal, maxBytes, allowInsecureHttp, ...given } = readOptions('fetchList', fetchListKinds(), options);
  fileUrl(url, 'fetchList: url', { allowInsecureHttp });
  const transport = transportOf(given);
  return pulled(signal, async (take, ended) => {
    const unpacker = new Unpacker(maxBytes, ended, take);
    const call = { ...transport, mayFetch: fetchableFrom(url), maxBytes, init: { cache: 'no-cache' }, signal: ended };
    await download(url, { ...call, take: (part) => unpacker.take(part) });
    await unpacker.end();
  });
}

export const fetchListKinds = (): KindsOf<Filled<FetchListOptions, 'fetch' | 'signal'>> => ({
  ...transportKinds(),
  maxBytes: optional(whole(1, 2 ** 30), 2 ** 30),
  allowInsecureHttp: optional(boolean, false),
  signal: optional(signal),
});

/** What `start` passes on, one part at a time: it waits until each is taken. */
function pulled(
  signal: Signal,
  start: (take: (part: Uint8Array) => Promise<void>, ended: NonNullable<Signal>) => Promise<void>,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const stop = createEnd();
      const abort = (): void => stop.abort(signal?.reason);
      let part: Uint8Array | null = null;
      let outcome: { readonly error?: unknown } | null = null;
      let wakeReader = (): void => {};
      let wakeWriter = (): void => {};
      const take = async (next: Uint8Array): Promise<void> => {
        part = next;
        wakeReader();
        await new Promise<void>((resolve) => {
          wakeWriter = resolve;
        });
      };
      const finish = (end: { readonly error?: unknown }): void => {
        signal?.removeEventListener('abort', abort);
        outcome = end;
        wakeReader();
      };
      let isStarted = false;
      const begin = (): void => {
        isStarted = true;
        signal?.addEventListener('abort', abort);
        if (signal?.aborted) abort();
        start(take, stop.signal).then(
          () => finish({}),
          (error: unknown) => finish({ error }),
        );
      };
      return {
        async next() {
          if (!isStarted) begin();
          else wakeWriter();
          if (part === null && outcome === null) {
            await new Promise<void>((resolve) => {
              wakeReader = resolve;
            });
          }
          if (part !== null) {
            const value = part;
            part = null;
            return { done: false, value };
          }
          if (outcome !== null && 'error' in outcome) throw outcome.error;
          return { done: true, value: undefined };
        },
        async return() {
          stop.abort();
          wakeWriter();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
