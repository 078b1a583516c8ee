import { resolve } from 'node:path';
import type { ListFormat } from '../../../blocklist/lists/list-entry.js';
import type { ListText } from '../../../blocklist/lists/read-list.js';
import type { ArtifactEncoding } from '../../../core/prefixes/artifact.js';
import type { BuiltList } from '../../../servers/publish/build-list.js';
import type { BuildReport } from '../../../servers/publish/build-report.js';
import { encodings } from '../../../servers/publish/list-snapshots.js';
import type { Call, Command } from '../command.js';
import { exitCodes } from '../errors/exit.js';
import { UsageError } from '../errors/usage.js';
import { type Published, publishedIn, type Written, writeList, writePage } from '../lists/list-folder.js';
import { formatOf, listFormats } from '../lists/open-list.js';
import { openFile } from '../operation/upload-files.js';
import type { Output } from '../terminal/output.js';
import { printable } from '../terminal/terminal.js';
import { countText } from '../terminal/unit-text.js';

/** Refused lines that a person is shown; `--json` has more. */
const shownMax = 20;

export const publish: Command = {
  summary:
    'Make the files of a list that any static host serves, and put them into a folder. Readers of the folder see the list before or the new one, whenever this ends.',
  positionals: '<list…|->',
  examples: [
    ['publish my-list.txt --out public/list', 'Publish, or publish anew what changed'],
    ['publish mine.txt feed.csv --out public/list --dry-run', 'Say what would be listed and what is refused'],
  ],
  options: {
    out: { value: 'folder', text: 'The folder your host serves; what is published there is gone on with' },
    format: { value: 'format', choices: listFormats, text: 'How the lists are written; otherwise their names say' },
    encoding: {
      value: 'encoding',
      choices: encodings,
      text: 'How snapshot and recent feed are written; portcullis-rice if not given',
    },
    algorithm: { value: 'algorithm', choices: ['portcullis-1', 'safe-browsing-4'], text: 'How the list spells what it hashes' },
    'new-snapshot': { text: 'Make a new snapshot, due or not' },
    'url-base': { value: 'url', text: 'Where the folder will be, for absolute addresses in version.json' },
    page: {
      text: 'Put a page beside it, in playground/, in which one can try the list; for a host that serves the folder itself',
    },
    fresh: { text: 'Take no account of what is published there, which cannot be read any more' },
    'allow-empty': { text: 'Publish a list of nothing, which protects nobody' },
  },
  notes:
    'Lines that are refused are named by number and reason; what stands in them is not repeated, since it may be a secret. Artifacts that no version names any more go two days later.\nExit codes: 0 all is listed, 7 it is published, and lines were refused.',
  canDryRun: true,

  async run(call) {
    const { output, options, signal, positionals } = call;
    const out = options.text('out');
    if (positionals.length === 0) throw new UsageError('nothing to publish', 'portcullis publish <list…|-> --out <folder>');
    if (out === undefined) throw new UsageError('--out is missing', 'portcullis publish <list…|-> --out <folder>');
    const directory = resolve(out);
    const previous = options.has('fresh') ? null : await publishedIn(directory);
    const algorithm = options.text('algorithm') ?? previous?.algorithm ?? 'portcullis-1';
    requireSameAlgorithm(previous, algorithm);
    // Loaded only here: the list of public suffixes is large, and --help does not need it.
    const { buildList } = await import('../../../servers/publish/build-list.js');
    const { isPublicSuffix } = await import('../lists/public-suffix.js');
    const progress = output.progress('publishing');
    try {
      const list = await buildList(textsOf(call), {
        algorithm,
        encoding: options.text('encoding') as ArtifactEncoding | undefined,
        snapshot: options.has('new-snapshot') ? 'new' : 'auto',
        urlBase: options.text('url-base'),
        previous: previous ?? undefined,
        isPublicSuffix,
        signal,
        onProgress: ({ step, done, total }) => progress.update(done, total, step),
      });
      progress.pause();
      const { report } = list;
      warnOf(report, output);
      requireEntries(list, options.has('allow-empty'));
      const isDryRun = options.has('dry-run');
      requireNoShrinking(previous, list, isDryRun || options.has('yes'));
      const write = { previous, signal, onProgress: (done: number, total: number) => progress.update(done, total, 'write') };
      const files = isDryRun ? null : await writeList(directory, list.files, write);
      if (!isDryRun && options.has('page')) await writePage(directory);
      progress.end();
      const result = resultOf(directory, list, files);
      await output.result(result, () => (output.format === 'human' ? textOf(result) : [flat(result)]));
      return Object.keys(report.refusedBy).length > 0 ? exitCodes.partial : exitCodes.ok;
    } finally {
      progress.end();
    }
  },
};

