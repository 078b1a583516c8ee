/** The root entry with IndexedDB, which the build bundles into one minified file: `dist/portcullis.min.js`, for pages without a bundler. */
export { indexedDbStore } from '../src/blocklist/stores/indexeddb-store.js';
export * from '../src/entry/index.js';
