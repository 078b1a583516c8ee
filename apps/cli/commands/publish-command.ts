import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ArtifactEncoding, BuildOptions, BuildReport, BuiltList, LoggedList } from 'portcullis/publish';
import { placeOf } from '../../shared/refusal-place.js';
import type { Command, CommandCall } from '../command.js';
import { type ExitCode, exitCodes } from '../errors/exit-codes.js';
import { UsageError } from '../errors/usage.js';
import { accountText } from '../lists/account-text.js';
import { sharedHostsFor, suffixesFor } from '../lists/allowed-shared.js';
import { type Confirm, confirming } from '../lists/confirming.js';
import {
  isSigned,
  listNameIn,
  type Published,
  preparedFolder,
  publishedIn,
  type Written,
  writeList,
} from '../lists/list-folder.js';
import { formatOptions } from '../lists/list-options.js';
import { withTexts } from '../lists/list-texts.js';
import { textFileOf } from '../lists/open-file.js';
import { emptyListAdvice, formatFor, refusalLines } from '../lists/refusal-text.js';
import { signedList } from '../lists/signing.js';
import { logFor, logOptions, type OpenLog, proofName, requireLogged } from '../log/log-publishing.js';
import { gatewayKeysFor } from '../service/gateway-key-file.js';
import type { Output } from '../terminal/output.js';
import { countText, numberText } from '../terminal/unit-text.js';

/** How many popular hosts the human output names; `--json` has more. */
const maxShown = 20;

/** Of each reason: about 100 MB of JSON. */
const maxJsonEntries = 1_000_000;

const encodings: readonly ArtifactEncoding[] = ['portcullis-rice', 'portcullis', 'raw', 'hex', 'json'];

export const publish: Command = {
  summary:
    'Publish a list as files in a folder, for any static host. Readers see either the old list or the new one, even if this command is interrupted.',
  positionals: '<list…|->',
  examples: [
    ['publish my-list.txt --out public/list', 'Publishes a list, or what changed in it'],
    ['publish mine.txt feed.csv --out public/list --dry-run', 'Prints what would be listed and what is rejected'],
    ['publish my-list.txt --out public/list --sign list.key', 'Signs the list; publish again within three days'],
    [
      'publish my-list.txt --out public/list --sign list.key --log public/list/log --log-key log.key',
      'Signs it, and appends the version to a transparency log',
    ],
  ],
  options: {
    out: { value: 'folder', text: 'The folder to publish in; updates the list that is there' },
    ...formatOptions,
    encoding: {
      value: 'encoding',
      choices: encodings,
      text: 'The encoding of snapshot and recent feed; defaults to portcullis-rice',
    },
    algorithm: {
      value: 'algorithm',
      choices: ['portcullis-1', 'safe-browsing-4', 'safe-browsing-5'],
      text: 'The algorithm of the list',
    },
    allow: {
      value: 'file',
      text: 'A file with hosts, folders and addresses that must not be listed, one per line; rejects entries that cover them',
    },
    popular: {
      value: 'file',
      text: 'A file with popular hosts, one per line or as rank,host; warns about entries that cover them',
    },
    shards: {
      value: 'number',
      choices: ['1', '16', '256', '4096'],
      text: 'The number of files that confirm hits; by default as few as hold at most 512 hashes each',
    },
    'hot-entries': {
      value: 'number',
      text: 'How many of the newest entries clients can block without a question, at most; defaults to 256, and 0 means none',
    },
    'new-snapshot': { text: 'Make a new snapshot even if none is due' },
    'list-name': {
      value: 'name',
      text: 'The name of the list, which clients keep to; defaults to the one it has, and is made up for a new list',
    },
    'url-base': { value: 'url', text: 'The URL of the folder, for absolute URLs in version.json' },
    sign: { value: 'file', isMultiple: true, text: 'Sign the list with this private key; several during a rotation' },
    'valid-days': { value: 'days', text: 'With --sign: days until clients need a newer list; defaults to 3' },
    ...logOptions,
    'ohttp-keys': {
      value: 'file',
      text: 'With --sign: name the key of a gateway of Oblivious HTTP in the list, from the .pub file of keygen --ohttp, so that no client gets a key of its own',
    },
    'min-sequence': { value: 'number', text: 'The lowest sequence of this version; defaults to the time' },
    page: { text: 'Also write a page for trying the list, in playground/; serve both from one origin' },
    fresh: { text: 'Start over and ignore the published list, if it cannot be read' },
    'allow-empty': { text: 'Publish a list even if it has no entries' },
    strict: { text: 'Exit with 7 if lines were rejected; the others are published all the same' },
  },
  notes:
    'Rejected lines are named by number and reason. Their text is not repeated, because it may be a secret. Replaced artifacts are deleted after two days.\nWith --quiet only errors are printed.\nExit codes: 0 published, perhaps with warnings about rejected lines; 7 some lines were rejected (with --strict); 8 the published list stays: too few witnesses cosigned, another process publishes, or the log is not what it must be.',
  canDryRun: true,

  async run(call) {
    const { options, positionals } = call;
    const out = options.text('out');
    if (positionals.length === 0) throw new UsageError('nothing to publish', 'portcullis publish <list…|-> --out <folder>');
    if (out === undefined) throw new UsageError('--out is missing', 'portcullis publish <list…|-> --out <folder>');
    const directory = resolve(out);
    const log = await logFor(directory, call);
    // A second publisher waits, so that it builds on what this one has published.
    return log === null || options.has('dry-run')
      ? publishIn(directory, log, call)
      : log.locked(() => publishIn(directory, log, call));
  },
};

