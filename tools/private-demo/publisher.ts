import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from 'portcullis/middleware';
import { generateGatewayKeys, obliviousGateway } from 'portcullis/ohttp';
import { buildList, generateLogKey, type LogPolicy, type LogStorage, logList, logSignerOf, signList } from 'portcullis/publish';
import { generateKeys, signerOf } from 'portcullis/sources';

/** What the gateway's operator could write down about a question. */
export interface ReceivedByGateway {
  /** Address and port of the relay. */
  readonly from: string;
  readonly headers: readonly string[];
  /** Method and path of the request that was sealed. */
  readonly asked: string;
}

/** The files of a list and of its log, by path. */
export type Files = Map<string, Uint8Array>;

const listPath = '/list/';

/** Publishes a signed, logged list, and serves it and a gateway. */
export async function startPublisher(page: Readonly<Record<string, string>>) {
  const keys = await generateKeys();
  const signer = await signerOf(keys.privateKey);
  const logKey = await generateLogKey('lists.example/scam');
  const logSigner = await logSignerOf(logKey.privateKey);
  const gatewayKeys = await generateGatewayKeys();
  const gateway = await obliviousGateway({ keys: gatewayKeys.keys });
  const everybody: Files = new Map();
  /** Files for one client only, by its user agent. */
  const targeted = new Map<string, Files>();
  const received: ReceivedByGateway[] = [];
  /** Paths that clients asked for themselves. */
  const direct: string[] = [];
  let nowMs = Date.now();

  const fileAt = (files: Files, path: string): Response => {
    const bytes = path.startsWith(listPath) ? files.get(path.slice(listPath.length)) : undefined;
    const headers = { 'cache-control': 'no-store' };
    return bytes === undefined ? new Response(null, { status: 404, headers }) : new Response(bytes as BodyInit, { headers });
  };

  function answer(request: Request, from: string, headers: readonly string[]): Response | Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === '/ohttp') {
      return gateway.answer(request, (opened) => {
        const path = new URL(opened.url).pathname;
        received.push({ from, headers, asked: `${opened.method} ${path}` });
        return fileAt(everybody, path);
      });
    }
    direct.push(pathname);
    const text = page[pathname];
    const type = pathname.endsWith('.js') ? 'text/javascript' : 'text/html';
    if (text !== undefined) return new Response(text, { headers: { 'content-type': type } });
    return fileAt(targeted.get(request.headers.get('user-agent') ?? '') ?? everybody, pathname);
  }

  const server = createServer((incoming, outgoing) => {
    const { remoteAddress, remotePort } = incoming.socket;
    const from = `${remoteAddress}:${remotePort}`;
    toNodeHandler((request) => answer(request, from, incoming.rawHeaders))(incoming, outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    origin,
    url: `${origin}${listPath.slice(0, -1)}`,
    publicKey: signer.publicKey,
    logKey: logKey.vkey,
    everybody,
    targeted,
    received,
    direct,
    /** Signs a new version, appends it to the log among the files, and has it cosigned if there is a policy. */
    async publish(files: Files, entries: readonly string[], policy?: LogPolicy) {
      // A newer version has a later time.
      nowMs += 1_000;
      const now = (): number => nowMs;
      const built = await buildList(entries, { listName: 'scam', isPublicSuffix: () => false, shards: 4096, now });
      const signed = await signList(built, { signers: [signer], ohttpKeys: gatewayKeys.keyList, now });
      const list = await logList(signed, { signer: logSigner, storage: logIn(files), policy });
      for (const { name, bytes } of list.files) files.set(name, bytes);
      return list.log;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Only one process writes here. On a disk `portcullis publish --log` keeps a log. */
function logIn(files: Files): LogStorage {
  const nameOf = (path: string): string => `log/${path}`;
  return {
    read: async (path) => files.get(nameOf(path)) ?? null,
    async create(path, bytes) {
      if (files.has(nameOf(path))) return false;
      files.set(nameOf(path), bytes);
      return true;
    },
    async replace(path, bytes) {
      files.set(nameOf(path), bytes);
    },
  };
}
