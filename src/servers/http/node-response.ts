import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { connectionHeaders } from './connection-headers.js';
import { hasBody } from './node-request.js';

/**
 * Sends a response at the client's pace. `Response.error()` closes the connection without an answer, and so does a body that fails, once
 * what it gave before is sent: a client must not take half of it for the whole.
 *
 * @param abandon Gives up the unread rest of the request
 */
export async function sendResponse(
  response: Response,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  abandon: () => void,
): Promise<void> {
  // A cancelled body may fail to be cancelled.
  const drop = (): Promise<void> | undefined => response.body?.cancel().catch(() => {});
  if (response.type === 'error') return void outgoing.destroy();
  if (outgoing.destroyed || outgoing.headersSent) return drop();
  // Node parses a body that came with its headers after the handler was called.
  if (hasBody(incoming) && !incoming.complete) await new Promise((resolve) => setImmediate(resolve));
  // The unread rest of a request must not be taken for the next one.
  const isUnread = hasBody(incoming) && !incoming.complete;
  if (isUnread) outgoing.setHeader('connection', 'close');
  outgoing.writeHead(response.status, response.statusText || undefined, headersOf(response));
  if (incoming.method === 'HEAD') await drop();
  else if (response.body !== null && !(await sendBody(response.body.getReader(), outgoing))) return;
  if (isUnread && !incoming.complete) {
    outgoing.flushHeaders();
    abandon();
    await restOf(incoming);
  }
  outgoing.end();
}

function headersOf({ headers }: Response): OutgoingHttpHeaders {
  const all: OutgoingHttpHeaders = {};
  const dropped = connectionHeaders(headers.get('connection'));
  headers.forEach((value, name) => {
    if (!dropped.has(name)) all[name] = value;
  });
  // Joined by commas, several cookies would be one.
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) all['set-cookie'] = cookies;
  return all;
}

/** @returns whether the whole body was written */
async function sendBody(reader: ReadableStreamDefaultReader<Uint8Array>, outgoing: ServerResponse): Promise<boolean> {
  const cancel = (): void => void reader.cancel().catch(() => {});
  // Ends a read that waits for a handler that has nothing to send.
  outgoing.once('close', cancel);
  let written: Promise<void> = Promise.resolve();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (outgoing.destroyed) {
        cancel();
        return false;
      }
      if (done) return true;
      let isFull = false;
      written = new Promise((resolve) => {
        isFull = !outgoing.write(value, () => resolve());
      });
      if (isFull) await drained(outgoing);
    }
  } catch {
    await Promise.race([written, closed(outgoing)]);
    outgoing.destroy();
    return false;
  } finally {
    outgoing.off('close', cancel);
  }
}

const closed = (outgoing: ServerResponse): Promise<unknown> => new Promise((resolve) => outgoing.once('close', resolve));

/** The client has taken what was written, or has left. */
function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      outgoing.off('drain', settle).off('close', settle);
      resolve();
    };
    outgoing.on('drain', settle).on('close', settle);
  });
}

/** Long enough for what is on its way. A connection closed before would be reset, and the client would lose the answer. */
const maxRestMs = 1_000;

/** Reads and drops what the client still sends. */
function restOf(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, maxRestMs);
    const settle = (): void => {
      clearTimeout(timer);
      resolve();
    };
    incoming.on('end', settle).on('close', settle).on('error', settle).resume();
  });
}
