import type { Candidate } from './asset.js';
import { plainHostEnd } from './web/host.js';

/**
 * Where the host of a plain link ends: `http`, `https` or no scheme, a host that is already canonical, and no port. 0 for any other
 * text. Families that read links ask this before anything more expensive; the result is kept, so only the first one computes it.
 */
export function plainLinkEnd(candidate: Candidate): number {
  candidate.plainEnd ??= endOf(candidate.text);
  return candidate.plainEnd;
}

/** Looks like a bare EVM address: the most frequent text that is not a link, and one that only the family `evm` reads. */
export function isPlainAddress(text: string): boolean {
  return text.length === 42 && text.startsWith('0x');
}

/** Where the host of a plain link starts. */
export function plainLinkStart(text: string): number {
  return text.startsWith('https://') ? 8 : text.startsWith('http://') ? 7 : 0;
}

function endOf(text: string): number {
  const end = plainHostEnd(text, plainLinkStart(text));
  if (end < 0) return 0;
  const code = text.charCodeAt(end);
  return end === text.length || code === slash || code === questionMark || code === numberSign ? end : 0;
}

const slash = 0x2f;
const questionMark = 0x3f;
const numberSign = 0x23;
