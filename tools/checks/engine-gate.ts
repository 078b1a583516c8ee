/**
 * The engine gate: the built entries must judge links and addresses in an engine without platform functions. Each entry
 * runs in a bare V8 context and in Hermes 0.12, and must compile for Hermes 1.0. Before that, the gate shows that it can fail.
 *
 *   tsx tools/checks/engine-gate.ts [--dist DIR]
 */
import { createHash, createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle, type Form } from './engine-gate/bundle.js';
import { type Engine, engines } from './engine-gate/engines.js';
import { proveBundler, proveEngine } from './engine-gate/proof.js';
import { type Expectations, listed, manyPrefixes, webhookBody, webhookSecret } from './engine-gate/scenario.js';

interface Entry {
  readonly name: string;
  readonly file: string;
  /** The function of the scenario that checks this entry's exports. */
  readonly check: 'checkRoot' | 'checkCore' | 'checkWebhooks';
}

const entries: readonly Entry[] = [
  { name: 'portcullis', file: 'index.js', check: 'checkRoot' },
  { name: 'portcullis/core', file: 'core.js', check: 'checkCore' },
  { name: 'portcullis/webhooks', file: 'webhooks.js', check: 'checkWebhooks' },
];

const forms: readonly Form[] = ['plain', 'lowered'];

try {
  const { values } = parseArgs({ options: { dist: { type: 'string', default: 'dist' } } });
  await runGate(resolve(values.dist));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}

async function runGate(dist: string): Promise<void> {
  await step('bundler', 'self-proof', proveBundler);
  for (const engine of engines) await step(engine.name, 'self-proof', () => proveEngine(engine));
  for (const entry of entries) {
    for (const form of forms) {
      const script = await bundleEntry(entry, dist, form);
      for (const engine of engines.filter(({ takes }) => takes === form)) {
        await step(engine.name, entry.name, () => judge(engine, entry, script));
      }
    }
  }
}

/** Runs one step and prints its line. */
async function step(subject: string, object: string, work: () => Promise<string>): Promise<void> {
  const startedMs = performance.now();
  const print = (verdict: string, account: string) => {
    const tookMs = Math.round(performance.now() - startedMs);
    process.stdout.write(`${verdict}  ${subject.padEnd(18)}  ${object.padEnd(15)}  ${tookMs} ms  ${account}\n`);
  };
  try {
    print('pass', await work());
  } catch (error) {
    print('FAIL', 'see standard error for the reason');
    throw error;
  }
}

async function bundleEntry(entry: Entry, dist: string, form: Form): Promise<string> {
  const path = join(dist, entry.file);
  if (!existsSync(path)) throw new Error(`${path} is missing; run npm run build, or pass another folder with --dist`);
  // Passing the whole namespace keeps the bundler from removing unused exports.
  const source = `
    import * as library from ${JSON.stringify(path)};
    import { ${entry.check}, verdictOf } from './scenario.ts';
    verdictOf(() => ${entry.check}(library, ${JSON.stringify(await expectations(dist))}));`;
  return bundle(source, form).catch((error: unknown) => {
    throw new Error(`${entry.name} cannot be bundled (${form}):\n${messageOf(error)}`);
  });
}

async function judge(engine: Engine, entry: Entry, script: string): Promise<string> {
  try {
    return `${await engine.judge(script)} (${engine.takes} bundle, ${Buffer.byteLength(script)} bytes)`;
  } catch (error) {
    // A stack's line numbers need the script that ran.
    const kept = join(tmpdir(), `engine-gate-failed-${engine.takes}-${entry.file}`);
    await writeFile(kept, script);
    throw new Error(`${entry.name} fails in ${engine.name}:\n${messageOf(error)}\nThe script is in ${kept}`);
  }
}

/** Adds to the listed expressions characters of two, three and four bytes, and lengths around one block of SHA-256. */
async function expectations(dist: string): Promise<Expectations> {
  const lengths = [55, 56, 64, 3000].map((length) => 'a'.repeat(length));
  const hashes = [...listed, 'bücher.example/größe', '例え.example/\u{1f600}', ...lengths].map((expression) => ({
    expression,
    hex: createHash('sha256').update(expression, 'utf8').digest('hex'),
  }));
  const { PrefixSet, encodeArtifact } = (await import(join(dist, 'assets.js'))) as typeof import('portcullis/assets');
  const packed = encodeArtifact(PrefixSet.from(manyPrefixes()), { encoding: 'portcullis-rice' });
  const signature = createHmac('sha256', webhookSecret).update(webhookBody, 'utf8').digest('hex');
  return { hashes, packed: Buffer.from(packed).toString('hex'), signature };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
