import { requireShard } from '../formats/shards.js';
import type { Source } from '../source.js';
import { createPublishedSource, type PublishedSourceOptions } from '../sources/published-source.js';
import { decodeLight } from './light-artifact.js';
import { lightAddressOf, lightDownload, lightTextOf, lightTransportOf } from './light-http.js';
import { lightVersionOf } from './light-version.js';

/** Options of `lightPublishedSource` in `portcullis/light`. */
export type LightPublishedOptions = Pick<
  PublishedSourceOptions,
  'url' | 'id' | 'allowInsecureHttp' | 'publicKeys' | 'verifier' | 'timeoutMs' | 'artifactTimeoutMs' | 'fetch' | 'now'
>;

/**
 * A list made by `portcullis/publish`, on any static host, for a light list in a browser. It reads files as `buildList` writes them, and
 * always fetches a new snapshot as a whole.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function lightPublishedSource(options: LightPublishedOptions): Source {
  return createPublishedSource(options, {
    addressesOf({ url, allowInsecureHttp }) {
      const { href, mayFetch } = lightAddressOf(url, allowInsecureHttp);
      const versionUrl = /\.json$/i.test(href) ? href : `${href}/version.json`;
      return { versionUrl, folder: versionUrl.replace(/\/[^/]*$/, ''), mayFetch };
    },
    checkShard: requireShard,
    decode: decodeLight,
    download: lightDownload,
    textOf: lightTextOf,
    transportOf: lightTransportOf,
    versionOf: lightVersionOf,
  });
}
