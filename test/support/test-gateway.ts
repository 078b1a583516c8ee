import { createServer, type IncomingHttpHeaders } from 'node:http';
import { Aes128Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/core';
import { originOf } from './listen.js';

/**
 * A gateway of Oblivious HTTP written from RFC 9458 and RFC 9292 with another HPKE package, so that a mistake in ours shows. Its requests
 * to the list have the header `x-gateway`.
 */

const suite = new CipherSuite({ kem: new DhkemX25519HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes128Gcm() });

export interface InnerAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

export interface TestGateway {
  readonly url: string;
  /** `application/ohttp-keys` */
  readonly keyList: Uint8Array;
  /** Opened requests: the request line and the headers. */
  readonly asked: { readonly line: string; readonly headers: Record<string, string>; readonly size: number }[];
  /** What the gateway seals instead of the list's answer. */
  change: ((answer: InnerAnswer) => InnerAnswer) | undefined;
  /** Bytes that the gateway seals instead of a message, and how it makes the nonce and the key wrong. */
  message: ((bytes: Buffer) => Buffer) | undefined;
  exporter: string;
}

/** @param targetOf The URL to ask for a path. */
export async function testGateway(targetOf: (path: string) => string, id = 7): Promise<TestGateway> {
  const pair = await suite.kem.generateKeyPair();
  const publicKey = Buffer.from(await suite.kem.serializePublicKey(pair.publicKey));
  const keyList = Buffer.concat([Buffer.from([0, 41, id, 0, 32]), publicKey, Buffer.from([0, 4, 0, 1, 0, 1])]);
  const server = createServer(async (incoming, response) => {
    const sealed = await bodyOf(incoming);
    const head = sealed.subarray(0, 7);
    const problem = (status: number): void =>
      void response.writeHead(status, { 'content-type': 'application/problem+json' }).end('{"type":"about:blank"}');
    if (incoming.method !== 'POST' || incoming.headers['content-type'] !== 'message/ohttp-req') return problem(415);
    if (head.toString('hex') !== Buffer.from([id, 0, 32, 0, 1, 0, 1]).toString('hex')) return problem(422);
    const enc = sealed.subarray(7, 39);
    try {
      const info = arrayOf(Buffer.concat([Buffer.from('message/bhttp request\0'), head]));
      const context = await suite.createRecipientContext({ recipientKey: pair, enc: arrayOf(enc), info });
      const message = Buffer.from(await context.open(arrayOf(sealed.subarray(39))));
      const { method, path, headers, content } = readRequest(message);
      gateway.asked.push({ line: `${method} ${path}`, headers, size: message.length });
      const inner = await fetch(targetOf(path), {
        method,
        redirect: 'manual',
        headers: { ...headers, 'x-gateway': '1' },
        ...(content.length > 0 && { body: new Uint8Array(content) }),
      });
      let answer: InnerAnswer = {
        status: inner.status,
        headers: Object.fromEntries(
          [...inner.headers].filter(([name]) => !/^(connection|keep-alive|date|transfer-encoding)$/.test(name)),
        ),
        body: Buffer.from(await inner.arrayBuffer()),
      };
      answer = gateway.change?.(answer) ?? answer;
      const written = writeResponse(answer);
      const bytes = gateway.message?.(written) ?? written;
      const secret = await context.export(arrayOf(Buffer.from(gateway.exporter)), 16);
      response.writeHead(200, { 'content-type': 'message/ohttp-res', 'cache-control': 'no-store' });
      response.end(await sealAnswer(secret, enc, bytes));
    } catch {
      problem(400);
    }
  });
  const gateway: TestGateway = {
    url: await originOf(server),
    keyList: new Uint8Array(keyList),
    asked: [],
    change: undefined,
    message: undefined,
    exporter: 'message/bhttp response',
  };
  return gateway;
}

export interface Relayed {
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
  readonly body: Buffer;
  answerBytes: number;
}

export interface RelayAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** A relay of the gateway that shows what it saw. */
export async function testRelay(gatewayUrl: string) {
  const requests: Relayed[] = [];
  const relay: {
    url: string;
    gatewayUrl: string;
    requests: Relayed[];
    change: ((answer: RelayAnswer) => RelayAnswer | null) | undefined;
  } = { url: '', gatewayUrl, requests, change: undefined };
  const server = createServer(async (incoming, response) => {
    const body = await bodyOf(incoming);
    const seen: Relayed = { headers: incoming.headers, method: incoming.method ?? '', body, answerBytes: 0 };
    requests.push(seen);
    const inner = await fetch(relay.gatewayUrl, {
      method: 'POST',
      headers: { 'content-type': incoming.headers['content-type'] ?? '' },
      body: new Uint8Array(body),
    });
    const honest: RelayAnswer = {
      status: inner.status,
      headers: { 'content-type': inner.headers.get('content-type') ?? '' },
      body: Buffer.from(await inner.arrayBuffer()),
    };
    const answer = relay.change === undefined ? honest : relay.change(honest);
    if (answer === null) return void response.destroy();
    seen.answerBytes = answer.body.length;
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  relay.url = `${await originOf(server)}/relay`;
  return relay;
}

async function bodyOf(incoming: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** RFC 9458 §4.4 with Web Crypto's own HKDF. */
async function sealAnswer(secret: ArrayBuffer, enc: Buffer, bytes: Buffer): Promise<Buffer> {
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16)));
  const base = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
  const derive = (info: string, bits: number) =>
    crypto.subtle.deriveBits(
      { name: 'HKDF', hash: 'SHA-256', salt: arrayOf(Buffer.concat([enc, nonce])), info: arrayOf(Buffer.from(info)) },
      base,
      bits,
    );
  const key = await crypto.subtle.importKey('raw', await derive('key', 128), 'AES-GCM', false, ['encrypt']);
  const iv = await derive('nonce', 96);
  return Buffer.concat([nonce, Buffer.from(await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, arrayOf(bytes)))]);
}

function readRequest(message: Buffer) {
  let at = 0;
  const integer = (): number => {
    const length = 1 << (message[at]! >> 6);
    let value = message[at]! & 63;
    for (let more = 1; more < length; more++) value = value * 256 + message[at + more]!;
    at += length;
    return value;
  };
  const block = (): Buffer => {
    const length = integer();
    at += length;
    return message.subarray(at - length, at);
  };
  if (integer() !== 0) throw new Error('not a request of known length');
  const [method, , , path] = [block(), block(), block(), block()].map(String) as [string, string, string, string];
  const end = integer() + at;
  const headers: Record<string, string> = {};
  while (at < end) headers[String(block())] = String(block());
  const content = block();
  if (integer() !== 0 || message.subarray(at).some((byte) => byte !== 0)) throw new Error('something is after the message');
  return { method, path, headers, content };
}

function writeResponse({ status, headers, body }: InnerAnswer): Buffer {
  // Four bytes for every length: longer than needed is legal.
  const integer = (value: number): Buffer => Buffer.from([0x80 | (value >>> 24), value >>> 16, value >>> 8, value]);
  const block = (bytes: Buffer): Buffer => Buffer.concat([integer(bytes.length), bytes]);
  const lines = Object.entries(headers).flatMap(([name, value]) => [block(Buffer.from(name)), block(Buffer.from(value))]);
  const message = Buffer.concat([integer(1), integer(status), block(Buffer.concat(lines)), block(body), integer(0)]);
  let size = 4096;
  while (size < message.length) size *= 2;
  return Buffer.concat([message, Buffer.alloc(size - message.length)]);
}

function arrayOf(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}
