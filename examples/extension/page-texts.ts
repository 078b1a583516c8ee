import type { Advisory } from 'portcullis/extension';

declare const chrome: { readonly i18n: { getMessage(name: string, values?: string[]): string; getUILanguage(): string } };

export const text = (name: string, ...values: string[]): string => chrome.i18n.getMessage(name, values);

/** The language of the texts, which may not be that of the browser. */
export const language = (): string => text('language');

export function element<Type extends HTMLElement = HTMLElement>(id: string): Type {
  return document.getElementById(id) as Type;
}

/** Fills in every element that names its text. */
export function translatePage(): void {
  document.documentElement.lang = language();
  for (const translated of document.querySelectorAll<HTMLElement>('[data-text]')) {
    translated.textContent = text(translated.dataset['text']!);
  }
  document.title = text(document.documentElement.dataset['title']!);
}

/** Shows what the list that decided wants to be shown: its text, and whose list it is, as a link. */
export function showAdvisory(advisory: Advisory | undefined): void {
  const place = element('advisory');
  place.hidden = advisory === undefined;
  place.replaceChildren();
  if (advisory === undefined) return;
  const { text: notice, link: href, attribution: textContent } = advisory;
  const link = Object.assign(document.createElement('a'), { href, textContent, target: '_blank', rel: 'noopener noreferrer' });
  place.append(`${notice} `, link.protocol === 'https:' ? link : textContent);
}

/** "5 minutes ago" in the language of the page. */
export function timeAgo(ms: number): string {
  const format = new Intl.RelativeTimeFormat(language(), { numeric: 'auto' });
  const minutes = Math.round(ms / 60_000);
  if (minutes < 60) return format.format(-minutes, 'minute');
  const hours = Math.round(minutes / 60);
  return hours < 48 ? format.format(-hours, 'hour') : format.format(-Math.round(hours / 24), 'day');
}
