import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPortcullisError, PortcullisError } from 'portcullis';
import type { LoggedVersion, LogMonitor, LogPolicy, LogReading, VersionFinding, WitnessView } from 'portcullis/publish';
import type { ParsedOptions } from '../arguments/arguments.js';
import type { Command, CommandCall } from '../command.js';
import { errorText } from '../errors/error-text.js';
import { type ExitCode, exitCodes } from '../errors/exit-codes.js';
import { exitCodeOf } from '../errors/failure.js';
import { UsageError } from '../errors/usage.js';
import { countText, numberText } from '../terminal/unit-text.js';
import { type Place, placeOf } from './log-place.js';
import { policyIn, proofName } from './log-publishing.js';

/** Something that a person must look at. */
interface Alert {
  /** A code of docs/errors.md, or one of `VersionFinding` or `findings` in capitals. */
  readonly code: string;
  readonly message: string;
  /** Signed checkpoints that contradict each other. */
  readonly checkpoints?: readonly string[] | undefined;
}

const findingTexts: Readonly<Record<VersionFinding, string>> = {
  'not-a-version': 'is not a version of a list',
  'older-sequence': 'is older than the version before it',
  'other-name': 'has another list name than the version before it',
  shrunk: 'has less than half of the entries of the version before it',
  grown: 'has more than twice the entries of the version before it',
};

/** What is unusual, but proves no attack. */
const warnings: ReadonlySet<string> = new Set([
  'SHRUNK',
  'GROWN',
  'OTHER_NAME',
  'OLDER_LIST',
  'LOG_NOT_WITNESSED',
  'WITNESSES_AHEAD',
  'WITNESSES_UNKNOWN',
]);

/** What is not as it was signed. Other codes mean that something could not be read. */
const contradictions = /^(?:LOG_|SIGNATURE_MISSING|INVALID_RESPONSE|LIMIT_EXCEEDED|NOT_A_VERSION|OLDER_SEQUENCE)/;

const isUnread = ({ code }: Alert): boolean => !warnings.has(code) && !contradictions.test(code);

export const logVerify: Command = {
  summary: 'Read a whole transparency log, verify it, and show each version with its entries and what changed.',
  positionals: '<url|folder>',
  examples: [
    ['log verify https://lists.example/scam --key log.key.pub', 'A list with its log in log/, or the log itself'],
    [
      'log verify https://lists.example/scam --key log.key.pub --log-policy policy.txt --follow',
      'Goes on, and asks the witnesses',
    ],
  ],
  options: {
    key: { value: 'vkey', text: 'The public key of the log, or the file that keygen wrote' },
    list: { value: 'url|folder', text: 'The list, if the log is elsewhere; its version must be in the log' },
    'log-policy': { value: 'file', text: 'Witnesses to compare with, in the form of c2sp.org/tlog-policy' },
    follow: { text: 'Go on reading, and report each new version and each alert as it comes' },
    interval: { value: 'seconds', text: 'With --follow: how often to read; defaults to 60' },
  },
  notes:
    'Alerts: a fork, a version outside the log, a list whose size halves or doubles, and too few witnesses to exclude a hidden fork.\nA fork comes with the signed checkpoints that prove it; keep them.\nExit codes: 0 everything fits; 2 the log was forked, or something is not what it has signed; 7 only unusual changes, or too few witnesses; 8 the log or the list could not be read.',

  async run(call) {
    const { positionals, options } = call;
    const [given] = positionals;
    if (given === undefined || positionals.length > 1)
      throw new UsageError('one log is needed', 'portcullis log verify <url|folder> --key <vkey>');
    const seconds = options.number('interval', 1, 86_400, 'any');
    if (seconds !== undefined && !options.has('follow')) throw new UsageError('--interval needs --follow');
    const watch = await watchOf(given, call).catch((error: unknown) => {
      throw unread(error);
    });
    return options.has('follow') ? follow(watch, call, (seconds ?? 60) * 1_000) : once(watch, call);
  },
};

