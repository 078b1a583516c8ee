import type { Blocklist } from 'portcullis';
import { byId, element, setText } from './dom.js';
import { bytesText, countText, durationText, numberText, shown } from './shown.js';
import { confirmState, type SourceStates } from './source-states.js';

/** How many characters of a token are shown: enough to distinguish two. */
const maxTokenLength = 24;

/** The state of the list and of the servers behind it, updated every second. */
export function showList(blocklist: Blocklist, states: SourceStates): void {
  const { sources, isStored, overrides } = blocklist.status();
  const { list, isStored: isListStored, nextSyncAtMs, confirm } = sources[0]!;
  const waitMs = nextSyncAtMs - Date.now();
  set('Total entries', list === null ? 'no list yet' : numberText(list.count + list.recentCount));
  set('Age', list === null ? '–' : `${durationText(list.ageMs)}${list.isStale ? ', too old' : ''}`);
  set('Next sync', waitMs <= 0 ? 'due' : `in ${durationText(waitMs)}`);
  const inDatabase = list !== null && isListStored ? 'IndexedDB, stored' : 'IndexedDB, nothing stored yet';
  set('Storage', isStored ? inDatabase : 'memory only');
  for (const [name, state] of states()) set(name, state);
  set('Confirmations', confirmState(blocklist));
  setDetail('In snapshot', list === null ? '–' : numberText(list.count));
  setDetail('Recent', list === null ? '–' : numberText(list.recentCount));
  setDetail('In memory', list === null ? '–' : bytesText(list.byteLength));
  setDetail('Algorithm', list?.algorithm ?? '–');
  setDetail('Snapshot token', tokenText(list?.snapshotToken));
  setDetail('Recent token', tokenText(list?.recentToken));
  setDetail('Remembered', countText(confirm.cached, 'answer'));
  setDetail('Overrides', String(overrides));
}

const set = (name: string, value: string): void => setIn('list', name, value);
const setDetail = (name: string, value: string): void => setIn('list-more', name, value);

function setIn(list: string, name: string, value: string): void {
  const id = `list-${name.toLowerCase().replace(/ /g, '-')}`;
  if (document.getElementById(id) === null) {
    const target = element('dd');
    target.id = id;
    byId(list, HTMLDListElement).append(element('dt', '', name), target);
  }
  setText(byId(id, HTMLElement), value);
}

export function tokenText(token: string | null | undefined): string {
  return token ? shown(token, maxTokenLength) : '–';
}
