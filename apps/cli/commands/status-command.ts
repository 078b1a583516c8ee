import type { SourceStatus } from 'portcullis';
import type { Command } from '../command.js';
import { exitCodes } from '../errors/exit-codes.js';
import { UsageError } from '../errors/usage.js';
import { listOptions, originWords } from '../lists/list-options.js';
import { openList } from '../lists/open-list.js';
import { type Folder, folderOf, loadStored } from '../lists/store-folder.js';
import type { Output } from '../terminal/output.js';
import { bytesText, calibrationText, countText, expiryText, numberText, timeText } from '../terminal/unit-text.js';

export const status: Command = {
  summary: 'Show the stored copy of a list, its age, and when the next sync is due. Works offline.',
  positionals: '',
  examples: [
    ['status', 'Shows the list of the configured service'],
    ['status --relay https://relay.example/blocklist --json', 'Shows the list of a relay, for a script'],
  ],
  options: listOptions,
  notes: 'Exit codes: 0 the copy is fresh; 7 it is stale or damaged; 4 there is none.',

  async run(call) {
    const { output } = call;
    const words = originWords(call.options);
    const list = await openList(call);
    try {
      const { directory } = list;
      if (directory === null) {
        throw new UsageError(
          'this list has no stored copy, because it is read again for each call',
          `check the list with: portcullis doctor${words}`,
        );
      }
      const folder = await folderOf(directory);
      // Loading would create the folder.
      const damaged = folder.exists ? await loadStored(list) : [];
      const { overrides, sources } = list.blocklist.status();
      const state = { from: list.origin, directory, ...folder, overrides, damaged, sources: sources.map(sourceOf) };
      await output.result(state, () =>
        output.format === 'human'
          ? linesOf(state, words, output)
          : state.sources.map(({ list, ...source }) => ({ ...source, ...list })),
      );
      if (damaged.length > 0) return exitCodes.partial;
      if (sources.every((source) => source.list === null)) return exitCodes.notFound;
      return sources.every((source) => source.list?.isStale === false) ? exitCodes.ok : exitCodes.partial;
    } finally {
      await list.close();
    }
  },
};

/** The state of one source according to the stored copy. */
function sourceOf({ source, list, failures, nextSyncAtMs, heldUntilMs, olderAtMs, confirm }: SourceStatus) {
  return { source, list, failures, nextSyncAtMs: Math.round(nextSyncAtMs), heldUntilMs, olderAtMs, remembered: confirm.cached };
}

interface State extends Folder {
  readonly from: string;
  readonly directory: string;
  readonly overrides: number;
  readonly damaged: readonly string[];
  readonly sources: readonly ReturnType<typeof sourceOf>[];
}

function linesOf({ directory, files, bytes, overrides, damaged, sources }: State, words: string, { paint }: Output): string[] {
  const lines = sources.flatMap(({ source, list, failures, nextSyncAtMs, heldUntilMs, olderAtMs, remembered }) => {
    if (list === null)
      return [`${paint('yellow', 'no list')} ${source}: no copy is stored; fetch it with: portcullis sync${words}`];
    const { count, recentCount, ageMs, isStale, algoVersion, algorithm, snapshotToken, recentToken, calibration } = list;
    const { listName, sequence, signedBy, expiresAtMs } = list;
    return [
      `${isStale ? paint('yellow', 'stale') : paint('green', 'fresh')} ${source}: ${timeText(ageMs)} old${isStale ? ', so it cannot prove that an input is clear' : ''}`,
      `  entries      ${numberText(count)}, plus ${numberText(recentCount)} recent`,
      `  tokens       ${snapshotToken} ${recentToken ?? ''}`.trimEnd(),
      ...(listName === null ? [] : [`  named        ${listName}`]),
      ...(sequence === null ? [] : [`  sequence     ${sequence}`]),
      ...(signedBy === null ? [] : [`  signed by    ${signedBy}`]),
      ...(expiresAtMs === null ? [] : [`  expiry       ${expiryText(expiresAtMs)}`]),
      `  algorithm    ${algoVersion}${algoVersion === algorithm ? '' : ` (${algorithm})`}, ${calibrationText(calibration)}`,
      `  next sync    ${dueText(nextSyncAtMs)}${failures > 0 ? `; the last ${failures} failed` : ''}`,
      ...(heldUntilMs > Date.now()
        ? [`  paused       until ${new Date(heldUntilMs).toISOString()}, as the source requested`]
        : []),
      ...(olderAtMs === null
        ? []
        : [
            paint(
              'yellow',
              `  rollback     the source offered an older list ${timeText(Date.now() - olderAtMs)} ago; it was rejected`,
            ),
          ]),
      `  cached       ${countText(remembered, 'confirmed answer')}`,
    ];
  });
  return [
    ...lines,
    ...damaged.map((name) => paint('red', `damaged: ${name}; the next sync replaces it`)),
    `  stored in    ${directory}`,
    `  on disk      ${bytesText(bytes)} in ${countText(files, 'file')}; ${countText(overrides, 'override')}`,
  ];
}

function dueText(atMs: number): string {
  const waitMs = atMs - Date.now();
  return waitMs <= 0 ? 'due' : `in ${timeText(waitMs)}`;
}
