import type { Candidate } from './asset.js';
import { plainHostEnd } from './web/host.js';

/**
 * Where the host of a plain link ends: `http`, `https` or no scheme, and a host that is canonical as it stands, without a port. 0 where
 * the text is none, or not plainly one. Families that read links ask this before anything that costs more, and only
 * the first of them pays for it.
 */
export function plainLinkEnd(candidate: Candidate): number {
  candidate.plainEnd ??= endOf(candidate.text);
  return candidate.plainEnd;
}

/** An EVM address and nothing else: the most frequent text that is no link, and no other family's. */
export function isPlainAddress(text: string): boolean {
  return text.length === 42 && text.startsWith('0x');
}

function endOf(text: string): number {
  const end = plainHostEnd(text, text.startsWith('https://') ? 8 : text.startsWith('http://') ? 7 : 0);
  if (end < 0) return 0;
  const code = text.charCodeAt(end);
  return end === text.length || code === slash || code === questionMark || code === numberSign ? end : 0;
}

const slash = 0x2f;
const questionMark = 0x3f;
const numberSign = 0x23;
