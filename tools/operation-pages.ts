import { schemaOf } from '../src/api/operations/openapi.js';
import { allOperations, type FullOperation, openApi } from '../src/entry/client-node.js';

/** The source of a group with the summary of each operation as a comment, which editors show for the client's method. */
export function commentedSource(group: string, source: string): string {
  const rows = allOperations.filter((row) => row.group === group);
  return rows.reduce((text, row) => {
    const above = new RegExp(`(?:^ {2}/\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/\\n)?(?=^ {2}${row.verb}: (?:read|write|check)\\()`, 'm');
    return text.replace(above, commentOf(row));
  }, source);
}

function commentOf({ summary, deprecated, replacement }: FullOperation): string {
  const lines = [...wrapped(summary, 120), ...(deprecated ? [`@deprecated Use ${replacement.join(' or ')}.`] : [])];
  return lines.length === 1 ? `  /** ${lines[0]} */\n` : `  /**\n${lines.map((line) => `   * ${line}\n`).join('')}   */\n`;
}

function wrapped(text: string, width: number): string[] {
  return text.split(' ').reduce<string[]>((lines, word) => {
    const last = lines[lines.length - 1];
    if (last === undefined || last.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
    return lines;
  }, []);
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly 'x-provenance'?: string;
}

/** The text of each generated page, by its file name in docs. */
export function operationPages(): Record<string, string> {
  return { 'operations.md': referencePage() };
}

export const groups: readonly string[] = [...new Set(allOperations.map(({ group }) => group))];

function referencePage(): string {
  const index = groups.map((group) => {
    const rows = allOperations.filter((row) => row.group === group);
    return `| [${group}](#${group}) | ${rows.map(({ verb }) => `[\`${verb}\`](#clientgroupverb)`.replace('clientgroupverb', anchorOf(group, verb))).join(' ')} |`;
  });
  return `# Operations

Look up the id, input and response of every known operation: ${allOperations.length}, of which 63 are named in the service's own document and two
in an unpublished draft. Generated from \`src/api/operations\` by \`npm run docs:operations\`. The same as an OpenAPI 3.1
document is in the package, as \`dist/openapi.json\`; \`portcullis openapi\` prints it.

**Names.** The method of an operation is \`client.<group>.<verb>\`. The verb is the operation's id after the word of its group
(\`organizationReportsList\` of \`reports\` is \`list\`); an id without that word loses only a leading \`organization\`. For a list
with pages, \`<verb>All\` reads all of them. \`client.request(id, input)\` accepts any id.

**Schemas.** \`inputSchemaOf(row)\` is the JSON Schema of an operation's input, complete in itself: what a form or a tool server
needs. \`openApi()\` is the whole document.

**Sources.** Each part is marked by where it is from. \`seed\`: the service's own document. \`public\`: its published documentation.
\`draft\`: only an unpublished draft. \`provisional\`: none; it is this project's proposal and may change. A field without a mark is
as certain as its operation's input or response.

**Types.** \`time\` is a \`Date\` or ISO 8601; \`day\` is the same, sent as its day in UTC. An *open* input accepts further fields,
because not all are published. Responses keep further fields, and values that their list does not have; \`unknown\` is a shape
that is not published. A value list with \`…\` is incomplete.

| group | verbs |
|---|---|
${index.join('\n')}

${groups
  .map(
    (group) =>
      `## ${group}\n\n${allOperations
        .filter((row) => row.group === group)
        .map(operationText)
        .join('\n')}`,
  )
  .join('\n')}
## Value lists

| list | values |
|---|---|
${listRows().join('\n')}
`;
}

function anchorOf(group: string, verb: string): string {
  return `client${group}${verb}`.toLowerCase();
}

function operationText(row: FullOperation): string {
  const { name, route, input, output } = row.provenance;
  const facts = [
    row.path === null ? 'route not published: set it in the option `paths`' : `\`${row.method} ${row.path}\``,
    `id \`${row.name}\``,
    `tool \`${row.tool}\``,
    row.write ? (row.destructive ? '**writes, cannot be undone**' : '**writes**') : 'reads',
    row.repeatSafe ? 'retried' : 'not retried',
    ...(row.paging ? [`\`${row.verb}All\`: pages of up to ${row.paging.maxPageSize.toLocaleString('en')}`] : []),
    ...(row.slugAs ? [`slug as \`${row.slugAs}\``] : []),
    ...(row.statuses.length > 0 ? [`also answers ${row.statuses.join(', ')}`] : []),
  ];
  const sure = `name ${name}, route ${route}, ${input === null ? '' : `input ${input}, `}response ${output}`;
  const instead = row.deprecated ? `\nDeprecated: use ${row.replacement.map((id) => `\`${id}\``).join(' or ')}.\n` : '';
  return `### \`client.${row.group}.${row.verb}\`

