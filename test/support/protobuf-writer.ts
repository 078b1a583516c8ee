/** Writes protocol buffers from their specification and without any code of the package. */

/** Of a number, which is written as 64 bits if it is negative. */
export function varint(value: number | bigint): Buffer {
  let left = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  do {
    const more = left >> 7n;
    bytes.push(Number(left & 127n) + (more > 0n ? 128 : 0));
    left = more;
  } while (left > 0n);
  return Buffer.from(bytes);
}

const tag = (number: number, wire: number): Buffer => varint(number * 8 + wire);

export const numberField = (number: number, value: number | bigint): Buffer => Buffer.concat([tag(number, 0), varint(value)]);

export function bytesField(number: number, value: Uint8Array | string): Buffer {
  const bytes = Buffer.from(value as Uint8Array);
  return Buffer.concat([tag(number, 2), varint(bytes.length), bytes]);
}

export function fixed64Field(number: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return Buffer.concat([tag(number, 1), bytes]);
}

export function fixed32Field(number: number, value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return Buffer.concat([tag(number, 5), bytes]);
}

export const packedField = (number: number, values: readonly number[]): Buffer =>
  bytesField(number, Buffer.concat(values.map(varint)));
