import { inputWithSlug, requireRoutes } from '../../api/client/client-request.js';
import { allOperations, type FullOperation } from '../../api/operations/all-operations.js';
import { maxUploadFiles } from '../../api/operations/attachments.js';
import { fromBase64 } from '../../core/base64.js';
import { isRecord, PortcullisError, refuse } from '../../core/errors.js';
import type { Tool } from './tool.js';
import { lenientArguments, readJsonFields } from './tool-arguments.js';
import type { Json } from './tool-json.js';
import { ruleOf, toolSchemaOf, untypedFieldsOf } from './tool-schema.js';

/** @param paths Routes that are not published */
export function operationTools(paths: Readonly<Record<string, string>> = {}): Tool[] {
  requireRoutes('createToolServer', paths, (name) => allOperations.some((row) => row.name === name));
  const callable = allOperations.filter(({ name, path }) => path !== null || paths[name] !== undefined);
  return callable.map((row) => ({
    group: row.group,
    description: {
      name: row.tool,
      description: descriptionOf(row),
      inputSchema: row.upload ? uploadSchema : toolSchemaOf(row),
      annotations: {
        readOnlyHint: !row.write,
        // A host runs what only adds without a question.
        destructiveHint: row.effect !== null && row.effect.kind !== 'adds',
        idempotentHint: row.repeatSafe,
        openWorldHint: true,
      },
    },
    read: (given, slug) => {
      const input = lenientArguments(given, row.upload ? uploadSchema : toolSchemaOf(row));
      return inputWithSlug(row, row.upload ? input : readJsonFields(input, untypedFieldsOf(row)), slug);
    },
    ...(row.upload && { shown: shownFiles }),
    run: async (input, { request, signal }) => {
      if (request === undefined) throw new PortcullisError('KEY_UNAVAILABLE', 'no service is configured for this tool');
      if (row.destructive && Object.keys(input).length === 0) refuse('this cannot be undone, so its target must be named');
      return request(row.name, row.upload ? filesOf(input) : input, signal);
    },
  }));
}

/** Whether a tool is only offered with the option `paths`. */
export function isUnpublished(name: string): boolean {
  return allOperations.some(({ tool, path }) => tool === name && path === null);
}

/** In every description of what changes something that is there, or cannot be taken back. */
export const askFirst = 'Ask the user first.';

/** A description must be sufficient alone, because some hosts read no resources. */
function descriptionOf(row: FullOperation): string {
  return [
    row.summary,
    row.deprecated ? `Deprecated: use ${row.replacement.map(toolOf).join(' or ')}.` : '',
    row.effect === null ? '' : `${row.effect.sentence}${row.effect.kind === 'adds' ? '' : ` ${askFirst}`}`,
    row.destructive ? 'IRREVERSIBLE.' : row.write && !row.repeatSafe ? 'Do not repeat it after a timeout.' : '',
    row.upload ? '' : ruleOf(row),
    hasUnpublishedInput(row) ? 'Its arguments are not published; the service checks them.' : '',
    row.paging === null ? '' : `Pages: pass ${row.paging.style === 'cursor' ? 'cursor' : 'next_page'} of the last answer.`,
  ]
    .filter(Boolean)
    .join(' ');
}

function hasUnpublishedInput(row: FullOperation): boolean {
  const { properties, additionalProperties } = toolSchemaOf(row);
  return !row.upload && additionalProperties === true && Object.keys(properties as Json).length === 0;
}

const toolOf = (name: string): string => allOperations.find((row) => row.name === name)?.tool ?? name;

/** Content, never a path: an agent that follows instructions in a message must not be able to send files of this machine. */
const uploadSchema: Json = {
  type: 'object',
  properties: {
    files: {
      type: 'array',
      description: 'Each file with its content, as base64 or as text',
      items: {
        type: 'object',
        properties: { fileName: { type: 'string' }, base64: { type: 'string' }, text: { type: 'string' } },
        required: ['fileName'],
      },
      minItems: 1,
    },
  },
  required: ['files'],
  additionalProperties: false,
};

/** Characters of a file's content that are shown. */
const maxShownContent = 500;

/** The names of the files in full, and the start of what they have. */
function shownFiles({ files, ...rest }: Json): unknown {
  const shown = (file: unknown): unknown => {
    if (!isRecord(file)) return file;
    return Object.fromEntries(
      Object.entries(file).map(([name, value]) => {
        const isContent = (name === 'base64' || name === 'text') && typeof value === 'string' && value.length > maxShownContent;
        return [name, isContent ? `${value.slice(0, maxShownContent)}… (${value.length} characters)` : value];
      }),
    );
  };
  return { files: Array.isArray(files) ? files.map(shown) : files, ...rest };
}

function filesOf({ files, ...rest }: Json): Json {
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) refuse(`unknown argument ${JSON.stringify(unknown.slice(0, 40))}; pass files`);
  if (!Array.isArray(files) || files.length === 0 || files.length > maxUploadFiles) {
    refuse(`files must be a list of 1 to ${maxUploadFiles} files`);
  }
  // One is sent as it is, without the frame of a form, so that it can have all of the limit.
  return files.length === 1 ? fileOf(files[0]) : { files: files.map(fileOf) };
}

function fileOf(given: unknown): Json {
  const { fileName, base64, text } = isRecord(given) ? given : {};
  if (typeof fileName !== 'string') refuse('each file needs a fileName');
  if ((typeof base64 === 'string') === (typeof text === 'string')) {
    refuse('each file needs either base64 or text; paths of files are not accepted');
  }
  if (typeof text === 'string') return { fileName, file: new TextEncoder().encode(text) };
  const bytes = fromBase64(base64 as string);
  if (bytes === null) refuse('base64 is malformed');
  return { fileName, file: bytes };
}
