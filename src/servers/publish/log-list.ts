import { ed25519 } from '../../blocklist/signatures/ed25519.js';
import { readEnvelope } from '../../blocklist/signatures/envelope.js';
import { transportOf } from '../../blocklist/sources/source-options.js';
import { equalBytes, utf8 } from '../../core/bytes.js';
import { PortcullisError, refuse, type SignalLike } from '../../core/errors.js';
import { maxTimerMs } from '../../core/http/bounded.js';
import type { FetchLike } from '../../core/http/fetch.js';
import {
  type Filled,
  func,
  having,
  type KindsOf,
  number,
  optional,
  readOptions,
  signal,
  text,
} from '../../core/options/read-options.js';
import { type OpenCheckpoint, openCheckpoint } from '../../core/tlog/checkpoint.js';
import { readLogProof, writeLogProof } from '../../core/tlog/log-proof.js';
import { inclusionProof, leafHash, treeRoot } from '../../core/tlog/merkle.js';
import { type NoteKey, readNote, signatureLine, writeNote } from '../../core/tlog/note.js';
import type { BuiltList } from './build-list.js';
import type { LogSigner } from './log-key.js';
import { type LogPolicy, logKeyIn } from './log-policy.js';
import { appendTo, type LogStorage, type LogTree, openTree, replaceCheckpoint } from './log-tree.js';
import { askWitnesses, forked, type WitnessAnswer, type WitnessCall } from './log-witnesses.js';

/** How witnesses are asked. */
export interface AskOptions {
  /** What `readLogPolicy` returns: which witnesses to ask, and how many must cosign. @default no witness is asked */
  readonly policy?: LogPolicy | undefined;
  /** Longest wait for an answer of a witness, in milliseconds; they are asked at the same time. @default 10_000 */
  readonly timeoutMs?: number | undefined;
  /** Sends the requests. @default the platform's `fetch` */
  readonly fetch?: FetchLike | undefined;
  readonly signal?: SignalLike | undefined;
}

/** Options of `logList`. */
export interface LogListOptions extends AskOptions {
  /** Signs the log's checkpoints: what `logSignerOf` returns. Its key names the log. */
  readonly signer: LogSigner;
  /** Where the log is. Only one process may append at a time; a second one fails. */
  readonly storage: LogStorage;
  /** The `version.proof` that clients have now. A log that does not continue it is refused. */
  readonly previousProof?: string | undefined;
}

/** Options of `refreshLog`. */
export interface RefreshLogOptions extends AskOptions {
  readonly policy: LogPolicy;
  /** The public key of the log, as `portcullis keygen --log` prints it. */
  readonly key: string;
  readonly storage: Pick<LogStorage, 'read' | 'replace'>;
}

/** The place of a version in its log, and who has cosigned. */
export interface LogReport {
  readonly index: number;
  /** How many entries the log has. */
  readonly size: number;
  /** Names of the policy. */
  readonly cosigned: readonly string[];
  readonly missing: readonly { readonly name: string; readonly problem: string }[];
}

/** A list with its place in a log. Its files include `version.proof`. */
export interface LoggedList extends BuiltList {
  readonly log: LogReport;
}

const askKinds = (): KindsOf<Filled<AskOptions, 'policy' | 'fetch' | 'signal'>> => ({
  policy: optional(having<LogPolicy>('what readLogPolicy returns', 'isQuorum')),
  timeoutMs: optional(number(1, maxTimerMs), 10_000),
  fetch: optional(func),
  signal: optional(signal),
});

export const logListKinds = (): KindsOf<Filled<LogListOptions, 'policy' | 'fetch' | 'signal' | 'previousProof'>> => ({
  ...askKinds(),
  signer: having<LogSigner>('what logSignerOf returns', 'sign'),
  storage: having<LogStorage>('an object with read, create and replace', 'read', 'create', 'replace'),
  previousProof: optional(text()),
});

export const refreshLogKinds = (): KindsOf<Filled<RefreshLogOptions, 'fetch' | 'signal'>> => ({
  ...askKinds(),
  policy: having<LogPolicy>('what readLogPolicy returns', 'isQuorum'),
  key: text(),
  storage: having<RefreshLogOptions['storage']>('an object with read and replace', 'read', 'replace'),
});

/**
 * Appends a signed list to a log, and collects the cosignatures that its clients demand. Write the files of the result after that:
 * `version.proof` comes before `version.json`. If it fails, publish nothing; the next call continues where it ended.
 *
 * @throws PortcullisError `INVALID_INPUT`, `INVALID_ARTIFACT` for a damaged log, `CONFLICT` with another publisher, `LOG_FORKED` if somebody has
 * seen a log that this one does not continue, `LOG_NOT_WITNESSED` for too few cosignatures, `ABORTED`
 */
export async function logList(list: BuiltList, options: LogListOptions): Promise<LoggedList> {
  const { signer, storage, previousProof, ...ask } = readOptions('logList', logListKinds(), options);
  if (list.version.signed === undefined) refuse('only a signed list can be logged: call signList first');
  const { payload } = readEnvelope(list.version);
  const key = logKeyIn(signer.vkey, 'logList: signer.vkey', ask.policy);
  const access = { storage, signer, key, verify: ed25519.verify };
  const known = previousProof === undefined ? undefined : await knownIn(previousProof, key);
  const tree = await openTree(access, known);
  if (known !== undefined) await requireContinued(tree, known, storage);
  const call = callOf(ask);
  // Before anything is signed: a log that was restored from a backup would sign a second history.
  const before = await askWitnesses(tree, call);
  requireQuorum(
    before.filter(({ size }) => size !== undefined),
    before,
    ask.policy,
    'reached',
  );
  const next = await appendTo(tree, payload, access);
  const sizes = new Map(call.witnesses.map(({ name }) => [name, before.find((one) => one.name === name)?.size ?? tree.size]));
  const answers = await askWitnesses(next, call, sizes);
  const proof = await proofOf(next, next.index, answers, ask.policy, access);
  return { ...list, files: list.files.with(list.version, proof), log: reportOf(next.index, next, answers) };
}

