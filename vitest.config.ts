import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const entry = (name: string): string => fileURLToPath(new URL(`./src/entry/${name}.ts`, import.meta.url));

export default defineConfig({
  resolve: {
    // Tests and documented snippets import the package by its name and run on its sources, so they need no build.
    alias: [
      { find: /^portcullis$/, replacement: entry('index') },
      // As the export map has it for Node.
      { find: /^portcullis\/(client|service)$/, replacement: entry('$1-node') },
      { find: /^portcullis\/(\w+)$/, replacement: fileURLToPath(new URL('./src/entry/$1.ts', import.meta.url)) },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    // Properties over a megabyte of input and five million entries take their time on two busy cores.
    testTimeout: 120_000,
  },
});
