import { fork } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import * as root from 'portcullis';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { anchorsOf } from '../../tools/anchors.js';
import { drawingSvg } from '../../tools/drawing.js';
import { drawings } from '../../tools/drawings.js';
import { installLines } from '../../tools/install-lines.js';
import { allSnippets, documents, pages, snippetsOf } from '../../tools/snippets.js';
import { recordedLines, terminalSvg } from '../../tools/terminal-picture.js';

const snippets = allSnippets();

/** `@example call // value` in the sources. */
const examples = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) => [...readFileSync(join('src', name), 'utf8').matchAll(/@example (.+?) \/\/ (.+)$/gm)])
  .map(([, call = '', value = '']) => ({ call, value }));

/** One program that prints every example with its result and the value its comment gives. */
function exampleCode(): string {
  const names = Object.keys(root).join(', ');
  const triples = examples.map(({ call, value }) => `[${JSON.stringify(call)}, ${call}, ${value}]`);
  return `import { ${names} } from 'portcullis';\nconsole.log(JSON.stringify([${triples.join(',\n')}]));\nvoid [${names}];`;
}

const codes = new Map([
  ...snippets.map(({ place, code }) => [place, code] as const),
  ['@example', exampleCode()],
  ['quickstart', readFileSync('examples/quickstart.ts', 'utf8')],
  ['expressions', readFileSync('examples/expressions.ts', 'utf8')],
  ['wallet', readFileSync('examples/wallet/wallet.ts', 'utf8')],
]);

interface Ran {
  readonly output: string;
  readonly error: string | undefined;
}

const ran = new Map<string, Ran>();

/**
 * Bundled together on the sources, then run one after another in two processes, which is ten times as fast as a process for each.
 */
