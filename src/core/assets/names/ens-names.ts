import type { Asset, Candidate, Family } from '../asset.js';
import { isPlainAddress, plainLinkEnd } from '../plain.js';
import { linksOf } from '../web/link.js';

/**
 * Names of the Ethereum Name Service, also on a gateway: `name.eth.limo` is `name.eth`. DNS has no `.eth`, so a name is listed like a
 * host. A name below `base.eth` is also a BASENAME.
 */
export const ensNames: Family = {
  claims: { words: ['eth'] },
  read(candidate: Candidate): readonly Asset[] {
    const wanted = candidate.hint.type;
    if (wanted !== undefined && wanted !== 'URL' && wanted !== 'BASENAME') return none;
    return mayBeName(candidate) ? readNames(candidate.text) : none;
  },
};

const none: readonly Asset[] = [];

function mayBeName(candidate: Candidate): boolean {
  const { text } = candidate;
  if (isPlainAddress(candidate)) return false;
  const end = plainLinkEnd(candidate);
  if (end === 0) return /eth|[%\x80-\uffff]/i.test(text);
  const at = text.indexOf('.eth');
  return at > 0 && at < end;
}

function readNames(text: string): readonly Asset[] {
  const unmarked = text.replace(scheme, '');
  const links = linksOf(unmarked === text ? text : unmarked.replace(chainAndCall, ''));
  if (typeof links === 'string') return none;
  return links.flatMap(({ host }) => {
    const name = gateway.exec(host)?.[1] ?? host;
    if (!name.endsWith('.eth')) return [];
    const basename: Asset[] = base.test(name) ? [{ type: 'BASENAME', canonical: name }] : [];
    // If the name is the host of the link, the link already covers it.
    return name === host && unmarked === text ? basename : [...basename, { type: 'URL', canonical: name }];
  });
}

/** `ens:`, and payment requests of EIP-681, in which a chain and a function may follow the name. */
const scheme = /^(?:ens:(?:\/\/)?|ethereum:(?:\/\/)?(?:pay-)?)/i;
const chainAndCall = /@\w+(?:[/?].*)?$/s;

/** The known gateways. Any other `.eth.example` is an ordinary host and must not block or allow a name. */
const gateway = /^(?:www\.)?(.+\.eth)\.(?:limo|link)$/;

const base = /^[^.]{3,}\.base\.eth$/;
