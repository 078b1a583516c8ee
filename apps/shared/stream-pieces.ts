/** The pieces of a stream. Not every browser can iterate over one. */
export async function* piecesOf<Piece>(reader: ReadableStreamDefaultReader<Piece>): AsyncGenerator<Piece> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
