import type { Asset, Candidate, Family } from '../asset.js';
import { isPlainAddress, plainLinkEnd } from '../plain.js';
import { decoded } from '../web/escapes.js';
import { canonicalHost } from '../web/host.js';
import { type Link, linksOf } from '../web/link.js';
import { readCid } from './cid.js';

/** Content on IPFS, and names that point to it: in the path or the host of any gateway, after its own scheme, or bare. */
export const ipfs: Family = {
  claims: { words: ['ipfs', 'ipns'] },
  read(candidate: Candidate): readonly Asset[] {
    const { text, hint } = candidate;
    if (hint.type !== undefined && hint.type !== 'IPFS') return none;
    const canonical = mayBeIpfs(candidate) ? canonicalOf(text) : null;
    return canonical === null ? none : [{ type: 'IPFS', canonical }];
  },
  /** A host in place of an identifier (DNSLink, or a name of ENS): what it points to is what the host shows. */
  targetsIn(candidate: Candidate): readonly string[] {
    const canonical = candidate.hint.type === undefined && mayBeIpfs(candidate) ? canonicalOf(candidate.text) : null;
    return canonical?.startsWith('ipns/') && canonical.includes('.') ? [canonical.slice('ipns/'.length)] : nowhere;
  },
};

const nowhere: readonly string[] = [];

const none: readonly Asset[] = [];

function mayBeIpfs(candidate: Candidate): boolean {
  const { text } = candidate;
  if (isPlainAddress(candidate)) return false;
  if (plainLinkEnd(candidate) > 0 && text.indexOf('ip') < 0 && text.indexOf('%') < 0) return isBare(text);
  return isBare(text) || /ip[fn]s|%/i.test(text);
}

/** Whether a text is one word, as long as an identifier, that begins with a letter. */
function isBare(text: string): boolean {
  return text.length >= 40 && text.length <= 256 && !text.startsWith('http') && /^[a-z][\w-]+$/i.test(text);
}

function canonicalOf(text: string): string | null {
  if (isBare(text)) return named(text, false);
  const uri = uriShape.exec(text.slice(0, 2048));
  if (uri !== null) return named(uri[2]!, uri[1]!.toLowerCase() === 'ipns');
  const links = linksOf(text.replace(ownGateway, '$1localhost.invalid'));
  if (typeof links === 'string') return null;
  for (const link of links) {
    const found = onGateway(link);
    if (found !== null) return found;
  }
  return null;
}

/** `ipfs://Qm…`, `ipfs://ipfs/Qm…`, `dweb:/ipns/…`, and the path a node shows: `/ipfs/Qm…`. */
const uriShape = /^(?:dweb:|(?:ip[fn]s|web\+ipfs):(?:\/\/)?(?=ip[fn]s\/))?\/{0,2}(ip[fn]s)(?::\/{0,2}|\/)([^/?#]+)/i;

/** The gateway of a node on this device has no name that others could reach, and the same content. */
const ownGateway = /^(https?:\/\/(?:[^/?#@:]{1,255}\.)?)localhost\.?(?=[:/?#]|$)/i;

function onGateway({ host, path }: Link): string | null {
  const inPath = /^\/(ip[fn]s)\/([^/]+)/.exec(path);
  if (inPath !== null) return named(decoded(inPath[2]!), inPath[1] === 'ipns');
  const inHost = /^(?:www\.)?([^.]+)\.(ip[fn]s)\.[^.]+/.exec(host);
  if (inHost === null) return null;
  // A name with dots is written as one label: a hyphen for a dot, two for a hyphen (subdomain gateway specification).
  const isName = inHost[2] === 'ipns';
  return (
    named(inHost[1]!, isName) ??
    (isName
      ? named(
          inHost[1]!.replace(/--|-/g, (dash) => (dash === '-' ? '.' : '-')),
          true,
        )
      : null)
  );
}

function named(text: string, asKey: boolean): string | null {
  const cid = readCid(text, asKey);
  if (cid !== null) return cid.isKey ? `ipns/${cid.canonical}` : cid.canonical;
  const host = asKey ? canonicalHost(text, false) : null;
  return host === null ? null : `ipns/${host}`;
}
