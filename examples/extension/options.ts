import { listAddress } from './list-address.js';
import { element, text, translatePage } from './page-texts.js';
import { choices, isReportAddress, readSettings, type Settings, type SettingsStorage } from './settings.js';

declare const chrome: { readonly storage: SettingsStorage };

type Field = HTMLInputElement | HTMLSelectElement;
const field = (name: string): Field => element<Field>(name);
const names = ['mode', 'source', 'url', 'unknown', 'reportUrl'] as const satisfies readonly (keyof Settings)[];

/** What the administrator has decided. */
let managed: readonly (keyof Settings)[] = [];

translatePage();
for (const [name, values] of Object.entries(choices)) {
  for (const value of values) element<HTMLSelectElement>(name).add(new Option(text(`${name}_${value}`), value));
}
void readSettings(chrome.storage).then(({ settings, managed: fixed }) => {
  managed = fixed;
  for (const name of names) {
    field(name).value = settings[name];
    field(name).disabled = managed.includes(name);
  }
  element('managed').hidden = managed.length === 0;
  explainMode();
});
field('mode').onchange = explainMode;

function explainMode(): void {
  element('mode-note').textContent = text(`${field('mode').value}Note`);
}

element<HTMLFormElement>('form').onsubmit = (event) => {
  event.preventDefault();
  void save();
};

async function save(): Promise<void> {
  const saved = element('saved');
  const isUsable = listAddress(field('url').value) !== '' && isReportAddress(field('reportUrl').value);
  const own = names.filter((name) => !managed.includes(name)).map((name) => [name, field(name).value]);
  if (isUsable) await chrome.storage.local.set(Object.fromEntries(own) as Partial<Settings>);
  saved.className = isUsable ? 'clear' : 'blocked';
  saved.textContent = text(isUsable ? 'saved' : 'notSaved');
}
