import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import type { Form } from './bundle.js';

/** Judges a bundle by running or compiling it. */
export interface Engine {
  readonly name: string;
  /** True if the engine runs the bundle, which reports `PASS …` or `FAIL …`; false if it only compiles it. */
  readonly executes: boolean;
  /** The form of a bundle that this engine takes. */
  readonly takes: Form;
  /** Host functions that stay in the global object beside `languageGlobals`. */
  readonly hostGlobals: readonly string[];
  /** Must match `version`, so that the gate does not pass with another binary. */
  readonly versionExpected: RegExp;
  version(): Promise<string>;
  /** Resolves with a one-line summary; rejects with the engine's message. */
  judge(script: string): Promise<string>;
}

/**
 * Every global a bundle may find: ECMAScript 2020 without what Hermes 0.12 lacks (WeakRef, SharedArrayBuffer, Atomics,
 * Intl, AggregateError). All others are deleted, including those that later engines add.
 */
export const languageGlobals: readonly string[] = [
  ...['globalThis', 'undefined', 'Infinity', 'NaN', 'isFinite', 'isNaN', 'parseFloat', 'parseInt'],
  ...['decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent'],
  ...['Array', 'BigInt', 'Boolean', 'Date', 'Function', 'JSON', 'Map', 'Math', 'Number', 'Object', 'Promise', 'Proxy'],
  ...['Reflect', 'RegExp', 'Set', 'String', 'Symbol', 'WeakMap', 'WeakSet'],
  ...['Error', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError'],
  ...['ArrayBuffer', 'BigInt64Array', 'BigUint64Array', 'DataView', 'Float32Array', 'Float64Array', 'Int8Array'],
  ...['Int16Array', 'Int32Array', 'Uint8Array', 'Uint8ClampedArray', 'Uint16Array', 'Uint32Array'],
];

/** Longest wait for one script, in milliseconds; the slowest engine needs a few seconds on a busy machine. */
const timeoutMs = 60_000;

/**
 * A V8 context without a platform. Its microtasks run before `runInContext` returns and nothing can run later, so a
 * promise that waits for a timer or for the host is reported as never settled.
 */
const bareContext: Engine = {
  name: 'bare context',
  executes: true,
  takes: 'plain',
  hostGlobals: [],
  versionExpected: /^V8 \d/,
  version: async () => `V8 ${process.versions.v8}`,
  async judge(script) {
    const context = createContext(Object.create(null), {
      codeGeneration: { strings: false, wasm: false },
      microtaskMode: 'afterEvaluate',
    });
    const run = (code: string, filename: string) => runInContext(code, context, { filename, timeout: timeoutMs });
    // `report` is defined inside, because a host function would give the script access to the host's globals.
    run('var reported = []; var report = (line) => { reported.push(line); };', 'report.js');
    run(stripGlobals(['report', 'reported']), 'strip.js');
    try {
      run(`'use strict';${script}`, 'bundle.js');
    } catch (error) {
      throw new Error(stackOf(error));
    }
    return verdictIn(String(run(`reported.join('\\n')`, 'reported.js')), '');
  },
};

/** Hermes 0.12 with the language alone: strict as modules are, microtasks by the engine itself, no timer. */
const hermesBare = hermes({
  name: 'hermes 0.12 bare',
  flags: ['-w', '-enable-eval=false', '-strict', '-Xmicrotask-queue'],
  hostGlobals: ['HermesInternal'],
});

/**
 * Hermes 0.12 as in an app: sloppy mode, because React Native's preset adds no "use strict", and timers, on which
 * its promises run. Code that looks for `setTimeout` takes its other path here.
 */
const hermesTimers = hermes({
  name: 'hermes 0.12 timers',
  flags: ['-w', '-enable-eval=false'],
  hostGlobals: ['HermesInternal', 'setTimeout', 'clearTimeout', 'setImmediate'],
});

/** The compiler of Hermes 1.0, which takes classes and private fields as they are: there the build needs no Babel. */
const hermesCompiler: Engine = {
  name: 'hermesc 1.0',
  executes: false,
  takes: 'plain',
  hostGlobals: [],
  versionExpected: /Hermes release version: 1\./,
  version: async () => (await execute(hermesCompilerBinary(), ['--version'])).stdout,
  judge: (script) =>
    inScratchFolder(async (folder) => {
      const [input, output] = [join(folder, 'bundle.js'), join(folder, 'bundle.hbc')];
      await writeFile(input, script);
      const flags = ['-O', '-w', '-emit-binary', '-out', output];
      const { failure, stderr } = await execute(hermesCompilerBinary(), [...flags, input]);
      if (failure) throw new Error(stderr || failure);
      return `compiled to ${(await stat(output)).size} bytes of bytecode`;
    }),
};

export const engines: readonly Engine[] = [bareContext, hermesBare, hermesTimers, hermesCompiler];

function hermes(options: { name: string; flags: readonly string[]; hostGlobals: readonly string[] }): Engine {
  const { name, flags, hostGlobals } = options;
  return {
    name,
    executes: true,
    takes: 'lowered',
    hostGlobals,
    versionExpected: /Hermes release version: 0\.12\./,
    version: async () => (await execute(hermesBinary(), ['--version'])).stdout,
    judge: (script) =>
      inScratchFolder(async (folder) => {
        const input = join(folder, 'bundle.js');
        const strip = stripGlobals(['report', ...hostGlobals]);
        // Inside a function, as in an app's bundle: Babel's helpers would otherwise be globals themselves.
        await writeFile(input, `var report = print;${strip}(function () {${script}\n})();`);
        const { failure, stdout, stderr } = await execute(hermesBinary(), [...flags, input]);
        return verdictIn(stdout, failure && (stderr || failure));
      }),
  };
}

/** Runs first and without Babel, so it is written for the oldest engine; it is one line to keep line numbers true. */
function stripGlobals(hostGlobals: readonly string[]): string {
  const kept = JSON.stringify([...languageGlobals, ...hostGlobals]);
  return `(function (kept) {
    Object.getOwnPropertyNames(globalThis).forEach(function (name) {
      if (kept.indexOf(name) >= 0) return;
      if (!Reflect.deleteProperty(globalThis, name)) throw new Error(name + ' cannot be removed');
    });
  })(${kept});`.replace(/\n\s*/g, ' ');
}

/** Only a reported PASS counts, because Hermes exits with 0 after an unhandled rejection. */
function verdictIn(reported: string, failure: string): string {
  const [, verdict, account] = /^(PASS|FAIL) ([\s\S]*)/m.exec(reported) ?? [];
  if (verdict === 'FAIL' || failure) throw new Error([account, failure].filter(Boolean).join('\n').trim());
  if (verdict !== 'PASS' || !account) throw new Error('The script ended without a verdict: a promise never settled.');
  return account.trim();
}

/** `instanceof Error` fails for errors from another context. */
function stackOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'stack' in error ? String(error.stack) : String(error);
}

