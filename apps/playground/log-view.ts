import { byId, element, setText } from './dom.js';
import type { LoggedRequest, Requests } from './requests.js';
import { bytesText, countText, durationText, shown } from './shown.js';

/** The maximum number of rows, which fill two screens of a phone. */
const maxShown = 25;

export function showLog({ log, count, sentBytes, receivedBytes }: Requests): void {
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
