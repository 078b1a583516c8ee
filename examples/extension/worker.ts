import { createExtensionGuard, type ExtensionBrowser } from 'portcullis/extension';
import { createLightBlocklist, lightStore, publishedSource } from 'portcullis/light';

declare const chrome: ExtensionBrowser;
/** Set when the extension is built. */
declare const LIST_URL: string;

const blocklist = createLightBlocklist({
  source: publishedSource({ url: LIST_URL, allowInsecureHttp: LIST_URL.startsWith('http://127.0.0.1:') }),
  store: lightStore(),
  // The guard's alarm polls, because timers end with the worker.
  pollMs: 0,
});
createExtensionGuard({ browser: chrome, blocklist });
