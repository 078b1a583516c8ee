import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { closeServer, originOf } from './listen.js';

export interface Recorded {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A scripted response: JSON, or a fault. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes are sent unchanged, anything else as JSON. */
  readonly body?: unknown;
  readonly delayMs?: number;
  /**
   * `hang`: read the request and never answer. `reset`: close the connection before an answer. `cut`: announce more bytes than are
   * sent. `break`: send half of the body in chunks, then close the connection. `stall`: send the head and half of the body, then nothing. `endless`: send forever. `slow`: a byte at a time.
   */
  readonly fault?: 'hang' | 'reset' | 'cut' | 'break' | 'stall' | 'endless' | 'slow';
}

export interface ScriptedServer {
  /** `http://127.0.0.1:port` */
  readonly origin: string;
  readonly requests: readonly Recorded[];
  /** Connections made so far. */
  readonly connections: () => number;
  /** Connections that are open now. */
  readonly open: () => number;
  /** Bytes given to all connections so far, heads included. */
  readonly bytesSent: () => number;
  readonly close: () => Promise<void>;
}

/** A real HTTP server that answers by script: one after the other, the last one forever, or by a function of the request. */
export async function serve(script: readonly Answer[] | ((request: Recorded) => Answer)): Promise<ScriptedServer> {
  const requests: Recorded[] = [];
  const sockets: Socket[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('error', () => {});
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const recorded = { method, url, headers, body: Buffer.concat(chunks) };
      requests.push(recorded);
      const answer = typeof script === 'function' ? script(recorded) : script[Math.min(requests.length, script.length) - 1]!;
      setTimeout(() => give(answer, response), answer.delayMs ?? 0);
    });
  });
  server.on('connection', (socket) => sockets.push(socket));
  const origin = await originOf(server);
  return {
    origin,
    requests,
    connections: () => sockets.length,
    open: () => sockets.filter(({ destroyed }) => !destroyed).length,
    bytesSent: () => sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
    close: () => closeServer(server),
  };
}

function give({ status = 200, headers = {}, body = '', fault }: Answer, response: ServerResponse): void {
  const bytes = Buffer.isBuffer(body) || typeof body === 'string' ? Buffer.from(body) : Buffer.from(JSON.stringify(body));
  response.on('error', () => {});
  switch (fault) {
    case 'hang':
      return;
    case 'reset':
      response.socket?.destroy();
      return;
    case 'cut':
      response.writeHead(status, { ...headers, 'content-length': String(bytes.length + 10) });
      response.write(bytes, () => response.socket?.destroy());
      return;
    case 'break':
      response.writeHead(status, headers);
      response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => response.socket?.destroy());
      return;
    case 'stall':
      response.writeHead(status, headers);
      response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)));
      return;
    case 'endless': {
      response.writeHead(status, headers);
      const chunk = Buffer.alloc(64 * 1024, 0x20);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
      return;
    }
    case 'slow': {
      response.writeHead(status, headers);
      let at = 0;
      const next = (): void => {
        if (at >= bytes.length || response.destroyed) response.end();
        else response.write(bytes.subarray(at, ++at), () => setTimeout(next, 5));
      };
      next();
      return;
    }
    default:
      response.writeHead(status, { 'content-type': 'application/json', ...headers, 'content-length': String(bytes.length) });
      response.end(bytes);
  }
}
