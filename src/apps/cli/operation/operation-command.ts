import type { ClientEvent } from '../../../api/client/client-types.js';
import type { FullOperation, OperationName } from '../../../api/operations/all-operations.js';
import { commonOptions } from '../arguments/arguments.js';
import type { Call, Command, OptionRows } from '../command.js';
import { type ExitCode, exitCodes } from '../errors/exit.js';
import { UsageError } from '../errors/usage.js';
import { keepOrganization, openClient, serviceOptions } from '../service/connection.js';
import type { Output } from '../terminal/output.js';
import { confirm } from '../terminal/prompt.js';
import { shownRows, shownText } from '../terminal/show-value.js';
import { printable } from '../terminal/terminal.js';
import { exampleNeeds, operationExamples } from './operation-examples.js';
import { type Field, fieldsOf } from './operation-fields.js';
import { inFlags, operationInput } from './operation-input.js';
import { printAll } from './operation-pages.js';

const inputOption: OptionRows = {
  input: { value: 'json', text: 'The whole input, or as @file or - for standard input; options of fields go over it' },
};

const pageOptions: OptionRows = {
  all: { text: 'Every item of every page, one a line with --json' },
  'limit-items': { value: 'number', text: 'No more items than this; with it --all need not be said' },
};

const uploadOptions: OptionRows = {
  file: { value: 'path', isMultiple: true, text: 'A file to upload; several go together' },
};

const routeOption: OptionRows = {
  route: { value: 'route', text: "Its verb and path, as 'POST /some/path': nobody has published them" },
};

/** Options beside an operation's own fields. */
function ownOptions({ paging, upload, path }: FullOperation): OptionRows {
  return {
    ...inputOption,
    ...(paging && pageOptions),
    ...(upload && uploadOptions),
    ...(path === null && routeOption),
    ...serviceOptions,
  };
}

/** One operation of the table as a command. */
export function operationCommand(row: FullOperation): Command {
  const own = ownOptions(row);
  const fields = fieldsOf(row, new Set([...Object.keys(own), ...Object.keys(commonOptions)]));
  const example = operationExamples[row.name];
  return {
    summary: row.summary,
    positionals: '',
    wordsHint: 'fields are options; of a switch write --name=false',
    examples: [
      [
        `api ${row.name} --local${example === undefined ? '' : ` ${example}`}`,
        exampleNeeds[row.name] ?? (row.write ? 'With the sample data' : 'From the sample data'),
      ],
      ...(row.write ? ([[`api ${row.name} --dry-run …`, 'The request that would be sent']] as const) : []),
      ...(row.paging ? ([[`api ${row.name} --all --json …`, 'Every item of every page, one a line']] as const) : []),
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
      ? 'Nobody has published its route: give it with --route.'
      : `${row.method} ${row.path}; as a tool ${row.tool}; of the client ${row.group}.${row.verb}.`,
    `How sure it is: name ${name}, route ${route}, ${input === null ? '' : `input ${input}, `}answer ${output}.`,
    ...(row.deprecated ? [`Deprecated: use ${row.replacement.join(' or ')}.`] : []),
    ...(row.destructive ? ['It cannot be undone: it asks on a terminal, and needs --yes elsewhere.'] : []),
  ].join('\n');
}

async function run(row: FullOperation, fields: readonly Field[], call: Call): Promise<ExitCode> {
  const { options, output } = call;
  const itemsMax = row.paging ? options.number('limit-items', 1, Number.MAX_SAFE_INTEGER) : undefined;
  const paths = pathsOf(row, call);
  const input = await operationInput(row, fields, call);
  try {
    if (options.has('dry-run')) {
      const { plannedRequest } = await import('./planned-request.js');
      const planned = await plannedRequest(row, input, call, paths);
      await output.result(planned, () =>
        output.format === 'human'
          ? `${planned.method} ${printable(planned.url)}\n${JSON.stringify(planned.body, null, 2)}`
          : shownRows(planned),
      );
      output.note('nothing was sent');
      return exitCodes.ok;
    }
    if (row.destructive) await confirm(call, row.name);
    const { client, close } = await openClient(call, { paths, onEvent: (event) => tell(event, output) });
    try {
      if (row.paging && (options.has('all') || itemsMax !== undefined)) {
        await printAll(client, row, input, call, itemsMax ?? Number.POSITIVE_INFINITY);
        await keepOrganization(call);
        return exitCodes.ok;
      }
      const answer: unknown = await client.request(row.name, firstPage(row, input) as never, { signal: call.signal });
      await keepOrganization(call);
      await output.result(answer ?? null, () =>
        output.format === 'human' ? shownText(answer, output) : shownRows(answer, row.paging?.items),
      );
      if (row.paging) tellMore(answer, row, output);
      return exitCodeOf(answer);
    } finally {
      await close();
    }
  } catch (error) {
    throw inFlags(error, fields, input);
  }
}

function pathsOf({ name, path }: FullOperation, { options }: Call): Readonly<Record<string, string>> {
  if (path !== null) return {};
  const route = options.text('route');
  if (route === undefined) {
    throw new UsageError(`nobody has published the route of ${name}`, "if you know it: --route 'POST /some/path'", {
      code: 'PATH_UNKNOWN',
    });
  }
  return { [name satisfies OperationName]: route };
}

/** The list of reports wants to be told a size. */
function firstPage({ paging, name }: FullOperation, input: Record<string, unknown>): Record<string, unknown> {
  const wantsSize = name === 'organizationReportsList' && paging !== null;
  return wantsSize ? { limit: paging.pageMax, ...input } : input;
}

function tellMore(answer: unknown, { paging, name }: FullOperation, output: Output): void {
  const { nextCursor, cursor, next_page: nextPage } = Object(answer) as Record<string, unknown>;
  const next = paging?.style === 'cursor' ? (nextCursor ?? cursor) : nextPage;
  if (next === undefined || next === null || next === '') return;
  const flag = paging?.style === 'cursor' ? '--cursor' : '--next-page';
  output.note(`there is more: api ${name} ${flag}=${printable(String(next))}, or --all`);
}

/** A write of many that succeeded for some. */
function exitCodeOf(answer: unknown): ExitCode {
  const { errorCount } = Object(answer) as { errorCount?: unknown };
  return typeof errorCount === 'number' && errorCount > 0 ? exitCodes.partial : exitCodes.ok;
}

function tell(event: ClientEvent, { warn, note }: Output): void {
  switch (event.type) {
    case 'deprecated':
      warn(`${event.operation} is deprecated: use ${event.replacement.join(' or ')}`);
      break;
    case 'deprecation-header':
      warn(printable(`the service announces the end of ${event.operation}: ${event.sunset ?? event.deprecation}`));
      break;
    case 'response-mismatch': {
      const shown = event.issues.slice(0, 3).map(({ path, message }) => `${path} ${message}`);
      warn(printable(`the answer is not as documented: ${shown.join('; ')}${event.issues.length > 3 ? '; …' : ''}`));
      break;
    }
    case 'retry':
      note(printable(`${event.operation} failed and is tried again: ${event.error.message}`));
  }
}
