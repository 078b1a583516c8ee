import * as node from 'portcullis/client';
import { expect, onTestFinished } from 'vitest';
import * as web from '../../../src/entry/client.js';
import { type ScriptedServer, serve } from '../../support/scripted-server.js';

export type Entry = Pick<typeof web, 'createClient'>;
export type Script = Parameters<typeof serve>[0];

/** Both builds of the client. */
export const platforms: readonly (readonly [string, Entry])[] = [
  ["with Node's connection pool", node],
  ["with the platform's fetch", web],
];

/** The response of `assetCheck` in most tests. */
export const found = { status: 'BLOCKED', source: 'global', sources: [] };

/** A response that has the essential field of every operation. */
export const enough = {
  id: 1,
  status: 'UNKNOWN',
  success: true,
  content: 'a.example',
  slug: 'acme',
  severity: 'ok',
  algoVersion: 1,
  asset: null,
  metrics: {},
  proposal: { reviewStatus: 'PENDING' },
  ...Object.fromEntries(
    ['assets', 'attachments', 'brands', 'byAssetType', 'checks', 'detections', 'groups', 'organizations', 'reports'].map(
      (name) => [name, []],
    ),
  ),
  ...Object.fromEntries(['results', 'series', 'submittedAssets', 'takedowns', 'threats'].map((name) => [name, []])),
};

/** Far longer than any call of these tests takes on a busy machine; a call that takes longer hangs. */
export const promptMs = 10_000;

export interface Scene {
  readonly client: node.Client;
  readonly server: ScriptedServer;
  readonly events: node.ClientEvent[];
}

/** A client, the real server that it calls, and the events it emits. */
export async function connect(entry: Entry, script: Script, options: Partial<node.ClientOptions> = {}): Promise<Scene> {
  const server = await serve(script);
  return { server, ...clientAt(entry, server.origin, options) };
}

export function clientAt(
  entry: Entry,
  baseUrl: string,
  options: Partial<node.ClientOptions> = {},
): Pick<Scene, 'client' | 'events'> {
  const events: node.ClientEvent[] = [];
  const client = entry.createClient({
    baseUrl,
    apiKey: 'key-of-the-tests',
    retry: false,
    timeoutMs: promptMs,
    onEvent: (event) => events.push(event),
    ...options,
  });
  // Not awaited: a test may leave a key function that never returns, and so a client that never closes.
  onTestFinished(() => void client.close().catch(() => {}));
  return { client, events };
}

/** The error that the work throws. */
export async function thrownBy(work: () => unknown): Promise<node.PortcullisError> {
  try {
    await work();
  } catch (error) {
    return error as node.PortcullisError;
  }
  return expect.unreachable('it succeeded');
}

export function failed(code: node.ErrorCode, more: object = {}): object {
  return expect.objectContaining({ name: 'PortcullisError', code, ...more }) as object;
}
