import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { Kind } from '../src/core/options/read-options.js';
import { optionRows } from './option-rows.js';

/**
 * Where a guide has the table of a function: `<!-- options: createRelay -->`, the table, `<!-- end of options -->`. With
 * `<!-- options: listSource beside serviceSource -->` it lacks the rows that the other table has.
 */
const place = /(<!-- options: (\w+)(?: beside (\w+))? -->\n)[\s\S]*?(<!-- end of options -->)/g;

/** The guides, with the tables that their text has and those that it should have. */
export function optionTables(): { readonly file: string; readonly text: string; readonly made: string }[] {
  const guides = readdirSync('docs').filter((name) => name.endsWith('.md'));
  const texts = guides.map((name) => ({ file: join('docs', name), text: readFileSync(join('docs', name), 'utf8') }));
  const withTables = texts.filter(({ text }) => text.search(place) >= 0);
  const typeNamed = typesOf();
  const rowsFor = (name: string): readonly string[] => {
    const [type, kinds] = optionRows[name]!;
    const rows = Object.entries(kinds).flatMap(([option, kind]) => rowsOf(option, kind, typeNamed(type)));
    const isRequired = (row: string): boolean => row.includes(' | required | ');
    return [...rows.filter(isRequired), ...rows.filter((row) => !isRequired(row))];
  };
  return withTables.map(({ file, text }) => {
    const made = text.replace(place, (_, start: string, name: string, beside: string | undefined, end: string) => {
      const others = beside === undefined ? [] : rowsFor(beside);
      return `${start}${tableOf(rowsFor(name).filter((row) => !others.includes(row)))}\n${end}`;
    });
    return { file, text, made };
  });
}

interface Described {
  readonly checker: ts.TypeChecker;
  readonly type: ts.Type;
}

function typesOf(): (name: string) => Described {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const program = ts.createProgram(
    files.map((name) => join('src', name)),
    { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, strict: true, skipLibCheck: true, types: ['node'] },
  );
  const checker = program.getTypeChecker();
  const declared = program.getSourceFiles().flatMap(({ fileName, statements }) => {
    return fileName.includes('node_modules') ? [] : statements;
  });
  return (name) => {
    const found = declared.find(
      (one) => (ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one)) && one.name.text === name,
    );
    if (found === undefined) throw new Error(`there is no type ${name}`);
    return { checker, type: checker.getTypeAtLocation(found) };
  };
}

function tableOf(rows: readonly string[]): string {
  return ['', '| option | value | default | |', '|---|---|---|---|', ...rows, ''].join('\n');
}

function rowsOf(path: string, kind: Kind<unknown>, { checker, type }: Described): string[] {
  const property = type.getProperty(path.slice(path.lastIndexOf('.') + 1));
  const words = wordsOf(kind);
  const inner = words === 'an object' ? Object.keys((kind({}, 'x') ?? {}) as object) : [];
  if (property !== undefined && inner.length > 0) {
    const own = checker.getNonNullableType(checker.getTypeOfSymbol(property));
    return inner.flatMap((name) => rowsOf(`${path}.${name}`, (value) => kind({ [name]: value }, 'x'), { checker, type: own }));
  }
  const meaning = property === undefined ? '' : ts.displayPartsToString(property.getDocumentationComment(checker));
  const tag = property?.getJsDocTags(checker).find(({ name }) => name === 'default');
  const isOptional = property === undefined || (property.flags & ts.SymbolFlags.Optional) !== 0;
  const otherwise = tag && ts.displayPartsToString(tag.text).replace(/(?<=\d)_(?=\d{3})/g, ',');
  const cells = [`\`${path}\``, words, otherwise ?? (isOptional ? '' : 'required'), meaning];
  return [`| ${cells.map((cell) => cell.replace(/\s*\n\s*/g, ' ').replace(/\|/g, '\\|')).join(' | ')} |`];
}

/** Limits that nobody reads in digits. */
const powers: Readonly<Record<string, string>> = { 2147483647: '2^31 - 1', [Number.MAX_SAFE_INTEGER]: '2^53 - 1' };

/** What a value must be, as the refusal of a wrong one says it. */
function wordsOf(kind: Kind<unknown>): string {
  try {
    kind(Symbol('wrong'), 'x');
  } catch (error) {
    const words = (error as Error).message.replace(/^x\S* must (be )?/, '');
    const open = words.replace(/from (\S+) to Infinity/, 'of at least $1');
    return open.replace(/\b\d{4,}\b/g, (digits) => powers[digits] ?? Number(digits).toLocaleString('en-US'));
  }
  throw new Error('a symbol was accepted');
}
