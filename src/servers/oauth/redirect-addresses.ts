import { isLoopback } from '../../core/http/address.js';
import { maxValueLength } from './oauth-form.js';

/**
 * The address as a URL if a code may be sent there: `https`, or `http` to this device. Any other scheme is a script, or a program that
 * another program can replace. `null` otherwise.
 */
export function redirectAddress(text: string): URL | null {
  if (text.length > maxValueLength || text.includes('#') || !URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return null;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)) ? url : null;
}

/** Whether a client that registered `registered` may ask for `given`: the same text, but any port on this device (RFC 8252). */
export function isSameRedirect(registered: string, given: string): boolean {
  if (registered === given) return true;
  const [one, other] = [redirectAddress(registered), redirectAddress(given)];
  if (one?.protocol !== 'http:' || other?.protocol !== 'http:') return false;
  one.port = other.port;
  return one.href === other.href;
}
