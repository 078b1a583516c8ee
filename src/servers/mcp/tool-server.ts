import type { Transport } from '@modelcontextprotocol/server';
import { type Filled, having, type KindsOf, optional, readOptions } from '../../core/options/read-options.js';
import { LineTransport } from './line-transport.js';
import { loadProtocol, loadStdio, type Protocol, protocolServer } from './protocol-server.js';
import type { ToolDescription } from './tool.js';
import { toolFetch } from './tool-http.js';
import { offersOf } from './tool-offer.js';
import { contextOf, type ToolServerOptions, toolServerSettings } from './tool-server-options.js';

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

/**
 * A tool server (MCP) with one tool for each operation of the service, and local tools over a blocklist. It speaks protocol revision
 * 2026-07-28 and those from 2024-11-05 on, and needs the package `@modelcontextprotocol/server`.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function createToolServer(options: ToolServerOptions): ToolServer {
  const settings = toolServerSettings(options);
  const { connected: offer, http } = offersOf(settings);
  return {
    tools: offer.tools.map(({ description }) => description),
    fetch: toolFetch(settings, http),
    connect: async (options) => {
      const { transport } = readOptions('connect', connectKinds(), options);
      const [protocol, { serveStdio }] = await Promise.all([loadProtocol(), loadStdio()]);
      const wire = (transport as Transport | undefined) ?? standardStreams(protocol);
      const { close } = serveStdio(() => protocolServer(protocol, offer, contextOf(settings.client)), {
        transport: wire,
      });
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
