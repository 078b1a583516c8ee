import { bundle, type Form } from './bundle.js';
import { type Engine, languageGlobals } from './engines.js';

/**
 * Shows that the gate can fail: scripts that must not pass go the way of every bundle, and each must be refused for its
 * own reason. Resolves with a one-line account; rejects if the engine took a bad script or refused a good one.
 */
export async function proveEngine(engine: Engine): Promise<string> {
  const version = (await engine.version()).trim();
  if (!engine.versionExpected.test(version)) throw new Error(`This is not ${engine.versionExpected}: ${version}`);

  const probes = probesFor(engine);
  for (const probe of probes) {
    const problem = await problemWith(probe, engine);
    if (problem) throw new Error(`The gate cannot be trusted here. Probe "${probe.name}": ${problem}`);
  }
  const refusedCount = probes.filter((probe) => probe.refusal).length;
  return `bad scripts refused: ${refusedCount}, good ones taken: ${probes.length - refusedCount}`;
}

/** Shows that a Node built-in, with its prefix or without, does not even get past the bundler. */
export async function proveBundler(): Promise<string> {
  for (const name of ['node:crypto', 'crypto', 'node:util']) {
    const message = await bundle(`export * from '${name}';`, 'plain').then(
      () => '',
      (error: Error) => error.message,
    );
    const refused = message.includes(`Could not resolve "${name}"`);
    if (!refused) throw new Error(`An import of ${name} was not refused as it should be. ${message}`);
  }
  return 'refuses imports of Node built-ins';
}

interface Probe {
  name: string;
  /** The body of an async function that returns a string. */
  body: string;
  /** What the engine must say; absent if the probe must pass. */
  refusal?: RegExp;
  /** The form to judge, where it is not the one the engine takes from the build. */
  form?: Form;
}

/** Platform functions a careless line would reach for. */
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

/** What the lowering must leave to the engine: proof that the old engine is really the one that judges. */
const loweringProbes: readonly Probe[] = [
  { name: 'without Babel', body: 'return "as written";', form: 'plain', refusal: /async functions are unsupported/ },
  { name: 'named group', body: 'return /(?<a>b)/.exec("b").groups.a;', refusal: /Invalid regular expression/ },
  { name: 'property escape', body: 'return String(/\\p{L}/u.test("b"));', refusal: /Invalid regular expression/ },
];

const compileProbes: readonly Probe[] = [
  { name: 'class', body: 'class A { static #a = 1; static { A.b = #a in A; } } return String(A.b);' },
  { name: 'async generator', body: 'async function* a() { yield "b"; } return a();', refusal: /async generator/ },
];

/** Looks at every name the global object has of its own, and at every platform function it may have from elsewhere. */
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

/** A timer ends the script only where the engine has timers, and there it must. */
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
  if (said === undefined) return 'it must be refused, but passed';
  return probe.refusal.test(said) ? undefined : `it must be refused with ${probe.refusal}, but: ${said}`;
}
