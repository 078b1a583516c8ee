import type { SourceStatus } from '../../../blocklist/checks/blocklist-status.js';
import type { Command } from '../command.js';
import { exitCodes } from '../errors/exit.js';
import { UsageError } from '../errors/usage.js';
import { listOptions, openList } from '../lists/open-list.js';
import { type Folder, folderOf, loadStored } from '../lists/stored.js';
import type { Output } from '../terminal/output.js';
import { bytesText, calibrationText, countText, timeText } from '../terminal/unit-text.js';

/** A disk gets time here; nobody waits for a page. */
const loadWaitMs = 60_000;

export const status: Command = {
  summary: 'Show the stored copy of a list: what it is, how old, and when it is due. Asks nobody.',
  positionals: '',
  examples: [
    ['status --relay https://relay.example/blocklist', 'Of the list of a relay'],
    ['status --json', 'Of the service that is configured, for a script'],
  ],
  options: listOptions,
  notes: 'Exit codes: 0 there is a fresh list, 7 it is too old to say what is not on it, or damaged, 4 there is none.',

  async run(call) {
    const { output } = call;
    const list = await openList(call, { loadWaitMs });
    try {
      const { directory } = list;
      if (directory === null) {
        throw new UsageError('nothing is stored of this list: it is read anew for each call', 'portcullis doctor looks at it');
      }
      const folder = await folderOf(directory);
      // A folder that is not there is not made for a question.
      const damaged = folder.exists ? await loadStored(list) : [];
      const { overrides, sources } = list.blocklist.status();
      const state = { from: list.from, directory, ...folder, overrides, damaged, sources: sources.map(sourceOf) };
      await output.result(state, () => (output.format === 'human' ? textOf(state, output) : state.sources.map(flat)));
      if (damaged.length > 0) return exitCodes.partial;
      if (sources.every((source) => source.list === null)) return exitCodes.notFound;
      return sources.every((source) => source.list?.isStale === false) ? exitCodes.ok : exitCodes.partial;
    } finally {
      await list.close();
    }
  },
};

/** Of one source, as far as a copy tells. */
function sourceOf({ source, list, failures, nextSyncAtMs, heldUntilMs, confirm }: SourceStatus) {
  return { source, list, failures, nextSyncAtMs: Math.round(nextSyncAtMs), heldUntilMs, remembered: confirm.cached };
}

/** For a table. */
function flat({ list, ...source }: ReturnType<typeof sourceOf>) {
  return { ...source, ...list };
}

interface State extends Folder {
  readonly from: string;
  readonly directory: string;
  readonly overrides: number;
  readonly damaged: readonly string[];
  readonly sources: readonly ReturnType<typeof sourceOf>[];
}

function textOf({ directory, files, bytes, overrides, damaged, sources }: State, { paint }: Output): string {
  const lines = sources.flatMap(({ source, list, failures, nextSyncAtMs, heldUntilMs, remembered }) => {
    if (list === null) return [`${paint('yellow', 'no list')} ${source}: nothing is stored; fetch it with: portcullis sync`];
    const { count, recentCount, ageMs, isStale, algoVersion, algorithm, snapshotToken, recentToken, calibration } = list;
    return [
      `${isStale ? paint('yellow', 'stale') : paint('green', 'fresh')} ${source}: ${timeText(ageMs)} old${isStale ? ', too old to say what is not on it' : ''}`,
      `  entries      ${count.toLocaleString('en')}, and ${recentCount.toLocaleString('en')} since`,
      `  tokens       ${snapshotToken} ${recentToken ?? ''}`.trimEnd(),
      `  algorithm    ${algoVersion}${algoVersion === algorithm ? '' : ` (${algorithm})`}, ${calibrationText(calibration)}`,
      `  next round   ${dueText(nextSyncAtMs)}${failures > 0 ? `; the last ${failures} failed` : ''}`,
      ...(heldUntilMs > Date.now() ? [`  left alone   until ${new Date(heldUntilMs).toISOString()}, as the source asked`] : []),
      `  remembered   ${remembered} answers about hits`,
    ];
  });
  return [
    ...lines,
    ...damaged.map((name) => paint('red', `damaged: ${name}; the next sync fetches it again`)),
    `  stored in    ${directory}`,
    `  on disk      ${bytesText(bytes)} in ${countText(files, 'file')}; ${countText(overrides, 'override')}`,
  ].join('\n');
}

function dueText(atMs: number): string {
  const waitMs = atMs - Date.now();
  return waitMs <= 0 ? 'due' : `in ${timeText(waitMs)}`;
}
