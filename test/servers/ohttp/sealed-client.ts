import type { FetchLike, Oblivious, ObliviousGateway, OpenedHandler } from 'portcullis/ohttp';
import { utf8 } from '../../../src/core/bytes.js';
import {
  type BinaryRequest,
  type BinaryResponse,
  decodeResponse,
  encodeRequest,
  minRequestBytes,
  padded,
} from '../../../src/core/ohttp/binary-http.js';
import { readKeyList } from '../../../src/core/ohttp/key-list.js';
import { sealRequest } from '../../../src/core/ohttp/sealing.js';

/** What a client of the relay asks: any part of a request; the content may be text. */
export type Asked = Partial<Omit<BinaryRequest, 'content'>> & { readonly content?: string };

export function messageOf({ content = '', ...asked }: Asked): Uint8Array {
  const empty = { method: 'GET', scheme: 'https', authority: 'list.example', path: '/', fields: [] };
  return padded(encodeRequest({ ...empty, ...asked, content: utf8(content) }), minRequestBytes);
}

export const confirmation = (...prefixes: string[]): Asked => ({
  method: 'POST',
  path: '/list/asset/blocklist/confirm',
  fields: [['content-type', 'application/json']],
  content: JSON.stringify({ algoVersion: 3, prefixes }),
});

export const sealedTo = (keyList: Uint8Array, message: Uint8Array) => sealRequest(readKeyList(keyList)![0]!, message);

/** The `fetch` that a source of this list asks with. */
export function sealedFetch(ohttp: Oblivious, url: string): FetchLike {
  let sealed: FetchLike;
  const confirm = ohttp.confirmWith(url, (fetch) => {
    sealed = fetch;
    return { confirm: async () => ({ hashes: new Map() }) } as never;
  });
  return async (...request) => {
    await confirm([], { algoVersion: '3' });
    return sealed(...request);
  };
}

/** As a relay sends it. */
export const relayed = (body: Uint8Array, headers: Record<string, string> = {}): Request =>
  new Request('https://gateway.example/ohttp', {
    method: 'POST',
    headers: { 'content-type': 'message/ohttp-req', ...headers },
    body: body as BodyInit,
  });

export interface Answered {
  readonly outer: Response;
  readonly outerBytes: number;
  readonly inner: BinaryResponse;
}

/** @param send Delivers a relay's request: to a gateway in this process, or over HTTP */
export async function askSealed(
  send: (request: Request) => Promise<Response>,
  keyList: Uint8Array,
  asked: Asked | Uint8Array,
): Promise<Answered> {
  const { sealed, open } = await sealedTo(keyList, asked instanceof Uint8Array ? asked : messageOf(asked));
  const outer = await send(relayed(sealed));
  const bytes = new Uint8Array(await outer.arrayBuffer());
  if (outer.status !== 200) throw new Error(`the gateway answered ${outer.status}: ${new TextDecoder().decode(bytes)}`);
  const opened = await open(bytes);
  const inner = opened && decodeResponse(opened);
  if (inner === null) throw new Error('the answer does not open');
  return { outer, outerBytes: bytes.length, inner };
}

export const through =
  (gateway: ObliviousGateway, handler: OpenedHandler, sender?: string) =>
  (request: Request): Promise<Response> =>
    gateway.answer(request, handler, sender);

export const textOf = ({ content }: BinaryResponse): string => new TextDecoder().decode(content);
