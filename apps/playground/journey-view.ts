import type { HeldIn } from 'portcullis';
import { prefixDigits } from '../shared/full-hash.js';
import { plainTypeName } from './asset-type-names.js';
import { byId, element } from './dom.js';
import { keepFold } from './fold.js';
import type { Judgment, Look } from './judge.js';
import { type LoggedRequest, okStatus, shardDigitsOf } from './requests.js';
import type { Sending } from './sending.js';
import { bytesText, countText, durationText, shown } from './shown.js';
import { timeText } from './stopwatch.js';
import { meanings, memories, places, reasonText, titles } from './verdict-words.js';

/** Hex digits of the part of a prefix that chooses a bucket. */
const bucketDigits = 4;

/** Shows the steps from a text to its verdict. */
export function showJourney(judgment: Judgment, sending: Sending): void {
  const steps = [textStep(judgment), assetStep(judgment)];
  if (judgment.looks.length > 0) steps.push(expressionStep(judgment), sendingStep(judgment, sending));
  const list = byId('journey', HTMLOListElement);
  const focused = list.contains(document.activeElement) ? document.activeElement?.closest('details')?.id : undefined;
  list.replaceChildren(...steps, verdictStep(judgment));
  // What had the focus was replaced by a new one.
  if (focused) document.getElementById(focused)?.querySelector('summary')?.focus();
}

export function showNoJourney(): void {
  const parts = ['Text', 'What it is', 'Expressions, their hashes, and the lookup', 'What was sent', 'Verdict'];
  byId('journey', HTMLOListElement).replaceChildren(...parts.map((title) => step(title)));
}

const line = (...children: readonly (Node | string)[]): HTMLElement => element('p', '', ...children);
const note = (text: string): HTMLElement => element('p', 'note', text);
const rowsOf = (rows: readonly HTMLElement[]): HTMLElement => element('ul', 'rows', ...rows);

function step(title: string, ...content: readonly Node[]): HTMLLIElement {
  return element('li', '', element('h3', '', title), ...content);
}

function code(text: string): HTMLElement {
  const made = element('code', '', text);
  made.dir = 'ltr';
  return made;
}

function textStep({ subject, verdict }: Judgment): HTMLLIElement {
  const { text } = subject;
  if (verdict.reason === 'secret') return step('Text', line('A secret; it is not shown here.'));
  return step('Text', line(code(shown(text))), note(countText(text.length, 'character')));
}

function assetStep({ subject, verdict }: Judgment): HTMLLIElement {
  const { assets } = subject;
  if (assets.length === 0 || verdict.status === 'not-listable') return step('What it is', line(reasonText({ subject, verdict })));
  const rows = assets.map(({ type, canonical }) => element('li', '', `${plainTypeName(type)} `, code(shown(canonical))));
  return step(
    'What it is',
    rowsOf(rows),
    ...(rows.length > 1 ? [note('It can be read in several ways, the most specific first.')] : []),
  );
}

function expressionStep({ looks, explanation }: Judgment): HTMLLIElement {
  const algorithm = explanation.lists[0]?.algorithm;
  return step(
    countText(looks.length, 'expression'),
    line(
      'Expressions are the forms in which a list could contain it, such as the page and its whole site. SHA-256 makes a hash of each, a fingerprint of 32 bytes. Its first four bytes, the prefix, are looked up in the list on this device.',
    ),
    ...(looks.some(({ found }) => found !== null && found.target > 0)
      ? [note('The text names several targets. Each is judged alone, and the worst verdict wins.')]
      : []),
    rowsOf(looks.map(lookRow)),
    ...meaningsOf(looks).map(note),
    details(
      'buckets',
      rowsOf(looks.map(bucketRow)),
      note(
        `${algorithm ? `Algorithm ${algorithm}. ` : ''}A bucket is one part of the list. Shown as in large lists: the first two bytes choose one of 65,536 buckets, the other two are searched for in it. Lists below 131,072 entries have fewer buckets.`,
      ),
    ),
  );
}

/** Explanations of the places in the rows. */
function meaningsOf(looks: readonly Look[]): string[] {
  const isIn = (...places: readonly HeldIn[]): boolean =>
    looks.some(({ found }) => found !== null && places.includes(found.heldIn));
  return [
    ...(isIn('base', 'removed') ? [`The snapshot is ${meanings.snapshot}.`] : []),
    ...(isIn('recent') ? [`The recent feed is ${meanings.recent}.`] : []),
  ];
}

