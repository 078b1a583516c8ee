import type { ExplainedExpression, Explanation, Verdict } from 'portcullis';
import { wrap } from '../arguments/help.js';
import type { Output } from '../terminal/output.js';
import { type Checked, lineOf } from './verdict-lines.js';

/** An explanation for a person: readings, expressions, and a sentence that sums up. */
export function explainedLines(
  result: Explanation & Checked,
  nameOf: (source: string) => string,
  { paint, columns }: Pick<Output, 'paint' | 'columns'>,
): string[] {
  const { assets, override, lists, verdict } = result;
  const typeWidth = Math.max(0, ...assets.map(({ type }) => type.length));
  return [
    lineOf(result, paint),
    ...assets.map(({ type, canonical }, at) => `  ${at === 0 ? 'read as ' : '        '} ${type.padEnd(typeWidth)}  ${canonical}`),
    ...(override === null ? [] : [`  override: ${override.action} ${override.expression}`]),
    ...lists.flatMap(({ source, algorithm, finding, expressions }) => {
      const width = Math.min(maxAligned, Math.max(0, ...expressions.map(({ expression }) => expression.length)));
      return [
        `  list ${source} (${algorithm ?? 'not usable'}): ${finding.status}, ${finding.reason}`,
        ...expressions.flatMap((row, at) => {
          const { expression, target, isCarried, prefix, heldIn } = row;
          const isNext = target > 0 && target !== expressions[at - 1]?.target;
          return [
            ...(isNext ? [`    ${paint('dim', isCarried ? 'a link inside it:' : `target ${target + 1}, judged alone:`)}`] : []),
            `    ${paint('cyan', prefix)}  ${expression.padEnd(width)}  ${paint(heldIn === 'nothing' ? 'dim' : 'yellow', heldText(row))}`,
          ];
        }),
      ];
    }),
    ...wrap(summaryOf(verdict, nameOf), columns, '  ').split('\n'),
  ];
}

/** One long expression must not push the words of the others off the screen. */
const maxAligned = 40;

/** What a list says about an expression. `known` is present if the list has only the first four bytes of its hashes. */
function heldText(row: ExplainedExpression): string {
  const { heldIn, known } = row;
  if (heldIn === 'nothing') return 'not on the list';
  if (heldIn === 'removed') return 'removed from the list';
  if (heldIn === 'allowed') return 'allowed by the list';
  const where = heldIn === 'recent' ? ', added recently' : '';
  return 'known' in row ? `${known === undefined ? '' : answers[known]}${where}` : `on the list${where}`;
}

const answers: Readonly<Record<NonNullable<ExplainedExpression['known']>, string>> = {
  blocked: 'on the list, as its source confirmed',
  earlier: 'on the list, as its source confirmed earlier',
  disproved: 'not on the list: another entry has the same four bytes',
  unknown: 'perhaps on the list: an entry has the same four bytes',
};

/** The verdict as a sentence. */
function summaryOf({ reason, expression = 'the input', source }: Verdict, nameOf: (source: string) => string): string {
  return reasons[reason](expression, source === undefined ? 'a list' : `the list from ${nameOf(source)}`);
}

const reasons: Readonly<Record<Verdict['reason'], (what: string, list: string) => string>> = {
  confirmed: (what, list) => `Blocked: ${what} is on ${list}, as its source confirmed.`,
  'confirmed-earlier': (what, list) => `Blocked: ${what} was on ${list} within the last 7 days, as its source confirmed.`,
  listed: (what, list) => `Blocked: ${what} is on ${list}.`,
  override: (what) => `Decided by an override for ${what}.`,
  'source-allows': (what, list) => `Allowed: ${list} says that ${what} is harmless.`,
  'not-listed': () => 'Clear: no expression is on a list.',
  disproved: (_, list) => `Clear: an entry of ${list} has the same four bytes, and its source says that it is another.`,
  'not-asked': (what, list) =>
    `Not decided: an entry of ${list} has the same four bytes as ${what}. Only its source knows whether it is the same; --confirm asks it, as check does.`,
  offline: (what, list) =>
    `Not decided: an entry of ${list} has the same four bytes as ${what}, and its source cannot be asked now. Try again later.`,
  deadline: (what, list) =>
    `Not decided: an entry of ${list} has the same four bytes as ${what}, and its source did not answer in time. Try again.`,
  budget: (what, list) =>
    `Not decided: an entry of ${list} has the same four bytes as ${what}, and its source was asked too often. Try again in a minute.`,
  'bad-answer': (what, list) =>
    `Not decided: an entry of ${list} has the same four bytes as ${what}, and its source gave no usable answer. Run portcullis doctor.`,
  'older-answer': (what, list) =>
    `Not decided: an entry of ${list} has the same four bytes as ${what}. Its source denies it, but has lately offered an older list.`,
  carried: (what, list) => `Not decided: it carries a link to ${what}, which is on ${list}. Its site may open that link.`,
  loading: () => 'Not decided: the stored list has not been read yet. Try again.',
  'no-list': () => 'Not decided: a list is missing. Fetch it with: portcullis sync',
  'list-stale': (_, list) =>
    `Not decided: ${list} is too old to prove that the input is harmless. Update it with: portcullis sync`,
  'algorithm-unknown': (_, list) => `Not decided: this version cannot read ${list}. Look for a newer version of portcullis.`,
  'algorithm-mismatch': (_, list) => `Not decided: ${list} lacks known entries. Run portcullis doctor.`,
  unreadable: () => 'Not decided: the input is neither a link nor another known asset. Name what it is with --type.',
  'self-test-failed': () => 'Not decided: this engine computes wrong hashes. Run portcullis doctor.',
  'internal-scheme': () => 'No list can have it: only the browser itself opens it.',
  'not-a-host': () => 'No list can have it: its host is not public.',
  'private-address': () => 'No list can have it: it is another machine in every network.',
  secret: () => 'Not looked up: it has the shape of a private key or a recovery phrase. If it is one, share it with no site.',
};
