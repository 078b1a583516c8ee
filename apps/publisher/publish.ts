import type { ListFormat } from 'portcullis/publish';
import { byId, element, setText } from '../playground/dom.js';
import { bytesText, countText, numberText, shown } from '../playground/shown.js';
import { growthPicture, growthWords, type LogOrder, logFilesOf } from './log-growth.js';
import type { PublishOrder, PublishResult, PublishStep } from './publish-list.js';
import type { WorkerMessage } from './publish-worker.js';

const steps: Readonly<Record<PublishStep, string>> = {
  read: 'Reading the file',
  sort: 'Sorting hashes',
  encode: 'Encoding the snapshot',
  write: 'Writing files',
};

/** Reserved names, with some lines that cannot be listed. */
const sample = ['scam-mint.example', 'https://evil.example/claim', 'co.uk', 'https://t.me', '127.0.0.1', 'a.example, b.example'];

/** The policy of the page allows this one script to be started as a worker. */
const workerUrl = new URL('publish-worker.js', document.baseURI).href;

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
const policy = trustedTypes?.createPolicy('publish-worker', { createScriptURL: () => workerUrl });

const drop = byId('drop', HTMLElement);
const file = byId('file', HTMLInputElement);
const format = byId('format', HTMLSelectElement);
const cancel = byId('cancel', HTMLButtonElement);
const progress = byId('progress', HTMLProgressElement);

let worker: Worker | undefined;
/** The address of the archive, which keeps its bytes in memory. */
let archiveUrl: string | undefined;
let chosen: { readonly file: Blob; readonly name: string } | undefined;

function publish(): void {
  if (chosen === undefined) return;
  stop();
  forget();
  const { name } = chosen;
  const order: PublishOrder = { ...chosen, format: (format.value || undefined) as ListFormat | undefined, nowMs: Date.now() };
  byId('work', HTMLElement).hidden = false;
  setText(byId('state', HTMLElement), `${shown(name)}: reading…`);
  const started = new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module' });
  worker = started;
  started.addEventListener('message', ({ data }: MessageEvent<WorkerMessage>) => take(name, data));
  started.addEventListener('error', () => fail(name, 'The worker of this page could not start or ran out of memory.'));
  started.postMessage(order);
}

let logWorker: Worker | undefined;

/** Verifies a log in a worker of its own, and shows how the list grew. */
function showLog(order: LogOrder): void {
  const tell = (text: string): void => setText(byId('log-state', HTMLElement), text);
  // A log that was chosen before must not be shown as this one.
  logWorker?.terminate();
  byId('growth', HTMLElement).replaceChildren();
  if (order.key === '') {
    tell('Enter the public key of the log first: the line that portcullis keygen --log has printed.');
    return;
  }
  tell('Reading the log…');
  const reader = new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module' });
  logWorker = reader;
  reader.addEventListener('error', () => tell('The worker of this page could not start or ran out of memory.'));
  reader.addEventListener('message', ({ data }: MessageEvent<WorkerMessage>) => {
    reader.terminate();
    if (data.kind === 'failed') return tell(`The log was not verified: ${shown(data.message)} [${data.code}]`);
    if (data.kind !== 'log') return;
    const words = growthWords(data.versions);
    const counts = data.versions.flatMap(({ count }) => (count === undefined ? [] : [count]));
    tell(`Verified: ${words}.`);
    byId('growth', HTMLElement).replaceChildren(growthPicture(counts, words));
  });
  reader.postMessage(order);
}

function take(name: string, message: WorkerMessage): void {
  if (message.kind === 'progress') {
    setText(byId('step', HTMLElement), steps[message.step]);
    progress.max = Math.max(1, message.total);
    progress.value = message.done;
    return;
  }
  if (message.kind === 'failed') {
    fail(name, `${message.message} [${message.code}]`);
    return;
  }
  stop();
  if (message.kind === 'done') show(name, message);
}

function fail(name: string, why: string): void {
  stop();
  setText(byId('state', HTMLElement), `${shown(name)} was not published: ${shown(why)}`);
}

/** Ends the work in progress, if any. */
function stop(): void {
  worker?.terminate();
  worker = undefined;
  byId('work', HTMLElement).hidden = true;
  progress.removeAttribute('value');
  setText(byId('step', HTMLElement), '');
}

/** Clears what is shown about the previous list. */
function forget(): void {
  if (archiveUrl !== undefined) URL.revokeObjectURL(archiveUrl);
  archiveUrl = undefined;
  byId('download-place', HTMLElement).replaceChildren();
  byId('result', HTMLElement).hidden = true;
}