/** A log that cannot be read ends the command with 8, whatever the host answered. */
function unread(error: unknown): unknown {
  if (!isPortcullisError(error) || ['ABORTED', 'INVALID_INPUT'].includes(error.code) || exitCodeOf(error) === exitCodes.network)
    return error;
  const next = 'check the address: it must be a list published with --log, or the folder with the checkpoint of its log';
  return new UsageError(errorText(error), next, { code: error.code, exitCode: exitCodes.network });
}

/** The log and the list of a call. */
interface Watch {
  readonly monitor: LogMonitor;
  readonly policy: LogPolicy | undefined;
  readonly log: Place;
  readonly list: Place | null;
}

async function watchOf(given: string, { options, signal, output }: CommandCall): Promise<Watch> {
  const key = await logKeyOf(options);
  const policy = await policyIn(options);
  const place = placeOf(given, signal);
  // A log itself, or a list with its log in it.
  const isLog = (await place.read('checkpoint', maxBytes)) !== null;
  const log = isLog ? place : place.at('log');
  const named = options.text('list');
  const list = named === undefined ? (isLog ? null : place) : placeOf(named, signal);
  const { createLogMonitor } = await import('portcullis/publish');
  const progress = output.progress('log');
  let files = 0;
  const read = async (path: string, max: number): Promise<Uint8Array | null> => {
    progress.update(++files, undefined, path);
    return log.read(path, max, path === 'checkpoint' ? Date.now().toString(36) : undefined).finally(() => progress.pause());
  };
  return { monitor: createLogMonitor({ key, read, policy, signal }), policy, log, list };
}

/** A version document, or a proof. */
const maxBytes = 262_144;

export async function logKeyOf(options: ParsedOptions): Promise<string> {
  const given = options.text('key');
  if (given === undefined)
    throw new UsageError('--key is missing', 'give the public key of the log, or the file that keygen wrote');
  if (given.includes('+')) return given.trim();
  const text = await readFile(given, 'utf8').catch((cause: Error) => {
    throw new UsageError(`--key cannot be read: ${cause.message}`, 'give the key itself, or the file that keygen wrote');
  });
  if (/PRIVATE/.test(text))
    throw new UsageError('--key has a private key', 'give the file that ends in .pub, and keep the private key secret');
  return text.trim();
}

/** A version as it is shown. */
interface ShownVersion extends LoggedVersion {
  /** How many entries more than the version before. */
  readonly change: number | null;
  readonly findings: readonly VersionFinding[];
}

interface Round {
  readonly reading: LogReading | null;
  readonly versions: readonly ShownVersion[];
  readonly alerts: readonly Alert[];
  /** The place of the version of the list. */
  readonly listed: number | null;
  /** Why nothing was read, if that is no contradiction. */
  readonly failure: PortcullisError | undefined;
}

/** Reads once what is new. Everything that fails is an alert, so that no version is lost that was read before. */
async function roundOf({ monitor, policy, list }: Watch, before: LoggedVersion | undefined): Promise<Round> {
  const { versionFindings } = await import('portcullis/publish');
  const alerts: Alert[] = [];
  const versions: ShownVersion[] = [];
  let last = before;
  let newest: LogReading | null = null;
  let failure: PortcullisError | undefined;
  const show = (reading: LogReading | null): void => {
    for (const version of reading?.versions ?? []) {
      const findings = versionFindings(version, last);
      const change = version.count === undefined || last?.count === undefined ? null : version.count - last.count;
      for (const finding of findings)
        alerts.push({
          code: finding.replace(/-/g, '_').toUpperCase(),
          message: `version ${version.index} ${findingTexts[finding]}`,
        });
      versions.push({ ...version, change, findings });
      last = version;
    }
    newest = reading ?? newest;
  };
  async function orAlert<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (!isPortcullisError(error) || error.code === 'ABORTED') throw error;
      const { code, checkpoints } = error;
      const alert = { code, message: errorText(error), ...(checkpoints !== undefined && { checkpoints }) };
      if (isUnread(alert)) failure ??= error;
      alerts.push(alert);
      return null;
    }
  }
  const reading = await orAlert(() => monitor.read());
  show(reading);
  if (reading === null) return { reading, versions, alerts, listed: null, failure };
  if (policy !== undefined) {
    if (!policy.isQuorum(new Set(reading.cosigned.keys())))
      alerts.push({
        code: 'WITNESSES_UNKNOWN',
        message: 'the checkpoint lacks cosignatures that the policy demands, or they are older than seven days',
      });
    const views = (await orAlert(() => monitor.askWitnesses())) ?? [];
    show(monitor.takeReading());
    alerts.push(...witnessAlerts(views, policy));
  }
  const listed = list === null ? null : await orAlert(() => listedIn(list, monitor, show));
  show(monitor.takeReading());
  return { reading: newest, versions, alerts, listed, failure };
}

