import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import * as root from 'portcullis';
import { describe, expect, test } from 'vitest';
import { anchorsOf } from '../../tools/anchors.js';

const run = promisify(execFile);

const documents = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => join('docs', name));

const pages = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'bench/README.md',
  'llms.txt',
].concat(documents);

/** Fences of the API reference are signatures; what is an example there stands in a doc comment, and runs from there (below). */
const withoutSnippets = join('docs', 'api');

/** Fences in their order; what a `text` fence right behind a `ts` fence shows is what that one prints. */
function snippetsOf(page: string): { code: string; printed: string | undefined; line: number }[] {
  const markdown = readFileSync(page, 'utf8');
  const fences = [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  return fences.flatMap(([, language, code = ''], at, all) => {
    if (language !== 'ts') return [];
    const next = all[at + 1];
    const line = markdown.slice(0, fences[at]?.index).split('\n').length;
    return [{ code, printed: next?.[1] === 'text' ? next[2] : undefined, line }];
  });
}

/** `portcullis/client` is Node's here, as the export map has it. */
const entryOf = (path: string): string =>
  path
    .slice('portcullis/'.length)
    .replace(/^(client|service)$/, '$1-node')
    .replace(/^stores\//, 'store-');

/** Bundled with the sources under the package's name, and run in a process of its own. */
async function outputOf(code: string): Promise<string> {
  const bundle = await build({
    stdin: { contents: code, loader: 'ts', resolveDir: resolve('.') },
    alias: { portcullis: resolve('src/entry/index.ts') },
    plugins: [
      {
        name: 'entries',
        setup: (context) =>
          context.onResolve({ filter: /^portcullis\/[\w/-]+$/ }, ({ path }) => ({
            path: resolve(`src/entry/${entryOf(path)}.ts`),
          })),
      },
    ],
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['undici', 'zod'],
    write: false,
  });
  // By its input: a bundle may be longer than an argument can be, which is 128 KiB on Linux.
  const running = run(process.execPath, ['--input-type=module', '-']);
  running.child.stdin?.end(bundle.outputFiles[0]?.text);
  return (await running).stdout;
}

const snippets = pages
  .filter((page) => !page.startsWith(withoutSnippets))
  .flatMap((page) => snippetsOf(page).map((snippet) => [`${page}:${snippet.line}`, snippet] as const));

test('the README shows what its snippets print', () => {
  expect(snippetsOf('README.md').filter(({ printed }) => printed !== undefined).length).toBeGreaterThanOrEqual(3);
});

test.each(snippets)('the snippet at %s runs and prints what is shown', async (_, { code, printed }) => {
  const output = await outputOf(code);
  if (printed !== undefined) expect(output).toBe(printed);
});

/** `@example call // value` in the sources, each run and compared. */
const examples = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) => [...readFileSync(join('src', name), 'utf8').matchAll(/@example (.+?) \/\/ (.+)$/gm)])
  .map(([, call = '', value = '']) => ({ call, value }));

test('the examples of the public functions give what they say', async () => {
  expect(examples.length).toBeGreaterThanOrEqual(10);
  const pairs = examples.map(({ call, value }) => `[${JSON.stringify(call)}, ${call}, ${value}]`);
  const names = Object.keys(root).join(', ');
  const output = await outputOf(
    `import { ${names} } from 'portcullis'; console.log(JSON.stringify([${pairs.join(',\n')}], null, 0)); void [${names}];`,
  );
  for (const [call, found, value] of JSON.parse(output) as [string, unknown, unknown][]) expect(found, call).toEqual(value);
});

test('the ten-line example of the README has ten lines', () => {
  expect(snippetsOf('README.md')[0]?.code.trim().split('\n').length).toBeLessThanOrEqual(10);
});

test('the quickstart runs, asserts what it prints, and asks nothing once the network is off', async () => {
  const output = await outputOf(readFileSync('examples/quickstart.ts', 'utf8'));
  expect(output.match(/^ {2}(block|allow)/gm)).toHaveLength(18);
  expect(output.match(/^ {2}\d+ requests$/gm)).toEqual(['  2 requests', '  0 requests', '  0 requests']);
});

test('the example runs and asserts what it prints', async () => {
  const code = readFileSync('examples/expressions.ts', 'utf8');
  const output = await outputOf(code);
  expect(output).toContain('7b2826bd  scam-mint.example');
  expect(output).toContain('d2da59d3  address:0x52908400098527886e0f7030069857d2e4169ee7');
});

/** What is neither a fence nor code: a regular expression there can look like a link. */
const proseOf = (markdown: string): string => markdown.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');

describe.each(pages)('%s', (page) => {
  const markdown = readFileSync(page, 'utf8');
  const links = [...proseOf(markdown).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));

  test('links only to files that are there, and to headings in them', () => {
    for (const link of links) {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      expect(existsSync(target), link).toBe(true);
      if (anchor !== undefined) expect([...anchorsOf(readFileSync(target, 'utf8'))], link).toContain(anchor);
    }
  });

  test('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    const named = [...markdown.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name);
    for (const name of named) expect(Object.keys(scripts)).toContain(name);
  });
});

test('every decision is numbered once and listed in order', () => {
  const numbers = readdirSync('docs/decisions').map((name) => name.slice(0, 4));
  expect(numbers).toEqual(numbers.map((_, at) => String(at + 1).padStart(4, '0')));
});

describe('llms.txt', () => {
  const text = readFileSync('llms.txt', 'utf8');
  const entries = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): (.+)$/gm)];

  test('begins with a name and one sentence', () => {
    expect(text).toMatch(/^# Portcullis\n\n> .+\n\n/);
  });

  test('has every guide and reference once, each with a line that says what it is', () => {
    const listed = entries.map(([, path]) => path);
    // One line stands for all decisions, and one for the API reference.
    const wanted = documents.filter((page) => !/^docs\/(decisions|api)\//.test(page));
    expect(listed.filter((path) => /^docs\/[^/]+\.md$/.test(path ?? '')).sort()).toEqual(wanted.sort());
    expect(listed).toEqual(expect.arrayContaining(['README.md', 'ARCHITECTURE.md', 'docs/api/README.md', 'docs/openapi.json']));
    expect(new Set(listed).size).toBe(listed.length);
  });

  test('has nothing else in its lists', () => {
    expect(entries).toHaveLength(text.match(/^- /gm)?.length ?? 0);
  });
});

test('the index of the guides names every page', () => {
  const index = readFileSync('docs/README.md', 'utf8');
  for (const page of documents.filter((name) => !/^docs\/(decisions|api)\//.test(name) && name !== 'docs/README.md')) {
    expect(index, page).toContain(`](${page.slice('docs/'.length)})`);
  }
});
