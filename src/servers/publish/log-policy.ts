import { equalBytes } from '../../core/bytes.js';
import { refuse, requireString } from '../../core/errors.js';
import { logKeyType, type NoteKey, readNoteKey, witnessKeyType } from '../../core/tlog/note.js';

/** Which signatures a checkpoint needs: a file in the form of c2sp.org/tlog-policy. */
export interface LogPolicy {
  readonly logs: readonly PolicyKey[];
  readonly witnesses: readonly PolicyWitness[];
  /** Whether these witnesses, by their names in the policy, are enough. */
  isQuorum(names: ReadonlySet<string>): boolean;
}

/** A key, and where its owner answers. */
export interface PolicyKey {
  readonly key: NoteKey;
  readonly url?: string | undefined;
}

export interface PolicyWitness extends PolicyKey {
  readonly name: string;
}

/** Characters of a policy: 64 of each kind with the longest names and URLs in use take a quarter. */
const maxLength = 131_072;

/** Of logs, witnesses and groups each; the specification asks for 32. A checkpoint has room for one signature of each witness and the log's. */
const maxOfKind = 63;

/** A witness or a group: how many of its members are needed. */
interface Member {
  readonly needed: number;
  readonly members: readonly string[];
}

/**
 * @throws TypeError, PortcullisError `INVALID_INPUT` with the line
 */
export function readLogPolicy(text: string): LogPolicy {
  requireString(text, 'the policy');
  if (text.length > maxLength) refuse(`a policy has at most ${maxLength} characters`);
  const logs: PolicyKey[] = [];
  const witnesses: PolicyWitness[] = [];
  const defined = new Map<string, Member>();
  const used = new Set<string>();
  let quorum: string | undefined;
  for (const [at, line] of text.split('\n').entries()) {
    const wrong = (what: string): never => refuse(`line ${at + 1} of the policy: ${what}`);
    if (/[\0-\x08\x0b-\x1f\x7f]/.test(line)) wrong('has a control character, or a carriage return before the newline');
    const [kind, ...words] = line.split(/[ \t]+/).filter((word) => word !== '');
    if (kind === undefined || kind.startsWith('#')) continue;
    const define = (name: string | undefined, member: Member, count: number): void => {
      if (name === undefined || name === 'none' || defined.has(name)) wrong('the name is missing, taken, or "none"');
      if (count >= maxOfKind) wrong(`there are more than ${maxOfKind} of one kind`);
      defined.set(name!, member);
    };
    const keyIn = (vkey: string | undefined, type: number, others: readonly PolicyKey[], count: number): NoteKey => {
      const key = readNoteKey(vkey ?? '');
      if (key?.type !== type) return wrong(`has no vkey of type 0${type}`);
      if (words.length > count + 1) wrong('has more words than key and URL');
      if (others.some((other) => equalBytes(other.key.publicKey, key.publicKey))) wrong('has a key that is there twice');
      return key;
    };
    if (kind === 'log') {
      if (logs.length >= maxOfKind) wrong(`there are more than ${maxOfKind} of one kind`);
      logs.push({ key: keyIn(words[0], logKeyType, logs, 1), url: words[1] });
    } else if (kind === 'witness') {
      const key = keyIn(words[1], witnessKeyType, witnesses, 2);
      define(words[0], { needed: 1, members: [] }, witnesses.length);
      witnesses.push({ name: words[0]!, key, url: words[2] });
    } else if (kind === 'group') {
      const [name, given, ...members] = words;
      const needed =
        given === 'all' ? members.length : given === 'any' ? 1 : /^[1-9]\d{0,2}$/.test(given ?? '') ? Number(given) : 0;
      if (needed < 1 || needed > members.length) wrong('a group needs all, any or a number up to that of its members');
      for (const member of members) {
        if (!defined.has(member) || used.has(member)) wrong('a member is not defined above, or in a group already');
        used.add(member);
      }
      define(name, { needed, members }, defined.size - witnesses.length);
    } else if (kind === 'quorum') {
      const [name = ''] = words;
      if (quorum !== undefined || words.length !== 1 || (name !== 'none' && !defined.has(name)))
        wrong('there must be one quorum, and its name defined above');
      quorum = name;
    } else wrong('begins with none of log, witness, group, quorum');
  }
  if (quorum === undefined) refuse('the policy has no line "quorum <name>"; write "quorum none" to need no witness');
  const isMet = (name: string, names: ReadonlySet<string>): boolean => {
    const { needed, members } = defined.get(name)!;
    return members.length === 0 ? names.has(name) : members.filter((member) => isMet(member, names)).length >= needed;
  };
  const end = quorum;
  return { logs, witnesses, isQuorum: (names) => end === 'none' || isMet(end, names) };
}

/**
 * The key of a log, which must be one of those that a policy is for.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function logKeyIn(vkey: string, path: string, policy: LogPolicy | undefined): NoteKey {
  const key = readNoteKey(vkey);
  if (key?.type !== logKeyType) refuse(`${path} must be the vkey of a log, as portcullis keygen --log prints it`);
  if (
    policy !== undefined &&
    policy.logs.length > 0 &&
    !policy.logs.some((log) => log.key.id === key.id && log.key.name === key.name)
  )
    refuse('the policy is for another log');
  return key;
}
