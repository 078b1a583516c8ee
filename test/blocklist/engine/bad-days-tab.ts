import { type Blocklist, createBlocklist, handleWebhook } from 'portcullis';
import { indexedDbStore } from 'portcullis/stores/indexeddb';
import { type OwnSource, ownSource } from './own-source.js';

/** The actions of a tab with its own blocklist; the last parameter is the response. */
export interface Tab {
  open(database: string): void;
  ready(): Promise<void>;
  /** The outcome of the action. */
  syncDue(): Promise<string>;
  /** Shows a feed window with only this entry, and runs a round. */
  sees(name: string): Promise<string>;
  /** Handles a webhook event. */
  told(name: string): Promise<void>;
  block(name: string): Promise<void>;
  /** The calls of its source since the action began. */
  calls(): readonly string[];
  test(name: string): string;
  isStored(): boolean;
  count(): readonly (number | undefined)[];
  close(): Promise<void>;
}

export const listed: readonly string[] = Array.from({ length: 20 }, (_, at) => `evil-${at}.example`);

export const sourceOf = (): OwnSource => ownSource({ snapshot: listed, recentToken: 'r', confirmed: listed });

export function newTab(): Tab {
  let blocklist: Blocklist;
  const source = sourceOf();
  return {
    open(database) {
      blocklist = createBlocklist({ sources: [source], store: indexedDbStore({ name: database }), pollMs: 300_000 });
      blocklist.stop();
    },
    async ready() {
      await blocklist.ready();
      blocklist.stop();
    },
    syncDue: async () => (await blocklist.syncDue()).outcome,
    async sees(name) {
      Object.assign(source.list, { recentToken: `r ${name}`, recent: [name] });
      return (await blocklist.sync()).outcome;
    },
    async told(name) {
      const data = { status: 'BLOCKED', type: 'URL', content: `https://${name}/` };
      await handleWebhook(blocklist, { type: 'asset.status-updated', data });
    },
    async block(name) {
      await blocklist.block(name);
    },
    calls: () => source.calls.splice(0),
    test: (name) => blocklist.test(name).status,
    isStored: () => blocklist.status().sources[0]!.isStored,
    count() {
      const { list } = blocklist.status().sources[0]!;
      return [list?.count, list?.recentCount];
    },
    close: () => blocklist.close(),
  };
}

/** In a worker, it runs the actions it receives. */
export type Request = { readonly id: number; readonly call: keyof Tab; readonly parameters: readonly string[] };

const scope = globalThis as unknown as {
  readonly document?: unknown;
  postMessage(message: unknown): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<Request>) => void): void;
};

if (scope.document === undefined) {
  const tab = newTab();
  scope.addEventListener('message', async ({ data: { id, call, parameters } }) => {
    try {
      scope.postMessage({ id, result: await (tab[call] as (...given: readonly string[]) => unknown)(...parameters) });
    } catch (error) {
      scope.postMessage({ id, error: String(error) });
    }
  });
}
