import type { ClientEvent, FullOperation, OperationName } from 'portcullis/client';
import { commonOptions, type OptionRows } from '../arguments/option-rows.js';
import type { Command, CommandCall } from '../command.js';
import { type ExitCode, exitCodes } from '../errors/exit-codes.js';
import { UsageError } from '../errors/usage.js';
import { keepOrganization, openClient, serviceOptions } from '../service/connection.js';
import type { Output } from '../terminal/output.js';
import { confirm } from '../terminal/prompt.js';
import { shownLines, shownRows } from '../terminal/show-value.js';
import { timeText } from '../terminal/unit-text.js';
import { exampleNeeds, operationExamples } from './operation-examples.js';
import { type Field, fieldsOf } from './operation-fields.js';
import { inFlags, operationInput } from './operation-input.js';
import { printAll } from './operation-pages.js';

/** Options besides the fields of an operation. */
function ownOptions({ paging, upload, path }: FullOperation): OptionRows {
  return {
    input: { value: 'json', text: 'The whole input, as JSON, @file or - for standard input; field options override it' },
    ...(paging && {
      all: { text: 'Print every item of every page, one per line with --json' },
      'limit-items': { value: 'number', text: 'Stop after this many items; implies --all' },
    }),
    ...(upload && { file: { value: 'path', isMultiple: true, text: 'A file to upload; repeat for several' } }),
    ...(path === null && {
      route: { value: 'route', text: "The verb and path, as 'POST /some/path', because they are not published" },
    }),
    ...serviceOptions,
  };
}

export function operationCommand(row: FullOperation): Command {
  const own = ownOptions(row);
  const fields = fieldsOf(row, new Set([...Object.keys(own), ...Object.keys(commonOptions)]));
  const example = operationExamples[row.name];
  return {
    summary: row.summary,
    positionals: '',
    argumentHint: 'fields are options; write a switch as --name=false',
    examples: [
      [
        `api ${row.name} --local${example === undefined ? '' : ` ${example}`}`,
        exampleNeeds[row.name] ?? (row.write ? 'Changes the sample data' : 'Reads the sample data'),
      ],
      ...(row.write ? ([[`api ${row.name} --dry-run …`, 'Prints the request instead of sending it']] as const) : []),
      ...(row.paging ? ([[`api ${row.name} --all --json …`, 'Prints every item of every page, one per line']] as const) : []),
      ...(row.write || row.paging ? [] : ([[`api ${row.name} --json …`, 'Prints the response unchanged']] as const)),
    ],
    options: { ...Object.fromEntries(fields.map(({ flag, row: option }) => [flag, option])), ...own },
    notes: notesOf(row),
    ...(row.write && { canDryRun: true as const }),
    run: (call) => run(row, fields, call),
  };
}

function notesOf(row: FullOperation): string {
  const { name, route, input, output } = row.provenance;
  return [
    row.path === null
      ? 'Its route is not published; pass it with --route.'
      : `${row.method} ${row.path}; tool name ${row.tool}; client method ${row.group}.${row.verb}.`,
    `Provenance: name ${name}, route ${route}, ${input === null ? '' : `input ${input}, `}output ${output}.`,
    ...(row.deprecated ? [`Deprecated; use ${row.replacement.join(' or ')}.`] : []),
    ...(row.destructive ? ['Cannot be undone: prompts on a terminal, and needs --yes elsewhere.'] : []),
  ].join('\n');
}

async function run(row: FullOperation, fields: readonly Field[], call: CommandCall): Promise<ExitCode> {
  const { options } = call;
  const maxItems = row.paging ? options.number('limit-items', 1, Number.MAX_SAFE_INTEGER) : undefined;
  const paths = pathsOf(row, call);
  requireOrganization(row, options);
  const input = await operationInput(row, fields, call);
  try {
    if (options.has('dry-run')) return await printPlanned(row, input, call, paths);
    if (row.destructive) await confirm(call, row.name);
    const { client, close } = await openClient(call, { paths, onEvent: (event) => report(event, call.output) });
    try {
      if (row.paging && (options.has('all') || maxItems !== undefined)) {
        await printAll(client, row, input, call, maxItems ?? Number.POSITIVE_INFINITY);
        if (isFor(row, input, options.text('org'))) await keepOrganization(call);
        return exitCodes.ok;
      }
      const answer: unknown = await client.request(row.name, firstPage(row, input) as never, { signal: call.signal });
      if (isFor(row, input, options.text('org'))) await keepOrganization(call);
      await printAnswer(row, answer, call.output);
      return exitCodeOf(answer);
    } finally {
      await close();
    }
  } catch (error) {
    throw inFlags(error, fields, input);
  }
}

