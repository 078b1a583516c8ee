import type { McpHttpHandler, McpRequestContext, Server, Transport } from '@modelcontextprotocol/server';
import { isPortcullisError, refuse } from '../../core/errors.js';
import { noSuch } from '../../core/options/nearest-name.js';
import { type Filled, having, type KindsOf, optional, readOptions } from '../../core/options/read-options.js';
import { LineTransport } from './line-transport.js';
import { localTools } from './local-tools.js';
import { MessageBytes } from './message-bytes.js';
import { isUnpublished, operationTools } from './operation-tools.js';
import { invalidParams, readMessage } from './protocol-message.js';
import { loadProtocol, loadStdio, type Offer, type Protocol, protocolServer } from './protocol-server.js';
import type { Tool, ToolContext, ToolDescription } from './tool.js';
import { enter, rejectionOf, withCors } from './tool-gate.js';
import { promptsFor } from './tool-prompts.js';
import { toolResources } from './tool-resources.js';
import { type ToolClient, type ToolServerOptions, toolServerSettings } from './tool-server-options.js';
import { askBeforeWrites, letWrite, refuseWrites, type WriteConsent } from './write-consent.js';

/** A tool server. */
export interface ToolServer {
  /** Answers one HTTP request, with nothing kept between requests; never rejects. Can be called without `this`. */
  fetch(request: Request): Promise<Response>;
  /**
   * Serves one host over standard input and output, or over another transport of the protocol's library. Nothing else may write to
   * standard output.
   */
  connect(options?: ConnectOptions): Promise<ToolConnection>;
  /** The tools that hosts see; over HTTP, without `clientFor`, only the local ones. */
  readonly tools: readonly ToolDescription[];
}

/** A running connection. */
export interface ToolConnection {
  /** Ends the connection; calls that are running are aborted. */
  close(): Promise<void>;
  /** Resolves when the connection has ended: the host closed its end, and the calls that were running have answered. */
  readonly closed: Promise<void>;
}

/** Options of `connect`. */
export interface ConnectOptions {
  /** A transport of `@modelcontextprotocol/server`. @default standard input and output */
  readonly transport?: object | undefined;
}

export const connectKinds = (): KindsOf<Filled<ConnectOptions, 'transport'>> => ({
  transport: optional(having<Transport>('a transport of @modelcontextprotocol/server', 'start', 'send')),
});

/** Until a call that ignores its signal is given up. */
const graceMs = 1_000;

/**
 * A tool server (MCP) with one tool for each operation of the service, and local tools over a blocklist. It speaks protocol revision
 * 2026-07-28 and the three before it, and needs the package `@modelcontextprotocol/server`.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function createToolServer(options: ToolServerOptions): ToolServer {
  const settings = toolServerSettings(options);
  const { client, clientFor, blocklist, maxBodyBytes, timeoutMs, onError } = settings;
  const all = [
    ...(blocklist === undefined ? [] : localTools(blocklist)),
    ...(client === undefined && clientFor === undefined ? [] : operationTools(settings.paths)),
  ];
  const tools = selectTools(all, settings.tools, settings.readOnly);
  const offerOf = (offered: readonly Tool[], consent: WriteConsent): Offer => ({
    tools: offered,
    consent: settings.confirmWrites ? consent : letWrite,
    resources: offered.length > 0 ? toolResources : [],
    prompts: promptsFor(new Set(offered.map(({ description }) => description.name))),
    maxResultChars: settings.maxResultChars,
  });
  const offer = offerOf(tools, askBeforeWrites());
  // `client` holds the operator's key, and the request comes from another user.
  const httpTools = clientFor === undefined ? tools.filter(({ group }) => group === 'local') : tools;
  const httpOffer = offerOf(httpTools, refuseWrites);

  const requestOf = (one: ToolClient | undefined): ToolContext['request'] =>
    one && ((operation, input, signal) => one.request(operation as never, input as never, { signal }));

  let loaded: Promise<{ readonly protocol: Protocol; readonly modern: McpHttpHandler }> | undefined;
  const load = async () => {
    const protocol = await loadProtocol();
    const serverFor = ({ authInfo }: McpRequestContext): Server => {
      const { request, signal } = authInfo!.extra as unknown as ToolContext;
      return protocolServer(protocol, httpOffer, { request }, signal);
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
    if ('refusal' in read) return Response.json(read.refusal, { status: read.refusal.error.code === invalidParams ? 200 : 400 });
    const parsedBody = read.message;
    const accepting = acceptingAll(request);
    const own = entrance.apiKey === undefined ? undefined : clientFor!(entrance.apiKey);
    try {
      const context = { request: requestOf(own), signal };
      if (await protocol.isLegacyRequest(accepting, parsedBody)) {
        return await whole(
          await legacyAnswer(protocol, protocolServer(protocol, httpOffer, context, signal), accepting, parsedBody),
        );
      }
      // Only what the tools of this request need, and no key: nothing that logs this object can show one.
      const authInfo = { token: '', clientId: 'portcullis', scopes: [], extra: context };
      return await whole(await modern.fetch(accepting, { authInfo, parsedBody }));
    } finally {
      // Not awaited: a connection that is just made can keep it open for ten seconds.
      void own?.close?.().catch(onError);
    }
  }

  return {
    tools: tools.map(({ description }) => description),
    fetch: async (request) => {
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
    },
    connect: async (options) => {
      const { transport } = readOptions('connect', connectKinds(), options);
      const [protocol, { serveStdio }] = await Promise.all([loadProtocol(), loadStdio()]);
      const wire = (transport as Transport | undefined) ?? standardStreams(protocol);
      const { close } = serveStdio(() => protocolServer(protocol, offer, { request: requestOf(client) }), { transport: wire });
      const { onclose } = wire;
      const closed = new Promise<void>((resolve) => {
        wire.onclose = () => {
          onclose?.();
          resolve();
        };
      });
      return { close, closed };
    },
  };
}

function standardStreams(protocol: Protocol): Transport {
  const { stdin, stdout } = process;
  return new LineTransport(stdin, stdout, protocol);
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

/** More names than tools exist. */
const maxNames = 500;

/**
 * The tools that a host sees. It narrows what a model is offered; it is not access control, which is the key's part.
 *
 * @param names Names of tools or groups: a list, or separated by commas. Blank means all
 * @param isReadOnly Leaves out every tool that writes, also one that is named
 * @throws PortcullisError `INVALID_INPUT` for an unknown name
 */
export function selectTools(tools: readonly Tool[], names: string | readonly string[] = '', isReadOnly = false): Tool[] {
  const wanted = (typeof names === 'string' ? names.split(',', maxNames + 1) : names).map((name) => name.trim()).filter(Boolean);
  if (wanted.length > maxNames) refuse(`createToolServer: tools must have at most ${maxNames} names`);
  const groups = new Set(tools.map(({ group }) => group));
  const known = new Set(tools.map(({ description }) => description.name));
  for (const name of wanted) {
    if (known.has(name) || groups.has(name)) continue;
    if (isUnpublished(name))
      refuse(`createToolServer: the route of ${name} is not published; pass the client's in the option paths`);
    refuse(`createToolServer: ${noSuch('tool', name, [...known, ...groups])}`);
  }
  return tools.filter(
    ({ group, description }) =>
      (wanted.length === 0 || wanted.includes(group) || wanted.includes(description.name)) &&
      (!isReadOnly || description.annotations.readOnlyHint),
  );
}