${row.summary}
${instead}
${facts.join(' · ')}

Sources: ${sure}.

${inputText(schemaOf(row.input, 'input') as Schema)}
Response: \`${typeOf(schemaOf(row.output, 'output') as Schema)}\`${row.essential && `; without \`${row.essential}\` it is an error`}
`;
}

function inputText({ properties = {}, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries(properties);
  const open = additionalProperties === false ? '' : 'The input is open.\n';
  if (fields.length === 0) return open === '' ? 'No input.\n' : `${open}`;
  const rows = fields.map(([name, schema]) => {
    const remarks = [required.includes(name) ? 'required' : '', boundsOf(schema), schema['x-provenance'] ?? ''].filter(Boolean);
    return `| \`${name}\` | ${codeOf(typeOf(schema))} | ${remarks.join(', ')} |`;
  });
  return `${open}${open === '' ? '' : '\n'}| input | type | |\n|---|---|---|\n${rows.join('\n')}\n`;
}

/** Code in a table cell, where `|` must be escaped. */
function codeOf(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').pop() ?? '';
  if (schema.anyOf !== undefined) return unionOf(schema.anyOf);
  if (schema.format === 'date') return 'day';
  if (schema.description === 'ISO 8601') return 'time';
  if (Array.isArray(schema.type)) return schema.type.join(' | ');
  if (schema.type === 'array') {
    const item = typeOf(schema.items ?? {});
    return /[|\s]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
  }
  if (schema.properties !== undefined) {
    const fields = Object.entries(schema.properties).map(
      ([name, field]) => `${name}${schema.required?.includes(name) ? '' : '?'}: ${typeOf(field)}`,
    );
    return fields.length === 0 ? 'object' : `{ ${fields.join(', ')} }`;
  }
  return typeof schema.type === 'string' ? schema.type : 'unknown';
}

/** An open value list is shown as its name with `…`. */
function unionOf(options: readonly Schema[]): string {
  const [first = {}, second] = options;
  if (first.$ref !== undefined && second?.type === 'string') return `${typeOf(first)}…`;
  return options.map((option) => (option.type === 'null' ? 'null' : typeOf(option))).join(' | ');
}

function boundsOf({ minimum, maximum, minLength, maxLength, minItems, maxItems, items, ...schema }: Schema): string {
  const range = (low: number | undefined, high: number | undefined, unit: string): string => {
    if (low === undefined && high === undefined) return '';
    const units = unit === '' ? '' : ` ${unit}${(high ?? low) === 1 ? '' : 's'}`;
    if (high === undefined) return `at least ${low}${units}`;
    return `${low === high ? low : `${low ?? 0} to ${high.toLocaleString('en')}`}${units}`;
  };
  const inner = schema.anyOf?.map(boundsOf).filter(Boolean) ?? [];
  return [range(minimum, maximum, ''), range(minLength, maxLength, 'character'), range(minItems, maxItems, 'item'), ...inner]
    .filter(Boolean)
    .join(', ');
}

function listRows(): string[] {
  const { schemas } = openApi()['components'] as { schemas: Record<string, Schema> };
  return Object.entries(schemas)
    .filter(([, schema]) => schema.enum !== undefined)
    .map(([name, schema]) => `| ${name} | ${schema.enum?.map((value) => `\`${value}\``).join(' ')} |`);
}
