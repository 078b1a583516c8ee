import type { Client, FullOperation, OperationName } from 'portcullis/client';
import type { CommandCall } from '../command.js';
import { rowsOf } from '../terminal/show-value.js';
import { tableOf, titlesOf } from '../terminal/text-table.js';

/** Rows of a table. All are needed to know the width of its columns. */
const maxBatch = 100;

type Pages = (input: object, options: { signal: AbortSignal }) => AsyncGenerator<unknown, void, void>;

/** Prints every item of a list as it arrives. The next page is fetched once the last one is printed. */
export async function printAll(
  client: Client,
  { group, verb, paging, name }: FullOperation,
  input: Readonly<Record<string, unknown>>,
  call: CommandCall,
  maxItems: number,
): Promise<void> {
  const { output, signal } = call;
  const size = paging?.style === 'cursor' ? 'limit' : 'per_page';
  const page = { ...(maxItems < (paging?.maxPageSize ?? 0) && { [size]: maxItems }), ...input };
  const all = (client as unknown as Record<string, Record<string, Pages>>)[group]![`${verb}All`]!;
  const print = output.format === 'json' ? (items: readonly unknown[]) => lines(items, call) : tables(call);
  const batch: unknown[] = [];
  const progress = output.progress(name satisfies OperationName);
  let count = 0;
  try {
    for await (const item of all(page, { signal })) {
      batch.push(item);
      progress.update(++count);
      if (batch.length === maxBatch || output.format === 'json') await print(batch.splice(0));
      if (count >= maxItems) break;
    }
  } finally {
    progress.end();
  }
  signal.throwIfAborted();
  if (batch.length > 0) await print(batch);
  if (count === 0) output.note('no items');
}

async function lines(items: readonly unknown[], { output }: CommandCall): Promise<void> {
  for (const item of items) await output.item(item, () => []);
}

/** The first rows determine the columns, and only they get titles, except in human format, where every table has them. */
function tables({ output }: CommandCall): (items: readonly unknown[]) => Promise<void> {
  let titles: readonly string[] | undefined;
  return (items) => {
    const { format } = output;
    if (format === 'human' || format === 'json') return output.text(tableOf(rowsOf(items), 'human', output.columns));
    const rows = rowsOf(items);
    const isFirst = titles === undefined;
    titles ??= titlesOf(rows);
    const text = tableOf(rows, format, output.columns, titles);
    const titleLines = format === 'csv' ? 1 : 2;
    return output.text(isFirst ? text : text.split('\n').slice(titleLines).join('\n'));
  };
}
