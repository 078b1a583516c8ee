import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { licenseOf, suffixNotice } from './third-party.js';

/**
 * Builds the command line into a folder, with its own chunks, so that it does not change how the library is split into chunks.
 */
export async function buildCli(folder: string): Promise<string> {
  await build({
    entryPoints: { cli: fileURLToPath(new URL('../src/apps/cli/bin.ts', import.meta.url)) },
    outdir: folder,
    chunkNames: 'cli/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Bundles the libraries that commands need, because Node takes a millisecond to find each of their files, and zod has a hundred.
    external: ['undici', '@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio'],
    // Resolves the package's public names to its sources.
    tsconfig: fileURLToPath(new URL('../tsconfig.tools.json', import.meta.url)),
    logLevel: 'warning',
  });
  await writeFile(join(folder, 'cli', 'third-party.txt'), await thirdParty());
  return join(folder, 'cli.js');
}

/** The notices for what is bundled. */
async function thirdParty(): Promise<string> {
  return `${await suffixNotice('The command line')}
It also contains zod (https://github.com/colinhacks/zod). The license of zod:

${await licenseOf('zod')}`;
}
