import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformAsync } from '@babel/core';
import presetEnv from '@babel/preset-env';
import { type BuildFailure, build, formatMessages } from 'esbuild';

/**
 * The form of a bundle: `plain` is the output of esbuild, with the syntax of the build; `lowered` has been through Babel
 * too, as in a React Native app that runs on Hermes.
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
      absWorkingDir: join(here, '../../..'),
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
 * The transforms that React Native's preset (0.73 and later) applies for Hermes and that this code can need. The target
 * adds none, so everything else reaches Hermes unchanged (generators, for-of, template strings, BigInt), or fails there.
 * It should fail for `\p{…}` and named groups, which the library avoids, and for static blocks, which React Native's
 * preset does not lower either.
 *
 * Without block scoping the code would run, but wrongly: Hermes 0.12 parses `let`, but all turns of a loop share one
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
