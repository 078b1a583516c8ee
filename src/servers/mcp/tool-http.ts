import type { McpHttpHandler, McpRequestContext, Server } from '@modelcontextprotocol/server';
import { isPortcullisError } from '../../core/errors.js';
import { MessageBytes } from './message-bytes.js';
import { readMessage, statusOf } from './protocol-message.js';
import { loadProtocol, type Protocol, protocolServer } from './protocol-server.js';
import type { ToolContext } from './tool.js';
import { enter, rejectionOf, withCors } from './tool-gate.js';
import type { Offer } from './tool-offer.js';
import { contextOf, type ToolServerSettings } from './tool-server-options.js';

/** Until a call that ignores its signal is given up. */
const graceMs = 1_000;

/** Answers HTTP requests with what is offered, with nothing kept between them; never rejects. */
export function toolFetch(settings: ToolServerSettings, offer: Offer): (request: Request) => Promise<Response> {
  const { clientFor, maxBodyBytes, timeoutMs, onError } = settings;

  let loaded: Promise<{ readonly protocol: Protocol; readonly modern: McpHttpHandler }> | undefined;
  const load = async () => {
    const protocol = await loadProtocol();
    const serverFor = ({ authInfo }: McpRequestContext): Server => {
      const { signal, ...context } = authInfo!.extra as unknown as ToolContext;
      return protocolServer(protocol, offer, context, signal);
    };
    return {
      protocol,
      modern: protocol.createMcpHandler(serverFor, { legacy: 'reject', maxSubscriptions: 1 }),
    };
  };

  async function answer(request: Request, signal: AbortSignal): Promise<Response> {
    const entrance = await enter(request, settings);
    if ('rejection' in entrance) return entrance.rejection;
    loaded ??= load();
    const { protocol, modern } = await loaded;
    const body = await bodyOf(request, maxBodyBytes);
    if ('refusal' in body) return Response.json(body.refusal, { status: 413 });
    const read = readMessage(body.text, protocol);
    if ('refusal' in read) return Response.json(read.refusal, { status: statusOf(read.refusal) });
    const parsedBody = read.message;
    const accepting = acceptingAll(request);
    const own = entrance.apiKey === undefined ? undefined : clientFor!(entrance.apiKey);
    try {
      const context = { ...contextOf(own), signal };
      if (await protocol.isLegacyRequest(accepting, parsedBody)) {
        return await whole(await legacyAnswer(protocol, protocolServer(protocol, offer, context, signal), accepting, parsedBody));
      }
      // Only what the tools of this request need, and no key: nothing that logs this object can show one.
      const authInfo = { token: '', clientId: 'portcullis', scopes: [], extra: context };
      return await whole(await modern.fetch(accepting, { authInfo, parsedBody }));
    } finally {
      // Not awaited: a connection that is just made can keep it open for ten seconds.
      void Promise.resolve()
        .then(() => own?.close?.())
        .catch(onError);
    }
  }

  return async (request) => {
    const end = new AbortController();
    const stop = (): void => end.abort();
    const timer = setTimeout(stop, timeoutMs);
    request.signal.addEventListener('abort', stop, { once: true });
    let giveUp: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<Response>((settle) => {
      giveUp = setTimeout(() => settle(rejectionOf(504, 'the request took too long')), timeoutMs + graceMs);
    });
    try {
      return withCors(await Promise.race([answer(request, end.signal), late]), request, settings);
    } catch (error) {
      onError(error);
      // Details could name files or repeat a key; `PEER_MISSING` only says what to install.
      const isOurs = isPortcullisError(error) && error.code === 'PEER_MISSING';
      return withCors(rejectionOf(500, isOurs ? error.message : 'the request failed'), request, settings);
    } finally {
      clearTimeout(timer);
      clearTimeout(giveUp);
      request.signal.removeEventListener('abort', stop);
    }
  };
}

/** The revisions before 2026-07-28, without sessions and with plain JSON in place of event streams. */
async function legacyAnswer(protocol: Protocol, server: Server, request: Request, parsedBody: unknown): Promise<Response> {
  const transport = new protocol.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  return transport.handleRequest(request, { parsedBody });
}

/** How much of a body that is too long is read for its id, which may be at its end. */
const maxReadBodies = 4;

async function bodyOf(request: Request, maxBytes: number): Promise<ReturnType<MessageBytes['take']>> {
  const body = new MessageBytes(maxBytes);
  let left = maxReadBodies * maxBytes;
  for await (const chunk of request.body ?? []) {
    body.append(chunk);
    left -= chunk.length;
    // Leaving the loop cancels the stream.
    if (left < 0) break;
  }
  return body.take();
}

/** A client that accepts anything accepts JSON; the library asks for the two types by name. */
function acceptingAll(request: Request): Request {
  const accept = request.headers.get('accept') ?? '*/*';
  const accepts = accept.split(',').some((range) => /^\s*(\*|application)\/\*\s*(;(?!\s*q=0(\.0*)?\s*$).*)?$/i.test(range));
  if (accept.trim() !== '' && !accepts) return request;
  const headers = new Headers(request.headers);
  headers.set('accept', 'application/json, text/event-stream');
  return new Request(request.url, { method: request.method, headers, signal: request.signal });
}

/** Read while the client of this request is open. */
async function whole(response: Response): Promise<Response> {
  const bytes = await response.arrayBuffer();
  return new Response(bytes.byteLength === 0 ? null : bytes, response);
}
