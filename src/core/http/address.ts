import { refuse } from '../errors.js';
import type { Given, Kind } from '../options/read-options.js';

/**
 * Parses addresses without `URL`, which bare engines lack. Anything ambiguous is rejected: another parser may see another host in
 * it.
 */

interface Origin {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  /** The origin; equal for URLs of the same origin. */
  readonly text: string;
}

/** No userinfo, no escapes, only ASCII in the host, and no characters that parsers drop or read as a slash. */
const plain =
  /^(https?):\/\/([\w-]+(?:\.[\w-]+)*\.?|\[(?!.*(?::{3}|::.*::))[\da-f:.]+\])(?::(\d{1,5}))?(?=[/?#]|$)[^\s\\\0-\x1f\x7f]*$/i;

function originOf(url: string): Origin | null {
  const [, scheme = '', name = '', port = ''] = plain.exec(url) ?? [];
  const host = name === '' ? null : hostOf(name.toLowerCase());
  if (host === null || Number(port) > 65_535) return null;
  const isSecure = scheme.toLowerCase() === 'https';
  const number = port === '' ? (isSecure ? 443 : 80) : Number(port);
  return { scheme: isSecure ? 'https' : 'http', host, text: `${scheme.toLowerCase()}://${host}:${number}` };
}

/** `null` for an IPv4 address in an unusual notation, such as hexadecimal, which hides where it leads. */
function hostOf(name: string): string | null {
  if (name.startsWith('[')) return name;
  const host = name.replace(/\.$/, '');
  return /(^|\.)(\d+|0x[\da-f]*)$/.test(host) && !dottedQuad.test(host) ? null : host;
}

const dottedQuad = /^(?:(?:[1-9]?\d|1\d\d|2[0-4]\d|25[0-5])(?:\.(?!$)|$)){4}$/;

/** Whether both have one origin; `false` if one cannot be read. */
export function isSameOrigin(url: string, other: string): boolean {
  const origin = originOf(url);
  return origin !== null && origin.text === originOf(other)?.text;
}

/** Whether a host, with or without a port, is this machine. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/:\d+$/, '');
  // Connecting to the all-zeros address reaches this machine too.
  return (
    /^(localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0)$/i.test(name) ||
    /^\[[0:]*:(0*1?\]|(ffff:)?(127\.|7f[\da-f]{2}:|0[.:]))/i.test(name)
  );
}

/**
 * Decides where the files that `base` refers to may be fetched from: anywhere over `https:`, over `http:` only from the origin of
 * `base`. From this machine only if `base` is on it too, because a remote server must not direct requests into it.
 */
export function fetchableFrom(base: string): (url: string) => boolean {
  const from = originOf(base);
  const isNear = from !== null && isLoopback(from.host);
  return (url) => {
    const target = originOf(url);
    if (target === null) return false;
    if (isLoopback(target.host)) return isNear;
    return target.scheme === 'https' || target.text === from?.text;
  };
}

/** The target of a redirect; empty if there is none. */
export function resolved(location: string, from: string): string {
  if (/^https?:\/\//i.test(location)) return location;
  const [, scheme = '', rest = ''] = /^(https?:)\/\/([^#]*)/i.exec(from) ?? [];
  const [, host = '', path = ''] = /^([^/?]*)([^?]*)/.exec(rest) ?? [];
  if (location.startsWith('//')) return scheme + location;
  if (location.startsWith('/')) return `${scheme}//${host}${location}`;
  if (location.startsWith('?')) return `${scheme}//${host}${path}${location}`;
  // Rejects an empty address, another scheme, and text that looks like a scheme.
  if (location === '' || /^[^/?#]*:/.test(location)) return '';
  return `${scheme}//${host}${path.slice(0, path.lastIndexOf('/') + 1) || '/'}${location}`;
}

/** ASCII, without userinfo, query and fragment, and without dot segments, which lead out of the path. */
const plainBase = /^(?!.*\/(?:\.|%2e){1,2}(?:\/|$))[^/]*\/\/[^/?#@]+(?:\/[!"$->@-[\]-~]*)?$/i;

/**
 * Whether a host is only this machine, so that neither plain `http:` to it nor listening on it reaches the network. Stricter than
 * `isLoopback`: listening on `0.0.0.0` reaches everyone.
 */
export function isThisMachine(host: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(host);
}

/**
 * The address of an API, a relay or a list, without trailing slashes. The option `allowInsecureHttp` permits plain `http:`. No message
 * repeats the address.
 */
export const baseUrl: Kind<string> = (value, path, given) => checkedUrl(value, path, given, originOf);

/** @param originIn How the platform reads an origin; `null` if it cannot. */
export function checkedUrl(
  value: unknown,
  path: string,
  given: Given | undefined,
  originIn: (url: string) => Pick<Origin, 'scheme' | 'host'> | null,
): string {
  const origin = typeof value === 'string' && plainBase.test(value) ? originIn(value) : null;
  if (origin === null) refuse(`${path} must be a plain URL, such as https://host.example/path`);
  if (origin.scheme === 'http' && given?.['allowInsecureHttp'] !== true && !isThisMachine(origin.host)) {
    refuse(`${path} must be https, unless allowInsecureHttp permits plain http`);
  }
  // The character before the slashes makes the search linear.
  return (value as string).replace(/([^/])\/+$/, '$1');
}

/** The URL of one file, which may have a query. */
export const fileUrl: Kind<string> = (value, path, given) => {
  baseUrl(typeof value === 'string' ? value.split('?')[0] : value, path, given);
  return value as string;
};