function witnessAlerts(views: readonly WitnessView[], policy: LogPolicy): Alert[] {
  const alerts: Alert[] = [];
  const ahead = views.filter(({ isAhead }) => isAhead);
  const silent = views.filter(({ size }) => size === undefined);
  if (ahead.length > 0) {
    const seen = ahead.map(({ name, size }) => `${name}: ${size}`).join(', ');
    alerts.push({
      code: 'WITNESSES_AHEAD',
      message: `the log shown here is behind what witnesses have seen (${seen}): an upload is not complete, or versions are hidden`,
    });
  }
  const why = silent.map(({ name, problem }) => `${name}: ${problem}`).join('; ');
  // Those that could not be compared could have cosigned another log.
  if (silent.length > 0 && policy.isQuorum(new Set([...silent, ...ahead].map(({ name }) => name))))
    alerts.push({ code: 'WITNESSES_UNKNOWN', message: `too few witnesses answered to exclude a hidden fork (${why})` });
  return alerts;
}

/** The place of the list's version. The publisher writes the log first, then the proof, then the version. */
async function listedIn(list: Place, monitor: LogMonitor, show: (reading: LogReading) => void): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const text = new TextDecoder().decode((await list.read('version.json', maxBytes)) ?? undefined);
    let version: unknown;
    try {
      version = JSON.parse(text);
    } catch {
      throw new PortcullisError('INVALID_RESPONSE', 'version.json of the list is missing or not JSON');
    }
    try {
      if (monitor.indexOf(version) < 0) show(await monitor.read());
      const index = monitor.indexOf(version);
      if (index < 0) throw new PortcullisError('LOG_PROOF_INVALID', 'it is not in the log: it was made for some only');
      const proof = await list.read(proofName, maxBytes, idOf(version));
      if (proof === null) throw new PortcullisError('LOG_PROOF_MISSING', `the list has no ${proofName}`);
      await monitor.verifyProof(new TextDecoder().decode(proof), version);
      return index;
    } catch (error) {
      if (!isPortcullisError(error) || error.code === 'ABORTED') throw error;
      // Proof and version may have been replaced in between.
      if (attempt === 2 || !error.code.startsWith('LOG_PROOF')) throw isUnread(error) ? error : named(version, error);
      await sleep(retryMs);
    }
  }
}

/** Two versions that are not in the log are two alerts. */
function named(version: unknown, error: PortcullisError): PortcullisError {
  const { code, message, checkpoints } = error;
  const named = `the version of the list with SHA-256 ${idOf(version)}…: ${message}`;
  return new PortcullisError(code, named, { cause: error, ...(checkpoints !== undefined && { checkpoints }) });
}

function idOf(version: unknown): string {
  const payload = Buffer.from(String(Object(Object(version).signed).payload), 'base64');
  return createHash('sha256').update(payload).digest('hex').slice(0, 16);
}

const retryMs = 500;

