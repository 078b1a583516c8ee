import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { afterAll, describe, expect, test } from 'vitest';
import { commentedFields, descriptionsModule } from '../../tools/field-comments.js';

const program = `
import { createClient, type Report } from 'portcullis/client';
declare const report: Report;
const client = createClient({ baseUrl: 'https://api.example' });
const { status } = await client.assets.check({ content: 'a' });
await client.account.validate({}, { timeoutMs: 1, onResponse: (response) => response.status });
await client.reports.create({ assets: [{ content: 'a', brandSlug: 'b' }], discordGuildId: '1' });
await client.detections.threatsList({ sorting: [{ key: 'id', direction: 'asc' }] });
report.slaDueAt;
report.proposals[0]?.asset.scans;
(await client.webhooks.config()).secret;
(await client.account.userOrgs()).organizations[0]?.obligatoryAdminApproval;
`;

const entry = 'src/entry/client-node.ts';
const { config } = ts.readConfigFile('tsconfig.platform.json', ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, resolve('.'));

// Inside node_modules, so that the declarations find their dependencies.
const cache = resolve('node_modules/.cache/portcullis');
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, 'declarations-'));
afterAll(() => rmSync(folder, { recursive: true }));
const written = { ...options, noEmit: false, emitDeclarationOnly: true, rootDir: resolve('src'), outDir: folder };
ts.createProgram([resolve(entry)], written).emit();

describe.each([
  ['the sources', entry],
  // What a user's editor reads. The compiler drops comments when it copies a type into the declarations of another file.
  ['the declarations', join(folder, 'entry/client-node.d.ts')],
])('in %s', (_, client) => {
  const fields = commentedFields(client);

  test('every field that an operation takes or returns is described, by a comment or by its name', () => {
    expect(fields.flatMap(({ call, path, comment }) => (comment === '' ? [`${call}: ${path}`] : []))).toEqual([]);
    expect(new Set(fields.map(({ call }) => call)).size).toBe(65);
    expect(fields.length).toBeGreaterThan(1_000);
  });

  test('the descriptions of the OpenAPI document are these comments', () => {
    const made = readFileSync('src/made/field-descriptions.ts', 'utf8');
    expect(made.endsWith(descriptionsModule(fields))).toBe(true);
  });

  test('a comment that speaks of null is that of a field that may be null', () => {
    const named = fields.filter(({ comment }) => /\bnull\b/.test(comment));
    expect(named.length).toBeGreaterThan(30);
    expect(named.flatMap(({ call, io, path, isNullable }) => (isNullable ? [] : [`${call} ${io}: ${path}`]))).toEqual([]);
  });

  const file = resolve('test/api/hovered.ts');
  const service = ts.createLanguageService({
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const source = name === file ? program : ts.sys.readFile(name);
      return source === undefined ? undefined : ts.ScriptSnapshot.fromString(source);
    },
    getCurrentDirectory: () => resolve('.'),
    getCompilationSettings: () => ({ ...options, paths: { 'portcullis/client': [resolve(client)] } }),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
  });

  test.each([
    ['{ status', 'Whether it is blocked, allowed or unknown.'],
    ['{ content', 'The asset as text'],
    ['brandSlug', 'The brand, by its slug.'],
    ['discordGuildId', 'it names the organization'],
    ['[{ key', 'What the items are sorted by.'],
    ['.slaDueAt', 'When the promised response time ends'],
    ['.scans', 'The scans of the asset.'],
    ['.secret', 'It is shown only here'],
    ['.obligatoryAdminApproval', 'Whether an administrator'],
    ['.check', 'Check whether an asset is blocked'],
    ['timeoutMs', 'Longest time of one attempt'],
    ['response.status', 'The HTTP status.'],
  ])('an editor shows the comment of %s', (place, text) => {
    const shown = service.getQuickInfoAtPosition(file, program.indexOf(place) + place.length - 1);
    expect(ts.displayPartsToString(shown?.documentation)).toContain(text);
  });
});
