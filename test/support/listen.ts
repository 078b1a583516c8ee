import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { onTestFinished } from 'vitest';

export interface Handler {
  fetch(request: Request, context: { readonly address?: string | undefined }): Promise<Response>;
}

/** Serves a Fetch handler on this machine, as docs/relay.md does, until the test ends. Returns its origin. */
export async function listen(handler: Handler): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    try {
      const { method = 'GET', url = '/', headers, socket } = incoming;
      const body = method === 'POST' ? ReadableStream.from(incoming.iterator({ destroyOnReturn: false })) : null;
      outgoing.on('finish', () => incoming.resume());
      const request = new Request(`http://localhost${url}`, {
        method,
        headers: headers as Record<string, string>,
        body,
        duplex: 'half',
      } as unknown as RequestInit);
      const answer = await handler.fetch(request, { address: socket.remoteAddress });
      outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
      if (answer.body)
        Readable.fromWeb(answer.body as never)
          .on('error', () => {})
          .pipe(outgoing);
      else outgoing.end();
    } catch {
      outgoing.writeHead(400).end();
    }
  });
  return originOf(server);
}

/** Lets a server listen on a free port of this machine until the test ends. Returns its origin. */
export async function originOf(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => closeServer(server));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
