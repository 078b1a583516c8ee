/**
 * How certain it is that the author meant what was found: `explicit` if a scheme, an `@` or the form of an address or a telephone number
 * identifies it; `bare` for a host without a scheme, under a known top-level domain; `weak` for a host without a scheme that is more
 * often something else, such as `main.rs`, `user.name` or `ok.So`.
 */
export type Certainty = 'explicit' | 'bare' | 'weak';

/** The certainty of a host without a scheme from `start` to `end`, in a name that ends at `nameEnd`. */
export function certaintyOf(text: string, start: number, end: number, nameEnd: number): Certainty {
  const host = text.slice(start, end);
  if (/^www\./i.test(host)) return 'bare';
  const last = host.slice(host.lastIndexOf('.') + 1);
  const isFile = extensions.has(last.toLowerCase());
  const after = text.slice(end, end + maxContext);
  const isPage = (isFile ? path : pathOrPort).test(after);
  // A capital letter begins the next sentence.
  const isCut = end < nameEnd && (after.length < 2 || isSmall(after[1]!));
  if (isCut || codeAfter.test(after)) return 'weak';
  if (isPage) return 'bare';
  // `ok.So`, `LICENSE.Mit` and `socket.OPEN`, but neither `Evil.com` nor `EVIL.COM`.
  const isWord = /^[A-Z]/.test(last) && /[a-z]/.test(host);
  if (isFile || isWord || version.test(host) || camelCase.test(host)) return 'weak';
  if (host.indexOf('-') >= 0) return 'bare';
  return members.has(last.toLowerCase()) ? 'weak' : 'bare';
}

/** Avoids Unicode classes of regular expressions, which bare engines lack. */
export function isSmall(letter: string): boolean {
  return letter !== letter.toUpperCase();
}

/** Longer than any space and operator that is checked. */
const maxContext = 8;

/** `README.md#usage` and `main.rs:12` are files. */
const path = /^\/[a-z\d\xaa-\uffff]/i;
const pathOrPort = /^(?::\d|\/[a-z\d\xaa-\uffff])/i;

/** Four short numbers are a version or a section more often than an address. */
const version = /^\d\d?(?:\.\d\d?){3}$/;

/** `bigInt.zero`, `config.globalPrefix`. */
const camelCase = /(?:^|\.)[a-z]+[A-Z]/;

/** A call, an index, an assignment, a comparison, a logical operator. */
const codeAfter = /^(?:[([]| ?(?:[=!]==?|[-+*/]=|=[^"']|&&|\|\||\?\?))/;

/** Top-level domains that are also file extensions. */
const extensions: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ 'cc coffee java map md mk ml mm mov pl pm ps py rs sh so zip'.split(' '),
);

/** Top-level domains that are also common object members in code. */
const members: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ 'at bar blue box build call compare data date email events fail final foo green group gt help host id inc info is lt name next now open page pid ping property read red report run search select store stream style target to total watch zero'.split(
    ' ',
  ),
);
