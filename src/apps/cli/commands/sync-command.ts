import type { SourceStatus } from '../../../blocklist/checks/blocklist-status.js';
import type { ListResult } from '../../../blocklist/sync/list-sync.js';
import type { Command } from '../command.js';
import { type ExitCode, exitCodeOf, exitCodes } from '../errors/exit.js';
import { listOptions, type OpenList, openList, warnOfList } from '../lists/open-list.js';
import type { Output } from '../terminal/output.js';
import { countText } from '../terminal/unit-text.js';

export const sync: Command = {
  summary: 'Fetch what is new of a list, now, and keep a copy of it. Whatever goes wrong, the copy that was there stays.',
  positionals: '',
  examples: [
    ['sync --relay https://relay.example/blocklist', 'Fetch the list of a relay'],
    ['sync', 'Fetch the list of the service that is configured'],
  ],
  options: listOptions,
  notes:
    'Exit codes: 0 all lists are current, 7 some are not, or could not be kept; where none is, what the first failure means: 2 the key is refused, 8 network.',

  async run(call) {
    const { output, signal } = call;
    const list = await openList(call);
    if (list.directory === null) output.note('no copy of this list is kept: it is read anew for each call');
    const startMs = performance.now();
    const seen = watch(list, output);
    try {
      const { outcome, untilMs, sources } = await list.blocklist.sync({ signal });
      seen.end();
      const status = list.blocklist.status();
      const results = sources.map((result, at) => resultOf(result, status.sources[at]!, seen.bytesOf(result.source)));
      const isKept = list.directory === null || status.sources.every(({ list, isStored }) => list === null || isStored);
      if (!isKept) output.warn('the list could not be stored; portcullis doctor looks at the folder');
      const ms = Math.round(performance.now() - startMs);
      await output.result({ outcome, ...(untilMs !== undefined && { untilMs }), ms, sources: results }, () =>
        output.format === 'human'
          ? results.map((result) => textOf(result, output)).join('\n')
          : results.map(({ error, ...rest }) => ({ ...rest, error: error?.message })),
      );
      return exitCode(sources, isKept);
    } finally {
      seen.end();
      await list.close();
    }
  },
};

/** What became of one source's list; the count is of what answers now, new or not. */
interface SourceResult {
  readonly source: string;
  readonly outcome: ListResult['outcome'];
  readonly count: number | null;
  readonly recentCount: number | null;
  readonly snapshotToken: string | null;
  readonly recentToken: string | null;
  /** Bytes that were fetched. */
  readonly bytes: number;
  readonly untilMs?: number;
  readonly error?: { readonly code: string; readonly message: string };
}

function resultOf({ source, outcome, untilMs, error }: ListResult, { list }: SourceStatus, bytes: number): SourceResult {
  return {
    source,
    outcome,
    count: list?.count ?? null,
    recentCount: list?.recentCount ?? null,
    snapshotToken: list?.snapshotToken ?? null,
    recentToken: list?.recentToken ?? null,
    bytes,
    ...(untilMs !== undefined && { untilMs }),
    ...(error !== undefined && { error: { code: error.code, message: error.message } }),
  };
}

function textOf({ source, outcome, count, recentCount, untilMs, error }: SourceResult, { paint }: Output): string {
  const held = count === null ? 'no list' : `${countText(count, 'entry')}, ${recentCount} since`;
  const colour = outcome === 'failed' ? 'red' : outcome === 'deferred' ? 'yellow' : 'green';
  const lines = [`${paint(colour, outcome.padEnd(9))} ${source}: ${held}`];
  if (untilMs !== undefined) lines.push(`  the source wants to be left alone until ${new Date(untilMs).toISOString()}`);
  if (error !== undefined) lines.push(`  ${error.message} [${error.code}]`);
  return lines.join('\n');
}

function watch({ blocklist }: OpenList, output: Output) {
  const progress = output.progress('list');
  /** The artifacts by their step: each event has what came of one so far. */
  const fetched = new Map<string, Map<string, number>>();
  const ends = [
    blocklist.on('progress', ({ source, step, bytes, total }) => {
      progress.update(bytes, total, step);
      const steps = fetched.get(source) ?? new Map<string, number>();
      fetched.set(source, steps.set(step, Math.max(bytes, steps.get(step) ?? 0)));
    }),
    blocklist.on('error', ({ where, error }) => {
      if (where === 'store') output.warn(`${error.message} [${error.code}]`);
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
  // What came is refused: nobody's network is to blame.
  return code === exitCodes.unexpected ? exitCodes.partial : code;
}
