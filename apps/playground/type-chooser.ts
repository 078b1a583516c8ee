import type { AssetType } from 'portcullis';
import { type NamedType, plainTypeName, typeGroups } from './asset-type-names.js';
import { byId, element, setText } from './dom.js';
import { countText } from './shown.js';

interface Row {
  readonly label: HTMLLabelElement;
  readonly radio: HTMLInputElement;
  readonly type: AssetType | undefined;
  /** What a search looks through. */
  readonly words: string;
}

interface Group {
  readonly frame: HTMLElement;
  readonly rows: readonly Row[];
}

/** The button that names the type of the text, and the dialog that it opens. */
export class TypeChooser {
  private readonly button = byId('type', HTMLButtonElement);
  private readonly dialog = byId('types', HTMLDialogElement);
  private readonly form = byId('types-form', HTMLFormElement);
  private readonly search = byId('types-search', HTMLInputElement);
  private readonly list = byId('types-list', HTMLElement);
  private readonly groups: readonly Group[];
  private chosen: AssetType | undefined;

  /** @param onChoice Called when the user has chosen a type */
  constructor(onChoice: () => void) {
    this.groups = [detectedGroup(), ...typeGroups.map(({ title, types }) => groupOf(title, types))];
    this.list.append(...this.groups.map(({ frame }) => frame));
    this.button.addEventListener('click', () => this.open());
    this.search.addEventListener('input', () => this.filter());
    this.search.addEventListener('keydown', (event) => {
      if (event.key !== 'ArrowDown') return;
      event.preventDefault();
      const row = this.shown().find(({ radio }) => radio.checked) ?? this.shown()[0];
      if (row === undefined) return;
      row.radio.checked = true;
      row.radio.focus();
    });
    this.form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (this.take()) onChoice();
    });
    byId('types-cancel', HTMLButtonElement).addEventListener('click', () => this.dialog.close());
    this.takeAtClick();
  }

  /** `undefined` while the type is detected. */
  get type(): AssetType | undefined {
    return this.chosen;
  }

  set type(type: AssetType | undefined) {
    this.chosen = type;
    setText(this.button, `Type: ${type === undefined ? 'detected' : plainTypeName(type)}`);
  }

  private open(): void {
    this.search.value = '';
    this.filter();
    for (const { radio, type } of this.rows()) radio.checked = type === this.chosen;
    this.dialog.showModal();
    this.search.focus();
  }

  /** A click chooses at once. Keys move through the list, which clicks each radio button too, until Enter. */
  private takeAtClick(): void {
    let isByKey = false;
    this.list.addEventListener('keydown', () => {
      isByKey = true;
    });
    this.list.addEventListener('pointerdown', () => {
      isByKey = false;
    });
    this.list.addEventListener('click', ({ target }) => {
      if (target instanceof HTMLInputElement && !isByKey) this.form.requestSubmit();
    });
  }

  /** Takes the marked type; after a search, the first one that was found. @returns whether there is one */
  private take(): boolean {
    const shown = this.shown();
    const isSearch = document.activeElement === this.search && this.search.value.trim() !== '';
    const row = (isSearch ? undefined : shown.find(({ radio }) => radio.checked)) ?? shown[0];
    if (row === undefined) return false;
    this.type = row.type;
    this.dialog.close();
    return true;
  }

  private rows(): readonly Row[] {
    return this.groups.flatMap(({ rows }) => rows);
  }

  private shown(): readonly Row[] {
    return this.rows().filter(({ label }) => !label.hidden);
  }

  private filter(): void {
    const wanted = this.search.value.toLowerCase().match(/\S+/g) ?? [];
    for (const { frame, rows } of this.groups) {
      for (const { label, words } of rows) label.hidden = !wanted.every((word) => words.includes(word));
      frame.hidden = rows.every(({ label }) => label.hidden);
    }
    const found = this.shown().length;
    const words = found === 0 ? 'No type has this name.' : `${countText(found, 'type')} found; Enter takes the first.`;
    setText(byId('types-found', HTMLElement), wanted.length === 0 ? '' : words);
  }
}

function detectedGroup(): Group {
  const row = rowOf({ type: undefined, name: 'Detected from the text', host: '' }, '');
  return { frame: row.label, rows: [row] };
}

function groupOf(title: string, types: readonly NamedType[]): Group {
  const rows = types.map((named) => rowOf(named, title));
  return { frame: element('fieldset', '', element('legend', '', title), ...rows.map(({ label }) => label)), rows };
}

function rowOf({ type, name, host }: Omit<NamedType, 'type'> & { readonly type: AssetType | undefined }, title: string): Row {
  const radio = element('input');
  Object.assign(radio, { type: 'radio', name: 'type', value: type ?? '' });
  // A search never finds the row without a type.
  const words = type === undefined ? '' : `${name} ${title} ${host} ${type}`.toLowerCase();
  return {
    label: element('label', 'choice', radio, element('span', '', name, ' ', element('small', '', host))),
    radio,
    type,
    words,
  };
}
