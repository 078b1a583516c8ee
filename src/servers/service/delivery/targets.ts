import { fromUtf8 } from '../../../core/bytes.js';
import { type BodyMessage, readBody } from '../../../core/http/bounded-body.js';
import type { FetchDocument } from '../../oauth/oauth-clients.js';
import type { Post } from './deliveries.js';

/** How long a receiver may take. */
export const timeoutMs = 15_000;
/** The user waits for it. */
export const getTimeoutMs = 5_000;

/** Posts with the platform's `fetch`, which cannot pin an address: only the URL is checked. Node uses `pinnedPost`. */
export function postBy(allowPrivateTargets: boolean): Post {
  return async (url, headers, body, ending) => {
    requireTarget(url, allowPrivateTargets);
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ending]);
    // A redirect counts as a failure.
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    return response.status;
  };
}

/** Several times the description of an application. */
const maxDocumentBytes = 16 * 1024;

/** Gets a text with the platform's `fetch`, which cannot pin an address: only the URL is checked. */
export function getBy(allowPrivateTargets: boolean): FetchDocument {
  return async (url) => {
    requireTarget(url, allowPrivateTargets);
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      redirect: 'manual',
      signal: AbortSignal.timeout(getTimeoutMs),
    });
    return { status: response.status, text: await shortText(response) };
  };
}

export async function shortText(response: BodyMessage): Promise<string> {
  const tooLarge = (): Error => new Error(`the document exceeds ${maxDocumentBytes} bytes`);
  const text = fromUtf8(await readBody(response, { maxBytes: maxDocumentBytes, tooLarge }));
  if (text === null) throw new Error('the document is not UTF-8');
  return text;
}

/** Allows HTTPS to public hosts. With private targets allowed, plain HTTP too, for tests. */
export function requireTarget(url: string, allowPrivateTargets: boolean): URL {
  const target = new URL(url);
  if (target.protocol !== 'https:' && !(allowPrivateTargets && target.protocol === 'http:'))
    throw new Error('the target must use https');
  if (target.username !== '' || target.password !== '') throw new Error('the target must not contain a user name');
  if (!allowPrivateTargets && isPrivateHost(target.hostname)) throw new Error('the target is a private address');
  return target;
}

function isPrivateHost(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host.endsWith('.internal') ||
    host.endsWith('.local') ||
    isPrivateAddress(host)
  );
}

/** Whether an IPv4 or IPv6 address is not on the public internet (RFC 6890 and its registries). Names are not addresses. */
export function isPrivateAddress(address: string): boolean {
  const four = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  if (four !== null) return isPrivateFour(four.slice(1).map(Number));
  return address.includes(':') && isPrivateSix(groupsOf(address));
}

function isPrivateFour([a = 0, b = 0, c = 0]: readonly number[]): boolean {
  return (
    a === 0 ||
    a === 10 ||
    a === 127 ||
    a >= 224 ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && (b === 168 || (b === 0 && (c === 0 || c === 2)) || (b === 88 && c === 99))) ||
    (a === 198 && (b === 18 || b === 19 || (b === 51 && c === 100))) ||
    (a === 203 && b === 0 && c === 113)
  );
}

function isPrivateSix(groups: readonly number[] | null): boolean {
  if (groups === null) return true;
  const [a = 0, b = 0] = groups;
  const [high = 0, low = 0] = groups.slice(6);
  // An IPv4 address on a dual-stack socket.
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff)
    return isPrivateFour([high >> 8, high & 255, low >> 8, low & 255]);
  return (
    // Outside 2000::/3, which holds all public addresses.
    a >> 13 !== 1 ||
    // Protocol assignments, including Teredo.
    (a === 0x2001 && b < 0x200) ||
    // Documentation.
    (a === 0x2001 && b === 0xdb8) ||
    (a === 0x3fff && b < 0x1000) ||
    // 6to4 tunnels.
    a === 0x2002
  );
}

/** The eight groups of an IPv6 address; `null` if it is malformed. */
function groupsOf(address: string): number[] | null {
  // Drops a zone, and rewrites an IPv4 address at the end as two groups.
  const text = address.replace(/%.*/s, '').replace(/(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/, (_, ...bytes) => {
    const [a, b, c, d] = bytes.slice(0, 4).map(Number) as [number, number, number, number];
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = '', tail, more] = text.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = 8 - before.length - after.length;
  if (more !== undefined || (tail === undefined ? missing !== 0 : missing < 1)) return null;
  const groups = [...before, ...Array<string>(missing).fill('0'), ...after];
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group)) ? groups.map((group) => Number.parseInt(group, 16)) : null;
}
