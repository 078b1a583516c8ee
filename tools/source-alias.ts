import { fileURLToPath } from 'node:url';

const entry = (name: string): string => fileURLToPath(new URL(`../src/entry/${name}.ts`, import.meta.url));

/** The package's public names on its sources, as the export map has them for Node; so tests and apps need no build. */
export const sourceAlias: { find: RegExp; replacement: string }[] = [
  { find: /^portcullis$/, replacement: entry('index') },
  { find: /^portcullis\/(client|testing)$/, replacement: entry('$1-node') },
  { find: /^portcullis\/stores\/([\w-]+)$/, replacement: entry('store-$1') },
  { find: /^portcullis\/(\w+)$/, replacement: entry('$1') },
];
