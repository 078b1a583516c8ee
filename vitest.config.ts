import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { findChromium } from './tools/find-chromium.js';

const entry = (name: string): string => fileURLToPath(new URL(`./src/entry/${name}.ts`, import.meta.url));

const executablePath = findChromium();

/** Files that change nothing global run in one environment, which is 1.7 times as fast. */
const pureFiles = [
  'test/core/**/*.test.ts',
  'test/blocklist/{formats,list-formats,list-rules}.test.ts',
  'test/apps/cli/**/*.test.ts',
];
const browserFiles = ['test/**/*.browser.test.ts'];
/** Files that take long: `npm run test:deep`. It also runs every property again, more often. */
const deepFiles = ['test/**/*.deep.test.ts'];
const propertyFiles = ['test/**/*.property.test.ts'];

const nodeProject = (name: string, test: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name, setupFiles: ['test/support/setup.ts'], ...test },
});

export default defineConfig({
  resolve: {
    // Tests, documented snippets and the apps import the package by its name and run on its sources, so they need no build.
    alias: [
      { find: /^portcullis$/, replacement: entry('index') },
      // As the export map has it for Node.
      { find: /^portcullis\/(client|service)$/, replacement: entry('$1-node') },
      { find: /^portcullis\/stores\/([\w-]+)$/, replacement: entry('store-$1') },
      { find: /^portcullis\/(\w+)$/, replacement: entry('$1') },
    ],
  },
  test: {
    // A hang still fails; a slow, busy machine does not.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Vitest leaves one core unused, which on two cores is half of them.
    maxWorkers: availableParallelism(),
    // Builds the command line and the page once for all files.
    globalSetup: ['test/support/global-setup.ts'],
    projects: [
      nodeProject('pure', { include: pureFiles, exclude: [...browserFiles, ...deepFiles], isolate: false }),
      nodeProject('node', { include: ['test/**/*.test.ts'], exclude: [...pureFiles, ...browserFiles, ...deepFiles] }),
      nodeProject('deep', {
        include: [...deepFiles, ...propertyFiles],
        exclude: browserFiles,
        testTimeout: 900_000,
        env: { PORTCULLIS_DEEP: '1' },
      }),
      {
        extends: true,
        optimizeDeps: { include: ['idb'] },
        test: {
          name: 'browser',
          include: browserFiles,
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