async function publishIn(directory: string, log: OpenLog | null, call: CommandCall): Promise<ExitCode> {
  const { output, options, signal, positionals } = call;
  const previous = options.has('fresh') ? null : await publishedIn(directory);
  const algorithm = options.text('algorithm') ?? previous?.algorithm ?? 'portcullis-1';
  requireSameAlgorithm(previous, algorithm);
  // Loaded here, because the list of public suffixes is large and the help does not need it.
  const { buildList } = await import('portcullis/publish');
  const { isPublicSuffix } = await import('../../shared/public-suffix.js');
  const allow = await namesIn('allow', call);
  const popular = await namesIn('popular', call);
  const { name: listName, isMadeUp } = await nameFor(directory, previous, call);
  const ohttpKeys = await gatewayKeysFor(directory, call);
  const progress = output.progress('publishing');
  try {
    const built = await withTexts(call, positionals, (texts) =>
      buildList(texts, {
        algorithm,
        encoding: options.text('encoding') as ArtifactEncoding | undefined,
        snapshot: options.has('new-snapshot') ? 'new' : 'auto',
        shards: shardsIn(options.text('shards')),
        hotEntries: options.number('hot-entries', 0, 4_096),
        listName,
        urlBase: options.text('url-base'),
        minSequence: options.number('min-sequence', 0, Number.MAX_SAFE_INTEGER),
        previous: previous ?? undefined,
        sharedHosts: sharedHostsFor(call),
        isPublicSuffix: suffixesFor(call, isPublicSuffix),
        allowEmpty: options.has('allow-empty'),
        allow,
        popular,
        ...(output.format === 'json' && { maxReportEntries: maxJsonEntries }),
        signal,
        onProgress: ({ step, done, total }) => progress.update(done, total, step),
      }),
    );
    progress.pause();
    const signed = await signedList(built, options, output, ohttpKeys);
    const { report } = signed;
    warnOf(report, output);
    requireEntries(signed, options.has('allow-empty'));
    if (isMadeUp)
      output.note(
        `the list has a new name, ${listName}; if this folder is empty at each build, pass --list-name: clients refuse another name`,
      );
    const isDryRun = options.has('dry-run');
    const confirm = confirming(call);
    await requireSigned(directory, signed, confirm);
    await requireLogged(directory, log, confirm);
    requireNoShrinking(previous, signed, confirm);
    const writePage = isDryRun ? null : await preparedFolder(directory, options.has('page'));
    const list: BuiltList | LoggedList = log === null || isDryRun ? signed : await log.append(signed);
    const total = countText(list.files.count, 'file');
    const write = {
      previous,
      signal,
      isDryRun,
      onProgress: (done: number) => progress.update(done, list.files.count, `write ${total}`),
    };
    const counted = await writeList(directory, list.files, write);
    // It would be the proof of another version.
    if (log === null && !isDryRun) await rm(join(directory, proofName), { force: true });
    // A proof is made by logging only.
    const files = log !== null && isDryRun ? { ...counted, written: counted.written + 1 } : counted;
    await writePage?.();
    progress.end();
    const result = resultOf(directory, list, files, isDryRun);
    // A job that runs every night mails what is printed.
    if (output.format !== 'human' || !options.has('quiet'))
      await output.result(result, () => (output.format === 'human' ? linesOf(result) : [flat(result)]));
    const rejected = rejectedIn(report);
    if (!options.has('strict') || rejected === 0) return exitCodes.ok;
    output.error(`${countText(rejected, 'line')} ${rejected === 1 ? 'was' : 'were'} rejected (--strict)`);
    return exitCodes.partial;
  } finally {
    progress.end();
  }
}

