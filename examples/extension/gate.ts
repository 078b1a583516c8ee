import { type GatePageOptions, type GateWarning, startGatePage } from 'portcullis/extension';
import { element, showAdvisory, text, translatePage } from './page-texts.js';
import { readSettings, type SettingsStorage } from './settings.js';

declare const chrome: GatePageOptions['browser'] & { readonly storage: SettingsStorage };

/** Only a warning needs styles, so that a clean page opens sooner. */
function show({ url, status, advisory, goBack, openOnce, onOpenable }: GateWarning): void {
  const styles = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: 'style.css' });
  const kind = status === 'blocked' ? 'blocked' : 'unsure';
  translatePage();
  // The publisher of such a list does not want its entries to be called certain.
  const words = advisory === undefined ? kind : 'advised';
  document.title = text(`${words}Title`);
  document.body.className = kind;
  element('title').textContent = document.title;
  element('why').textContent = text(`${words}Why`);
  showAdvisory(advisory);
  element('url').textContent = url;
  element('back').onclick = () => goBack();
  const once = element<HTMLButtonElement>('once');
  once.onclick = () => openOnce();
  onOpenable((isOpenable) => {
    once.disabled = !isOpenable;
  });
  for (const id of ['once', 'note']) element(id).hidden = status === 'invalid';
  const reveal = (): void => {
    element('warning').hidden = false;
    element('back').focus();
  };
  styles.onload = reveal;
  styles.onerror = reveal;
  document.head.append(styles);
  void offerReport(url);
}

async function offerReport(url: string): Promise<void> {
  const { reportUrl } = (await readSettings(chrome.storage)).settings;
  if (reportUrl === '') return;
  const link = element<HTMLAnchorElement>('report');
  link.href = reportUrl.replaceAll('{url}', encodeURIComponent(url));
  link.hidden = false;
}

void startGatePage({ browser: chrome, warn: show });
