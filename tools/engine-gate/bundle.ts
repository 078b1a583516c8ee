import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformAsync } from '@babel/core';
import presetEnv from '@babel/preset-env';
import { type BuildFailure, build, formatMessages } from 'esbuild';

/**
 * How a bundle reaches an engine: `plain` is what esbuild wrote, with the syntax of the build; `lowered` is the same
 * after Babel, as the bundler of a React Native app hands it to Hermes.
 */
export type Form = 'plain' | 'lowered';

/**
 * Bundles a module into one self-contained script. The platform is "neutral", so an import of a Node built-in does not
 * resolve and fails here, before any engine starts.
 */
export async function bundle(source: string, form: Form): Promise<string> {
  const plain = await bundlePlain(source);
  return form === 'plain' ? plain : lower(plain);
}

const here = dirname(fileURLToPath(import.meta.url));

async function bundlePlain(source: string): Promise<string> {
  try {
    const result = await build({
      stdin: { contents: source, loader: 'ts', resolveDir: here, sourcefile: 'gate.ts' },
      absWorkingDir: join(here, '..', '..'),
      bundle: true,
      format: 'iife',
      logLevel: 'silent',
      platform: 'neutral',
      target: 'esnext',
      tsconfigRaw: {},
      write: false,
    });
    return result.outputFiles.map(({ text }) => text).join('');
  } catch (error) {
    const { errors } = error as BuildFailure;
    if (!Array.isArray(errors)) throw error;
    throw new Error((await formatMessages(errors, { kind: 'error' })).join('\n'));
  }
}

async function lower(script: string): Promise<string> {
  const result = await transformAsync(script, {
    ...reactNativeOptions,
    babelrc: false,
    browserslistConfigFile: false,
    compact: false,
    configFile: false,
    sourceType: 'script',
  });
  return result?.code ?? '';
}

/**
 * The transforms that React Native's preset (0.73 and later) applies for Hermes and that this code can meet. The target
 * asks for nothing on top, so the list is complete as written: the rest reaches Hermes as it is (generators, for-of,
 * template strings, BigInt), or fails there. That is meant for `\p{…}` and named groups, which the library avoids, and
 * for static blocks, which React Native's preset does not lower either.
 *
 * Block scoping is the one whose absence nobody would see: Hermes 0.12 parses `let`, but all turns of a loop share one
 * variable. Helpers are written into the script, and async functions become generators, which need no regenerator.
 */
const reactNativeOptions = {
  // React Native asks for the "loose" forms: private fields become plain properties, which Object.freeze freezes too.
  assumptions: { privateFieldsAsProperties: true, setPublicClassFields: true },
  presets: [
    [
      presetEnv,
      {
        include: [
          'transform-async-generator-functions',
          'transform-async-to-generator',
          'transform-block-scoping',
          'transform-class-properties',
          'transform-classes',
          'transform-destructuring',
          'transform-private-methods',
          'transform-private-property-in-object',
        ],
        modules: false,
        targets: { node: '99' },
      },
    ],
  ],
};
