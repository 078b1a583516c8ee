import { refuse } from '../../core/errors.js';

/** Reads bytes one after another. Whatever does not fit is malformed as a whole, so that nothing is read in part. */
export class ByteCursor {
  private readonly bytes: Uint8Array;
  private readonly what: string;
  private at = 0;

  /** @param what Names the bytes in messages: `the transaction`. */
  constructor(bytes: Uint8Array, what: string) {
    this.bytes = bytes;
    this.what = what;
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  take(count: number): Uint8Array {
    if (count > this.left) this.fail('it ends too early');
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }

  byte(): number {
    return this.take(1)[0]!;
  }

  /** A number, the lowest byte first. Above 2^53 it is rounded. */
  little(count: number): number {
    return this.take(count).reduceRight((value, byte) => 256 * value + byte, 0);
  }

  end(): void {
    if (this.left > 0) this.fail('there are bytes behind its end');
  }

  /** @throws PortcullisError `INVALID_INPUT` */
  fail(why: string): never {
    refuse(`${this.what} is malformed: ${why}`);
  }
}