async function once(watch: Watch, { output }: CommandCall): Promise<ExitCode> {
  const { reading, versions, alerts, listed, failure } = await roundOf(watch, undefined);
  // What the log has signed is shown even if the files to it are missing.
  if (reading === null && failure !== undefined && failure.checkpoints === undefined) throw unread(failure);
  const result = {
    log: watch.log.name,
    size: reading?.size ?? null,
    checkpoint: reading?.note ?? null,
    listed,
    versions,
    alerts,
  };
  // A table has the versions only.
  if (output.format === 'csv' || output.format === 'markdown')
    for (const { code, message } of alerts) output.warn(`ALERT ${message} [${code}]`);
  await output.result(result, () => {
    if (output.format !== 'human') return versions.map(rowOf);
    const cosigned = [...(reading?.cosigned.keys() ?? [])].join(', ');
    const head =
      reading === null
        ? []
        : [`${watch.log.name}: ${countText(reading.size, 'version')}${cosigned && `, cosigned by ${cosigned}`}`];
    const tail = listed === null ? [] : [`the list is version ${listed}`];
    return [...head, ...versions.map(lineOf), ...tail, ...alerts.flatMap(alertLines)];
  });
  return exitOf(alerts);
}

async function follow(watch: Watch, { output, signal }: CommandCall, intervalMs: number): Promise<ExitCode> {
  let last: LoggedVersion | undefined;
  /** The alerts of the round before, by their messages: one that comes again later is told again. */
  let told: readonly string[] = [];
  let alerts: readonly Alert[] = [];
  const kept = new Map<string, Alert>();
  while (!signal.aborted) {
    try {
      const round = await roundOf(watch, last);
      alerts = round.alerts;
      last = round.versions.at(-1) ?? last;
      for (const version of round.versions) await output.item({ version }, () => [lineOf(version)]);
      for (const alert of alerts) {
        if (told.includes(alert.message)) continue;
        if (!isUnread(alert)) kept.set(alert.code, alert);
        await output.item({ alert }, () => alertLines(alert));
      }
      const messages = alerts.map(({ message }) => message);
      // A round that could not read everything does not end the alerts before it.
      told = alerts.some(isUnread) ? [...new Set([...told, ...messages])] : messages;
    } catch (error) {
      if (signal.aborted) break;
      throw error;
    }
    await sleep(intervalMs, undefined, { signal }).catch(() => {});
  }
  // A host that was away and is back needs nobody.
  return exitOf([...kept.values(), ...alerts]);
}

function exitOf(alerts: readonly Alert[]): ExitCode {
  if (alerts.length === 0) return exitCodes.ok;
  if (alerts.some(({ code }) => !warnings.has(code) && contradictions.test(code))) return exitCodes.authentication;
  return alerts.some(isUnread) ? exitCodes.network : exitCodes.partial;
}

function rowOf({ index, sequence, listName, count, recentCount, change, findings }: ShownVersion) {
  return { index, sequence, listName, count, recentCount, change, findings: findings.join(' ') };
}

function lineOf({ index, sequence, count, recentCount, change, findings }: ShownVersion): string {
  const place = String(index).padStart(6);
  if (sequence === undefined || count === undefined) return `${place}  not a version of a list`;
  const changed = change === null || change === 0 ? '' : ` (${change > 0 ? '+' : ''}${numberText(change)})`;
  const marks = findings.length === 0 ? '' : `  ${findings.join(', ')}`;
  return `${place}  ${new Date(sequence).toISOString()}  ${countText(count, 'entry')}${changed}, ${numberText(recentCount ?? 0)} recent${marks}`;
}

function alertLines({ code, message, checkpoints = [] }: Alert): string[] {
  return [
    `ALERT ${message} [${code}]`,
    ...checkpoints.flatMap((note) =>
      note
        .trimEnd()
        .split('\n')
        .map((line) => `  ${line}`),
    ),
  ];
}
