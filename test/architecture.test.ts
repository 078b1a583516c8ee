import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

interface Wing {
  readonly uses: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * The wings of ARCHITECTURE.md and the rows inside each, lowest first. A file imports from its own part, from lower rows of its own
 * wing, and from the wings named here; parts that share a row do not import each other.
 */
const wings: Readonly<Record<string, Wing>> = {
  made: { uses: [], rows: [['algorithm-document', 'field-descriptions', 'operation-summaries', 'sha256-rounds']] },
  core: {
    uses: ['made'],
    rows: [
      [
        'errors',
        'limits',
        'bytes',
        'binary',
        'csv-rows',
        'token-bucket',
        'visible-text',
        'weighted-map',
        'in-turn',
        'flush-file',
        'version',
      ],
      ['options'],
      ['base64', 'hashing', 'slices', 'http'],
      ['assets', 'prefixes', 'ohttp', 'tlog'],
      ['algorithms'],
      ['find', 'sure-miss'],
    ],
  },
  blocklist: {
    uses: ['core'],
    rows: [
      ['formats', 'lists'],
      ['model', 'signatures'],
      ['rules'],
      ['transparency'],
      ['sources', 'stores'],
      ['ask'],
      ['sync'],
      ['engine', 'light'],
      ['extras'],
    ],
  },
  api: { uses: ['core', 'made'], rows: [['operations', 'webhooks'], ['client']] },
  servers: {
    uses: ['core', 'blocklist', 'api', 'made'],
    rows: [['http'], ['oauth', 'ohttp'], ['publish', 'relay', 'service', 'mcp', 'middleware']],
  },
  guards: { uses: ['core', 'blocklist', 'api', 'servers'], rows: [['extension', 'wallet']] },
  entry: { uses: ['core', 'blocklist', 'api', 'servers', 'guards'], rows: [] },
};

/** The apps are beside `src`. They import the package by its public names, as any other app would, and helpers of `core`. */
const apps: Wing = { uses: ['core'], rows: [['shared'], ['playground', 'cli'], ['publisher']] };

/** What runs on one platform only; everything else in `core` and `blocklist` runs in every engine. */
const platformStores = /^blocklist\/stores\/(file-.*|indexeddb-store|light-store)\.ts$/;

const partsOf = (file: string): { wing: string; part: string } => {
  const [wing = '', part = ''] = file.split('/');
  return { wing, part: part.replace(/\.ts$/, '') };
};

const all: Readonly<Record<string, Wing>> = { ...wings, apps };

const rowOf = ({ wing, part }: { wing: string; part: string }): number =>
  all[wing]?.rows.findIndex((row) => row.includes(part)) ?? -1;

/** What a file imports: static imports and re-exports, of types too, and dynamic ones. */
function importsOf(source: string): string[] {
  const fixed = /^(?:import|export)\s(?:[^'"`=;()]*\sfrom\s)?['"]([^'"]+)['"]/gm;
  const dynamic = /\bimport\(\s*['"`]([^'"`]+)['"`]/g;
  return [fixed, dynamic].flatMap((kind) => [...source.matchAll(kind)].map((match) => match[1] ?? ''));
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

/** By their path in `src`; those of the apps as if `apps` were in it. */
const files = [...filesIn('src'), ...filesIn('apps').map((file) => join('apps', file))];
const pathOf = (file: string): string => (file.startsWith('apps/') ? file : join('src', file));
const imports = new Map(files.map((file) => [file, importsOf(readFileSync(pathOf(file), 'utf8'))]));
const inner = files.filter((file) => partsOf(file).wing !== 'entry');
const targetOf = (file: string, target: string): string =>
  relative('src', join(dirname(pathOf(file)), target))
    .replace(/^\.\.\/(?=apps\/)/, '')
    .replace(/\.js$/, '.ts');
const relativeImports = (file: string): string[] => imports.get(file)!.filter((target) => target.startsWith('.'));

test('finds the source files that it checks', () => {
  expect(inner.length).toBeGreaterThan(300);
  expect([...imports.values()].flat().length).toBeGreaterThan(1_000);
});

test('the top-level folders of src are the wings', () => {
  expect(readdirSync('src').sort()).toEqual(Object.keys(wings).sort());
});

test.each(inner)('%s imports only from lower rows and lower wings', (file) => {
  const own = partsOf(file);
  expect(rowOf(own), `${own.part} is in no row of ${own.wing}; add it to \`wings\` in this test`).toBeGreaterThanOrEqual(0);
  for (const target of relativeImports(file)) {
    const other = partsOf(targetOf(file, target));
    const allowed =
      own.wing === other.wing
        ? own.part === other.part || (rowOf(other) >= 0 && rowOf(other) < rowOf(own))
        : all[own.wing]!.uses.includes(other.wing);
    expect(allowed, `${file} imports ${target}, which is not in a lower row or wing (ARCHITECTURE.md)`).toBe(true);
  }
});

test('no file imports itself indirectly', () => {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
    if (done.has(file) || path.includes(file)) return;
    for (const target of relativeImports(file)) visit(targetOf(file, target), [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(circles).toEqual([]);
});

test('no two files share a name, so that a stack trace says where one is', () => {
  const names = inner.map((file) => basename(file));
  expect(
    names.filter((name, at) => names.indexOf(name) !== at),
    'rename one of each',
  ).toEqual([]);
});

test('a rule decides about facts: it does no I/O, waits for nothing and holds nothing', () => {
  const rules = files.filter((file) => file.startsWith('blocklist/rules/'));
  expect(rules.length).toBeGreaterThanOrEqual(6);
  for (const file of rules) {
    for (const target of relativeImports(file))
      expect(targetOf(file, target), file).not.toMatch(/^core\/(?!http\/http-status)http\//);
    const code = readFileSync(pathOf(file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
    expect(code, file).not.toMatch(/\basync\b|\bawait\b|\bPromise\b|\bglobals\b|^let /m);
  }
});

const packagesOf = (some: readonly string[]): Set<string> =>
  new Set(some.flatMap((file) => imports.get(file)!).filter((name) => !name.startsWith('.')));

test('only apps import the package by its public names, and no library but one', () => {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, unknown> };
  const isPublic = (name: string): boolean => Object.hasOwn(exports, name.replace(/^portcullis/, '.'));
  const apps = packagesOf(files.filter((file) => partsOf(file).wing === 'apps'));
  const others = packagesOf(files.filter((file) => partsOf(file).wing !== 'apps'));
  expect([...others].filter((name) => /^portcullis\b/.test(name))).toEqual([]);
  expect([...apps].filter((name) => !isPublic(name) && !name.startsWith('node:'))).toEqual(['tldts']);
});

/** Only `portcullis/ohttp` and servers contain it, and it imports an optional package. */
const sealing = 'core/ohttp/sealing.ts';

test('code that runs in every engine uses one library and no platform built-in', () => {
  const pure = inner.filter(
    (file) => /^(core|blocklist|api\/webhooks|servers\/publish)\//.test(file) && !platformStores.test(file) && file !== sealing,
  );
  expect(pure).toContain('core/http/send.ts');
  expect(pure).toContain('blocklist/stores/extension-store.ts');
  expect(packagesOf(pure)).toEqual(new Set(['@noble/hashes/sha2.js', '@noble/hashes/hmac.js']));
  // The library signs; what the root contains hashes with the kernel (docs/decisions/0004-hash-kernel.md).
  expect(packagesOf(pure.filter((file) => !file.startsWith('api/webhooks/')))).toEqual(new Set());
  expect(packagesOf([sealing])).toEqual(new Set(['hpke']));
});

test('only the listed files use Node built-ins', () => {
  // The whole command line runs on Node only.
  const others = inner.filter((file) => !file.startsWith('apps/cli/'));
  const withNode = others.filter((file) => [...packagesOf([file])].some((name) => name.startsWith('node:') || name === 'undici'));
  expect(withNode.sort()).toEqual([
    'api/client/node-platform.ts',
    'blocklist/stores/file-heads.ts',
    'blocklist/stores/file-lock.ts',
    'blocklist/stores/file-store-damage.ts',
    'blocklist/stores/file-store.ts',
    'blocklist/stores/file-system.ts',
    'servers/http/drain-server.ts',
    'servers/http/node-handler.ts',
    'servers/http/node-request.ts',
    'servers/http/node-response.ts',
    'servers/http/node-server.ts',
    'servers/service/delivery/pinned-transport.ts',
    'servers/service/state/state-file.ts',
  ]);
});

test('entries only re-export', () => {
  for (const file of files.filter((name) => partsOf(name).wing === 'entry')) {
    const statements = readFileSync(pathOf(file), 'utf8')
      // The entry's description in the API reference.
      .replace(/^\/\*\*[\s\S]*?\*\/\n/, '')
      .split(';\n')
      .map((statement) => statement.trim())
      .filter((statement) => statement !== '');
    for (const statement of statements) expect(statement).toMatch(/^export (\*|(type )?\{[\s\S]*\}) from '\.[^']+'$/);
  }
});

/** Without what the build writes. */
const written = files.filter((file) => partsOf(file).wing !== 'made');
const lineCounts = new Map(written.map((file) => [file, readFileSync(pathOf(file), 'utf8').split('\n').length - 1]));

test('no file has more than 400 lines', () => {
  expect(
    [...lineCounts].filter(([, count]) => count > 400),
    'divide it',
  ).toEqual([]);
});

/** Files of at most 40 lines that only one other file imports, and why each is a file of its own. */
const smallFiles: Readonly<Record<string, string>> = {
  'api/client/node-client.ts': 'the client of one platform',
  'api/operations/zod-core.ts': 'the build replaces it',
  'apps/cli/commands.ts': 'the table of commands',
  'apps/cli/commands/check-command.ts': 'a command is loaded when it is called',
  'apps/cli/commands/demo-command.ts': 'a command is loaded when it is called',
  'apps/cli/commands/log-command.ts': 'a command is loaded when it is called',
  'apps/cli/commands/logout-command.ts': 'a command is loaded when it is called',
  'apps/cli/commands/openapi-command.ts': 'a command is loaded when it is called',
  'apps/cli/commands/webhook-command.ts': 'a command is loaded when it is called',
  'apps/cli/process.ts': 'what only a process needs',
  'apps/publisher/publish-worker.ts': 'a worker, bundled on its own',
  'core/assets/phrase-words.ts': 'a table',
  'core/find/escaped-pieces.ts': 'the scanner would pass 400 lines',
  'core/find/top-level-hashes.ts': 'a generated table',
  'guards/extension/request-gate.ts': 'the gate of one browser',
  'guards/wallet/code-check.ts': 'what the guard itself asks the wallet',
  'guards/wallet/harmless-methods.ts': 'a table',
  'servers/service/web-service.ts': 'the service of one platform',
};

test('a small file with one importer is part of it, unless it has a reason', () => {
  const importers = new Map<string, number>();
  for (const file of files)
    for (const target of new Set(relativeImports(file).map((name) => targetOf(file, name))))
      importers.set(target, (importers.get(target) ?? 0) + 1);
  const small = inner.filter((file) => lineCounts.get(file)! <= 40 && importers.get(file) === 1);
  const advice =
    'move a new one into its importer or add its reason to `smallFiles`; delete the line of one that grew or is gone';
  expect(small.sort(), advice).toEqual(Object.keys(smallFiles).sort());
});
