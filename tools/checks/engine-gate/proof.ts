import { bundle, type Form } from './bundle.js';
import { type Engine, languageGlobals } from './engines.js';

/**
 * Shows that the gate can fail: bad scripts are judged like every bundle, and each must be rejected for its own reason.
 * Resolves with a one-line summary; rejects if the engine accepted a bad script or rejected a good one.
 */
export async function proveEngine(engine: Engine): Promise<string> {
  const version = (await engine.version()).trim();
  if (!engine.versionExpected.test(version))
    throw new Error(`wrong version: expected ${engine.versionExpected}, found ${version}`);

  const probes = probesFor(engine);
  for (const probe of probes) {
    const problem = await problemWith(probe, engine);
    if (problem) throw new Error(`The gate cannot be trusted here. Probe "${probe.name}": ${problem}`);
  }
  const refusedCount = probes.filter((probe) => probe.refusal).length;
  return `bad scripts rejected: ${refusedCount}, good ones accepted: ${probes.length - refusedCount}`;
}

/** Shows that the bundler rejects Node built-ins, with and without their prefix. */
export async function proveBundler(): Promise<string> {
  for (const name of ['node:crypto', 'crypto', 'node:util']) {
    const message = await bundle(`export * from '${name}';`, 'plain').then(
      () => '',
      (error: Error) => error.message,
    );
    const refused = message.includes(`Could not resolve "${name}"`);
    if (!refused) throw new Error(`the bundler did not reject an import of ${name}: ${message}`);
  }
  return 'rejects imports of Node built-ins';
}

interface Probe {
  name: string;
  /** The body of an async function that returns a string. */
  body: string;
  /** The message of the expected rejection; absent if the probe must pass. */
  refusal?: RegExp;
  /** The form to judge, if not the engine's usual one. */
  form?: Form;
}

/** Platform functions that code might use by mistake. */
const platformGlobals: readonly string[] = [
  ...['URL', 'URLSearchParams', 'TextEncoder', 'TextDecoder', 'crypto', 'WebAssembly', 'atob', 'btoa', 'fetch'],
  ...['structuredClone', 'queueMicrotask', 'setTimeout', 'setInterval', 'setImmediate', 'console', 'performance'],
  ...['AbortController', 'SharedArrayBuffer', 'Atomics', 'WeakRef', 'Intl', 'process', 'Buffer', 'require', 'eval'],
];

function probesFor(engine: Engine): readonly Probe[] {
  if (!engine.executes) return compileProbes;
  return [globalsProbe(engine), timerProbe(engine), ...runProbes, ...(engine.takes === 'lowered' ? loweringProbes : [])];
}

const runProbes: readonly Probe[] = [
  { name: 'URL', body: `return new URL('https://example.org').host;`, refusal: /ReferenceError.*URL/ },
  {
    name: 'TextEncoder',
    body: `return String(new TextEncoder().encode('a'));`,
    refusal: /ReferenceError.*TextEncoder/,
  },
  {
    name: 'code from strings',
    body: `return new Function('return "made"')();`,
    refusal: /EvalError|Parsing source code/,
  },
  { name: 'promise without end', body: 'await new Promise(() => {}); return "settled";', refusal: /never settled/ },
  { name: 'late rejection', body: 'await null; await null; throw new Error("too late");', refusal: /too late/ },
  {
    name: 'library that lists nothing',
    body: `
      const set = { size: 3, has: () => false };
      const PrefixSet = { from: () => set, build: async () => set };
      return checkRoot({ PrefixSet, expressionsOf: (text) => [text], prefixOf: () => 0 }, { hashes: [] });`,
    refusal: /should hit/,
  },
  {
    name: 'modern syntax',
    body: `
      class Base {
        static made = 0;
        static is(value) { return #kept in value; }
        #kept = 1n;
        shown = 2;
        constructor() { Base.made++; }
        #raise() { return ++this.#kept; }
        next() { return this.#raise(); }
      }
      class Derived extends Base { *[Symbol.iterator]() { yield this.shown; yield* [3, 4]; } }
      class Refusal extends Error { constructor(code, message) { super(message); this.code = code; } }
      const derived = new Derived();
      const [two, ...rest] = derived;
      const readers = [];
      for (let i = 0; i < 3; i++) readers.push(() => i);
      for (const i of [3, 4]) readers.push(() => i);
      const awaited = [];
      for await (const value of [Promise.resolve('a'), 'b']) awaited.push(value);
      const refusal = await Promise.reject(new Refusal('CODE', 'words')).catch((error) => error);
      const seen = [derived.next(), Base.made, Base.is(derived), Base.is({}), two, rest];
      seen.push(readers.map((read) => read()), awaited, derived?.none ?? 'none');
      seen.push(refusal instanceof Refusal, refusal instanceof Error, refusal.code, refusal.message);
      const expected = '2,1,true,false,2,3,4,0,1,2,3,4,a,b,none,true,true,CODE,words';
      if (seen.join() !== expected) throw new Error(seen.join() + ' is not ' + expected);
      return 'as expected';`,
  },
];

/** Syntax that Babel does not lower, which shows that the old engine really judges. */
const loweringProbes: readonly Probe[] = [
  { name: 'without Babel', body: 'return "as written";', form: 'plain', refusal: /async functions are unsupported/ },
  { name: 'named group', body: 'return /(?<a>b)/.exec("b").groups.a;', refusal: /Invalid regular expression/ },
  { name: 'property escape', body: 'return String(/\\p{L}/u.test("b"));', refusal: /Invalid regular expression/ },
];

const compileProbes: readonly Probe[] = [
  { name: 'class', body: 'class A { static #a = 1; static { A.b = #a in A; } } return String(A.b);' },
  { name: 'async generator', body: 'async function* a() { yield "b"; } return a();', refusal: /async generator/ },
];

/** Checks every own name of the global object, and every platform function it could inherit. */
function globalsProbe({ hostGlobals }: Engine): Probe {
  const known = [...languageGlobals, ...hostGlobals, 'report', 'reported'];
  const absent = platformGlobals.filter((name) => !hostGlobals.includes(name));
  return {
    name: 'no platform',
    body: `
      const known = ${JSON.stringify(known)};
      const unknown = Object.getOwnPropertyNames(globalThis).filter((name) => known.indexOf(name) < 0);
      const present = ${JSON.stringify(absent)}.filter((name) => name in globalThis);
      const found = unknown.concat(present).join();
      if (found) throw new Error('The global object has ' + found);
      return 'none';`,
  };
}

/** Must pass in an engine with timers, and be rejected in all others. */
function timerProbe({ hostGlobals }: Engine): Probe {
  const probe = { name: 'timer', body: 'await new Promise((resolve) => setTimeout(resolve, 1)); return "later";' };
  return hostGlobals.includes('setTimeout') ? probe : { ...probe, refusal: /ReferenceError.*setTimeout/ };
}

async function problemWith(probe: Probe, engine: Engine): Promise<string | undefined> {
  const source = `import { checkRoot, verdictOf } from './scenario.ts'; verdictOf(async () => {${probe.body}});`;
  const script = await bundle(source, probe.form ?? engine.takes);
  const said = await engine.judge(script).then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (!probe.refusal) return said && `it must pass, but: ${said}`;
  if (said === undefined) return 'it must be rejected, but passed';
  return probe.refusal.test(said) ? undefined : `it must be rejected with ${probe.refusal}, but: ${said}`;
}
