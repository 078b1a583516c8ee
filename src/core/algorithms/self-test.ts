import { toHex } from '../bytes.js';
import { prefixOf } from '../hashing/prefix.js';
import { hashOf } from '../hashing/sha256.js';
import { type Algorithm, expressionsOf } from './algorithm.js';

/**
 * Whether this engine computes the right expressions and hashes. An engine bug, or a build that miscompiled the code, would silently let
 * everything through. The values are those of docs/vectors/portcullis-1.json.
 */
export function isSound(own: Algorithm): boolean {
  try {
    const expressions = expressionsOf(own, 'hTTps://user@Login.Evil%2Eexample.:443/a/../%62/?c#d');
    const wide = 'evil.example/\u00e9\ud83d\ude00';
    return (
      expressions.join(' ') === 'login.evil.example/b?c login.evil.example/b login.evil.example evil.example' &&
      prefixOf('evil.example') === 0x9c180de0 &&
      prefixOf(wide) === 0x679e2129 &&
      toHex(hashOf(wide)).endsWith('6a658420')
    );
  } catch {
    return false;
  }
}
