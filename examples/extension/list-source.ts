import { lightPublishedSource, lightRelaySource } from 'portcullis/light';
import type { Source } from 'portcullis/sources';
import type { Settings } from './settings.js';

/**
 * The source of the list that the settings name.
 *
 * @throws PortcullisError `INVALID_INPUT` for an address that no list can have
 */
export function openSource({ source, url }: Pick<Settings, 'source' | 'url'>): Source {
  const allowInsecureHttp = URL.canParse(url) && new URL(url).hostname === '127.0.0.1';
  return source === 'relay'
    ? lightRelaySource({ baseUrl: url, allowInsecureHttp })
    : lightPublishedSource({ url, allowInsecureHttp });
}
