import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  Application,
  type DeclarationReflection,
  Logger,
  LogLevel,
  type ProjectReflection,
  ReferenceType,
  ReflectionKind,
  type SomeType,
  type TypeDocOptions,
  UnknownType,
} from 'typedoc';
import { load } from 'typedoc-plugin-markdown';
import { ASSET_TYPES } from '../src/entry/assets.js';
import { allOperations } from '../src/entry/operations.js';
import { anchorsOf } from './anchors.js';

/** What the command and the test share. */
export interface Api {
  /** The pages of docs/api, by their names. */
  readonly pages: ReadonlyMap<string, string>;
  /** What typedoc has to say: exports without a comment, links that lead nowhere. */
  readonly warnings: readonly string[];
}

/** A page for each entry of the export map. What several entries export is described by the first of them, and named by the others. */
export async function makeApi(): Promise<Api> {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-api-'));
  try {
    const warnings: string[] = [];
    const entries = entriesOf(JSON.parse(await readFile('package.json', 'utf8')).exports);
    const app = await Application.bootstrapWithPlugins({
      ...options,
      entryPoints: entries.map(({ file }) => file),
      outputs: [{ name: 'markdown', path: folder }],
    });
    app.logger = new Collected(warnings);
    const project = await app.convert();
    if (project === undefined) throw new Error(`typedoc made nothing of the entries: ${warnings.join('\n')}`);
    const names = new Map(entries.map(({ file, name }) => [file, name]));
    for (const module of project.children ?? []) module.name = names.get(`src/entry/${module.name}.ts`) ?? module.name;
    shorten(project);
    app.validate(project);
    await app.generateOutputs(project);
    return { pages: await pagesIn(folder), warnings };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const markdown: object = {
  router: 'module',
  hideBreadcrumbs: true,
  hidePageHeader: true,
  useCodeBlocks: true,
  pageTitleTemplates: {
    module: ({ name }: { name: string }) => (name === 'portcullis' ? name : `portcullis/${name}`),
  },
  indexFormat: 'table',
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  propertyMembersFormat: 'table',
  typeDeclarationFormat: 'table',
};

const options: TypeDocOptions = {
  name: 'API reference',
  tsconfig: 'tsconfig.api.json',
  plugin: [(app) => load(app)],
  readme: 'none',
  // The compiler's errors are those of `npm run check`; here they would cost seconds.
  skipErrorChecking: true,
  logLevel: LogLevel.Warn,
  // Nothing that differs from one machine or commit to the next.
  disableSources: true,
  disableGit: true,
  hideGenerator: true,
  excludeInternal: true,
  excludePrivate: true,
  excludeExternals: true,
  sortEntryPoints: false,
  sort: ['kind', 'alphabetical'],
  groupOrder: ['Functions', 'Variables', 'Classes', 'Interfaces', 'Type Aliases', 'References'],
  requiredToBeDocumented: ['Module', 'Variable', 'Function', 'Class', 'Interface', 'TypeAlias', 'Method', 'Accessor'],
  // The shape of somebody else's headers, and a trick of the type below.
  intentionallyNotDocumented: ['webhooks.WebhookHeaders.__type.forEach', 'sources.FetchLike.__type.bivariant'],
  // Helpers of types have no page of their own; what they make has.
  validation: { notExported: false, invalidLink: true, notDocumented: true, rewrittenLink: true, unusedMergeModuleWith: true },
  ...markdown,
};

/** The sources behind the export map, as Node has it. */
function entriesOf(exports: Record<string, string | Record<string, unknown>>): { name: string; file: string }[] {
  return Object.entries(exports).flatMap(([path, target]) => {
    if (typeof target === 'string') return [];
    const { types } = (target['node'] ?? target) as { types: string };
    const file = `src/entry/${types.slice('./dist/'.length, -'.d.ts'.length)}.ts`;
    return [{ name: path === '.' ? 'portcullis' : path.slice('./'.length), file }];
  });
}

/** Types that the compiler spelled out get back the names they have in the sources: a third of the bytes remains, and can be read. */
function shorten(project: ProjectReflection): void {
  const names = new Map([
    [keyOf(ASSET_TYPES), 'AssetType'],
    [keyOf(allOperations.map(({ name }) => name)), 'OperationName'],
  ]);
  const aliases = project.getReflectionsByKind(ReflectionKind.TypeAlias) as DeclarationReflection[];
  const short = (type: SomeType): SomeType => {
    const alias = aliases.find(({ name }) => name === names.get(textsOf(type)));
    if (alias !== undefined) return ReferenceType.createResolvedReference(alias.name, alias, project);
    if (type.type === 'array') type.elementType = short(type.elementType);
    if (type.type === 'typeOperator') type.target = short(type.target);
    if (type.type === 'reference') {
      // The name of a row is enough of it; docs/operations.md has what it takes and gives.
      const shown = type.name === 'Operation' ? type.typeArguments?.slice(0, 1) : type.typeArguments;
      type.typeArguments = (shown ?? []).map(short);
    }
    return type;
  };
  for (const alias of aliases) {
    // A method type taken out of an object, so that it compares both ways.
    if (alias.name === 'FetchLike') alias.type = new UnknownType('(url: string, init?: FetchInit) => Promise<FetchResponse>');
  }
  for (const found of Object.values(project.reflections) as DeclarationReflection[]) {
    // Taken apart in the signature, so that the compiler knows no name.
    if (found.name === '__namedParameters') found.name = 'options';
    const { type, kind, name } = found;
    if (type === undefined || kind === ReflectionKind.TypeAlias) continue;
    const isOfClient = found.getFullName().startsWith('client.Client.');
    const spelled = kind === ReflectionKind.Property ? `PartialClient<OperationGroups>['${name}']` : inClient[name];
    found.type = isOfClient && spelled !== undefined ? new UnknownType(spelled) : short(type);
  }
}

/** The client's own calls, whose types follow from the row that is named. */
const inClient: Readonly<Record<string, string>> = {
  Name: 'OperationName',
  name: 'Name',
  args: '[input: InputOf<Row>, options?: CallOptions]',
  request: 'Promise<OutputOf<Row>>',
  Watched: "'reports' | 'threats' | 'takedowns' | 'changelog'",
  watched: 'Watched',
  input: 'InputOf<Row>',
  watch: 'AsyncGenerator<Item, void, void>',
};

/** The texts of a union of texts, as one key. */
function textsOf(type: SomeType): string {
  return type.type === 'union' ? keyOf(type.types.map((one) => (one.type === 'literal' ? String(one.value) : ''))) : '';
}

const keyOf = (texts: readonly string[]): string => [...texts].sort().join(' ');

async function pagesIn(folder: string): Promise<Map<string, string>> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.md')).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const anchors = new Map(texts.map((text, at) => [names[at], anchorsOf(text)]));
  const wanted = new Set<string>();
  const led = texts.map((text, at) =>
    text.replace(/\]\(([^)#\s]*)#([^)\s]+)\)/g, (_, path: string, anchor: string) => {
      const there = anchors.get(path === '' ? names[at] : join(dirname(names[at] ?? ''), path));
      // It counts headings otherwise than the sites that show them, once in a while.
      const found = there?.has(anchor) ? anchor : anchor.replace(/-\d+$/, '');
      wanted.add(found);
      return `](${path}#${found})`;
    }),
  );
  // Every row of a table comes with an anchor; those that no link leads to are noise to who reads the file.
  const tidied = led.map((text) => text.replace(/<a id="([^"]+)"><\/a> /g, (anchor, id) => (wanted.has(id) ? anchor : '')));
  return new Map(names.map((name, at) => [name, tidied[at] ?? '']));
}

class Collected extends Logger {
  private readonly warnings: string[];

  constructor(warnings: string[]) {
    super();
    this.warnings = warnings;
  }

  override log(message: string, level: LogLevel): void {
    if (level >= LogLevel.Warn) this.warnings.push(message);
  }
}