async function* textsOf(call: Call): AsyncGenerator<ListText> {
  const { positionals, options } = call;
  const format = options.text('format') as ListFormat | undefined;
  for (const place of positionals) {
    const { pieces } = await openFile(place, call);
    yield { format: format ?? formatOf(place), data: pieces, ...((positionals.length > 1 || place !== '-') && { name: place }) };
  }
}

/** Its shards would deny what readers of the list before are blocked from. */
function requireSameAlgorithm(previous: Published | null, algorithm: string): void {
  if (previous === null || previous.algorithm === algorithm) return;
  throw new UsageError(`a list of ${previous.algorithm} is published there`, 'another algorithm needs another folder');
}

/** A file that is cut, or in another format, must not take everybody's protection away. */
function requireEntries({ report }: BuiltList, mayBeEmpty: boolean): void {
  if (report.listed > 0 || mayBeEmpty) return;
  throw new UsageError('nothing in it can be listed, so nothing is published', 'see --format, or say --allow-empty', {
    code: 'EMPTY_LIST',
  });
}

/** Nobody is asked whether half of what protected people may go, unless it is little. */
const shrinksFreely = 100;

function requireNoShrinking(previous: Published | null, { report }: BuiltList, isMeant: boolean): void {
  if (isMeant || previous === null || previous.count <= shrinksFreely || report.listed * 2 >= previous.count) return;
  const what = `the list that is published has ${previous.count.toLocaleString('en')} entries, and this one ${report.listed.toLocaleString('en')}`;
  throw new UsageError(what, 'look whether something is missing, or say --yes', { code: 'SHRINKING_LIST' });
}

function warnOf({ refused, refusedBy, warningsBy }: BuildReport, output: Output): void {
  for (const { line, source, reason, host } of refused.slice(0, shownMax)) {
    output.warn(
      printable(
        `${source ?? 'line'}${source === undefined ? ' ' : ':'}${line}: ${reason}${host === undefined ? '' : ` ${host}`}`,
      ),
    );
  }
  const count = Object.values(refusedBy).reduce((sum, more) => sum + more, 0);
  if (count > shownMax) output.warn(`${countText(count, 'line')} are refused in all; --json names them`);
  const { duplicate = 0, changed = 0, 'exact-only': exactOnly = 0 } = warningsBy;
  if (duplicate + changed + exactOnly === 0) return;
  output.note(
    `${duplicate} repeated, ${changed} listed in another spelling, ${exactOnly} that cover nothing below; --json names them`,
  );
}

function resultOf(directory: string, { version, report, newSnapshot, snapshot, recent }: BuiltList, files: Written | null) {
  return {
    out: directory,
    isDryRun: files === null,
    listed: report.listed,
    snapshot: { token: version.snapshot.token, count: snapshot.size, cause: newSnapshot },
    recent: { token: version.recent?.token ?? null, count: recent.size },
    files,
    report,
  };
}

type Result = ReturnType<typeof resultOf>;

function textOf({ out, isDryRun, listed, snapshot, recent, files }: Result): string {
  const lines = [
    `${countText(listed, 'entry')} ${isDryRun ? 'would be published' : 'published'} in ${out}`,
    `  snapshot ${snapshot.token}: ${snapshot.count}${snapshot.cause === null ? '' : ` (new: ${snapshot.cause})`}`,
    `  recent   ${recent.token ?? ''}: ${recent.count}`,
  ];
  if (files !== null)
    lines.push(`  ${countText(files.written, 'file')} written, ${files.unchanged} unchanged, ${files.removed} old ones removed`);
  return lines.join('\n');
}

function flat({ out, isDryRun, listed, snapshot, recent }: Result) {
  return {
    out,
    isDryRun,
    listed,
    snapshot: snapshot.token,
    snapshotCount: snapshot.count,
    recent: recent.token,
    recentCount: recent.count,
  };
}
