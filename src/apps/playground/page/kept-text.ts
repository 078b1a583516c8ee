import { looksLikeKey, type Subjects } from './subject.js';

/** Of this tab, until it is closed. */
const key = 'portcullis-playground-text';

/** More is no link that anybody opens. */
const lengthMax = 4_096;

/** For a reload, one link or address only: in a message a secret could stand that nobody recognises. */
export function keepText(text: string, subjects: Subjects): void {
  const [only, ...others] = subjects === 'too-much' ? [] : subjects;
  const isKept =
    only !== undefined &&
    others.length === 0 &&
    only.assets.length > 0 &&
    only.text === text &&
    text.length <= lengthMax &&
    !looksLikeKey(only);
  try {
    if (isKept) sessionStorage.setItem(key, text);
    else sessionStorage.removeItem(key);
  } catch {
    // A private window: a reload begins with nothing.
  }
}

export function keptText(): string {
  try {
    return sessionStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}
