import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { connectionHeaders } from './connection-headers.js';
import { type NodeBody, sendsBody } from './node-request.js';

/**
 * Sends a response at the client's pace. `Response.error()` closes the connection without an answer.
 *
 * @param request Its unread rest is given up
 * @throws what the body fails with, and TypeError for a response that cannot be sent as it says. If its head is already sent, close the
 * connection: a client must not take half of a body for the whole, nor the rest of one for the next response
 */
export async function sendResponse(
  response: Response,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  request: NodeBody,
): Promise<void> {
  // A cancelled body may fail to be cancelled.
  const drop = (): Promise<void> | undefined => response.body?.cancel().catch(() => {});
  if (response.type === 'error') return void outgoing.destroy();
  if (outgoing.destroyed || outgoing.headersSent) return drop();
  if (response.bodyUsed || response.body?.locked) throw new TypeError('the body of the response was already read');
  const headers = headersOf(response);
  const isHeadOnly = incoming.method === 'HEAD';
  const length = lengthOf(headers['content-length']);
  if (
    Number.isNaN(length) ||
    (length !== null && length > 0 && response.body === null && !isHeadOnly && response.status !== 304)
  ) {
    await drop();
    throw new TypeError(lengthAdvice);
  }
  const mayFollow = sendsBody(incoming) && !ArrayBuffer.isView(request.content);
  // Node parses a body that came with its headers after the handler was called.
  if (mayFollow && !incoming.complete) await new Promise((resolve) => setImmediate(resolve));
  // The unread rest of a request must not be taken for the next one.
  const isUnread = mayFollow && !incoming.complete;
  const isUnchanged = response.status === 304;
  // Most answers of a day are these, so they have no reason phrase and no headers that say what HTTP/1.1 does anyway: 59 bytes less.
  if (isUnchanged && !outgoing.hasHeader('connection')) outgoing.removeHeader('connection');
  if (isUnread) outgoing.setHeader('connection', 'close');
  const writeHead = (length?: number): void => {
    if (length !== undefined) headers['content-length'] = length;
    outgoing.writeHead(response.status, response.statusText || (isUnchanged ? '' : undefined), headers);
  };
  if (isHeadOnly || response.body === null) {
    writeHead();
    if (isHeadOnly) await drop();
  } else if (!(await sendBody(response.body.getReader(), outgoing, length, writeHead, isUnread))) return;
  if (isUnread && !incoming.complete) {
    outgoing.flushHeaders();
    request.end();
    await restOf(incoming);
  }
  outgoing.end();
}

const lengthAdvice =
  'the response has another length than its Content-Length says; delete Content-Encoding and Content-Length from headers that were copied from a response of fetch';

function headersOf(response: Response): OutgoingHttpHeaders {
  const { headers } = response;
  const all: OutgoingHttpHeaders = {};
  const dropped = connectionHeaders(headers.get('connection'));
  headers.forEach((value, name) => {
    if (!dropped.has(name)) all[name] = value;
  });
  // Joined by commas, several cookies would be one.
  if ('set-cookie' in all) all['set-cookie'] = headers.getSetCookie();
  if (isDecoded(response)) {
    delete all['content-encoding'];
    delete all['content-length'];
  }
  // RFC 9110 §8.6 forbids it, and a client could wait for the bytes.
  if (response.status === 204) delete all['content-length'];
  return all;
}

/** `fetch` decodes these, and leaves the headers of the encoded body. Only its responses have a URL. */
const decodedCodings: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'br']);

function isDecoded({ url, headers }: Response): boolean {
  if (url === '') return false;
  const codings = headers.get('content-encoding')?.toLowerCase().split(',') ?? [];
  return codings.length > 0 && codings.every((coding) => decodedCodings.has(coding.trim()));
}

/** `null` if the header is missing, `NaN` if it is malformed. */
function lengthOf(value: OutgoingHttpHeaders[string]): number | null {
  if (value === undefined) return null;
  return /^\d{1,15}$/.test(String(value)) ? Number(value) : Number.NaN;
}

/**
 * Writes the head with the first chunk. A body of one chunk, as nearly every one is, has its length in its head, and is sent in one piece.
 *
 * @param isUnread The response must not end yet.
 * @returns whether it is left to end the response; not if the client left
 */
async function sendBody(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  outgoing: ServerResponse,
  length: number | null,
  writeHead: (length?: number) => void,
  isUnread: boolean,
): Promise<boolean> {
  const cancel = (): void => void reader.cancel().catch(() => {});
  // Ends a read that waits for a handler that has nothing to send.
  outgoing.once('close', cancel);
  let written: Promise<void> = Promise.resolve();
  let sent = 0;
  let isBegun = false;
  // Another middleware may answer while the body has not begun: that the time is up.
  const isOver = (): boolean => outgoing.destroyed || (!isBegun && outgoing.headersSent);
  const begin = (length?: number): void => {
    if (!isBegun) writeHead(length);
    isBegun = true;
  };
  let next: ReturnType<typeof reader.read> | undefined;
  try {
    for (;;) {
      const { done, value } = await (next ?? reader.read());
      next = undefined;
      if (isOver()) {
        cancel();
        return false;
      }
      if (done && (length === null || sent === length)) {
        begin();
        return true;
      }
      if (!done && !ArrayBuffer.isView(value))
        throw new TypeError('the body of the response has a chunk that is not a Uint8Array');
      sent += value?.byteLength ?? 0;
      // Fails before it sends bytes that the client would read as the start of its next response.
      if (done || (length !== null && sent > length)) throw new TypeError(lengthAdvice);
      if (!isBegun && !isUnread) {
        next = reader.read();
        const isAll = (await endsNow(next)) && (length === null || sent === length);
        if (isOver()) {
          cancel();
          return false;
        }
        begin(isAll ? sent : undefined);
        if (isAll) {
          outgoing.end(value);
          return false;
        }
      }
      begin();
      let isFull = false;
      written = new Promise((resolve) => {
        isFull = !outgoing.write(value, () => resolve());
      });
      if (isFull) await drained(outgoing);
    }
  } catch (error) {
    cancel();
    if (!isOver()) begin();
    await Promise.race([written, closed(outgoing)]);
    throw error;
  } finally {
    outgoing.off('close', cancel);
  }
}

/** Whether the end of a body is there already. A tick runs once no promise is left that is settled. */
async function endsNow(read: Promise<{ readonly done: boolean }>): Promise<boolean> {
  let isEnd = false;
  read.then(
    ({ done }) => {
      isEnd = done;
    },
    () => {},
  );
  await new Promise<void>((resolve) => process.nextTick(resolve));
  return isEnd;
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

/** Long enough for bytes in flight to arrive. Closing earlier resets the connection, and the client loses the answer. */
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
