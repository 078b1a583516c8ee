import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withWorkerd } from './workerd-runtime.js';

const example = fileURLToPath(new URL('../../examples/ohttp-relay/relay.mjs', import.meta.url));

/** Runs the example of a relay as a worker. Returns what is wrong; empty if nothing is. */
export async function relayExampleFault(scratch: string): Promise<string> {
  const seen: { readonly headers: IncomingHttpHeaders; readonly bytes: number }[] = [];
  const gateway = createServer((incoming, outgoing) => {
    let bytes = 0;
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    incoming.on('end', () => {
      seen.push({ headers: incoming.headers, bytes });
      outgoing.writeHead(200, { 'content-type': 'message/ohttp-res', 'set-cookie': 'a=b' }).end(Buffer.alloc(4_128));
    });
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  mkdirSync(scratch);
  copyFileSync(example, join(scratch, 'relay.mjs'));
  const config = join(scratch, 'config.capnp');
  writeFileSync(config, configFor(`http://127.0.0.1:${(gateway.address() as AddressInfo).port}/ohttp`));
  try {
    return await withWorkerd(config, scratch, async (url) => {
      const statuses = [(await fetch(url, { method: 'OPTIONS' })).status, (await fetch(url)).status];
      const headers = {
        'content-type': 'message/ohttp-req',
        'user-agent': 'client',
        cookie: 'a=b',
        'x-forwarded-for': '192.0.2.1',
      };
      const post = (size: number) => fetch(url, { method: 'POST', headers, body: Buffer.alloc(size) });
      const answer = await post(1_079);
      statuses.push(answer.status, (await post(200_000)).status);
      const facts = [...statuses, (await answer.arrayBuffer()).byteLength, seen.length, seen[0]?.bytes].join();
      const told = Object.entries(seen[0]?.headers ?? {}).filter(([, value]) => /client|a=b|192/.test(String(value)));
      const isRight = facts === '204,405,200,413,4128,1,1079' && told.length === 0 && answer.headers.get('set-cookie') === null;
      return isRight ? '' : `it answered ${facts}, and told the gateway ${JSON.stringify(told)}`;
    });
  } finally {
    gateway.close();
    gateway.closeAllConnections();
  }
}

const configFor = (gatewayUrl: string): string => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .relay),
    (name = "internet", network = (allow = ["private", "public"])),
  ],
  sockets = [ (name = "http", address = "127.0.0.1:0", http = (), service = "main") ],
);
const relay :Workerd.Worker = (
  modules = [ (name = "relay.mjs", esModule = embed "relay.mjs") ],
  compatibilityDate = "2026-01-01",
  bindings = [ (name = "GATEWAY_URL", text = ${JSON.stringify(gatewayUrl)}) ],
);
`;
