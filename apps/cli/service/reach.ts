import { isPortcullisError, type PortcullisError } from 'portcullis';
import type { Remote } from '../lists/open-list.js';

/** The result of asking once for a list's version. */
export interface Reached {
  /** The reason if there is no usable answer. */
  readonly error: PortcullisError | null;
  readonly ms: number;
  /** How far this machine's clock is ahead of the server's, in milliseconds; `null` if the server does not report its time. */
  readonly clockAheadMs: number | null;
}

export async function reach({ source, date }: Remote, signal: AbortSignal): Promise<Reached> {
  const startMs = performance.now();
  let error: PortcullisError | null = null;
  try {
    await source.version({ signal });
  } catch (cause) {
    signal.throwIfAborted();
    if (!isPortcullisError(cause)) throw cause;
    error = cause;
  }
  const ms = performance.now() - startMs;
  const serverMs = Date.parse(date() ?? '');
  // The server wrote its time halfway between request and response, on average.
  return { error, ms, clockAheadMs: Number.isNaN(serverMs) ? null : Math.round(Date.now() - ms / 2 - serverMs) };
}
