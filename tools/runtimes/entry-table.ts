/** The runtimes, in the order of the table in the documents, and how the table names them. */
export const runtimeTitles = {
  node20: 'Node 20',
  node22: 'Node 22',
  node24: 'Node 24',
  node26: 'Node 26',
  bun: 'Bun',
  deno: 'Deno',
  workerd: 'workerd',
  page: 'Chromium page',
  extension: 'Chromium extension worker',
  hermes: 'Hermes, bundled by Metro',
} as const;
export type RuntimeName = keyof typeof runtimeTitles;
export const runtimeNames = Object.keys(runtimeTitles) as readonly RuntimeName[];

const servers = ['node20', 'node22', 'node24', 'node26', 'bun', 'deno'] as const;
const web = [...servers, 'workerd', 'page', 'extension'] as const;
const browsers = ['page', 'extension'] as const;

export interface EntryRow {
  readonly runtimes: readonly RuntimeName[];
  /** Why the entry is not meant for the others. */
  readonly others?: string;
}

/** Which runtimes each import of the package is meant for. The suite imports it in exactly these. */
export const entryTable: Readonly<Record<string, EntryRow>> = {
  portcullis: { runtimes: runtimeNames },
  'portcullis/core': { runtimes: runtimeNames },
  'portcullis/light': { runtimes: web, others: 'its sources need `URL`' },
  'portcullis/assets': { runtimes: runtimeNames },
  'portcullis/prefixes': { runtimes: runtimeNames },
  'portcullis/sources': { runtimes: runtimeNames },
  'portcullis/signatures': { runtimes: runtimeNames },
  'portcullis/webhooks': { runtimes: runtimeNames },
  'portcullis/publish': { runtimes: runtimeNames },
  'portcullis/wallet': { runtimes: runtimeNames },
  'portcullis/stores/memory': { runtimes: runtimeNames },
  'portcullis/stores/key-value': { runtimes: runtimeNames },
  'portcullis/stores/contract': { runtimes: runtimeNames },
  'portcullis/operations': { runtimes: web, others: 'needs Zod, which was not tried in Hermes' },
  'portcullis/client': { runtimes: web, others: 'needs `URL` and Zod' },
  'portcullis/service': { runtimes: web, others: 'needs `Request` and `Response`' },
  'portcullis/relay': { runtimes: [...servers, 'workerd'], others: 'a server' },
  'portcullis/mcp': { runtimes: [...servers, 'workerd'], others: 'a server' },
  'portcullis/middleware': { runtimes: [...servers, 'workerd'], others: 'a server' },
  'portcullis/threads': { runtimes: servers, others: 'checks on several cores; a page could do so too, but was not tried' },
  'portcullis/stores/redis': { runtimes: servers, others: 'a server with a client of Redis' },
  'portcullis/stores/file': { runtimes: servers, others: 'needs a file system' },
  'portcullis/stores/indexeddb': { runtimes: browsers, others: 'needs IndexedDB' },
  'portcullis/stores/extension': { runtimes: ['extension'], others: 'needs the storage of extensions' },
  'portcullis/extension': { runtimes: ['extension'], others: 'needs the API of extensions' },
};

export function entriesFor(runtime: RuntimeName): string[] {
  return Object.keys(entryTable).filter((entry) => entryTable[entry]?.runtimes.includes(runtime));
}
