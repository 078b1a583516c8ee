import { type GatePageOptions, startGatePage } from 'portcullis/extension';

declare const chrome: GatePageOptions['browser'] & { readonly i18n: { getMessage(name: string): string } };

await startGatePage({
  browser: chrome,
  warn({ url, status, goBack, openOnce }) {
    const put = (id: string, text: string): HTMLElement => {
      const element = document.getElementById(id)!;
      element.textContent = text;
      return element;
    };
    const text = (name: string): string => chrome.i18n.getMessage(name);
    document.title = text(status === 'blocked' ? 'blockedTitle' : 'unsureTitle');
    put('title', document.title);
    put('why', text(status === 'blocked' ? 'blockedWhy' : 'unsureWhy'));
    put('url', url);
    put('back', text('back')).onclick = () => goBack();
    put('once', text('once')).onclick = () => openOnce();
    document.documentElement.lang = text('language');
    document.querySelector('main')!.hidden = false;
  },
});
