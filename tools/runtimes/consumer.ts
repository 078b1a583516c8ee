import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { runProcess } from './bounded-process.js';
import { entriesFor, type RuntimeName } from './entry-table.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));

/** The build takes 20 s and the registry may be slow. */
const npmLimits = { timeoutMs: 300_000, isTrusted: true };

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/** Packs the package and installs the tarball in an empty project, as a user does. `prepack` builds it. */
export async function installPacked(folder: string): Promise<void> {
  await runProcess(npm, ['pack', '--silent', '--pack-destination', folder], { cwd: root, ...npmLimits });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('npm pack wrote no tarball');
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  const peers = ['@modelcontextprotocol/server', 'hpke'].map((peer) => `${peer}@${devDependencies[peer]}`);
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  await runProcess(npm, [...args, `./${tarball}`, ...peers], { cwd: folder, ...npmLimits });
}

/** The source of an object with the entries that are meant for a runtime. */
export function entriesSource(runtime: RuntimeName): string {
  const rows = entriesFor(runtime).map((name) => `${JSON.stringify(name)}: () => import(${JSON.stringify(name)})`);
  return `{ ${rows.join(', ')} }`;
}

/** Leaves the package to the runtime, which then resolves it by its own rules. */
const externalPackage: Plugin = {
  name: 'external-package',
  setup({ onResolve }) {
    onResolve({ filter: /^portcullis(\/|$)/ }, ({ path }) => ({ path, external: true }));
  },
};

/**
 * Writes a script with the suite into the consumer's folder.
 *
 * @param conditions Bundles the package too, under these conditions of its export map
 */
export async function buildSuite(
  consumer: string,
  file: string,
  source: string,
  conditions?: readonly string[],
): Promise<string> {
  const outfile = join(consumer, file);
  mkdirSync(join(outfile, '..'), { recursive: true });
  await build({
    stdin: {
      contents: `import { runSuite } from ${JSON.stringify(join(here, 'suite.ts'))};\n${source}`,
      resolveDir: consumer,
      loader: 'ts',
    },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    mainFields: ['module', 'main'],
    external: ['node:*', 'cloudflare:*'],
    logLevel: 'error',
    // The suite is in this repository, whose configuration maps the package to its sources.
    tsconfigRaw: {},
    ...(conditions === undefined ? { plugins: [externalPackage] } : { conditions: [...conditions] }),
  });
  return outfile;
}
