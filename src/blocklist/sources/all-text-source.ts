import { allReaders } from '../lists/all-readers.js';
import { allFormats } from '../lists/formats.js';
import type { Source } from '../source.js';
import { requireNoFamilies } from './source-options.js';
import { createTextSource, type TextSourceOptions } from './text-source.js';

/**
 * A list in a text format, hashed on the device into entries of 8 bytes by the rules of `buildList`. It needs no confirmation.
 *
 * @throws PortcullisError `INVALID_INPUT`, `ALGORITHM_UNKNOWN`
 */
export function textSource(options: TextSourceOptions): Source {
  requireNoFamilies(options, 'textSource');
  return createTextSource(options, allReaders, allFormats);
}
