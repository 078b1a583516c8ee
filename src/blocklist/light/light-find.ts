import type { Algorithm, Subject } from '../../core/algorithms/algorithm.js';
import { isPrivateHost } from '../../core/assets/web/private.js';
import { equalBytes } from '../../core/bytes.js';
import { prefixOf } from '../../core/hashing/prefix.js';
import { hashOf } from '../../core/hashing/sha256.js';
import type { Answer } from '../ask/confirmer.js';
import type { VerdictReason, VerdictStatus } from '../verdict.js';
import type { LightConfirmer } from './light-confirm.js';
import type { LightList } from './light-round.js';

export interface LightFinding {
  readonly status: VerdictStatus;
  readonly reason: VerdictReason;
  /** The expression that was hit. */
  readonly expression?: string | undefined;
  /** Whether the list decided. */
  readonly isListed?: boolean;
}

/** What a check knows besides the list. */
export interface LightLook {
  readonly confirmer: Pick<LightConfirmer, 'known'> | null;
  readonly nowMs: number;
  readonly maxAgeMs: number;
  /** The answers of the source, by prefix. */
  readonly answers?: ReadonlyMap<number, Answer>;
  /** Collects the prefixes to confirm. */
  readonly wanted?: Set<number>;
}

/** Worst first, as in `verdict.ts`. */
const severity: readonly VerdictStatus[] = ['blocked', 'unconfirmed', 'unknown', 'clear', 'not-listable'];

/** The finding of `checks/checker.ts` for one list of 4-byte entries and no override; `null` for a text without expressions. */
export function findLight(
  text: string,
  own: Algorithm,
  list: LightList | null,
  missing: VerdictReason,
  look: LightLook,
): LightFinding | null {
  const found: LightFinding[] = [];
  const listed: LightFinding[] = [];
  for (const subject of own.subjectsOf(text)) {
    // One unreadable target of several.
    if (subject.length === 0) found.push({ status: 'unknown', reason: 'unreadable' });
    else if (isPrivateHost(subject[subject.length - 1]!)) found.push({ status: 'not-listable', reason: 'private-address' });
    else if (list === null) listed.push({ status: 'unknown', reason: missing, isListed: true });
    else listed.push(findInList(subject, list, look));
  }
  return worst([...found, ...listed]);
}

/** The first of the worst; of clear ones one that was asked about, because `not-listed` means that nothing left the device. */
function worst(findings: readonly LightFinding[]): LightFinding | null {
  let first: LightFinding | null = null;
  for (const finding of findings) {
    const before = first === null ? -1 : severity.indexOf(finding.status) - severity.indexOf(first.status);
    if (before < 0 || (before === 0 && finding.reason === 'disproved')) first = finding;
  }
  return first;
}

/** Whether the list is too old for a miss to mean `clear`. */
export function isLightStale({ order: { expiresAtMs }, currentAtMs }: LightList, nowMs: number, maxAgeMs: number): boolean {
  return nowMs - currentAtMs > maxAgeMs || (expiresAtMs !== null && Math.max(nowMs, currentAtMs) > expiresAtMs);
}

function findInList(subject: Subject, list: LightList, look: LightLook): LightFinding {
  const { base, recent } = list;
  let hit: LightFinding | null = null;
  let isDisproved = false;
  for (const expression of subject) {
    const prefix = prefixOf(expression);
    if (!base.has(prefix) && !recent.has(prefix)) continue;
    const [status, reason] = answerFor(prefix, hashOf(expression), look);
    if (status === 'clear') isDisproved = true;
    else if (hit === null || (status === 'blocked' && hit.status !== 'blocked'))
      hit = { status, reason, expression, isListed: true };
  }
  if (hit !== null) return hit;
  // A miss means `clear` only if the list is current and its algorithm is understood.
  if (isLightStale(list, look.nowMs, look.maxAgeMs)) return { status: 'unknown', reason: 'list-stale', isListed: true };
  if (list.isMismatch) return { status: 'unknown', reason: 'algorithm-mismatch', isListed: true };
  return { status: 'clear', reason: isDisproved ? 'disproved' : 'not-listed', isListed: true };
}

/** The source's current or earlier answer about a hit, or why there is none. */
function answerFor(
  prefix: number,
  hash: Uint8Array,
  { confirmer, answers, wanted }: LightLook,
): readonly [VerdictStatus, VerdictReason] {
  const answer = answers?.get(prefix);
  if (answer !== undefined && 'hashes' in answer)
    return answer.hashes.some((listed) => equalBytes(listed, hash)) ? ['blocked', 'confirmed'] : ['clear', 'disproved'];
  const known = confirmer?.known(prefix, hash);
  if (known === 'blocked') return ['blocked', 'confirmed'];
  if (known === 'disproved') return ['clear', 'disproved'];
  if (answer === undefined && confirmer !== null) wanted?.add(prefix);
  if (known === 'earlier') return ['blocked', 'confirmed-earlier'];
  return ['unconfirmed', answer === undefined ? 'not-asked' : answer.failure];
}
