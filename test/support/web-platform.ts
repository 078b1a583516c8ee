import { readFileSync } from 'node:fs';

// Read and not imported: rows with half a surrogate pair are not text that a bundler accepts.
const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../core/web-platform/${name}.json`, import.meta.url), 'utf8'));

/** The host of each link, or `null` where the standard refuses it (test/core/web-platform/README.md). */
export const webPlatformLinks = read('links') as Readonly<Record<string, string | null>>;

/** The ASCII form of each host. */
export const webPlatformHosts = read('hosts') as Readonly<Record<string, string>>;
