import { isPortcullisError, type SignalLike } from '../../core/errors.js';
import { sleep } from '../../core/http/bounded.js';
import { unusable } from '../../core/http/http-api.js';
import { objectOf } from '../formats/spelling.js';
import { type SharedWork, shareWork } from './shared-work.js';
import type { Signal } from './source-options.js';
import type { ThreatListAnswer } from './threat-list.js';
import { type Ask, bytesIn, durationIn, isVersion, listIn, queryOf, riceIn } from './threat-service.js';

/** An answer about a list that came with another list's request. */
interface Came {
  readonly from: string | null;
  readonly atMs: number;
  readonly answer: ThreatListAnswer;
}

interface Member {
  readonly name: string;
  /** The version to ask from; `undefined` if it is not known what the client has. */
  from: string | null | undefined;
  isWaiting: boolean;
  /** Epoch time before which the service does not want to be asked. */
  dueAtMs: number;
  came: Came | null;
}

interface ListsRequest {
  ask(name: string, from: string | null, signal: Signal): Promise<ThreatListAnswer>;
  /** The client has this version now, so that the list may join the next request of another. */
  hold(name: string, version: string): void;
}

/** How long an answer waits for the round of its list. Polls vary by a fifth of five minutes. */
const maxWaitMs = 120_000;

/** Several lists in one request: those that are asked for at the same time, and those that are due. */
export function createListsRequest(ask: Ask, names: readonly string[], now: () => number): ListsRequest {
  const members = names.map((name): Member => ({ name, from: undefined, isWaiting: false, dueAtMs: 0, came: null }));
  const memberOf = (name: string): Member => members.find((member) => member.name === name)!;
  let gathering: SharedWork<ReadonlyMap<string, unknown>> | null = null;
  /** Whether a request for several lists was refused, perhaps because of one of them. */
  let isApart = false;

  const isFresh = ({ atMs }: Came): boolean => now() >= atMs && now() - atMs < maxWaitMs;

  function mayJoin({ from, isWaiting, dueAtMs, came }: Member): boolean {
    return isWaiting || (!isApart && from !== undefined && now() >= dueAtMs && (came === null || !isFresh(came)));
  }

  async function fetchSome(some: readonly Member[], signal: SignalLike): Promise<readonly unknown[]> {
    const versions = some.flatMap(({ from }) => (typeof from === 'string' ? [['version', from] as const] : []));
    const query = queryOf([...some.map(({ name }) => ['names', name] as const), ...versions]);
    return listIn(objectOf(await ask(`/hashLists:batchGet?${query}`, signal))['hashLists']);
  }

  /** The answer about each list, or the error. */
  async function fetchAll(signal: SignalLike): Promise<ReadonlyMap<string, unknown>> {
    await sleep(0, signal);
    gathering = null;
    const some = members.filter(mayJoin);
    const waiting = some.filter(({ isWaiting }) => isWaiting);
    const froms = new Map(some.map(({ name, from }) => [name, from ?? null]));
    for (const member of some) member.isWaiting = false;
    let groups = isApart ? waiting.map((member) => [member]) : [some];
    const answers = new Map<string, unknown>();
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      try {
        const lists = await fetchSome(group, signal);
        for (const { name } of group)
          answers.set(
            name,
            lists.find((list) => objectOf(list)['name'] === name),
          );
      } catch (error) {
        const { code, status } = isPortcullisError(error) ? error : {};
        if (group.length > 1 && (code === 'LIMIT_EXCEEDED' || status === 400 || status === 404 || status === 413)) {
          isApart = true;
          groups = waiting.map((member) => [member]);
        } else for (const { name } of group) answers.set(name, error);
      }
    }
    for (const member of some) {
      if (waiting.includes(member) || answers.get(member.name) === undefined) continue;
      try {
        const from = froms.get(member.name)!;
        member.came = { from, atMs: now(), answer: readHashList(answers.get(member.name), from) };
      } catch {
        // The list asks for itself.
      }
    }
    return answers;
  }

  return {
    hold(name, version) {
      memberOf(name).from = version;
    },
    async ask(name, from, signal) {
      const member = memberOf(name);
      const { came } = member;
      member.came = null;
      member.from = undefined;
      let answer: ThreatListAnswer;
      let waitedMs = 0;
      if (came !== null && came.from === from && isFresh(came)) {
        answer = came.answer;
        waitedMs = now() - came.atMs;
      } else {
        member.from = from;
        member.isWaiting = true;
        if (gathering === null || gathering.isEnded()) gathering = shareWork(fetchAll);
        const found = (await gathering.join(signal)).get(name);
        member.from = undefined;
        answer = readHashList(found, from);
      }
      const waitMs = Math.max(0, (answer.waitMs ?? 0) - waitedMs);
      member.dueAtMs = now() + waitMs;
      return { ...answer, waitMs };
    },
  };
}

/** @throws PortcullisError `INVALID_RESPONSE`, or the error itself */
function readHashList(value: unknown, from: string | null): ThreatListAnswer {
  if (isPortcullisError(value)) throw value;
  if (value === undefined) throw unusable('leaves out a list');
  const {
    version = from,
    partialUpdate,
    compressedRemovals,
    additionsFourBytes,
    sha256Checksum,
    minimumWaitDuration,
  } = objectOf(value);
  if (!isVersion(version)) throw unusable('has no usable version of a list');
  const waitMs = durationIn(minimumWaitDuration);
  const sum = bytesIn(sha256Checksum);
  const update = {
    isPartial: partialUpdate === true,
    removals: riceIn(compressedRemovals, 'entriesCount'),
    additions: riceIn(additionsFourBytes, 'entriesCount'),
    isLittleEndian: false,
    raw: [],
    sum,
  };
  const isUnchanged = sha256Checksum === undefined && update.removals === null && update.additions === null;
  return { version, update: isUnchanged ? null : update, waitMs, hasMore: !waitMs };
}
