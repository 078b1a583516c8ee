/** The root with IndexedDB, which the build makes one minified file of: `dist/portcullis.min.js`, for pages without a bundler. */
export { indexedDbStore } from '../blocklist/stores/indexeddb-store.js';
export * from './index.js';
