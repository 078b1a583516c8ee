import type { ListResult, SourceStatus } from 'portcullis';
import { known } from '../../../src/core/errors.js';
import type { Command } from '../command.js';
import { errorText } from '../errors/error-text.js';
import { type ExitCode, exitCodes } from '../errors/exit-codes.js';
import { exitCodeOf, listNext } from '../errors/failure.js';
import { readText } from '../lists/list-file.js';
import { listOptions, originWords } from '../lists/list-options.js';
import { type OpenList, openList, warnOfList } from '../lists/open-list.js';
import type { Output } from '../terminal/output.js';
import { countText, numberText } from '../terminal/unit-text.js';

export const sync: Command = {
  summary: 'Fetch the changes of a list now, and store a copy. If anything fails, the old copy stays.',
  positionals: '',
  examples: [
    ['sync', 'Fetches the list of the configured service'],
    ['sync --relay https://relay.example/blocklist', 'Fetches the list of a relay'],
    ['sync --list https://lists.example/phishing.txt', 'Fetches a list in any format of docs/publishing.md'],
  ],
  options: listOptions,
  notes:
    'Exit codes: 0 all lists are current; 7 some are not, or could not be stored. If none is current, the code of the first failure: 2 the key was rejected; 8 network.',

  async run(call) {
    const { output, signal } = call;
    const list = await openList(call);
    if (list.directory === null) output.note('this list is read again for each call, so no copy is stored');
    const startMs = performance.now();
    const seen = watch(list, output);
    try {
      const { outcome, untilMs, sources } = await list.blocklist.sync({ signal });
      seen.end();
      const status = list.blocklist.status();
      const results = sources.map((result, at) => resultOf(result, status.sources[at]!, seen.bytesOf(result.source), list));
      const isKept = list.directory === null || status.sources.every(({ list, isStored }) => list === null || isStored);
      if (!isKept)
        output.alarm(`the list could not be stored; check the folder with: portcullis doctor${originWords(call.options)}`);
      const ms = Math.round(performance.now() - startMs);
      await output.result({ outcome, ...(untilMs !== undefined && { untilMs }), ms, sources: results }, () =>
        output.format === 'human'
          ? results.flatMap((result) => linesOf(result, output))
          : results.map(({ error, report, ...rest }) => ({
              ...rest,
              ...(report && { format: report.format }),
              error: error?.message,
            })),
      );
      return exitCode(sources, isKept);
    } finally {
      seen.end();
      await list.close();
    }
  },
};

/** The result for one source. The counts are those of the list in use, whether it is new or not. */
function resultOf(
  { source, outcome, untilMs, error }: ListResult,
  { list }: SourceStatus,
  bytes: number,
  { nameOf, reportOf }: OpenList,
) {
  const report = reportOf(source);
  return {
    source,
    outcome,
    count: list?.count ?? null,
    recentCount: list?.recentCount ?? null,
    snapshotToken: list?.snapshotToken ?? null,
    recentToken: list?.recentToken ?? null,
    bytes,
    ...(report !== undefined && { report }),
    ...(untilMs !== undefined && { untilMs }),
    ...(error !== undefined && {
      error: known({ code: error.code, message: errorText(error, nameOf(source)), next: listNext(error) }),
    }),
  };
}

function linesOf(
  { source, outcome, count, recentCount, untilMs, error, report }: ReturnType<typeof resultOf>,
  { paint }: Output,
): string[] {
  const held = count === null ? 'no list' : `${countText(count, 'entry')} plus ${numberText(recentCount ?? 0)} recent`;
  const color = outcome === 'failed' ? 'red' : outcome === 'deferred' ? 'yellow' : 'green';
  const lines = [`${paint(color, outcome.padEnd(9))} ${source}: ${held}`];
  if (report !== undefined) lines.push(`  ${readText(report)}`);
  if (untilMs !== undefined) lines.push(`  the source requested a pause until ${new Date(untilMs).toISOString()}`);
  if (error !== undefined) lines.push(`  ${error.message} [${error.code}]`);
  if (error?.next !== undefined) lines.push(`  ${error.next}`);
  return lines;
}

function watch({ blocklist }: OpenList, output: Output) {
  const progress = output.progress('list');
  /** By source and step, because each event has the total of its step so far. */
  const fetched = new Map<string, Map<string, number>>();
  const ends = [
    blocklist.on('progress', ({ source, step, bytes, total }) => {
      progress.update(bytes, total, step);
      const steps = fetched.get(source) ?? new Map<string, number>();
      fetched.set(source, steps.set(step, Math.max(bytes, steps.get(step) ?? 0)));
    }),
    blocklist.on('error', ({ where, error }) => {
      if (where === 'store') output.alarm(`${error.message} [${error.code}]`);
    }),
    warnOfList(blocklist, output),
  ];
  return {
    bytesOf: (source: string): number => [...(fetched.get(source)?.values() ?? [])].reduce((sum, bytes) => sum + bytes, 0),
    end: (): void => {
      progress.end();
      for (const end of ends.splice(0)) end();
    },
  };
}

function exitCode(sources: readonly ListResult[], isKept: boolean): ExitCode {
  const bad = sources.filter(({ outcome }) => outcome === 'failed' || outcome === 'deferred');
  if (bad.length === 0) return isKept ? exitCodes.ok : exitCodes.partial;
  const { error } = bad.find((result) => result.error !== undefined) ?? {};
  if (bad.length < sources.length || error === undefined) return exitCodes.partial;
  const code = exitCodeOf(error);
  // The response itself was unusable.
  return code === exitCodes.unexpected ? exitCodes.partial : code;
}
