/**
 * No entry of the package: the build puts what is here, words and rules rather than code, into a chunk of its own. A compressor finds
 * repetitions only in the last 32 kB, and shares one table of codes among all it has in a block. In this order
 * similar tables are neighbors, so it is not sorted.
 */
export * from '../src/core/assets/asset-types.js';
export * from '../src/core/assets/platforms/ad-platforms.js';
export * from '../src/core/assets/platforms/shop-platforms.js';
export * from '../src/core/assets/platforms/store-platforms.js';
export * from '../src/core/assets/platforms/social-platforms.js';
export * from '../src/core/assets/platforms/document-platforms.js';
export * from '../src/core/assets/platforms/media-platforms.js';
export * from '../src/core/assets/platforms/web3-platforms.js';
export * from '../src/core/assets/platforms/messenger-platforms.js';
export * from '../src/core/assets/platforms/package-platforms.js';
export * from '../src/core/assets/wrapper-table.js';
export * from '../src/core/find/top-level-hashes.js';
export * from '../src/core/assets/phrase-words.js';
export * from '../src/core/assets/platforms/explorer-platforms.js';
export * from '../src/core/assets/chains/chain.js';
