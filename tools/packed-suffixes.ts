import type { Plugin } from 'esbuild';

/**
 * Packs the tables of the public suffix list, which every check of a list in a file needs: Node takes longer to read 30,000 numbers than the
 * whole list otherwise takes.
 */
export const packedSuffixes: Plugin = {
  name: 'packed-suffixes',
  setup({ onLoad, onResolve, resolve }) {
    // The package's other build has everything in one file.
    onResolve({ filter: /^tldts$/ }, ({ resolveDir, kind, pluginData }) => {
      if (pluginData === isFound) return undefined;
      return resolve('tldts/dist/es6/index.js', { resolveDir, kind, pluginData: isFound });
    });
    onLoad({ filter: /[/\\]tldts[/\\]dist[/\\]es6[/\\]src[/\\]data[/\\]trie\.js$/ }, async ({ path }) => ({
      contents: packed(await import(path)),
    }));
  },
};

const isFound = 'found';

function packed(tables: Readonly<Record<string, unknown>>): string {
  const rows = Object.entries(tables).map(([name, table]) => `export const ${name} = ${literal(table)};\n`);
  return `import { endianness } from 'node:os';
${rows.join('')}function numbers(text, size) {
  const bytes = Buffer.from(text, 'base64');
  if (size === 2 && endianness() === 'BE') bytes.swap16();
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
}
`;
}

function literal(table: unknown): string {
  if (!ArrayBuffer.isView(table)) return JSON.stringify(table);
  const numbers = [...(table as Uint8Array | Uint16Array)];
  const size = table instanceof Uint8Array ? 1 : 2;
  const bytes = Buffer.alloc(size * numbers.length);
  numbers.forEach((number, at) => {
    bytes.writeUIntLE(number, size * at, size);
  });
  return `new ${table.constructor.name}(numbers("${bytes.toString('base64')}", ${size}))`;
}
