import type { Blocklist } from 'portcullis';
import { byId, element, setText } from './dom.js';
import { bytesText, countText, durationText, numberText, shown } from './shown.js';

/** Characters of a token that are shown; enough to tell two apart. */
const maxTokenLength = 24;

/** The state of the list, updated every second. */
export class ListView {
  private readonly frame = byId('list', HTMLDListElement);
  private readonly values = new Map<string, HTMLElement>();

  show(blocklist: Blocklist): void {
    const { sources, isStored, overrides } = blocklist.status();
    const { list, isStored: isListStored, nextSyncAtMs, confirm } = sources[0]!;
    const nowMs = Date.now();
    this.set('Entries', list === null ? 'no list yet' : numberText(list.count));
    this.set('Recent', list === null ? '–' : numberText(list.recentCount));
    this.set('In memory', list === null ? '–' : bytesText(list.byteLength));
    this.set('Algorithm', list?.algorithm ?? '–');
    this.set('Snapshot token', tokenText(list?.snapshotToken));
    this.set('Recent token', tokenText(list?.recentToken));
    this.set('Age', list === null ? '–' : `${durationText(list.ageMs)}${list.isStale ? ', too old' : ''}`);
    this.set('Next sync', nextSyncAtMs <= nowMs ? 'due' : `in ${durationText(nextSyncAtMs - nowMs)}`);
    this.set(
      'Storage',
      !isStored ? 'memory only' : list !== null && isListStored ? 'IndexedDB, stored' : 'IndexedDB, nothing stored yet',
    );
    this.set('Remembered', countText(confirm.cached, 'answer'));
    this.set('Overrides', String(overrides));
  }

  private set(name: string, value: string): void {
    let target = this.values.get(name);
    if (target === undefined) {
      target = element('dd');
      target.id = `list-${name.toLowerCase().replace(/ /g, '-')}`;
      this.values.set(name, target);
      this.frame.append(element('dt', '', name), target);
    }
    setText(target, value);
  }
}

export function tokenText(token: string | null | undefined): string {
  return token ? shown(token, maxTokenLength) : '–';
}
