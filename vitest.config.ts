import { fileURLToPath } from 'node:url';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { findChromium } from './tools/find-chromium.js';

const entry = (name: string): string => fileURLToPath(new URL(`./src/entry/${name}.ts`, import.meta.url));

const executablePath = findChromium();

export default defineConfig({
  resolve: {
    // Tests and documented snippets import the package by its name and run on its sources, so they need no build.
    alias: [
      { find: /^portcullis$/, replacement: entry('index') },
      // As the export map has it for Node.
      { find: /^portcullis\/(client|service)$/, replacement: entry('$1-node') },
      { find: /^portcullis\/stores\/([\w-]+)$/, replacement: entry('store-$1') },
      { find: /^portcullis\/(\w+)$/, replacement: entry('$1') },
    ],
  },
  test: {
    // Properties over a megabyte of input and five million entries take their time on two busy cores.
    testTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.browser.test.ts'],
          setupFiles: ['test/support/setup.ts'],
        },
      },
      {
        extends: true,
        optimizeDeps: { include: ['idb'] },
        test: {
          name: 'browser',
          include: ['test/**/*.browser.test.ts'],
          // They share an origin: one clears its data, or takes its quota away.
          fileParallelism: false,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
              launchOptions: {
                // Without one the launch fails and says so; `pretest` has made sure of it.
                ...(executablePath === undefined ? {} : { executablePath }),
                args: [
                  // Chromium's sandbox refuses to run as root.
                  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
                  '--disable-gpu',
                  '--disable-quic',
                  '--no-first-run',
                  '--disable-background-networking',
                  '--disable-component-update',
                  '--disable-sync',
                ],
              },
            }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
    ],
  },
});
