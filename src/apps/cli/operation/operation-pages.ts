import type { Client } from '../../../api/client/web-client.js';
import type { FullOperation, OperationName } from '../../../api/operations/all-operations.js';
import type { Call } from '../command.js';
import { rowsOf } from '../terminal/show-value.js';
import { type Rows, tableOf } from '../terminal/text-table.js';

/** Rows of one table: columns are as wide as their widest cell, which has to be known. */
const batchMax = 100;

type Pages = (input: object, options: { signal: AbortSignal }) => AsyncGenerator<unknown, void, void>;

/** Every item of a list, page after page, as it comes; the next page is asked for when the last one was read. */
export async function printAll(
  client: Client,
  { group, verb, paging, name }: FullOperation,
  input: Readonly<Record<string, unknown>>,
  call: Call,
  itemsMax: number,
): Promise<void> {
  const { output, signal } = call;
  const size = paging?.style === 'cursor' ? 'limit' : 'per_page';
  const page = { ...(itemsMax < (paging?.pageMax ?? 0) && { [size]: itemsMax }), ...input };
  const all = (client as unknown as Record<string, Record<string, Pages>>)[group]![`${verb}All`]!;
  const print = output.format === 'json' ? (items: readonly unknown[]) => lines(items, call) : tables(call);
  const batch: unknown[] = [];
  const progress = output.progress(name satisfies OperationName);
  let count = 0;
  try {
    for await (const item of all(page, { signal })) {
      batch.push(item);
      progress.update(++count);
      if (batch.length === batchMax || output.format === 'json') await print(batch.splice(0));
      if (count >= itemsMax) break;
    }
  } finally {
    progress.end();
  }
  signal.throwIfAborted();
  if (batch.length > 0) await print(batch);
  if (count === 0) output.note('there is none');
}

async function lines(items: readonly unknown[], { output }: Call): Promise<void> {
  for (const item of items) await output.item(item, () => '');
}

/** The first rows say what the columns are, and only they have titles; a person sees them again with every table. */
function tables({ output }: Call): (items: readonly unknown[]) => Promise<void> {
  let titles: readonly string[] | undefined;
  return (items) => {
    const { format } = output;
    if (format === 'human' || format === 'json') return output.raw(tableOf(rowsOf(items), 'human', output.columns));
    const rows = rowsOf(items);
    const isFirst = titles === undefined;
    titles ??= [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const same: Rows = rows.map((row) => Object.fromEntries(titles!.map((title) => [title, row[title]])));
    const text = tableOf(same, format, output.columns);
    const titleLines = format === 'csv' ? 1 : 2;
    return output.raw(isFirst ? text : text.split('\n').slice(titleLines).join('\n'));
  };
}
