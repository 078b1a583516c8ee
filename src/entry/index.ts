export * from './assets.js';
export * from './prefixes.js';
