import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FetchService, toNodeHandler } from 'portcullis/middleware';
import { onTestFinished } from 'vitest';

/** Serves a fetch handler on this machine until the test ends. Returns its origin. */
export const listen = (handler: FetchService): Promise<string> => originOf(createServer(toNodeHandler(handler)));

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
