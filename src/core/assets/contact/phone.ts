import type { Asset, Candidate, Family } from '../asset.js';
import { decoded } from '../web/escapes.js';

/** Telephone numbers with their country code. No country is guessed, so a number begins with `+` or `00`. */
export const phone: Family = {
  claims: {},
  read({ text, hint }: Candidate): readonly Asset[] {
    if ((hint.type !== undefined && hint.type !== 'PHONE_NUMBER') || !mayBegin(text)) return none;
    const canonical = phoneNumber(chatNumber(text) ?? text);
    return canonical === null ? none : [{ type: 'PHONE_NUMBER', canonical }];
  },
  /** A message may go to several numbers (RFC 5724); some clients separate them with semicolons. */
  targetsIn({ text }: Candidate): readonly string[] {
    if (!messageScheme.test(text)) return noRecipients;
    const list = beforeMessage(text);
    // What is cut off may be a number.
    if (list.length > maxScheme) return [list];
    const numbers = decoded(list).replace(messageScheme, '').split(nextNumber);
    return numbers.length < 2 ? noRecipients : numbers;
  },
};

const noRecipients: readonly string[] = [];

function beforeMessage(text: string): string {
  const end = text.search(/[?#&]/);
  return end < 0 ? text : text.slice(0, end);
}

const messageScheme = /^sms(?:to)?:(?:\/\/)?/i;
/** Not an extension or a parameter, which begin with another character. */
const nextNumber = /[,;]\s*(?=\+|00)/;

const none: readonly Asset[] = [];

/** The first character rejects most texts: it must be a sign, a digit, a letter of a scheme, or outside ASCII. */
function mayBegin(text: string): boolean {
  const code = text.charCodeAt(0);
  if (code === plus || code === parenthesis || code > 0x7f) return true;
  if (code === zero) return text.charCodeAt(1) === zero;
  // Most texts are links.
  return !text.startsWith('http') && (begin.test(text) || chat.test(text));
}

/** A scheme, which may have letters and a colon of other scripts. */
const begin = /^(?:(?:tel|sms(?:to)?|callto|facetime):|[a-z]{1,8}[^\0-\x7f])/i;

const plus = 0x2b;
const parenthesis = 0x28;
const zero = 0x30;

/** The number in a link that opens a chat of Viber, where the `+` may be left out. */
function chatNumber(text: string): string | undefined {
  const written = chat.exec(text)?.[1];
  return written === undefined
    ? undefined
    : decoded(written)
        .trim()
        .replace(/^(?!00)(?=\d)/, '+');
}

/** `viber://chat?number=%2B12025550142`. No number is longer, even if every digit is escaped. */
const chat = /^viber:(?:\/\/)?(?:chat|add|contact)\/?\?(?:[^#]*&)?number=([^&#]{1,64})/i;

const scheme = /^(?:tel|sms|smsto|callto|facetime):(?:\/\/)?/i;

/**
 * The E.164 form of a number, `+` and 7 to 15 digits, from any international spelling. The trunk 0 that is dialled only inside a
 * country is dropped where a country has one; Italy's 0 is part of the number. In North America neither the area code nor the
 * exchange begins with 0 or 1.
 */
export function phoneNumber(text: string): string | null {
  // The text after the number is a message to send.
  const list = scheme.test(text) ? decoded(beforeMessage(text).slice(0, maxScheme)) : text;
  const spelling = messageScheme.test(list) ? list.split(nextNumber, 1)[0]! : list;
  if (spelling.length > maxSpelling) return null;
  const plain = spelling
    .normalize('NFKC')
    .replace(/[\u0660-\uabf9]/g, westernDigit)
    .replace(scheme, '')
    .replace(/(?:;.*|[,#]\s*\d+|\s*(?:ext\.?|x)\s*\d+)$/i, '');
  const match = /^\(?(?:\+|00)([\d\s()./\u2010-\u2015\u2212-]*)$/.exec(plain);
  if (match === null) return null;
  const digits = match[1]!.replace(/\D/g, '');
  const code = callingCode.exec(digits)?.[0];
  if (code === undefined) return null;
  const hasTrunk = trunkZero.test(code);
  const rest = digits.slice(code.length);
  const number = hasTrunk || (code !== '39' && plain.indexOf('(0)') > 0) ? rest.replace(/^0/, '') : rest;
  const isOdd = code === '1' ? !northAmerican.test(number) : hasTrunk && number.startsWith('0');
  const length = code.length + number.length;
  return isOdd || length < 7 || length > 15 ? null : `+${code}${number}`;
}

const northAmerican = /^(?:[2-9]\d\d){2}\d{4}$/;

/** Thirty numbers with their scheme. */
const maxScheme = 1_024;

/** Fits fifteen generously spaced digits with a scheme and an extension. */
const maxSpelling = 64;

/** Converts a decimal digit of another script, found by the code of that script's zero. */
function westernDigit(character: string): string {
  const code = character.charCodeAt(0);
  for (const zero of zeros) if (code >= zero && code < zero + 10) return String(code - zero);
  return character;
}

export const zeros: readonly number[] = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20, 0x1040, 0x17e0,
  0x1810, 0xa9d0, 0xa8d0, 0xabf0,
];

/** The calling codes in use (ITU-T E.164, list of assigned codes); no code is a prefix of another. */
export const callingCode: RegExp =
  /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|21[12368]|2[2346]\d|25[0-8]|29[01789]|35\d|37[0-8]|38[0-35-79]|42[013]|50\d|59\d|67[02-9]|68[0-35-9]|69[0-2]|80[08]|85[02356]|87[08]|88[0-368]|96[0-8]|97[0-79]|99[2-68])/;

/** Calling codes of the countries with a trunk 0. */
export const trunkZero: RegExp =
  /^(?:2[07]|3[123]|4[01469]|5[134578]|6[0134]|8[46]|9[023458]|21[1238]|23[1234]|243|249|25[12456]|26[0-5]|291|35[358]|37[0347]|38[0-35-79]|42[13]|508|59[013-6]|686|85[056]|88[06]|96[12346-7]|97[01267]|99[456])$/;
