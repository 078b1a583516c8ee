import { onTestFinished } from 'vitest';
import { type ChromeFirefox, launchChromeFirefox } from '../../tools/deep/marionette.js';

/** Firefox as a client of Safe Browsing v5, with the local server in the place of the service. */
export interface SafeBrowsingFirefox {
  /** Updates its lists. */
  update(): Promise<void>;
  /** SHA-256 of each list that it has and that is not empty, in base64, by its own name for the list. */
  checksums(): Promise<Record<string, string>>;
  /** How it reads links; `null` for a text that is not a link of the web with a host. */
  read(texts: readonly string[]): Promise<(ReadLink | null)[]>;
  /** The list that each link is confirmed to be on, or an empty text. */
  lookUp(links: readonly string[]): Promise<string[]>;
}

export interface ReadLink {
  /** Canonical host, path and query. */
  readonly key: string;
  /** The host without its subdomains, or the whole host if Firefox finds no public suffix. */
  readonly site: string;
}

const lists = 'goog-phish-proto,goog-malware-proto,goog-unwanted-proto';
const provider = 'browser.safebrowsing.provider.google5';

export async function openSafeBrowsingFirefox(origin: string): Promise<SafeBrowsingFirefox> {
  const firefox: ChromeFirefox = await launchChromeFirefox(9, {
    // The local server is the only host that is reached without the proxy, which does not exist.
    'network.proxy.no_proxies_on': '127.0.0.1',
    'network.proxy.allow_hijacking_localhost': false,
    'browser.safebrowsing.malware.enabled': true,
    'browser.safebrowsing.phishing.enabled': true,
    'browser.safebrowsing.downloads.enabled': false,
    [`${provider}.updateURL`]: `${origin}/v5/hashLists:batchGet?key=x`,
    [`${provider}.gethashURL`]: `${origin}/v5/hashes:search?key=x`,
    [`${provider}.excludeFromGoogleSafeBrowsingKeyCheck`]: true,
    // Only when a test asks for it.
    [`${provider}.nextupdatetime`]: String(Date.now() + 86_400_000),
  });
  onTestFinished(() => firefox.close());
  await firefox.run(
    `ChromeUtils.importESModule('resource://gre/modules/SafeBrowsing.sys.mjs').SafeBrowsing.init();
    const manager = Cc['@mozilla.org/url-classifier/listmanager;1'].getService(Ci.nsIUrlListManager);
    for (const name of args[0].split(',')) manager.enableUpdate(name);`,
    lists,
  );
  return {
    async update() {
      const result = await firefox.run(
        `const manager = Cc['@mozilla.org/url-classifier/listmanager;1'].getService(Ci.nsIUrlListManager);
        const finished = new Promise((resolve) => {
          const observer = {
            observe(_, topic, data) {
              Services.obs.removeObserver(observer, topic);
              resolve(data);
            },
          };
          Services.obs.addObserver(observer, 'safebrowsing-update-finished');
        });
        return manager.forceUpdates(args[0]) ? finished : 'Firefox refuses to update so often';`,
        lists,
      );
      if (result !== 'success') throw new Error(String(result));
    },
    async checksums() {
      const text = await firefox.run(
        `const service = Cc['@mozilla.org/url-classifier/dbservice;1'].getService(Ci.nsIUrlClassifierDBService);
        return new Promise((resolve) => service.getTables(resolve));`,
      );
      // <name>;<version>:<checksum>
      const rows = [...String(text).matchAll(/^([\w-]+);[^:\n]*:(\S+)$/gm)];
      return Object.fromEntries(rows.map(([, name, checksum]) => [name, checksum]));
    },
    read: (texts) =>
      firefox.run(
        `const utils = Cc['@mozilla.org/url-classifier/utils;1'].getService(Ci.nsIUrlClassifierUtils);
        const siteOf = (uri) => {
          try {
            return Services.eTLD.getBaseDomain(uri);
          } catch {
            return uri.asciiHost;
          }
        };
        return args[0].map((text) => {
          try {
            const uri = Services.io.newURI(text);
            const key = utils.getKeyForURI(uri);
            return /^https?$/.test(uri.scheme) && !key.startsWith('/') ? { key, site: siteOf(uri) } : null;
          } catch {
            return null;
          }
        });`,
        texts,
      ) as Promise<(ReadLink | null)[]>,
    lookUp: (links) =>
      firefox.run(
        `const service = Cc['@mozilla.org/url-classifier/dbservice;1'].getService(Ci.nsIUrlClassifierDBService);
        const found = [];
        for (const link of args[0]) {
          const principal = Services.scriptSecurityManager.createContentPrincipal(Services.io.newURI(link), {});
          found.push(await new Promise((resolve) => service.lookup(principal, args[1], resolve)));
        }
        return found;`,
        links,
        lists,
      ) as Promise<string[]>,
  };
}
