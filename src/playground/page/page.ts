import { createBlocklist, isPortcullisError } from 'portcullis';
import { publishedSource, type Source, serviceSource } from 'portcullis/sources';
import { indexedDbStore } from 'portcullis/stores/indexeddb';
import type { PlaygroundConfig } from '../config.js';
import { Box } from './box.js';
import { type Action, answersCountMs, type Changes, deviceChanges, serviceChanges } from './change.js';
import { button, byId, element, setText } from './dom.js';
import { ListView } from './list-view.js';
import { LogView } from './log-view.js';
import { Notices } from './notices.js';
import { Requests } from './requests.js';

const secondMs = 1_000;

/** Kept for this tab, so that a reload is offline as well. */
const offlineKey = 'portcullis-playground-offline';

const requests = new Requests();
requests.isOffline = readOffline();
const logView = new LogView();
requests.onChange = () => logView.show(requests);

async function readConfig(): Promise<PlaygroundConfig | null> {
  try {
    const answer = await requests.fetchOfPage(new URL('config.json', document.baseURI).href);
    return answer.ok ? ((await answer.json()) as PlaygroundConfig) : null;
  } catch {
    return null;
  }
}

function sourceOf(config: PlaygroundConfig): Source {
  const { fetch } = requests;
  // The list is as safe as the page itself, which came the same way.
  const common = { id: 'list', fetch, allowInsecureHttp: location.protocol === 'http:' };
  return config.kind === 'relay'
    ? serviceSource({ ...common, baseUrl: new URL(config.baseUrl, document.baseURI).href })
    : publishedSource({ ...common, url: new URL(config.url, document.baseURI).href });
}

function run(config: PlaygroundConfig): void {
  // Several pages of one origin are of several lists.
  const store = indexedDbStore({ name: `portcullis playground ${new URL('.', document.baseURI).pathname}` });
  const canAct = config.kind === 'relay' && config.canAct;
  const confirm = canAct ? { positiveMs: answersCountMs, negativeMs: answersCountMs } : {};
  const blocklist = createBlocklist({ sources: [sourceOf(config)], store, confirm });
  const changes = canAct ? serviceChanges(blocklist, requests) : deviceChanges(blocklist);
  const notices = new Notices();
  const listView = new ListView();
  const refresh = (): void => {
    listView.show(blocklist);
    notices.show(blocklist, requests.isOffline, () => void syncNow());
  };
  const box = new Box(blocklist, requests, refresh);

  async function syncNow(): Promise<void> {
    const { outcome } = await blocklist.sync();
    refresh();
    setText(byId('sync-result', HTMLElement), syncWords[outcome]);
    await box.check();
  }

  notices.listenTo(blocklist);
  blocklist.on('changed', () => void box.check());
  byId('sync', HTMLButtonElement).addEventListener('click', () => void syncNow());
  setUpSwitch(async () => {
    refresh();
    if (requests.isOffline) await box.check();
    else await syncNow();
  });
  setUpButtons(changes, box);
  box.offer(config);
  setInterval(refresh, secondMs);
  listView.show(blocklist);
  void blocklist.ready().then(() => {
    refresh();
    return box.check();
  });
}

const syncWords = {
  updated: 'The list was updated.',
  unchanged: 'Nothing new.',
  failed: 'It failed; it is tried again by itself.',
  deferred: 'The server asked to be left alone for a while.',
} as const;

function setUpButtons({ note, labels, run: change }: Changes, box: Box): void {
  setText(byId('act-note', HTMLElement), note);
  const result = byId('act-result', HTMLElement);
  let isBusy = false;
  const press = async (action: Action): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    setText(result, 'Under way …');
    try {
      const judgement = await box.current();
      if (judgement === null) return setText(result, 'Type something first.');
      setText(result, await change(action, judgement));
      await box.check();
      setTimeout(() => void box.check(), answersCountMs);
    } catch (error) {
      setText(result, isPortcullisError(error) ? `It failed: ${error.code}.` : 'It could not be sent.');
    } finally {
      isBusy = false;
    }
  };
  for (const action of ['block', 'allow'] as const) {
    const made = byId(action, HTMLButtonElement);
    setText(made, labels[action]);
    made.addEventListener('click', () => void press(action));
  }
}

function setUpSwitch(onChange: () => Promise<void>): void {
  const offline = byId('offline', HTMLButtonElement);
  const show = (): void => offline.setAttribute('aria-checked', String(requests.isOffline));
  show();
  offline.addEventListener('click', () => {
    requests.isOffline = !requests.isOffline;
    show();
    try {
      sessionStorage.setItem(offlineKey, requests.isOffline ? 'on' : 'off');
    } catch {
      // A private window: a reload begins online.
    }
    void onChange();
  });
}

function readOffline(): boolean {
  try {
    return sessionStorage.getItem(offlineKey) === 'on';
  } catch {
    return false;
  }
}

function tellNoConfig(): void {
  const row = element('div', 'notice', element('p', '', 'The page cannot be set up: its server does not give config.json.'));
  row.append(button('Try again', () => location.reload()));
  byId('notices', HTMLElement).replaceChildren(row);
}

const config = await readConfig();
if (config === null) tellNoConfig();
else run(config);
