import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

const folder = 'src/api/operations/';
const shapes = /^(strict|object|loose)$/;

/** Whether an object literal is the shape of a schema: the argument of a kind, or fields that several schemas share. */
function isShape(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isCallExpression(parent)) return ts.isIdentifier(parent.expression) && shapes.test(parent.expression.text);
  const made = ts.isParenthesizedExpression(parent) ? parent.parent.parent : parent;
  return ts.isCallExpression(made) && made.expression.getText() === 'made';
}

test('every field of every operation has a comment', () => {
  const without: string[] = [];
  let count = 0;
  for (const file of readdirSync(folder)) {
    const source = ts.createSourceFile(file, readFileSync(folder + file, 'utf8'), ts.ScriptTarget.ESNext, true);
    const visit = (node: ts.Node): void => {
      if (ts.isObjectLiteralExpression(node) && isShape(node)) {
        for (const field of node.properties) {
          if (!field.name) continue;
          count++;
          if (ts.getJSDocCommentsAndTags(field).length === 0) without.push(`${file}: ${field.name.getText()}`);
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  expect(without).toEqual([]);
  expect(count).toBeGreaterThan(700);
});

const program = `
import { createClient, type Report } from 'portcullis/client';
declare const report: Report;
const client = createClient({ baseUrl: 'https://api.example' });
const { status } = await client.assets.check({ content: 'a' });
await client.reports.create({ assets: [{ content: 'a', brandSlug: 'b' }], discordGuildId: '1' });
await client.detections.threatsList({ sorting: [{ key: 'id', direction: 'asc' }] });
report.slaDueAt;
report.proposals[0]?.asset.scans;
(await client.webhooks.config()).secret;
`;

const file = resolve('test/api/hovered.ts');
const { config } = ts.readConfigFile('tsconfig.tools.json', ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, resolve('.'));
const service = ts.createLanguageService({
  getScriptFileNames: () => [file],
  getScriptVersion: () => '1',
  getScriptSnapshot: (name) => {
    const source = name === file ? program : ts.sys.readFile(name);
    return source === undefined ? undefined : ts.ScriptSnapshot.fromString(source);
  },
  getCurrentDirectory: () => resolve('.'),
  getCompilationSettings: () => options,
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
  ['.check', 'Check whether an asset is blocked'],
])('an editor shows the comment of %s', (place, text) => {
  const shown = service.getQuickInfoAtPosition(file, program.indexOf(place) + place.length - 1);
  expect(ts.displayPartsToString(shown?.documentation)).toContain(text);
});
