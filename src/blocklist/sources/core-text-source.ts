import type { Algorithm } from '../../core/algorithms/algorithm.js';
import { createRegistry } from '../../core/algorithms/registry.js';
import type { Family } from '../../core/assets/asset.js';
import { linesFormat } from '../lists/formats.js';
import type { FormatReader } from '../lists/list-format.js';
import type { Source } from '../source.js';
import { createTextSource, type TextSourceOptions } from './text-source.js';

/** Options of `textSource` in `portcullis/core`. */
export interface CoreTextSourceOptions extends TextSourceOptions {
  /** Asset families to read besides links; other entries are refused. Pass those of the blocklist. @default none */
  readonly families?: readonly Family[] | undefined;
  /** Algorithms besides `portcullis-1`. @default none */
  readonly algorithms?: readonly Algorithm[] | undefined;
  /** Formats besides `lines`, such as `[csvFormat]`, or `allFormats`; `auto` recognizes only these. @default none */
  readonly formats?: readonly FormatReader[] | undefined;
}

/**
 * `textSource` of `portcullis/sources` with only the families and formats passed to it, so that a bundle contains no others.
 *
 * @throws PortcullisError `INVALID_INPUT`, `ALGORITHM_UNKNOWN`
 */
export function textSource(options: CoreTextSourceOptions): Source {
  const { families = [], algorithms = [], formats = [] } = Object(options) as CoreTextSourceOptions;
  return createTextSource(options, { families, algorithms: createRegistry(families, algorithms) }, [linesFormat, ...formats]);
}
