import { element, language, showAdvisory, text, timeAgo, translatePage } from './page-texts.js';
import type { CheckAnswer, PopupQuestion, StatusAnswer } from './popup-messages.js';

declare const chrome: { readonly runtime: { sendMessage(message: PopupQuestion): Promise<unknown> } };

translatePage();
void showStatus().catch(showNoWorker);
const form = element<HTMLFormElement>('check');
form.onsubmit = (event) => {
  event.preventDefault();
  void check();
};

// The context menu passes a link.
if (location.hash !== '') {
  element<HTMLInputElement>('text').value = decodeURIComponent(location.hash.slice(1));
  void check();
}

async function showStatus(): Promise<void> {
  const status = (await askWorker({ ask: 'status' })) as StatusAnswer | null;
  if (status === null) return showFailure('INTERNAL');
  const { list, error, mode, blockedCount, lastBlock, isGateRefused } = status;
  const number = (value: number): string => value.toLocaleString(language());
  const warning = isGateRefused ? 'refusedState' : list === null ? 'noListState' : null;
  element('mode').textContent = text(warning ?? `${mode}State`);
  element('mode').classList.toggle('blocked', warning !== null);
  element('list').textContent =
    list === null
      ? text(error === null ? 'listMissing' : 'listFailed', error ?? '')
      : text(list.isStale ? 'listStale' : 'listState', number(list.count), timeAgo(list.ageMs));
  element('blocked').textContent = number(blockedCount);
  element('last').textContent = lastBlock === null ? text('none') : `${lastBlock.url} · ${timeAgo(Date.now() - lastBlock.atMs)}`;
}

/** Rejects after ten seconds: a worker that did not start never answers in Chromium. */
function askWorker(question: PopupQuestion): Promise<unknown> {
  return new Promise((resolve, reject) => {
    setTimeout(reject, 10_000);
    chrome.runtime.sendMessage(question).then(resolve, reject);
  });
}

function showNoWorker(): void {
  element('mode').textContent = text('noWorkerState');
  element('mode').classList.add('blocked');
  element('list').textContent = text('listMissing');
}

function showFailure(code: string): void {
  element('list').textContent = text('listFailed', code);
}

async function check(): Promise<void> {
  const result = element('result');
  result.textContent = '…';
  showAdvisory(undefined);
  const question = { ask: 'check', text: element<HTMLInputElement>('text').value } as const;
  const answer = (await askWorker(question).catch(() => null)) as CheckAnswer | null;
  const status = answer?.status ?? 'unknown';
  result.className = status;
  result.textContent = text(answer?.advisory ? 'resultAdvised' : (resultTexts[status] ?? 'resultUnknown'));
  showAdvisory(answer?.advisory);
}

const resultTexts: Record<string, string> = {
  blocked: 'resultBlocked',
  clear: 'resultClear',
  allowed: 'resultClear',
  unconfirmed: 'resultUnconfirmed',
  'not-listable': 'resultNotListable',
};
