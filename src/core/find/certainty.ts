/**
 * How sure it is that the author meant what was found:
 * `explicit` it says itself what it is: a scheme, an `@`, an address, a telephone number; `bare` a host without a scheme, under a
 * known top-level domain; `weak` a host without a scheme that is more often something else, such as `main.rs`, `user.name` or `ok.So`.
 */
export type Certainty = 'explicit' | 'bare' | 'weak';

/** Of a host without a scheme from `start` to `end`, in a name that ends at `nameEnd`. */
export function certaintyOf(text: string, start: number, end: number, nameEnd: number): Certainty {
  const host = text.slice(start, end);
  if (/^www\./i.test(host)) return 'bare';
  const last = host.slice(host.lastIndexOf('.') + 1);
  const isFile = extensions.has(last.toLowerCase());
  const after = text.slice(end, end + maxContext);
  const isPage = (isFile ? path : pathOrPort).test(after);
  const isCut = end < nameEnd && !capital.test(after);
  if (isCut || codeAfter.test(after)) return 'weak';
  if (isPage) return 'bare';
  if (isFile || version.test(host) || mixedCase.test(host)) return 'weak';
  if (host.indexOf('-') >= 0) return 'bare';
  return members.has(last.toLowerCase()) || objects.has(host.slice(0, host.indexOf('.'))) ? 'weak' : 'bare';
}

/** More than the spaces and operators that are looked at. */
const maxContext = 8;

/** `README.md#usage` and `main.rs:12` are files. */
const path = /^\/[\p{L}\d]/u;
const pathOrPort = /^(?::\d|\/[\p{L}\d])/u;

/** The next sentence. */
const capital = /^.\P{Ll}/u;

/** Four short numbers are a version or a section more often than an address. */
const version = /^\d\d?(?:\.\d\d?){3}$/;

/** `bigInt.zero`, `ok.So`, `LICENSE.md` and `socket.OPEN`, but neither `Evil.com` nor `EVIL.COM`. */
const mixedCase = /[a-z][A-Z]|[a-z].*\.[A-Z][^.]*$|\.[A-Z][^.]*[a-z][^.]*$/;

/** A call, an index, an assignment, a comparison, a logical operator. */
const codeAfter = /^(?:[([]| ?(?:[=!]==?|[-+*/]=|=[^"']|&&|\|\||\?\?))/;

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Top-level domains that are also extensions of files. */
const extensions: ReadonlySet<string> = /* @__PURE__ */ setOf('ac am as cab cc cr gs in java la map md mk ml mm mo mov pl pm ps py rs sh so st zip');

/** Top-level domains that are also frequent members of objects in code. */
const members: ReadonlySet<string> = /* @__PURE__ */ setOf(
  'at author bar blue box build call click codes compare country data date directory dot download email events fail final foo global green group gt help host id inc info is link lt map name next now one open page pid ping post property re read red report run search select show store stream style target to total version video watch zero zone',
);

/** Frequent names of objects in code. */
const objects: ReadonlySet<string> = /* @__PURE__ */ setOf(
  'Array Function Math Object args chalk cmd colors config console ctx document error event exports fs model module node options opts process props req res result self style this value window',
);
