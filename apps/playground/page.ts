import { type Blocklist, createBlocklist, type VerdictStatus } from 'portcullis';
import { publishedSource, type Source, serviceSource } from 'portcullis/sources';
import { indexedDbStore } from 'portcullis/stores/indexeddb';
import type { Example, PlaygroundConfig } from '../shared/playground-config.js';
import { actViewOf } from './act-view.js';
import { Box } from './box.js';
import { answerReuseMs, deviceChanges, serviceChanges } from './change.js';
import { button, byId, element, setText } from './dom.js';
import { keepFold } from './fold.js';
import { showList } from './list-view.js';
import { Notices } from './notices.js';
import { type LoggedRequest, Requests } from './requests.js';
import { bytesText, countText, durationText, shown } from './shown.js';
import { hostStates, RelayHealth } from './source-states.js';
import { tabMemory } from './tab-memory.js';

const secondMs = 1_000;

/** Keeps the switch on across reloads. */
const offlineKey = 'portcullis-playground-offline';

const requests = new Requests();
requests.isOffline = tabMemory.read(offlineKey) === 'on';
requests.onChange = () => showLog(requests);

async function readConfig(): Promise<PlaygroundConfig> {
  const answer = await requests.fetchOfPage(new URL('config.json', document.baseURI).href);
  if (!answer.ok) throw new Error(`config.json could not be fetched (status ${answer.status})`);
  return configOf(await answer.json());
}

function sourceOf(config: PlaygroundConfig): Source {
  const { fetch } = requests;
  // The list may come over HTTP if the page did; HTTPS would not make it safer than the page.
  const common = { id: 'list', fetch, allowInsecureHttp: location.protocol === 'http:' };
  return config.kind === 'relay'
    ? serviceSource({ ...common, baseUrl: new URL(config.baseUrl, document.baseURI).href })
    : publishedSource({ ...common, url: new URL(config.url, document.baseURI).href });
}

function run(config: PlaygroundConfig): void {
  // Pages of one origin may have different lists.
  const store = indexedDbStore({ name: `portcullis playground ${new URL('.', document.baseURI).pathname}` });
  const canAct = config.kind === 'relay' && config.canAct;
  const confirm = canAct ? { positiveMs: answerReuseMs, negativeMs: answerReuseMs } : {};
  const blocklist = createBlocklist({ sources: [sourceOf(config)], store, confirm });
  const changes = canAct ? serviceChanges(blocklist, requests) : deviceChanges(blocklist);
  const notices = new Notices(requests);
  const health = config.kind === 'relay' ? new RelayHealth(config.baseUrl, requests) : null;
  const states = health?.states ?? hostStates(blocklist);
  const askHealth = (): void => void health?.ask().then(refresh);
  const refresh = (): void => {
    showList(blocklist, states, requests.isOffline);
    box.tick();
    notices.show(blocklist, () => void syncNow());
  };
  const box = new Box(blocklist, requests);
  const actView = actViewOf(changes, box, blocklist);
  box.onText = () => actView.clear();
  box.onJudgment = (judgment) => {
    actView.show(judgment);
    refresh();
  };

  async function syncNow(): Promise<void> {
    const { outcome } = await blocklist.sync();
    askHealth();
    refresh();
    const words = outcome === 'failed' && requests.isOffline ? 'Offline is simulated; nothing was sent.' : syncWords[outcome];
    setText(byId('sync-result', HTMLElement), words);
    await box.check();
  }

  notices.listenTo(blocklist);
  blocklist.on('changed', () => void box.check());
  blocklist.on('error', ({ where }) => {
    if (where !== 'store') askHealth();
  });
  byId('sync', HTMLButtonElement).addEventListener('click', () => void syncNow());
  onSwitch = () => {
    refresh();
    askHealth();
    void (requests.isOffline ? box.check() : syncNow());
  };
  setText(byId('promise', HTMLElement), promiseOf(config));
  box.start();
  box.offer(config.examples);
  setInterval(refresh, secondMs);
  askHealth();
  refresh();
  void blocklist.ready().then(() => {
    refresh();
    return box.check();
  });
  if (config.examples.length > 0) return;
  const stop = blocklist.on('changed', offerDerived);
  function offerDerived(): void {
    const examples = derivedExamples(blocklist);
    if (examples.length === 0) return;
    stop();
    setText(byId('examples-note', HTMLElement), derivedNote);
    box.offer(examples);
  }
  void blocklist.ready().then(offerDerived);
}

const syncWords = {
  updated: 'The list was updated.',
  unchanged: 'No change.',
  failed: 'The sync failed. It will be retried automatically.',
  deferred: 'The server asked for a pause before the next sync.',
} as const;

