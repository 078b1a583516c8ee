import puppeteer, { type Browser } from 'puppeteer-core';
import { findFirefox } from '../find-firefox.js';

export type { Browser, Page } from 'puppeteer-core';

export type Preferences = Readonly<Record<string, string | number | boolean>>;

/** A Firefox without a window that can connect only to the proxy of the test. */
export function launchFirefox(proxyPort: number, more: Preferences = {}): Promise<Browser> {
  const executablePath = findFirefox();
  if (executablePath === undefined) throw new Error('Firefox is not installed; run: npx tsx tools/find-firefox.ts');
  return puppeteer.launch({
    browser: 'firefox',
    executablePath,
    headless: true,
    extraPrefsFirefox: { ...preferences(proxyPort), ...more },
  });
}

/** Firefox sends plain requests to the proxy of the test, and calls no one else. */
export const preferences = (proxyPort: number): Preferences => ({
  'network.proxy.type': 1,
  'network.proxy.http': '127.0.0.1',
  'network.proxy.http_port': proxyPort,
  'network.proxy.ssl': '127.0.0.1',
  'network.proxy.ssl_port': 9,
  'network.proxy.no_proxies_on': '',
  'network.proxy.failover_direct': false,
  'network.proxy.allow_hijacking_localhost': true,
  'network.trr.mode': 5,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'app.update.enabled': false,
  'app.normandy.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'datareporting.healthreport.uploadEnabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'services.settings.server': 'http://127.0.0.1:9/',
  'toolkit.telemetry.enabled': false,
  'dom.security.https_first': false,
});
