import { availableParallelism } from 'node:os';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { findChromium } from './tools/find-chromium.js';
import { sourceAlias } from './tools/source-alias.js';

const executablePath = findChromium();

/**
 * Files that change what every file of a worker shares: they replace a module, or a global that the test runner itself uses. All others
 * restore what they change, and run without isolation, which takes half the processor time.
 */
const isolatedFiles = ['test/blocklist/attacks.property.test.ts', 'test/servers/service/{webhooks,options}.test.ts'];
const browserFiles = ['test/**/*.browser.test.ts'];
/** Only in `npm run test:deep`, which also runs every property file again with more runs. */
const deepFiles = ['test/**/*.deep.test.ts'];
const propertyFiles = ['test/**/*.property.test.ts'];

/** Builds the command line and the pages once for each project that has it. */
const builtApps = ['test/support/global-setup.ts'];

const nodeProject = (name: string, test: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name, setupFiles: ['test/support/setup.ts'], ...test },
});

/** Start first, so that no worker begins a minute's work when the others have ended. By default the largest files do. */
const slowFiles = /\/(apps\/playground\/page|apps\/cli\/|blocklist\/engine\/bad-days|blocklist\/stores\/)/;

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification): boolean => slowFiles.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

export default defineConfig({
  resolve: { alias: sourceAlias },
  test: {
    // Long enough for a slow, busy machine; a hang still fails.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Vitest leaves one core unused by default, which on two cores is half of them.
    maxWorkers: availableParallelism(),
    sequence: { sequencer: SlowFirst },
    // Between tests that share a worker.
    restoreMocks: true,
    unstubGlobals: true,
    unstubEnvs: true,
    // tools/coverage.ts chooses the tests; entries and apps are left out.
    coverage: { provider: 'v8', include: ['src/{core,blocklist,api,servers}/**/*.ts'], reportsDirectory: 'coverage' },
    projects: [
      nodeProject('node', {
        include: ['test/**/*.test.ts'],
        exclude: [...isolatedFiles, ...browserFiles, ...deepFiles],
        isolate: false,
        globalSetup: builtApps,
      }),
      nodeProject('isolated', { include: isolatedFiles }),
      nodeProject('deep', {
        include: [...deepFiles, ...propertyFiles],
        exclude: browserFiles,
        testTimeout: 900_000,
        hookTimeout: 900_000,
        env: { PORTCULLIS_DEEP: '1' },
        globalSetup: builtApps,
      }),
      {
        extends: true,
        optimizeDeps: { include: ['idb', '@wagmi/core', 'viem', 'viem/chains'] },
        test: {
          name: 'browser',
          include: browserFiles,
          // They share an origin, and some clear its data or use up its quota.
          fileParallelism: false,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
              launchOptions: {
                // `pretest` has found or installed one; without it the launch fails with a message.
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