/** Set when the page runs; before, the switch only shows and changes its state. */
let onSwitch = (): void => {};

function setUpSwitch(): void {
  const offline = byId('offline', HTMLButtonElement);
  const show = (): void => offline.setAttribute('aria-checked', String(requests.isOffline));
  show();
  offline.addEventListener('click', () => {
    requests.isOffline = !requests.isOffline;
    // As a browser does when the network is back.
    if (!requests.isOffline) dispatchEvent(new Event('online'));
    show();
    tabMemory.write(offlineKey, requests.isOffline ? 'on' : 'off');
    onSwitch();
  });
}

/** What this configuration of the page sends, and when. */
function promiseOf(config: PlaygroundConfig): string {
  const unless = config.kind === 'relay' && config.canAct ? ', unless you change the list' : '';
  const part = config.kind === 'published' ? 'at most twelve bits' : 'four bytes';
  return `What you type stays in this browser${unless}; a possible match sends ${part} of its hash, a fingerprint.`;
}

function showNoConfig(error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  const row = element('div', 'notice', element('p', '', `The page could not start: ${shown(why)}.`));
  row.append(button('Try again', () => location.reload()));
  byId('notices', HTMLElement).replaceChildren(row);
}

/** Reserved names only, so that none belongs to a real site. */
const candidates: readonly (Example & { readonly status: VerdictStatus })[] = [
  { name: 'Not listed', text: 'https://example.net/', status: 'clear' },
  { name: 'A message', text: 'Write to help@example.net or open hxxps://shop.example[.]net/now', status: 'clear' },
  { name: 'A look-alike', text: 'https://sc\u0430m-mint.example/', status: 'clear' },
  { name: 'Not listable', text: 'http://localhost:3000/', status: 'not-listable' },
  { name: 'A private key', text: `${'00'.repeat(31)}01`, status: 'not-listable' },
];

/**
 * Examples for a list that brings none. A list holds only hashes, so that none of its entries can be derived from it; these are not on it,
 * and the list itself is asked whether that is true.
 */
function derivedExamples(blocklist: Pick<Blocklist, 'test' | 'status'>): readonly Example[] {
  if (blocklist.status().sources.every(({ list }) => list === null)) return [];
  return candidates.filter(({ text, status }) => blocklist.test(text).status === status);
}

const derivedNote =
  'The list holds only hashes, so it cannot show an entry of its own. To see one blocked, enter an entry that you know.';

/** The maximum number of rows, which fill two screens of a phone. */
const maxShown = 25;

function showLog({ log, count, sentBytes, receivedBytes }: Requests): void {
  const sum = `${countText(count, 'request')}, ${bytesText(sentBytes)} sent, ${bytesText(receivedBytes)} received.`;
  setText(byId('log-sum', HTMLElement), sum);
  byId('log', HTMLOListElement).replaceChildren(...log.slice(0, maxShown).map(row));
}

function row({ method, path, outcome, sentBytes, receivedBytes, durationMs, prefixes }: LoggedRequest): HTMLLIElement {
  const isRefused = outcome === 'refused';
  const facts = [
    `${bytesText(sentBytes)} sent`,
    `${bytesText(receivedBytes)} received`,
    ...(isRefused ? [] : [outcome === 'pending' ? 'pending' : String(outcome), durationText(durationMs)]),
    ...(prefixes.length === 0 || isRefused ? [] : [`prefixes ${prefixes.map((prefix) => shown(prefix)).join(' ')}`]),
  ];
  const refusal = isRefused ? [element('span', 'refused', 'refused: offline is simulated'), ' · '] : [];
  const line = element('p', '', ...refusal, facts.join(' · '));
  return element('li', '', element('p', 'mono', `${method} ${shown(path)}`), line);
}

/** @throws Error if it names no list */
function configOf(value: unknown): PlaygroundConfig {
  const { kind, baseUrl, url, canAct, examples } = Object(value) as Record<string, unknown>;
  const common = { examples: Array.isArray(examples) ? examples.filter(isExample) : [] };
  if (kind === 'relay' && typeof baseUrl === 'string') return { kind, baseUrl, canAct: canAct === true, ...common };
  if (kind === 'published' && typeof url === 'string') return { kind, url, ...common };
  throw new Error('config.json is malformed; it must name a relay or a published list');
}

function isExample(value: unknown): value is Example {
  const { name, text } = Object(value) as Partial<Example>;
  return typeof name === 'string' && typeof text === 'string';
}

for (const name of ['journey', 'change', 'list', 'log']) keepFold(byId(`fold-${name}`, HTMLDetailsElement));
// Before the configuration has arrived, because a reload keeps the state.
setUpSwitch();
try {
  run(await readConfig());
} catch (error) {
  showNoConfig(error);
}