function lookRow({ expression, hash, found }: Look): HTMLLIElement {
  const target = found === null || found.target === 0 ? '' : ` · target ${found.target + 1}`;
  const isHeld = found !== null && found.heldIn !== 'nothing';
  const hashLine = element(
    'p',
    'hash mono',
    element('span', 'hidden', 'Looked up: '),
    element('mark', '', hash.slice(0, prefixDigits)),
    element('span', 'hidden', ', and the rest of the hash: '),
    hash.slice(prefixDigits),
  );
  const place = found === null ? 'no list to search' : places[found.heldIn];
  const known = found?.known === undefined ? '' : ` · ${memories[found.known]}`;
  const row = element(
    'li',
    '',
    element('p', 'mono expression', shown(expression)),
    hashLine,
    line(element(isHeld ? 'strong' : 'span', '', place), known, target),
  );
  row.dataset['held'] = isHeld ? 'yes' : 'no';
  return row;
}

function bucketRow({ expression, hash }: Look): HTMLLIElement {
  const bucket = code(hash.slice(0, bucketDigits));
  const rest = code(hash.slice(bucketDigits, prefixDigits));
  return element('li', '', element('p', 'mono', shown(expression)), line('bucket ', bucket, ' · searched for ', rest));
}

function details(name: string, ...content: readonly Node[]): HTMLDetailsElement {
  const made = element('details', '', element('summary', '', 'Details'), ...content);
  made.id = `journey-${name}`;
  keepFold(made);
  return made;
}

function sendingStep({ looks }: Judgment, { words, why, requests, isEarlier }: Sending): HTMLLIElement {
  const sent = element('strong', '', words);
  sent.id = 'journey-sent';
  const rows = requests.map((request) => element('li', '', ...askedLines(request, looks)));
  return step(
    'What was sent',
    line(sent, ` ${why}`),
    ...(isEarlier && rows.length > 0 ? [note('The earlier request that brought the answer:')] : []),
    ...(rows.length > 0 ? [rowsOf(rows)] : []),
  );
}

function verdictStep(judgment: Judgment): HTMLLIElement {
  const { status, reason, action, ageMs } = judgment.verdict;
  const age = ageMs === undefined ? [] : [`list ${durationText(ageMs)} old`];
  return step(
    'Verdict',
    line(`${titles[status]}. ${reasonText(judgment)}`),
    details('verdict', note([`${status}, ${reason}`, `action: ${action}`, ...age].join(' · ')), note(howLong(judgment))),
  );
}

function askedLines(request: LoggedRequest, looks: readonly Look[]): Node[] {
  const { method, path, prefixes, sentBytes, receivedBytes, outcome } = request;
  const lines: Node[] = [element('p', 'mono', `${method} ${path}`)];
  if (outcome === 'refused') return [...lines, line('Refused, because offline is simulated; nothing was sent.')];
  if (outcome === 'pending') return [...lines, line('There is no answer yet.')];
  if (outcome === 'failed') return [...lines, line('There was no answer.')];
  const sizes = `${bytesText(sentBytes)} sent, ${bytesText(receivedBytes)} received, status ${outcome}`;
  if (prefixes.length === 0) {
    const came = outcome === okStatus ? '' : ' The server answered with an error.';
    const digits = shardDigitsOf(path);
    const which =
      digits === undefined ? 'every hash of the list' : `every hash that starts with the same ${digits.length * 4} bits`;
    lines.push(line(`A file with ${which}; the request does not reveal which one was meant.${came}`));
  }
  for (const prefix of prefixes) {
    const cameBack = ` · came back: ${answerText(request, prefix, looks)}`;
    lines.push(line('asked for ', element('mark', 'mono', prefix), cameBack));
  }
  return [...lines, note(sizes)];
}

function answerText({ outcome, answered, isDone }: LoggedRequest, prefix: string, looks: readonly Look[]): string {
  if (outcome !== okStatus) return 'an error';
  if (!isDone) return 'the answer is still arriving';
  if (answered === null) return 'a malformed answer';
  const hashes = answered[prefix] ?? [];
  if (hashes.length === 0) return 'no hash with this prefix';
  const isOurs = looks.some(({ hash }) => hashes.includes(hash));
  const which = isOurs ? 'one of them matches in all 32 bytes' : 'none of them matches';
  return `${countText(hashes.length, 'full hash', 'full hashes')}, ${which}`;
}

function howLong({ timing }: Judgment): string {
  const { calls, runs } = timing;
  const how =
    runs === 1 ? 'one call of test()' : `the mean of ${countText(calls, 'call')} of test() in the fastest of ${runs} runs`;
  return `${timeText(timing)}: ${how}, by this page’s clock, with everything in memory. It does not include waiting for an answer.`;
}
