/** Passes chunks on, and fails once there are more than `maxBytes`, so that endless input cannot fill the memory. */
export async function* boundedBytes(
  pieces: AsyncIterable<Uint8Array>,
  maxBytes: number,
  tooLarge: () => Error,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > maxBytes) throw tooLarge();
    yield piece;
  }
}
