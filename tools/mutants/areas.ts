import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Files that are mutated together, because the same tests judge them. */
export interface Area {
  readonly name: string;
  readonly files: readonly string[];
  readonly tests: readonly string[];
}

/** The test files directly in a folder, except those that need a browser, a child process or a long time. */
function testsIn(folder: string, but = /^$/): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts') && !/\.(browser|deep)\.test\.ts$/.test(name) && !but.test(name))
    .map((name) => join(folder, name));
}

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}

export function allAreas(): Area[] {
  const checks = testsIn('test/blocklist/engine', /^bad-days/);
  const core = testsIn('test/core');
  const of = (...names: readonly string[]): string[] =>
    names.map((name) => {
      const file = core.find((path) => path.endsWith(`/${name}.test.ts`));
      if (file === undefined) throw new Error(`test/core has no ${name}.test.ts; correct tools/mutants/areas.ts`);
      return file;
    });
  return [
    { name: 'checker', files: ['src/blocklist/engine/checker.ts'], tests: checks },
    {
      name: 'sure-miss',
      files: [
        ...sourcesIn('src/core/sure-miss'),
        'src/blocklist/engine/sure-misses.ts',
        'src/servers/publish/cover-collector.ts',
      ],
      tests: [...of('sure-miss.property'), 'test/blocklist/covers.property.test.ts'],
    },
    { name: 'verdict', files: ['src/blocklist/model/verdict.ts'], tests: checks },
    { name: 'round', files: ['src/blocklist/sync/round.ts'], tests: [...checks, ...testsIn('test/blocklist/sources')] },
    {
      name: 'stores',
      // Without what only a browser runs, and the contract, which is a test itself.
      files: sourcesIn('src/blocklist/stores').filter(
        (name) => !/\/(extension-store|indexeddb-store|light-store|web-locks|store-contract)/.test(name),
      ),
      tests: [
        ...testsIn('test/blocklist/stores', /^(extension|file-processes)/),
        ...testsIn('test/blocklist/engine').filter((name) => /\/bad-days-(files|records|faults|awaits)/.test(name)),
      ],
    },
    { name: 'client', files: sourcesIn('src/api/client'), tests: testsIn('test/api/client', /^bundle/) },
    {
      name: 'threats',
      files: sourcesIn('src/blocklist/sources').filter((name) =>
        /\/(rice-numbers|sorted-list|threat-|hash-lists|hash-search|shared-work|safe-browsing|web-risk)/.test(name),
      ),
      tests: testsIn('test/blocklist/sources').filter((name) => /\/(rice-numbers|sorted-list|threat-)/.test(name)),
    },
    {
      name: 'sources',
      files: [
        ...sourcesIn('src/blocklist/sources').filter(
          (name) => !/\/(rice-numbers|sorted-list|threat-|hash-lists|hash-search|shared-work|safe-browsing|web-risk)/.test(name),
        ),
        ...sourcesIn('src/blocklist/lists'),
        ...sourcesIn('src/blocklist/formats'),
      ],
      tests: [
        ...testsIn('test/blocklist/sources').filter((name) => !/\/(rice-numbers|sorted-list|threat-)/.test(name)),
        ...testsIn('test/blocklist', /^(attacks|shared-hosts|signatures)/),
      ],
    },
    { name: 'service', files: sourcesIn('src/servers/service'), tests: testsIn('test/servers/service', /^growth/) },
    {
      name: 'prefixes',
      files: sourcesIn('src/core/prefixes'),
      tests: of('sets.property', 'entries', 'artifact.property', 'rice.property', 'hashing', 'slices'),
    },
    {
      name: 'links',
      files: sourcesIn('src/core/assets/web'),
      tests: of('vectors', 'assets', 'readings', 'algorithm.property', 'links.property', 'safe-browsing-4'),
    },
  ];
}