/** `failure` is empty if the program ended with 0. */
function execute(file: string, args: readonly string[]): Promise<{ failure: string; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(file, args, { maxBuffer: 2 ** 26, timeout: timeoutMs }, (error, stdout, stderr) => {
      const killed = error?.killed ? `Killed, probably after the limit of ${timeoutMs} ms. ` : '';
      resolve({ failure: error ? killed + error.message : '', stdout, stderr });
    });
  });
}

const require = createRequire(import.meta.url);

export function hermesBinary(): string {
  const root = dirname(require.resolve('hermes-engine-cli/package.json'));
  return join(root, platformFolder(), executable('hermes'));
}

export function hermesCompilerBinary(): string {
  const root = dirname(require.resolve('hermes-compiler/package.json'));
  return join(root, 'hermesc', platformFolder(), executable('hermesc'));
}

/** Both packages hold x64 binaries; macOS and Windows run those on arm64 too. */
function platformFolder(): string {
  if (process.platform === 'darwin') return 'osx-bin';
  if (process.platform === 'win32') return 'win64-bin';
  if (process.platform === 'linux' && process.arch === 'x64') return 'linux64-bin';
  throw new Error(`No Hermes binary for ${process.platform}-${process.arch}: run the gate on another machine.`);
}

function executable(name: string): string {
  return process.platform === 'win32' ? `${name}.exe` : name;
}

async function inScratchFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'engine-gate-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { force: true, recursive: true });
  }
}
