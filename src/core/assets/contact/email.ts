import type { Asset, Candidate, Family } from '../asset.js';
import { invisibleCharacters } from '../clean.js';
import { decoded } from '../web/escapes.js';
import { canonicalHost, isIpHost } from '../web/host.js';

/** Email addresses. An email address is not also read as a link with userinfo. */
export const email: Family = {
  claims: {},
  read({ text, hint }: Candidate): readonly Asset[] {
    if ((hint.type !== undefined && hint.type !== 'EMAIL') || !mayBeMail(text)) return none;
    const canonical = mailbox(text);
    return canonical === null ? none : [{ type: 'EMAIL', canonical }];
  },
  targetsIn({ text }: Candidate): readonly string[] {
    const recipients = isMailto(text) ? recipientsOf(text) : noRecipients;
    return recipients.length < 2 ? noRecipients : recipients;
  },
};

const noRecipients: readonly string[] = [];

/** Whoever gets the mail (RFC 6068): the addresses after the scheme, and those of `to`, `cc` and `bcc`. Some clients separate them with semicolons. */
function recipientsOf(text: string): readonly string[] {
  const [to = '', ...headers] = text.slice('mailto:'.length).split(/[?&#]/);
  const named = headers.flatMap((header) => /^(?:amp;)?(?:to|b?cc)=(.*)/is.exec(header)?.[1] ?? []);
  return [to, ...named].flatMap((list) => decoded(list).split(/[,;]/)).filter((one) => one.trim() !== '');
}

const none: readonly Asset[] = [];

function mayBeMail(text: string): boolean {
  // Most texts are links, which a comparison rejects in a tenth of the time of a regular expression.
  return (text.length <= maxSpelling && text.indexOf('@') > 0) || (!text.startsWith('http') && isMailto(text));
}

function isMailto(text: string): boolean {
  return text.length <= maxMailto && scheme.test(text);
}

const scheme = /^mailto:/i;

/** A display name, and the 64 and 253 octets of the address (RFC 5321 §4.5.3.1). */
const maxSpelling = 2048;

/** A `mailto:` with a subject and a text: more than browsers pass to a mail program. */
const maxMailto = 64 * 1024;

function mailbox(text: string): string | null {
  const spelling = scheme.test(text) ? (recipientsOf(text)[0] ?? '') : text;
  if (spelling.length > maxSpelling) return null;
  const address = /<([^<>]*)>$/.exec(spelling)?.[1] ?? spelling;
  const at = address.lastIndexOf('@');
  const local = address.slice(0, Math.max(0, at)).replace(unseen, '').trim().normalize('NFKC').toLowerCase();
  if (local.length > maxLocal || !atom.test(local)) return null;
  const host = canonicalHost(address.slice(at + 1).trim(), false);
  if (host === null || isIpHost(host)) return null;
  if (host !== 'gmail.com' && host !== 'googlemail.com') return `${local}@${host}`;
  // Removing a dot can bring together two characters that NFKC combines into one.
  const account = local.replace(/\+.*/, '').replace(/\./g, '').normalize('NFKC');
  return account === '' ? null : `${account}@gmail.com`;
}

/** Invisible characters, which no email address contains. */
const unseen: RegExp = /* @__PURE__ */ new RegExp(`[${invisibleCharacters}]`, 'g');

const maxLocal = 64;

/**
 * Words joined by single dots. Stricter than RFC 5322: no quotes, and no `/`, `?` or `:`, so that a link with an `@` is not mail.
 */
const atom = /^[^\s@.()<>[\]\\,;:"/?#\0-\x1f\x7f]+(?:\.[^\s@.()<>[\]\\,;:"/?#\0-\x1f\x7f]+)*$/;
