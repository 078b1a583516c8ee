import { refuse } from '../errors.js';

/** Addresses without `URL`, which bare engines lack. What is not plainly an address is none: another reader may see another host in it. */

interface Origin {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  /** Text by which two origins are compared. */
  readonly text: string;
}

/** Neither userinfo nor escapes nor letters beyond ASCII in the host, and nothing that is dropped or read as a slash anywhere. */
const plain = /^(https?):\/\/([\w.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?(?=[/?#]|$)[^\s\\\0-\x1f\x7f]*$/i;

function originOf(url: string): Origin | null {
  const [, scheme = '', name = '', port = ''] = plain.exec(url) ?? [];
  const host = name === '' ? null : hostOf(name.toLowerCase());
  if (host === null) return null;
  const isSecure = scheme.toLowerCase() === 'https';
  const number = port === '' ? (isSecure ? 443 : 80) : Number(port);
  return { scheme: isSecure ? 'https' : 'http', host, text: `${scheme.toLowerCase()}://${host}:${number}` };
}

/** Refused where it is a number in another spelling than the usual: it would hide where it leads. */
function hostOf(name: string): string | null {
  if (name.startsWith('[')) return name;
  const host = name.replace(/\.$/, '');
  return /(^|\.)(\d+|0x[\da-f]*)$/.test(host) && !dottedQuad.test(host) ? null : host;
}

const dottedQuad = /^(?:(?:[1-9]?\d|1\d\d|2[0-4]\d|25[0-5])(?:\.(?!$)|$)){4}$/;

/** The host of an address is this machine. A port may follow. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/:\d+$/, '');
  // All zeros is what a connection to itself may be called, too.
  return (
    /^(localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0)$/i.test(name) ||
    /^\[[0:]*:(0*1?|(ffff:)?(127\.|7f[\da-f]{2}:|0\.|0:).*)\]$/i.test(name)
  );
}

/**
 * Where the files of a list may be fetched from that `base` speaks of: anywhere over `https:`; over `http:` only from the origin of
 * `base`. This machine only if `base` is on it too: an address from afar must not reach into it.
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

/** Where a redirect leads; an empty text where that is nowhere. */
export function resolved(location: string, from: string): string {
  if (/^https?:\/\//i.test(location)) return location;
  const [, scheme = '', rest = ''] = /^(https?:)\/\/([^#]*)/i.exec(from) ?? [];
  const [, host = '', path = ''] = /^([^/?]*)([^?]*)/.exec(rest) ?? [];
  if (location.startsWith('//')) return scheme + location;
  if (location.startsWith('/')) return `${scheme}//${host}${location}`;
  if (location.startsWith('?')) return `${scheme}//${host}${path}${location}`;
  // Nothing, another scheme, or something that looks like one.
  if (location === '' || /^[^/?#]*:/.test(location)) return '';
  return `${scheme}//${host}${path.replace(/[^/]*$/, '') || '/'}${location}`;
}

/**
 * An address of an API or a relay, without the slash at its end. No message repeats it.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function baseAddress(name: string, address: string, allowInsecureHttp: boolean): string {
  const [, scheme = '', host = ''] = /^(https?):\/\/((?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?)(?:\/[^\s?#\\]*)?$/i.exec(address) ?? [];
  if (host === '') refuse(`${name} must be like https://host.example/path, without user, query and fragment`);
  if (scheme.toLowerCase() === 'http' && !allowInsecureHttp && !isLoopback(host)) {
    refuse(`${name} is plain http, where others can read and change what goes by; use https, or allowInsecureHttp`);
  }
  return address.replace(/\/+$/, '');
}
