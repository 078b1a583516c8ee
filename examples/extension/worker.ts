import { createExtensionGuard, type ExtensionBrowser, type MessageSender } from 'portcullis/extension';
import { createLightBlocklist, evm, type LightBlocklist, lightStore } from 'portcullis/light';
import { openSource } from './list-source.js';
import type { CheckAnswer, PopupQuestion, StatusAnswer } from './popup-messages.js';
import { readSettings, type Settings, type SettingsStorage } from './settings.js';

/** Firefox has one worker for all windows, and nothing of private ones may be stored. */
declare const STORES_ANSWERS: boolean;

declare const chrome: ExtensionBrowser & {
  readonly storage: SettingsStorage;
  readonly i18n: { getMessage(name: string): string };
  readonly runtime: { readonly onInstalled: { addListener(listener: () => void): void } };
  readonly windows: { create(options: { url: string; type: 'popup'; width: number; height: number }): Promise<unknown> };
  readonly contextMenus: {
    create(item: { id: string; title: string; contexts: string[] }, then: () => void): void;
    readonly onClicked: { addListener(listener: (click: { linkUrl?: string; selectionText?: string }) => void): void };
  };
};

function openBlocklist({ source, url, unknown }: Settings): LightBlocklist {
  return createLightBlocklist({
    source: openSource({ source, url }),
    families: [evm],
    // Another list must not be taken for this one.
    store: lightStore({ name: `${source} ${url}` }),
    storesAnswers: STORES_ANSWERS,
    policy: { unknown },
    // The guard's alarm polls, because timers end with the worker.
    pollMs: 0,
  });
}

const read = (): Promise<Settings> => readSettings(chrome.storage).then(({ settings }) => settings);
const open = (settings: Promise<Settings>) => ({
  settings,
  blocklist: settings.then(openBlocklist),
  mode: settings.then(({ mode }) => mode),
});
let opened = open(read());
const guard = createExtensionGuard({ browser: chrome, blocklist: opened.blocklist, mode: opened.mode });

chrome.storage.onChanged.addListener((_, area) => {
  if (area !== 'session') void reopen().catch(() => {});
});

async function reopen(): Promise<void> {
  const before = opened;
  const [settings, others] = await Promise.all([read(), before.settings]);
  if (before !== opened) return reopen();
  if (JSON.stringify(settings) === JSON.stringify(others)) return;
  opened = open(Promise.resolve(settings));
  await guard.update({ blocklist: opened.blocklist, mode: opened.mode }).catch(() => {});
  await (await before.blocklist).close();
}

// The popup asks the worker, so that one list is kept up to date and not one for each page.
chrome.runtime.onMessage.addListener((message, { id, url }: MessageSender, respond) => {
  const question = message as Partial<PopupQuestion>;
  if (id !== chrome.runtime.id || url?.split(/[?#]/)[0] !== chrome.runtime.getURL('popup.html')) return undefined;
  if (question.ask === 'status') void status().then(respond, () => respond(null));
  else if (question.ask === 'check' && typeof question.text === 'string')
    void check(question.text).then(respond, () => respond(null));
  else return undefined;
  return true;
});

async function status(): Promise<StatusAnswer> {
  const blocklist = await opened.blocklist.catch((error: { readonly code?: string }) => error);
  if (!('status' in blocklist)) return { ...(await guard.status()), list: null, error: blocklist.code ?? 'INTERNAL' };
  // A worker that has just started reads its list first.
  await blocklist.check('https://list.invalid/');
  const { list, lastError } = blocklist.status();
  return {
    ...(await guard.status()),
    list: list && { ageMs: list.ageMs, count: list.count + list.recentCount, isStale: list.isStale },
    error: lastError?.code ?? null,
  };
}

async function check(text: string): Promise<CheckAnswer> {
  const { status, advisory } = await (await opened.blocklist).check(text.trim());
  return { status, advisory };
}

chrome.runtime.onInstalled.addListener(() => {
  // Created again by an update, it fails; the callback keeps that out of the error log.
  chrome.contextMenus.create(
    { id: 'check', title: chrome.i18n.getMessage('checkLink'), contexts: ['link', 'selection'] },
    () => {},
  );
});
chrome.contextMenus.onClicked.addListener(({ linkUrl, selectionText = '' }) => {
  const url = chrome.runtime.getURL(`popup.html#${encodeURIComponent(linkUrl ?? selectionText)}`);
  void chrome.windows.create({ url, type: 'popup', width: 420, height: 520 });
});
