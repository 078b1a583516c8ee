import { looksLikeKey, type Subjects } from './subject.js';

/** The key in sessionStorage, which is cleared when the tab closes. */
const key = 'portcullis-playground-text';

/** Longer than any link that people open. */
const maxLength = 4_096;

/** Keeps one link or address across reloads; a message might contain a secret that is not recognized. */
export function keepText(text: string, subjects: Subjects): void {
  const [only, ...others] = subjects === 'too-much' ? [] : subjects;
  const isKept =
    only !== undefined &&
    others.length === 0 &&
    only.assets.length > 0 &&
    only.text === text &&
    text.length <= maxLength &&
    !looksLikeKey(only);
  try {
    // An empty text is kept, too: the box then stays empty.
    sessionStorage.setItem(key, isKept ? text : '');
  } catch {
    // In a private window the box is empty after a reload.
  }
}

/** `null` in a tab in which nothing was checked yet. */
export function keptText(): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}