/**
 * Collects fresh cosignatures for the version that clients have, without a new one.
 *
 * @param version The parsed `version.json`
 * @returns the new content of `version.proof`
 * @throws PortcullisError `INVALID_INPUT`, `INVALID_ARTIFACT`, `LOG_FORKED`, `LOG_NOT_WITNESSED`, `ABORTED`, `CONFLICT`, `SIGNATURE_MISSING`; `LOG_PROOF_INVALID` if the version is not in the log
 */
export async function refreshLog(
  version: unknown,
  options: RefreshLogOptions,
): Promise<{ readonly proof: Uint8Array; readonly log: LogReport }> {
  const { key: vkey, storage, ...ask } = readOptions('refreshLog', refreshLogKinds(), options);
  const leaf = leafHash(readEnvelope(version).payload);
  const key = logKeyIn(vkey, 'refreshLog: key', ask.policy);
  const access = { storage, key, verify: ed25519.verify };
  const tree = await openTree(access);
  let index = tree.size - 1;
  while (index >= 0 && !equalBytes(await tree.nodes(0, index), leaf)) index--;
  if (index < 0) throw new PortcullisError('LOG_PROOF_INVALID', 'the version is not in this log; publish it with --log');
  const answers = await askWitnesses(tree, callOf(ask));
  const proof = await proofOf(tree, index, answers, ask.policy, access);
  return { proof, log: reportOf(index, tree, answers) };
}

function callOf({ policy, ...ask }: Filled<AskOptions, 'policy' | 'fetch' | 'signal'>): WitnessCall {
  const { fetch } = transportOf({ fetch: ask.fetch, now: Date.now });
  return { ...ask, fetch, witnesses: policy?.witnesses ?? [], verify: ed25519.verify };
}

/** What clients have a proof of. */
async function knownIn(proof: string, key: NoteKey): Promise<OpenCheckpoint> {
  const seen = await openCheckpoint(readLogProof(proof)?.checkpoint ?? '', key, [], ed25519.verify);
  return seen ?? refuse('previousProof is not of this log; clients keep to the log that they know');
}

/** A proof of this log that clients have must be of a tree that this one continues. */
async function requireContinued(tree: LogTree, seen: OpenCheckpoint, storage: Pick<LogStorage, 'read'>): Promise<void> {
  const { note } = seen;
  if (seen.size > tree.size) {
    const what = `clients have a proof of ${seen.size} entries, and this log has ${tree.size}`;
    if (tree.size > 0 || (await storage.read('checkpoint')) !== null) throw forked(what, tree, [note]);
    const next = 'copy the folder of the log back from where it is published, or begin a log with another key';
    throw new PortcullisError('LOG_FORKED', `${what}: its file "checkpoint" is missing; ${next}`, { checkpoints: [note] });
  }
  const root = await treeRoot(seen.size, tree.nodes);
  if (!equalBytes(root, seen.root)) throw forked(`clients have a proof of another tree of ${seen.size} entries`, tree, [note]);
}

function requireQuorum(
  some: readonly WitnessAnswer[],
  all: readonly WitnessAnswer[],
  policy: LogPolicy | undefined,
  what: 'reached' | 'collected',
): void {
  if (policy === undefined || policy.isQuorum(new Set(some.map(({ name }) => name)))) return;
  const missing = missingOf(all.filter((one) => !some.includes(one))).map(({ name, problem }) => `${name}: ${problem}`);
  const why = missing.length === 0 ? '' : ` (${missing.join('; ')})`;
  const outcome = what === 'reached' ? 'nothing was signed' : 'the list stays as it is';
  const message = `the quorum of the policy could not be ${what}, so ${outcome}: ${some.length} of ${all.length} witnesses${why}; try again later`;
  throw new PortcullisError('LOG_NOT_WITNESSED', message);
}

/** The proof with all cosignatures. The checkpoint gets them too. */
async function proofOf(
  tree: LogTree,
  index: number,
  answers: readonly WitnessAnswer[],
  policy: LogPolicy | undefined,
  access: Parameters<typeof replaceCheckpoint>[2],
): Promise<Uint8Array> {
  const { key } = access;
  const lines = answers.flatMap(({ line }) => (line === undefined ? [] : [line]));
  requireQuorum(
    answers.filter(({ line }) => line !== undefined),
    answers,
    policy,
    'collected',
  );
  const { text: signed, signatures } = readNote(tree.note)!;
  const own = signatures
    .filter(({ name, id }) => name === key.name && id === key.id)
    .map(({ bytes }) => signatureLine(key, bytes));
  const note = writeNote(signed, [...own, ...lines]);
  if (note !== tree.note) await replaceCheckpoint(note, tree.size, access);
  return utf8(writeLogProof({ index, hashes: await inclusionProof(index, tree.size, tree.nodes), checkpoint: note }));
}

function missingOf(answers: readonly WitnessAnswer[]): LogReport['missing'] {
  return answers.flatMap(({ name, line, problem }) => (line === undefined ? [{ name, problem: problem ?? 'no answer' }] : []));
}

function reportOf(index: number, { size }: LogTree, answers: readonly WitnessAnswer[]): LogReport {
  const cosigned = answers.filter(({ line }) => line !== undefined).map(({ name }) => name);
  return { index, size, cosigned, missing: missingOf(answers) };
}