interface ListName {
  readonly name: string;
  readonly isMadeUp: boolean;
}

/** Clients refuse a list whose name has changed, so it is kept even if the list cannot be read. */
async function nameFor(directory: string, previous: Published | null, call: CommandCall): Promise<ListName> {
  const before = previous?.listName ?? (await listNameIn(directory));
  const given = call.options.text('list-name') ?? before;
  const name = given ?? `list-${randomBytes(8).toString('hex')}`;
  const made = { name, isMadeUp: given === null };
  if (before !== null && name !== before)
    confirming(call)(
      `the list is named ${before}, and clients refuse another name`,
      'publish it in another folder',
      'RENAMED_LIST',
    );
  return made;
}

/** The lines of a file, without comments and without the ranks of lists of popular names. */
async function namesIn(option: 'allow' | 'popular', { options }: CommandCall): Promise<string[] | undefined> {
  const file = options.text(option);
  if (file === undefined) return undefined;
  const lines = (await textFileOf(file, `--${option}`, maxNamesBytes)).split(/\r?\n/);
  return lines
    .map((line) =>
      line
        .replace(/(?:^|\s)#.*/s, '')
        .replace(/^\s*\d+,/, '')
        .trim(),
    )
    .filter((name) => name !== '');
}

/** The million most popular names with their ranks take 23 MB. */
const maxNamesBytes = 64 * 1024 * 1024;

function shardsIn(text: string | undefined): BuildOptions['shards'] {
  return text === undefined ? undefined : (Number(text) as BuildOptions['shards']);
}

/** Readers of the old list would look up its entries in shards of the new algorithm, and find nothing. */
function requireSameAlgorithm(previous: Published | null, algorithm: string): void {
  if (previous === null || previous.algorithm === algorithm) return;
  throw new UsageError(`--out contains a list made with ${previous.algorithm}`, 'publish another algorithm in another folder');
}

/** A truncated file, or one in another format, must not unblock most listed sites. */
function requireEntries({ report }: BuiltList, mayBeEmpty: boolean): void {
  if (report.listed > 0 || mayBeEmpty) return;
  const next = emptyListAdvice(report, formatFor(report.formats), 'set --format, or confirm with --allow-empty');
  throw new UsageError('the list has no usable entries, so nothing was published', next, { code: 'EMPTY_LIST' });
}

/** Clients that trust a key would keep the old list and, when it expires, take it for stale. */
async function requireSigned(directory: string, { version }: BuiltList, confirm: Confirm): Promise<void> {
  if (version.signed !== undefined || !(await isSigned(directory))) return;
  confirm('the published list is signed, and the new one is not', 'sign this one too, with --sign', 'UNSIGNED_LIST');
}

/** Lists of this size or less may shrink without `--yes`. */
const freelyShrinking = 100;

function requireNoShrinking(previous: Published | null, { report }: BuiltList, confirm: Confirm): void {
  if (previous === null || previous.count <= freelyShrinking || report.listed * 2 >= previous.count) return;
  const what = `the published list has ${numberText(previous.count)} entries, and the new one only ${numberText(report.listed)}`;
  confirm(what, 'check whether input is missing', 'SHRINKING_LIST');
}

function rejectedIn({ refusedBy }: BuildReport): number {
  return Object.values(refusedBy).reduce((sum, more) => sum + more, 0);
}

function warnOf(report: BuildReport, output: Output): void {
  const { accounts, formats, warnings, warningsBy } = report;
  for (const line of refusalLines(report, (name) => formats.find(({ source }) => source === name)?.format)) output.warn(line);
  const popular = warnings.filter((warning) => warning.code === 'popular');
  for (const warning of popular.slice(0, maxShown))
    output.warn(`${placeOf(warning)}: listed, although ${warning.host} is popular`);
  const more = (warningsBy.popular ?? 0) - maxShown;
  if (more > 0) output.warn(`${countText(more, 'more popular host')} listed; --json has them`);
  const named = accountText(accounts);
  if (named !== null) output.note(named);
  const { duplicate = 0, changed = 0, 'exact-only': exactOnly = 0 } = warningsBy;
  if (duplicate + changed + exactOnly === 0) return;
  output.note(
    `entries: ${numberText(duplicate)} duplicate, ${numberText(changed)} listed in canonical spelling, ${numberText(exactOnly)} without their subpages; --json has them`,
  );
}

function resultOf(directory: string, list: BuiltList | LoggedList, files: Written, isDryRun: boolean) {
  const { version, report, newSnapshot, snapshot, recent } = list;
  return {
    out: directory,
    isDryRun,
    listName: version.listName,
    listed: report.listed,
    sequence: version.sequence,
    expiresAtMs: version.expiresAtMs ?? null,
    signedBy: version.signed?.signatures.map(({ keyid }) => keyid) ?? [],
    ...('log' in list && { log: list.log }),
    snapshot: { token: version.snapshot.token, count: snapshot.size, covers: version.covers ?? 0, cause: newSnapshot },
    recent: { token: version.recent?.token ?? null, count: recent.size },
    hot: { count: version.hot?.count ?? 0 },
    files,
    report,
  };
}

type Result = ReturnType<typeof resultOf>;

function linesOf({
  out,
  isDryRun,
  listName,
  listed,
  snapshot,
  recent,
  hot,
  files,
  signedBy,
  expiresAtMs,
  log,
}: Result): string[] {
  const lines = [
    `${countText(listed, 'entry')} ${isDryRun ? 'would be published' : 'published'} in ${out}`,
    `  named    ${listName}`,
    `  snapshot ${snapshot.token}: ${countText(snapshot.count, 'entry')}${coversText(snapshot.covers)}${snapshot.cause === null ? '' : ` (new: ${snapshot.cause})`}`,
    `  recent   ${recent.token ?? ''}: ${countText(recent.count, 'entry')} added since the snapshot${hot.count === 0 ? '' : `; ${countText(hot.count, 'entry')} block without a question`}`,
  ];
  if (expiresAtMs !== null)
    lines.push(`  signed by ${signedBy.join(', ')}; publish again before ${new Date(expiresAtMs).toISOString()}`);
  if (log !== undefined) {
    const cosigned = log.cosigned.length === 0 ? '' : `, cosigned by ${log.cosigned.join(', ')}`;
    lines.push(`  logged   as version ${numberText(log.index)} of ${numberText(log.size)}${cosigned}`);
  }
  const would = isDryRun ? 'would be ' : '';
  lines.push(
    `  ${countText(files.written, 'file')} ${would}written, ${files.unchanged} unchanged, ${files.removed} old ${would}removed`,
  );
  return lines;
}

/** Entries that make checks faster, and list nothing. */
function coversText(count: number): string {
  return count === 0 ? '' : `, of which ${numberText(count)} are covers`;
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
