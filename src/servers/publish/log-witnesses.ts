import { toBase64 } from '../../core/base64.js';
import { fromUtf8, utf8 } from '../../core/bytes.js';
import { isPortcullisError, PortcullisError, type SignalLike } from '../../core/errors.js';
import type { FetchLike } from '../../core/http/fetch.js';
import { type HttpAnswer, send } from '../../core/http/send.js';
import { isTimelyCosignature } from '../../core/tlog/checkpoint.js';
import { consistencyProof } from '../../core/tlog/merkle.js';
import { readNote, readSignatureLines, signatureLine, type VerifySignature, verifiedBy } from '../../core/tlog/note.js';
import type { PolicyWitness } from './log-policy.js';
import type { LogTree } from './log-tree.js';

/** How the witnesses of a policy are asked (c2sp.org/tlog-witness). */
export interface WitnessCall {
  readonly witnesses: readonly PolicyWitness[];
  readonly fetch: FetchLike;
  readonly verify: VerifySignature;
  readonly timeoutMs: number;
  readonly signal?: SignalLike | undefined;
}

/** What a witness answered. */
export interface WitnessAnswer {
  readonly name: string;
  /** The size that it has cosigned; `undefined` if it gave no usable answer. */
  readonly size?: number | undefined;
  /** Its line of the note. */
  readonly line?: string | undefined;
  /** Why there is no cosignature. */
  readonly problem?: string | undefined;
}

/** Some cosignatures of ML-DSA, or a page of words. */
const maxAnswerBytes = 65_536;

/** The first size may be out of date, and between two answers another request may have been served. */
const maxAttempts = 3;

/**
 * Asks every witness to cosign a checkpoint. One that fails is no error; one that has a larger tree, or another of this size, is.
 *
 * @param sizes The size that each witness has, by its name; that of the tree for one that is not in it.
 * @throws PortcullisError `LOG_FORKED`, `ABORTED`
 */
export function askWitnesses(
  tree: LogTree,
  call: WitnessCall,
  sizes: ReadonlyMap<string, number> = new Map(),
): Promise<readonly WitnessAnswer[]> {
  return Promise.all(
    call.witnesses.map(async (witness) => {
      const { name } = witness;
      try {
        return await askOne(witness, tree, call, sizes.get(name) ?? tree.size);
      } catch (error) {
        if (!isPortcullisError(error) || error.code === 'LOG_FORKED' || error.code === 'ABORTED') throw error;
        return { name, problem: error.message };
      }
    }),
  );
}

async function askOne(witness: PolicyWitness, tree: LogTree, call: WitnessCall, firstSize: number): Promise<WitnessAnswer> {
  const { name, url } = witness;
  if (url === undefined) return { name, problem: 'the policy has no URL for it' };
  let old = firstSize;
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const answer = await post(url, old, tree, call);
    if (answer.status === 200) return { name, ...(await cosignatureIn(answer.bytes, witness, tree, call.verify)) };
    if (answer.status === 409) {
      const size = sizeIn(answer);
      if (size === null) return { name, problem: 'it has another size and does not say which' };
      if (size > tree.size) throw forked(`the witness ${name} has cosigned ${size} entries, and this log has ${tree.size}`, tree);
      // Earlier texts of the protocol answer so for another root.
      if (size === old && old === tree.size) throw forked(`the witness ${name} has another tree of ${size} entries`, tree);
      if (size === old) return { name, problem: 'it contradicts itself about its size' };
      old = size;
      continue;
    }
    if (answer.status === 422 && old === tree.size && old > 0)
      throw forked(`the witness ${name} has another tree of ${old} entries`, tree);
    // Some witnesses refuse an empty tree. One that has a larger one says so first.
    if (tree.size === 0 && (answer.status === 400 || answer.status === 422)) return { name, size: 0, problem: 'no empty trees' };
    return { name, problem: `it answered ${answer.status}${wordsFor(answer.status)}` };
  }
  return { name, problem: `its size changed ${maxAttempts} times` };
}

async function post(url: string, old: number, tree: LogTree, call: WitnessCall): Promise<HttpAnswer> {
  const { fetch, timeoutMs, signal } = call;
  const proof = old < tree.size ? await consistencyProof(old, tree.size, tree.nodes) : [];
  const body = utf8([`old ${old}`, ...proof.map(toBase64), '', tree.note].join('\n'));
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  const request = { method: 'POST', url: `${url.replace(/\/$/, '')}/add-checkpoint`, headers, body };
  return send(request, { fetch, timeoutMs, maxBytes: maxAnswerBytes, signal });
}

function sizeIn({ bytes }: HttpAnswer): number | null {
  const size = Number(/^(0|[1-9]\d{0,15})\n$/.exec(fromUtf8(bytes) ?? '')?.[1] ?? Number.NaN);
  return Number.isSafeInteger(size) ? size : null;
}

/** Only the line of the key that the policy names; a witness may send others. */
async function cosignatureIn(
  bytes: Uint8Array,
  { key }: PolicyWitness,
  { note, size }: LogTree,
  verify: VerifySignature,
): Promise<Omit<WitnessAnswer, 'name'>> {
  const signatures = readSignatureLines(fromUtf8(bytes) ?? '') ?? [];
  const own = signatures.filter((one) => one.name === key.name && one.id === key.id);
  const { text } = readNote(note)!;
  if (own.length === 0) return { problem: 'its answer has no cosignature by the key of the policy' };
  const signed = await verifiedBy({ text, signatures: own }, [key], verify);
  if (signed === null) return { problem: 'its cosignature does not verify' };
  const seconds = signed.get(key)!;
  // Clients would not count it.
  if (!isTimelyCosignature(seconds, Date.now()))
    return { problem: `its clock is wrong, or this one: it has signed at ${timeText(seconds)}` };
  return { size, line: signatureLine(key, own[0]!.bytes) };
}

/** Also of a time that is no `Date`. */
function timeText(seconds: number): string {
  return seconds > 8.64e12 ? `second ${seconds}` : new Date(seconds * 1_000).toISOString();
}

function wordsFor(status: number): string {
  if (status === 404) return ': it does not know this log';
  if (status === 403) return ': it has another key of this log';
  return status === 429 ? ': too many requests' : '';
}

/** @param notes Signed checkpoints that contradict each other, for whoever looks into it */
export function forked(what: string, { note }: Pick<LogTree, 'note'>, notes: readonly string[] = []): PortcullisError {
  const next =
    'somebody else publishes with this key, or the log was restored from a backup; do not sign again before you know which';
  return new PortcullisError('LOG_FORKED', `${what}: ${next}`, { checkpoints: [note, ...notes] });
}
