import type { Blocklist } from 'portcullis';
import { byId, element, setText } from './dom.js';
import { bytesText, countText, durationText, numberText, shown } from './shown.js';

/** How many characters of a token are shown: enough to distinguish two. */
const maxTokenLength = 24;

/** The state of the list, updated every second. */
export function showList(blocklist: Blocklist): void {
  const { sources, isStored, overrides } = blocklist.status();
  const { list, isStored: isListStored, nextSyncAtMs, confirm } = sources[0]!;
  const waitMs = nextSyncAtMs - Date.now();
  set('Entries', list === null ? 'no list yet' : numberText(list.count));
  set('Recent', list === null ? '–' : numberText(list.recentCount));
  set('In memory', list === null ? '–' : bytesText(list.byteLength));
  set('Algorithm', list?.algorithm ?? '–');
  set('Snapshot token', tokenText(list?.snapshotToken));
  set('Recent token', tokenText(list?.recentToken));
  set('Age', list === null ? '–' : `${durationText(list.ageMs)}${list.isStale ? ', too old' : ''}`);
  set('Next sync', waitMs <= 0 ? 'due' : `in ${durationText(waitMs)}`);
  const inDatabase = list !== null && isListStored ? 'IndexedDB, stored' : 'IndexedDB, nothing stored yet';
  set('Storage', isStored ? inDatabase : 'memory only');
  set('Remembered', countText(confirm.cached, 'answer'));
  set('Overrides', String(overrides));
}

function set(name: string, value: string): void {
  const id = `list-${name.toLowerCase().replace(/ /g, '-')}`;
  if (document.getElementById(id) === null) {
    const target = element('dd');
    target.id = id;
    byId('list', HTMLDListElement).append(element('dt', '', name), target);
  }
  setText(byId(id, HTMLElement), value);
}

export function tokenText(token: string | null | undefined): string {
  return token ? shown(token, maxTokenLength) : '–';
}
