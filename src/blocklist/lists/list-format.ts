import type { Family } from '../../core/assets/asset.js';
import { type Kind, oneOf } from '../../core/options/read-options.js';
import { formatOf, maxSampleLength, sampleLength } from './auto.js';
import type { EntrySink, ListColumns, ListFormat, ListReader } from './list-entry.js';

/** What `auto` needs besides the text. */
interface FormatContext {
  readonly families: readonly Family[];
  readonly formats: readonly FormatReader[];
}

/** Reads one format: `csvFormat`, `yamlFormat` and so on. `allFormats` has them all. */
export interface FormatReader {
  readonly format: ListFormat;
  /** @internal */
  readonly read: (sink: EntrySink, columns: ListColumns | undefined, context: FormatContext) => ListReader;
}

/** @throws PortcullisError `INVALID_INPUT` */
export function readerIn(formats: readonly FormatReader[], format: unknown): FormatReader {
  const name = formatIn(formats)(format, 'format');
  return formats.find((one) => one.format === name)!;
}

export const formatIn = (formats: readonly FormatReader[]): Kind<ListFormat> => oneOf(...formats.map(({ format }) => format));

/** Holds the beginning of a text until its format is recognized. */
export class AutoReader implements ListReader {
  private readonly sink: EntrySink;
  private readonly context: FormatContext;
  private reader: ListReader | null = null;
  private recognized: ListFormat = 'auto';
  private sample = '';
  private nextLength = sampleLength;

  constructor(sink: EntrySink, context: FormatContext) {
    this.sink = sink;
    this.context = context;
  }

  get format(): ListFormat {
    return this.reader?.format ?? this.recognized;
  }

  write(text: string): void {
    if (this.reader !== null) {
      this.reader.write(text);
      return;
    }
    this.sample += text;
    const isLong = this.sample.length >= maxSampleLength;
    // Each time twice as much, so that a long comment is not read again and again.
    if (this.sample.length >= this.nextLength || isLong) this.recognize(isLong);
  }

  end(): void {
    if (this.reader === null) this.recognize(true);
    this.reader!.end();
  }

  private recognize(isLast: boolean): void {
    this.nextLength = 2 * this.sample.length;
    const format = formatOf(this.sample, isLast, this.context.families);
    if (format === null) return;
    this.recognized = format;
    this.reader = readerIn(this.context.formats, format).read(this.sink, undefined, this.context);
    const { sample } = this;
    this.sample = '';
    this.reader.write(sample);
  }
}
