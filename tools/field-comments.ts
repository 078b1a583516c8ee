import { resolve } from 'node:path';
import ts from 'typescript';

/** A field that an operation takes or returns, with the comment that an editor shows. */
export interface CommentedField {
  /** The operation as it is called: `assets.check`. */
  readonly call: string;
  readonly io: 'input' | 'output';
  /** Its name, after those of the fields around it: `reports.proposals.asset`. A key of a record is `*`. */
  readonly path: string;
  readonly comment: string;
  readonly isNullable: boolean;
}

/** Fields whose names say what they are: these texts describe them where the source has no comment. */
const byName: Readonly<Record<string, string>> = {
  id: 'The id.',
  name: 'The name.',
  fullName: 'The full name.',
  createdAt: 'When it was created, in ISO 8601.',
  updatedAt: 'When it was last changed, in ISO 8601.',
  assets: 'The assets.',
  asset: 'The asset.',
  reports: 'The reports.',
  role: 'The role.',
  active: 'Whether it is active.',
};

const program = `
import type { CallName, InputOf, OutputOf } from 'portcullis/client';
type Calls = Extract<CallName, \`\${string}.\${string}\`>;
export type Inputs = { [Call in Calls]: InputOf<Call> };
export type Outputs = { [Call in Calls]: OutputOf<Call> };
`;

/** The types of a platform that fields have. To load the real ones takes half of the time. */
const platform = 'declare global { interface Blob {} interface ReadableStream<Part> {} }';

/**
 * All fields of all operations, as the types of the client have them. `client` is the file that an import of `portcullis/client`
 * finds: an entry of the source, or a declaration of the package.
 *
 * @param isBare Without the types of a platform, for a file that does not load them itself
 */
export function commentedFields(client: string, isBare = false): CommentedField[] {
  const file = resolve('tools/every-field.ts');
  const { config } = ts.readConfigFile('tsconfig.platform.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, resolve('.'));
  const bare = { lib: ['lib.es2022.d.ts'], types: [], noUnusedParameters: false };
  const settings = { ...options, ...(isBare ? bare : {}), paths: { 'portcullis/client': [resolve(client)] } };
  const text = isBare ? platform + program : program;
  const host = ts.createCompilerHost(settings);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, ...others) =>
    name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022) : getSourceFile(name, ...others);
  const made = ts.createProgram([file], settings, host);
  const checker = made.getTypeChecker();
  const source = made.getSourceFile(file)!;
  const [wrong] = made.getSemanticDiagnostics(source);
  if (wrong !== undefined) throw new Error(ts.flattenDiagnosticMessageText(wrong.messageText, '\n'));

  const found = new Map<string, CommentedField>();
  const visit = (type: ts.Type, call: string, io: CommentedField['io'], path: string): void => {
    for (const part of type.isUnion() ? type.types : [type]) {
      if ((part.flags & ts.TypeFlags.Object) === 0) continue;
      if (checker.isArrayType(part)) visit(checker.getTypeArguments(part as ts.TypeReference)[0]!, call, io, path);
      // A `Date` and a file have no fields of ours.
      if (part.symbol?.declarations?.some((at) => made.isSourceFileDefaultLibrary(at.getSourceFile()))) continue;
      const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
      for (const property of checker.getPropertiesOfType(part)) {
        const written = ts.displayPartsToString(property.getDocumentationComment(checker)).replaceAll('\n', ' ');
        const comment = written || (byName[property.name] ?? '');
        const type = checker.getTypeOfSymbol(property);
        const isNullable = (type.isUnion() ? type.types : [type]).some(
          ({ flags }) => flags & (ts.TypeFlags.Null | ts.TypeFlags.Unknown),
        );
        found.set(`${call} ${io} ${at(property.name)}`, { call, io, path: at(property.name), comment, isNullable });
        visit(type, call, io, at(property.name));
      }
      const others = checker.getIndexTypeOfType(part, ts.IndexKind.String);
      if (others !== undefined) visit(others, call, io, at('*'));
    }
  };
  for (const statement of source.statements.filter(ts.isTypeAliasDeclaration)) {
    const io = statement.name.text === 'Inputs' ? 'input' : 'output';
    for (const call of checker.getPropertiesOfType(checker.getTypeAtLocation(statement.name)))
      visit(checker.getTypeOfSymbol(call), call.name, io, '');
  }
  // The compiler orders the keys of a mapped type as it meets them.
  return [...found].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, field]) => field);
}

/** The module with the comments as descriptions, for the OpenAPI document. */
export function descriptionsModule(fields: readonly CommentedField[]): string {
  const texts: Record<string, Record<CommentedField['io'], Record<string, string>>> = {};
  for (const { call, io, path, comment } of fields) {
    texts[call] ??= { input: {}, output: {} };
    texts[call][io][path] = comment;
  }
  return `/** The comments of fields, so that each is written once and no client carries it. */

/** Descriptions by the names of fields, from the outermost to the field itself. */
export type Texts = Readonly<Record<string, string>>;

export const fieldDescriptions: Readonly<Record<string, { readonly input: Texts; readonly output: Texts }>> = ${JSON.stringify(texts, null, 1)};
`;
}