/** Whether a call was for this organization; its input may name another. */
function isFor({ slugAs }: FullOperation, input: Record<string, unknown>, org: string | undefined): boolean {
  return slugAs !== null && (input[slugAs] ?? org) === org;
}

/** An operation that takes no slug would act for the organization of the key, and not for the one in `--org`. */
function requireOrganization({ name, slugAs, scoped }: FullOperation, options: CommandCall['options']): void {
  if (slugAs !== null || scoped !== 'org' || !options.has('org')) return;
  throw new UsageError(
    `${name} takes no organization: it acts for the one of the key`,
    'leave out --org, and use a key of that organization',
  );
}

async function printPlanned(
  row: FullOperation,
  input: Record<string, unknown>,
  call: CommandCall,
  paths: Readonly<Record<string, string>>,
): Promise<ExitCode> {
  const { output } = call;
  const { plannedRequest } = await import('./planned-request.js');
  const planned = await plannedRequest(row, input, call, paths);
  await output.result(planned, () =>
    output.format === 'human'
      ? [`${planned.method} ${planned.url}`, ...JSON.stringify(planned.body, null, 2).split('\n')]
      : shownRows(planned),
  );
  output.note('nothing was sent');
  return exitCodes.ok;
}

async function printAnswer(row: FullOperation, answer: unknown, output: Output): Promise<void> {
  await output.result(answer ?? null, () =>
    output.format === 'human' ? shownLines(answer, output) : shownRows(answer, row.paging?.items),
  );
  const { nextCursor, cursor, next_page: nextPage } = Object(answer) as Record<string, unknown>;
  const isCursor = row.paging?.style === 'cursor';
  const next = isCursor ? (nextCursor ?? cursor) : nextPage;
  if (!row.paging || next === undefined || next === null || next === '') return;
  const flag = isCursor ? '--cursor' : '--next-page';
  output.note(`more items follow: api ${row.name} ${flag}=${next}, or --all`);
}

function pathsOf({ name, path }: FullOperation, { options }: CommandCall): Readonly<Record<string, string>> {
  if (path !== null) return {};
  const route = options.text('route');
  if (route === undefined) {
    throw new UsageError(`the route of ${name} is not published`, "if you know it, pass --route 'POST /some/path'", {
      code: 'PATH_UNKNOWN',
    });
  }
  return { [name satisfies OperationName]: route };
}

/** The list of reports requires a page size. */
function firstPage({ paging, name }: FullOperation, input: Record<string, unknown>): Record<string, unknown> {
  const needsSize = name === 'organizationReportsList' && paging !== null;
  return needsSize ? { limit: paging.maxPageSize, ...input } : input;
}

/** `partial` if an item of a batch write failed, by the count, which may be a text, or by its own result. */
function exitCodeOf(answer: unknown): ExitCode {
  const { errorCount, results } = Object(answer) as { errorCount?: unknown; results?: unknown };
  const isFailed = Array.isArray(results) && results.some((result) => Object(result).success === false);
  return isFailed || Number(errorCount) > 0 ? exitCodes.partial : exitCodes.ok;
}

function report(event: ClientEvent, { warn, note }: Output): void {
  switch (event.type) {
    case 'deprecated':
      warn(`${event.operation} is deprecated; use ${event.replacement.join(' or ')}`);
      break;
    case 'deprecation-header':
      warn(`the service will remove ${event.operation}: ${event.sunset ?? event.deprecation}`);
      break;
    case 'response-mismatch': {
      const shown = event.issues.slice(0, 3).map(({ path, message }) => `${path} ${message}`);
      warn(`the response differs from its documentation: ${shown.join('; ')}${event.issues.length > 3 ? '; …' : ''}`);
      break;
    }
    case 'retry':
      // The error at the end names the address and the cause.
      note(
        `${event.operation}: ${event.error.code === 'NETWORK' ? 'no connection' : event.error.message}; retrying in ${timeText(event.delayMs)}`,
      );
  }
}
