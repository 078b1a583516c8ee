import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { type Answer, type Recorded, serve } from '../../support/scripted-server.js';

/** Runs the bundled sources in their own process, because the heap of a test runner keeps changing. */
async function measured(entry: string, code: string, origin: string): Promise<Record<string, number>> {
  const bundle = await build({
    stdin: {
      contents: `
        import { createClient } from './src/entry/${entry}.ts';
        const client = createClient({
          baseUrl: '${origin}', apiKey: async () => 'k3y', slug: 'acme', timeoutMs: 5_000,
          retry: { maxRetries: 1, delayMs: 1 }, onEvent: () => {},
        });
        /** Memory in use after collection; later rounds free what finalizers of earlier ones released. */
        const settled = async () => {
          for (let round = 0; round < 3; round++) {
            await new Promise((resolve) => setTimeout(resolve, 20));
            gc();
          }
          return process.memoryUsage();
        };
        ${code}
        await client.close();
      `,
      loader: 'ts',
      resolveDir: resolve('.'),
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['undici'],
    write: false,
  });
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-'], { stdio: 'pipe' });
  child.stdin.end(bundle.outputFiles[0]?.text);
  const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  // Node would warn of too many listeners here.
  expect(complaints).toBe('');
  return JSON.parse(output) as Record<string, number>;
}

const found = { status: 'BLOCKED', source: 'global', sources: [], message: 'x'.repeat(200) };
const packed = { headers: { 'content-encoding': 'gzip' }, body: gzipSync(JSON.stringify(found)) };

/** Mostly good responses, and some of every other outcome. */
function answerTo({ body }: Recorded): Answer {
  const { content } = JSON.parse(String(body)) as { content: string };
  switch (content) {
    case 'packed':
      return packed;
    case 'missing':
      return { status: 404, body: { message: 'none of that name', issues: [{ path: 'content', message: 'x'.repeat(500) }] } };
    case 'failing':
      return { status: 503, body: { message: 'x'.repeat(500) } };
    case 'strange':
      return { body: { strange: 'x'.repeat(500) } };
    case 'empty':
      return { body: '' };
    case 'reset':
      return { fault: 'reset' };
    case 'redirected':
      return { status: 302, headers: { location: '/elsewhere' } };
    default:
      return { body: found };
  }
}

describe.each([
  ["with Node's connection pool", 'client-node'],
  ["with the platform's fetch", 'client'],
])('%s', (_, entry) => {
  test('ten thousand calls do not leak memory', async () => {
    const server = await serve(answerTo);
    const { calls, failed, growth } = await measured(
      entry,
      `
        const contents = [...Array(43).fill('good'), 'packed', 'missing', 'failing', 'strange', 'empty', 'reset', 'redirected'];
        // One signal for all, like that of a server or a page. Node warns as soon as it has eleven listeners.
        const { signal } = new AbortController();
        let calls = 0, failed = 0;
        const round = async (count) => {
          for (let at = 0; at < count; at += 10) {
            const batch = contents.slice(at % contents.length).slice(0, 10);
            await Promise.all(batch.map((content) => client.assets.check({ content }, { signal }).catch(() => failed++)));
            calls += batch.length;
          }
        };
        await round(2_000);
        const before = await settled();
        calls = failed = 0;
        await round(10_000);
        const after = await settled();
        console.log(JSON.stringify({ calls, failed, growth: after.heapUsed - before.heapUsed }));
      `,
      server.origin,
    );
    expect([calls, failed]).toEqual([10_000, 1_200]);
    // A leaked closure or listener takes at least 100 bytes per call, a megabyte in total. Measured: -0.2 to 0.3 MB.
    expect(growth).toBeLessThan(1_000_000);
  });

  test('endless responses do not leak memory', async () => {
    const server = await serve([{ fault: 'endless' }]);
    const { failed, growth } = await measured(
      entry,
      `
        let failed = 0;
        const round = async (count) => {
          for (let at = 0; at < count; at++) {
            await client.assets.check({ content: 'endless' }).catch((error) => (failed += error.code === 'LIMIT_EXCEEDED' ? 1 : 0));
          }
        };
        await round(1);
        const before = await settled();
        await round(5);
        const after = await settled();
        console.log(JSON.stringify({ failed, growth: after.arrayBuffers - before.arrayBuffers }));
      `,
      server.origin,
    );
    expect(failed).toBe(6);
    // Each response was aborted at 32 MB.
    expect(growth).toBeLessThan(8_000_000);
  });
});
