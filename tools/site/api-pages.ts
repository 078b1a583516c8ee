import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
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
import { ASSET_TYPES } from '../../src/entry/assets.js';
import { allOperations } from '../../src/entry/client-node.js';
import { anchorsOf } from '../anchors.js';

/** The API reference. */
export interface Api {
  /** The pages of docs/api, by their names. */
  readonly pages: ReadonlyMap<string, string>;
  /** TypeDoc's warnings: exports without a comment, broken links. */
  readonly warnings: readonly string[];
}

/**
 * Makes a page for each entry of the export map. An export of several entries is documented on the first page and linked from the
 * others.
 */
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
    if (project === undefined) throw new Error(`TypeDoc could not read the entries:\n${warnings.join('\n')}`);
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

/** Replaces docs/api, and returns the warnings. */
export async function writeApi(): Promise<readonly string[]> {
  const { pages, warnings } = await makeApi();
  await rm('docs/api', { recursive: true, force: true });
  for (const [name, text] of pages) {
    const file = join('docs/api', name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return warnings;
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
  // `npm run check` reports type errors; checking here would cost seconds.
  skipErrorChecking: true,
  logLevel: LogLevel.Warn,
  // Leaves out everything that differs between machines or commits.
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
  // The first has the shape of the platform's Headers; the second only makes a type bivariant.
  intentionallyNotDocumented: ['webhooks.WebhookHeaders.__type.forEach', 'sources.FetchLike.__type.bivariant'],
  // Helper types have no page, but the types made with them do.
  validation: { notExported: false, invalidLink: true, notDocumented: true, rewrittenLink: true, unusedMergeModuleWith: true },
  ...markdown,
};

/** The source of each entry in the export map, found by its types. */
function entriesOf(exports: Record<string, string | Record<string, unknown>>): { name: string; file: string }[] {
  return Object.entries(exports).flatMap(([path, target]) => {
    if (typeof target === 'string') return [];
    const { types } = target as { types: string };
    const file = `src/entry/${types.slice('./dist/'.length, -'.d.ts'.length)}.ts`;
    return [{ name: path === '.' ? 'portcullis' : path.slice('./'.length), file }];
  });
}

/** Replaces types that the compiler expanded by their names in the sources, which leaves a third of the bytes and is readable. */
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
      // The name is enough; docs/operations.md describes inputs and outputs.
      const shown = type.name === 'Operation' ? type.typeArguments?.slice(0, 1) : type.typeArguments;
      type.typeArguments = (shown ?? []).map(short);
    }
    return type;
  };
  for (const alias of aliases) {
    // The source takes it out of an object type to make it bivariant.
    if (alias.name === 'FetchLike') alias.type = new UnknownType('(url: string, init?: FetchInit) => Promise<FetchResponse>');
  }
  for (const found of Object.values(project.reflections) as DeclarationReflection[]) {
    // A destructured parameter has no name.
    if (found.name === '__namedParameters') found.name = 'options';
    const { type, kind, name } = found;
    if (type === undefined || kind === ReflectionKind.TypeAlias) continue;
    const isOfClient = found.getFullName().startsWith('client.Client.');
    const spelled = kind === ReflectionKind.Property ? `PartialClient<OperationGroups>['${name}']` : inClient[name];
    found.type = isOfClient && spelled !== undefined ? new UnknownType(spelled) : short(type);
  }
}

/** The client's generic calls, whose types follow from the named operation. */
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

/** The literals of a union of strings, as one key. */
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
      // The plugin sometimes numbers repeated headings differently from Markdown renderers.
      const found = there?.has(anchor) ? anchor : anchor.replace(/-\d+$/, '');
      wanted.add(found);
      return `](${path}#${found})`;
    }),
  );
  // Removes the anchors of table rows that no link uses, because they make the file hard to read.
  const tidied = led.map((text) => text.replace(/<a id="([^"]+)"><\/a> /g, (anchor, id) => (wanted.has(id) ? anchor : '')));
  const pages = new Map(names.map((name, at) => [name, tidied[at] ?? '']));
  return new Map([...pages].map(([name, text]) => [name, withReferenceTable(name, text, pages)]));
}

/** Replaces the sections that say only "Re-exports" by one table: what each export is, and a link to the page that describes it. */
function withReferenceTable(name: string, text: string, pages: ReadonlyMap<string, string>): string {
  const [own = '', references] = text.split(/^## References$/m);
  if (references === undefined) return text;
  const rows = [...references.matchAll(/^Re-exports \[([^\]]+)\]\(([^)#]+)#([^)]+)\)$/gm)].map(
    ([, title = '', path = '', anchor = '']) => {
      return `| [\`${title}\`](${path}#${anchor}) | ${firstSentence(pages.get(join(dirname(name), path)) ?? '', title)} |`;
    },
  );
  if (rows.length !== references.match(/^### /gm)?.length) throw new Error(`${name}: a reference has no link`);
  return `${own}## Described on other pages\n\n| Export | Description |\n| ------ | ------ |\n${rows.join('\n')}\n`;
}

/** The first sentence about an export, after its signature. */
function firstSentence(page: string, name: string): string {
  const [, section = ''] = page.split(new RegExp(`^### (?:abstract )?${name.replaceAll('_', '\\\\_')}(?:\\(\\)|\\\\<.*)?$`, 'm'));
  const [paragraph = ''] = section
    .replace(/^```[\s\S]*?^```$/gm, '')
    .replace(/^#.*$/gm, '')
    .trim()
    .split(/\n\n/, 1);
  const prose = paragraph.replace(/\s*\n\s*/g, ' ').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  const sentence = (/^.+?[.:](?= [A-Z`]|$)/.exec(prose)?.[0] ?? prose).replace(/:$/, '.');
  if (!/^[A-Z`].*\.$/.test(sentence)) throw new Error(`${name} has no sentence that describes it: ${sentence}`);
  return sentence;
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
