import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const modules = join(folder, 'node_modules');

/** The parts of Metro that this file uses; it is only installed here, so the compiler may not find its types. */
interface Metro {
  runBuild(config: object, options: object): Promise<unknown>;
}
interface MetroConfig {
  getDefaultConfig(folder: string): Promise<object>;
  mergeConfig(base: object, ...more: object[]): object;
}

interface Resolution {
  readonly type: string;
  readonly filePath?: string;
}
type ResolveRequest = (
  context: { resolveRequest(context: unknown, name: string, platform: string | null): Resolution },
  name: string,
  platform: string | null,
) => Resolution;

export interface MetroOptions {
  /** A project with the package installed. */
  readonly project: string;
  readonly entry: string;
  /** `resolver.unstable_enablePackageExports` of Metro. */
  readonly isUsingExports: boolean;
  /** Files for modules that the project does not have, such as those of native storage. */
  readonly standIns: Readonly<Record<string, string>>;
}

/** Bundles an app for Hermes as React Native does: with Metro, its Babel transformer and its preset. */
export async function metroBundle({ project, entry, isUsingExports, standIns }: MetroOptions): Promise<string> {
  const load = createRequire(join(folder, 'package.json'));
  const metro = load('metro') as Metro;
  const { getDefaultConfig, mergeConfig } = load('metro-config') as MetroConfig;
  const resolveRequest: ResolveRequest = (context, name, platform) => {
    const filePath = standIns[name];
    return filePath === undefined ? context.resolveRequest(context, name, platform) : { type: 'sourceFile', filePath };
  };
  const config = mergeConfig(await getDefaultConfig(project), {
    projectRoot: project,
    // Metro reads only files below these folders.
    watchFolders: [
      project,
      ...['metro-runtime', '@babel/runtime'].map((name) => join(modules, name)),
      ...new Set(Object.values(standIns).map((file) => join(file, '..'))),
    ],
    // The second bundle of a project finds the modules that the first one transformed.
    cacheStores: ({ FileStore }: { FileStore: new (options: object) => object }) => [
      new FileStore({ root: join(project, 'metro-cache') }),
    ],
    maxWorkers: 1,
    resolver: {
      unstable_enablePackageExports: isUsingExports,
      // The default of React Native's configuration.
      unstable_conditionNames: ['react-native'],
      resolverMainFields: ['react-native', 'browser', 'main'],
      useWatchman: false,
      extraNodeModules: Object.fromEntries(['metro-runtime', '@babel/runtime'].map((name) => [name, join(modules, name)])),
      resolveRequest,
    },
    transformer: { babelTransformerPath: load.resolve('@react-native/metro-babel-transformer') },
    reporter: { update: () => {} },
  });
  const out = join(project, `metro-${isUsingExports}.js`);
  await metro.runBuild(config, { entry, platform: 'android', dev: false, minify: false, out });
  return readFileSync(out, 'utf8');
}
