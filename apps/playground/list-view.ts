import type { Blocklist } from 'portcullis';
import { byId, element, setText } from './dom.js';
import { bytesText, countText, durationText, numberText, shown } from './shown.js';
import { confirmState, type SourceStates } from './source-states.js';
import { meanings } from './verdict-words.js';

/** How many characters of a token are shown: enough to distinguish two. */
const maxTokenLength = 24;

/** Explanations of the facts, by their names. */
const notes: Readonly<Record<string, string>> = {
  'Next sync': 'when this page asks for a newer list',
  Storage: 'IndexedDB is the database of this browser',
  Relay: 'the server that passes the list on to browsers',
  Service: 'the server that makes the list',
  Host: 'the server that has the files of the list',
  Confirmations: 'whether the server answers questions about possible matches',
  'In snapshot': meanings.snapshot,
  'In recent feed': meanings.recent,
  Algorithm: 'how texts become expressions, the forms that a list contains',
  'Snapshot token': 'changes with every snapshot',
  'Recent token': 'changes with every change of the recent feed',
  Remembered: 'answers of the server about possible matches',
  Overrides: 'what you blocked or allowed in this browser',
};

/** The state of the list and of the servers behind it, updated every second. */
export function showList(blocklist: Blocklist, states: SourceStates, isOffline: boolean): void {
  const { sources, isStored, overrides } = blocklist.status();
  const { list, isStored: isListStored, nextSyncAtMs, confirm } = sources[0]!;
  const waitMs = nextSyncAtMs - Date.now();
  const total = list === null ? 'no list yet' : numberText(list.count + list.recentCount);
  const entries = list === null ? total : countText(list.count + list.recentCount, 'entry', 'entries');
  setText(byId('list-sum', HTMLElement), isOffline ? `${entries}; offline is simulated` : entries);
  set('Total entries', total);
  set('Age', list === null ? '–' : `${durationText(list.ageMs)}${list.isStale ? ', too old' : ''}`);
  set('Next sync', waitMs <= 0 ? 'due' : `in ${durationText(waitMs)}`);
  const inDatabase = list !== null && isListStored ? 'IndexedDB, stored' : 'IndexedDB, nothing stored yet';
  set('Storage', isStored ? inDatabase : 'memory only');
  for (const [name, state] of states()) set(name, state);
  set('Confirmations', confirmState(blocklist));
  setDetail('In snapshot', list === null ? '–' : numberText(list.count));
  setDetail('In recent feed', list === null ? '–' : numberText(list.recentCount));
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
    const note = notes[name];
    const meaning = note === undefined ? [] : [element('dd', 'note', note)];
    byId(list, HTMLDListElement).append(element('dt', '', name), target, ...meaning);
  }
  setText(byId(id, HTMLElement), value);
}

export function tokenText(token: string | null | undefined): string {
  return token ? shown(token, maxTokenLength) : '–';
}
