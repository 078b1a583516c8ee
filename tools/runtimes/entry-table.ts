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
  'portcullis/sources': { runtimes: runtimeNames },
  'portcullis/log': { runtimes: runtimeNames },
  'portcullis/stores': { runtimes: runtimeNames },
  'portcullis/stores/file': { runtimes: servers, others: 'needs a file system' },
  'portcullis/stores/indexeddb': { runtimes: browsers, others: 'needs IndexedDB' },
  'portcullis/extension': { runtimes: ['extension'], others: 'needs the API of extensions' },
  'portcullis/wallet': { runtimes: runtimeNames },
  'portcullis/ohttp': { runtimes: web, others: 'needs Web Crypto' },
  'portcullis/client': { runtimes: web, others: 'needs `URL` and Zod' },
  'portcullis/webhooks': { runtimes: runtimeNames },
  'portcullis/publish': { runtimes: runtimeNames },
  'portcullis/relay': { runtimes: [...servers, 'workerd'], others: 'a server' },
  'portcullis/middleware': { runtimes: [...servers, 'workerd'], others: 'a server' },
  'portcullis/threads': { runtimes: servers, others: 'checks on several cores; a page could do so too, but was not tried' },
  'portcullis/mcp': { runtimes: [...servers, 'workerd'], others: 'a server' },
  'portcullis/testing': { runtimes: web, others: 'needs `Request` and `Response`' },
};

export function entriesFor(runtime: RuntimeName): string[] {
  return Object.keys(entryTable).filter((entry) => entryTable[entry]?.runtimes.includes(runtime));
}
