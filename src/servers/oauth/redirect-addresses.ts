import { isThisMachine } from '../../core/http/address.js';
import { maxValueLength } from './oauth-form.js';

/** Only what a URI can contain (RFC 3986), because other parsers read anything else in their own way. No fragment. */
const plain = /^https?:\/\/[\w.~:/?[\]@!$&'()*+,;=%-]+$/;

/**
 * Whether a code may be sent to this address: `https`, or `http` to this device. Any other scheme is a script, or a program that another
 * program can replace.
 */
export function isRedirectAddress(text: string): boolean {
  if (text.length > maxValueLength || !plain.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || isThisMachine(hostname);
}

/** Whether a client that registered `registered` may ask for `given`: the same text, but any port on this device (RFC 8252). */
export function isSameRedirect(registered: string, given: string): boolean {
  return registered === given || (registered.startsWith('http:') && withoutPort(registered) === withoutPort(given));
}

const withoutPort = (address: string): string => address.replace(/^(http:\/\/(?:[\w.-]+|\[[\w:.]+\])):\d{1,5}(?=[/?]|$)/, '$1');

/** The address with more parameters. What was registered stays as it is spelled. */
export function withParameters(redirect: string, fields: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  const separator = !redirect.includes('?') ? '?' : /[?&]$/.test(redirect) ? '' : '&';
  return redirect + separator + new URLSearchParams(given);
}