function show(name: string, { report, refused, sizes, zip, version }: PublishResult): void {
  const refusedCount = refused.reduce((sum, { count }) => sum + count, 0);
  const state = `${shown(name)}: ${countText(report.listed, 'entry', 'entries')} listed, ${countText(refusedCount, 'line')} refused.`;
  setText(byId('state', HTMLElement), zip === null ? `${state} There is nothing to publish.` : state);
  const { duplicate = 0, changed = 0, 'exact-only': exactOnly = 0 } = report.warningsBy;
  pairs('read', [
    ['Recognized as', report.formats.map((one) => one.format).join(', ') || 'nothing'],
    ['Entries read', numberText(report.entries)],
    ['Listed', numberText(report.listed)],
    ...Object.entries(report.byType)
      .filter(([, count]) => count > 0)
      .map(([type, count]) => [`of type ${type}`, numberText(count)] as const),
    ['Links to accounts, listed with them', numberText(report.accounts)],
    ['Refused', numberText(refusedCount)],
    ['Duplicate', numberText(duplicate)],
    ['Listed in another spelling', numberText(changed)],
    ['Listed without subpages', numberText(exactOnly)],
    ['Ignored', numberText(report.ignored)],
    ['Taken out by exceptions', numberText(report.excepted)],
  ]);
  pairs('sizes', [
    ['Files', `${numberText(sizes.files)}, ${bytesText(sizes.total)}`],
    ['A client’s first sync', bytesText(sizes.firstSync)],
    ['A sync without changes', bytesText(sizes.laterSync)],
    ['A hit, at most', bytesText(sizes.hit)],
    ['A miss', 'nothing'],
    ['Algorithm', version.algoVersion],
    ['Snapshot token', version.snapshot.token],
  ]);
  byId('refused-frame', HTMLElement).hidden = refused.length === 0;
  byId('refused', HTMLElement).replaceChildren(
    ...refused.map(({ reason, count, places, advice }) => {
      const more = count > places.length ? ` and ${numberText(count - places.length)} more` : '';
      return element(
        'tr',
        '',
        element('th', 'mono', reason),
        element('td', '', `${places.map((place) => shown(place)).join(', ')}${more}`),
        element('td', '', advice),
      );
    }),
  );
  for (const head of byId('refused', HTMLElement).querySelectorAll('th')) head.scope = 'row';
  byId('download-frame', HTMLElement).hidden = zip === null;
  if (zip !== null) {
    archiveUrl = URL.createObjectURL(zip);
    const link = element('a', 'button', `Download the folder (${bytesText(zip.size)}, ZIP)`);
    Object.assign(link, { id: 'download', href: archiveUrl, download: 'published-list.zip' });
    byId('download-place', HTMLElement).append(link);
  }
  byId('result', HTMLElement).hidden = false;
}

function pairs(id: string, rows: readonly (readonly [name: string, value: string])[]): void {
  byId(id, HTMLDListElement).replaceChildren(
    ...rows.flatMap(([name, value]) => [element('dt', '', name), element('dd', '', value)]),
  );
}

function choose(blob: Blob, name: string): void {
  chosen = { file: blob, name };
  publish();
}

file.addEventListener('change', () => {
  const [first] = file.files ?? [];
  if (first !== undefined) choose(first, first.name);
  // The same file can be chosen again after it was corrected.
  file.value = '';
});
const logFolder = byId('log-folder', HTMLInputElement);
logFolder.addEventListener('change', () => {
  const key = byId('log-key', HTMLInputElement).value.trim();
  if (logFolder.files?.length) showLog({ key, files: logFilesOf(logFolder.files) });
  logFolder.value = '';
});
format.addEventListener('change', publish);
cancel.addEventListener('click', () => {
  stop();
  setText(byId('state', HTMLElement), 'Cancelled.');
  file.focus();
});
byId('sample', HTMLButtonElement).addEventListener('click', () => choose(new Blob([`${sample.join('\n')}\n`]), 'sample.txt'));

// A file dropped beside the frame would otherwise replace the page.
for (const type of ['dragover', 'drop']) addEventListener(type, (event) => event.preventDefault());
drop.addEventListener('dragover', () => drop.classList.add('over'));
drop.addEventListener('dragleave', () => drop.classList.remove('over'));
drop.addEventListener('drop', ({ dataTransfer }) => {
  drop.classList.remove('over');
  const [first] = dataTransfer?.files ?? [];
  if (first === undefined) setText(byId('state', HTMLElement), 'That is not a file.');
  else choose(first, first.name);
});
