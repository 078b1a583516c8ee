import { isKey } from '../secrets.js';
import type { Reader } from './family.js';

/** NEAR: names that look like hosts or like other keys, so they are read only with the hint and only as the last word. */
export const readNear: Reader = (word, { chain, rest }) =>
  chain === 'near' &&
  rest.length === word.length &&
  word.length >= 2 &&
  word.length <= 64 &&
  accountName.test(word) &&
  !isKey(word, true)
    ? word
    : null;

const accountName = /^[a-z0-9]+(?:[-_.][a-z0-9]+)*$/;
