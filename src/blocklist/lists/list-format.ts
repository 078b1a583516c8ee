import type { Family } from '../../core/assets/asset.js';
import { refuse } from '../../core/errors.js';
import type { EntrySink, ListColumns, ListFormat, ListReader } from './list-entry.js';

/** What `auto` needs besides the text. */
export interface FormatContext {
  readonly families: readonly Family[];
  readonly formats: readonly FormatReader[];
}

/** Reads one format: `csvFormat`, `yamlFormat` and so on. `allFormats` has them all. */
export interface FormatReader {
  readonly format: ListFormat;
  /** @internal */
  readonly read: (sink: EntrySink, columns: ListColumns | undefined, context: FormatContext) => ListReader;
}

/** @throws TypeError, PortcullisError `INVALID_INPUT` */
export function readerIn(formats: readonly FormatReader[], format: unknown): FormatReader {
  if (typeof format !== 'string') throw new TypeError('format must be a string');
  const reader = formats.find((one) => one.format === format);
  if (reader !== undefined) return reader;
  const known = formats.map((one) => one.format).join(', ');
  refuse(`format must be one of ${known}, not ${format}; createTextSource reads the formats that you pass`);
}