beforeAll(async () => {
  const cache = resolve('node_modules/.cache/portcullis');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'snippets-'));
  try {
    const files = await bundled(folder);
    const half = Math.ceil(files.length / 2);
    await Promise.all([files.slice(0, half), files.slice(half)].map((some) => runAll(some)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

async function bundled(folder: string): Promise<{ place: string; file: string }[]> {
  const places = [...codes.keys()];
  await build({
    entryPoints: places.map((_, at) => ({ in: `snippet:${at}`, out: `snippet-${at}` })),
    plugins: [
      {
        name: 'snippets',
        setup: (context) => {
          context.onResolve({ filter: /^snippet:/ }, ({ path }) => ({ path, namespace: 'snippet' }));
          context.onLoad({ filter: /.*/, namespace: 'snippet' }, ({ path }) => ({
            contents: codes.get(places[Number(path.slice('snippet:'.length))]!)!,
            loader: 'ts',
            resolveDir: resolve('.'),
          }));
        },
      },
    ],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    external: ['undici', 'zod', 'express', 'fastify'],
    tsconfig: 'tsconfig.tools.json',
  });
  return places.map((place, at) => ({ place, file: join(folder, `snippet-${at}.mjs`) }));
}

/** The process ends only if no snippet leaves a handle open. */
function runAll(files: readonly { place: string; file: string }[]): Promise<void> {
  return new Promise((settle, reject) => {
    const child = fork(
      'test/package/run-snippets.mjs',
      files.map(({ file }) => file),
      { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] },
    );
    child.on('message', ({ file, ...result }: Ran & { file: string }) => {
      ran.set(files.find((one) => one.file === file)!.place, result);
    });
    child.on('error', reject);
    child.on('exit', () => settle());
  });
}

function outputOf(place: string): string {
  const { output, error } = ran.get(place) ?? { output: '', error: 'did not run: the process ended before it' };
  expect(error, place).toBeUndefined();
  return output;
}

test('the README shows what its snippets print', () => {
  expect(snippetsOf('README.md').filter(({ printed }) => printed !== undefined).length).toBeGreaterThanOrEqual(1);
});

test.each(snippets)('the snippet at $place runs and prints what is shown', ({ place, printed }) => {
  const output = outputOf(place);
  // On a busy machine a list is a second old when it is asked.
  if (printed !== undefined) expect(output.replace(/("ageSeconds":)\d\b/g, '$10')).toBe(printed);
});

test('the examples of the public functions return what they show', () => {
  expect(examples.length).toBeGreaterThanOrEqual(10);
  for (const [call, found, value] of JSON.parse(outputOf('@example')) as [string, unknown, unknown][]) {
    expect(found, call).toEqual(value);
  }
});

test('each guide installs what a reader can have today', () => {
  for (const { file, text, made } of installLines()) expect(text, `${file}: npm run docs:install`).toBe(made);
  expect(installLines().map(({ file }) => file)).toEqual(
    expect.arrayContaining([
      'docs/extension.md',
      'docs/node-service.md',
      'docs/react-native.md',
      'docs/tools.md',
      'docs/wallet.md',
    ]),
  );
});

test('no line names a package that others could register, until it is published', () => {
  for (const page of pages.filter((name) => !/releasing|decisions|CHANGELOG/.test(name))) {
    const lines = readFileSync(page, 'utf8').split('\n');
    expect(
      lines.filter((line) => /npx -y |npm (?:install|i)(?: -\S+)* portcullis\b/.test(line)),
      page,
    ).toEqual([]);
  }
  const published = new Map(installLines(true).map(({ file, made }) => [file, made]));
  for (const [file, made] of published) expect(made, file).not.toMatch(/\.tgz|path\/to\/portcullis|not on a registry/);
  expect(published.get('docs/tools.md')).toMatch(/"command": "npx",\n +"args": \["-y", "portcullis@[\d.]+", "mcp"\]/);
  expect(published.get('apps/cli/terminal/call-again.ts')).toContain('const isPublished = true;');
});

test('no command has a comment, which an interactive zsh passes on as arguments', () => {
  for (const page of pages) {
    const shells = [...readFileSync(page, 'utf8').matchAll(/^```(?:sh|bash)\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
    expect(
      shells.flatMap((code) => code.split('\n')).filter((line) => /(?:^|\s)#(?:\s|$)/.test(line)),
      page,
    ).toEqual([]);
  }
});

test('the README is short, and its first example has six lines', () => {
  expect(readFileSync('README.md', 'utf8').split(/\s+/).length).toBeLessThanOrEqual(700);
  expect(snippetsOf('README.md')[0]?.code.trim().split(/\n+/)).toHaveLength(6);
});

test.each(['light', 'dark'] as const)('the %s picture in the README shows what the commands print today', (scheme) => {
  const picture = readFileSync(`docs/pictures/terminal-${scheme}.svg`, 'utf8');
  expect(picture, 'run npm run docs:pictures').toBe(terminalSvg(recordedLines(join(inject('builtApps'), 'cli.js')), scheme));
});

test.each(drawings)('the drawing $name is that of its script, and a page shows it with its title', (drawing) => {
  for (const scheme of ['light', 'dark'] as const)
    expect(readFileSync(`docs/pictures/${drawing.name}-${scheme}.svg`, 'utf8')).toBe(drawingSvg(drawing, scheme));
  const image = (folder: string): string => `src="${folder}pictures/${drawing.name}-light.svg" alt="${drawing.title}">`;
  const shown = pages.filter((page) => readFileSync(page, 'utf8').includes(image(page.startsWith('docs/') ? '' : 'docs/')));
  expect(shown, image('')).not.toEqual([]);
});

/** Each gets its reader to a result; what follows the heading "Reference" is looked up. */
const guides = ['client', 'command-line', 'extension', 'node-service', 'own-list', 'react', 'react-native', 'tools', 'wallet'];

test.each(guides)('the guide %s has at most 1,000 words before its reference', (name) => {
  const [guide = '', ...reference] = readFileSync(`docs/${name}.md`, 'utf8').split(/^## Reference$/m);
  expect(guide.split(/\s+/).length).toBeLessThanOrEqual(1_000);
  expect(reference.length).toBeLessThanOrEqual(1);
});

test('the quickstart runs, asserts what it prints, and sends nothing once the network is off', () => {
  const output = outputOf('quickstart');
  expect(output.match(/^ {2}(block|allow)/gm)).toHaveLength(18);
  expect(output.match(/^ {2}\d+ requests$/gm)).toEqual(['  2 requests', '  0 requests', '  0 requests']);
});

test('the example runs and asserts what it prints', () => {
  const output = outputOf('expressions');
  expect(output).toContain('7b2826bd  scam-mint.example');
  expect(output).toContain('d2da59d3  address:0x52908400098527886e0f7030069857d2e4169ee7');
});

test('the wallet signs what is clean and nothing else', () => {
  expect(outputOf('wallet').split('\n')).toEqual([
    'signed 2 clean requests',
    expect.stringMatching(/^asked {2}eth_sendTransaction: listed; spender 0xbad0\w+: blocked$/),
    expect.stringMatching(/^asked {2}eth_sendTransaction: screened; it calls an unknown function, 0x12345678, and sends value/),
    'signed nothing else',
    '',
  ]);
});

/** Without code, because a regular expression can look like a link. */
const proseOf = (markdown: string): string => markdown.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');

describe.each(pages)('%s', (page) => {
  const markdown = readFileSync(page, 'utf8');
  const links = [...proseOf(markdown).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));

  test('links only to files and headings that exist', () => {
    for (const link of links) {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      expect(existsSync(target), link).toBe(true);
      if (anchor !== undefined) expect([...anchorsOf(readFileSync(target, 'utf8'))], link).toContain(anchor);
    }
  });

  test('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    const named = [...markdown.matchAll(/npm run ([\w:]+(?:-[\w:]+)*)/g)].map(([, name = '']) => name);
    for (const name of named) expect(Object.keys(scripts)).toContain(name);
  });
});

test('the files that CONTRIBUTING and ARCHITECTURE name exist', () => {
  // Written by a command; a fresh clone has none of them.
  const ignored = new Set([...readFileSync('.gitignore', 'utf8').matchAll(/^\/(.+)\/$/gm)].map(([, path]) => path));
  for (const page of ['CONTRIBUTING.md', 'ARCHITECTURE.md']) {
    const named = readFileSync(page, 'utf8').matchAll(/\b(?:src|test|tools|bench|docs)\/[\w./-]*\w/g);
    for (const [path] of named) expect(existsSync(path) || ignored.has(path), `${page} names ${path}`).toBe(true);
  }
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

  test('has every guide and reference once, each with a description', () => {
    const listed = entries.map(([, path]) => path);
    // The decisions have one line.
    const wanted = documents.filter((page) => !/^docs\/decisions\//.test(page));
    expect(listed.filter((path) => /^docs\/[^/]+\.md$/.test(path ?? '')).sort()).toEqual(wanted.sort());
    expect(listed).toEqual(expect.arrayContaining(['README.md', 'ARCHITECTURE.md']));
    expect(new Set(listed).size).toBe(listed.length);
  });

  test('has nothing else in its lists', () => {
    expect(entries).toHaveLength(text.match(/^- /gm)?.length ?? 0);
  });
});

test('the index of the guides names every page', () => {
  const index = readFileSync('docs/README.md', 'utf8');
  for (const page of documents.filter((name) => !/^docs\/decisions\//.test(name) && name !== 'docs/README.md')) {
    expect(index, page).toContain(`](${page.slice('docs/'.length)})`);
  }
});
