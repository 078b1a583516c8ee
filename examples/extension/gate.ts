import { type GatePageOptions, type GateWarning, startGatePage } from 'portcullis/extension';
import { element, text, translatePage } from './page-texts.js';
import { readSettings, type SettingsStorage } from './settings.js';

declare const chrome: GatePageOptions['browser'] & { readonly storage: SettingsStorage };

/** Only a warning needs styles, so that a clean page opens sooner. */
function show({ url, status, goBack, openOnce }: GateWarning): void {
  const styles = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: 'style.css' });
  const kind = status === 'blocked' ? 'blocked' : 'unsure';
  translatePage();
  document.title = text(`${kind}Title`);
  document.body.className = kind;
  element('title').textContent = document.title;
  element('why').textContent = text(`${kind}Why`);
  element('url').textContent = url;
  element('back').onclick = () => goBack();
  element('once').onclick = () => openOnce();
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
