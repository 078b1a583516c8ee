import { createHash } from 'node:crypto';

interface PublishedPart {
  bytes: Uint8Array;
  count: number;
}

/** The files of a published list. */
interface PublishedFolder {
  sequence: number;
  snapshot: PublishedPart;
  recent: PublishedPart;
  difference?: { name: string; bytes: Uint8Array };
}

/** A fetch that serves a folder like a static host: in chunks, as from a network. No hit is confirmed, so there are no shards. */
export function publishedFiles(url: string, { sequence, snapshot, recent, difference }: PublishedFolder): typeof fetch {
  const files: Record<string, Uint8Array> = {};
  const part = (kind: string, { bytes, count }: PublishedPart) => {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const token = sha256.slice(0, 16);
    files[`${url}/${kind}-${token}.bin`] = bytes;
    return { token, count, url: `${kind}-${token}.bin`, sha256 };
  };
  if (difference !== undefined) files[`${url}/${difference.name}`] = difference.bytes;
  const version = {
    algoVersion: 'portcullis-1',
    sequence,
    confirm: { url: 'sums.bin', sha256: '0'.repeat(64) },
    shards: 1,
    snapshot: part('snapshot', snapshot),
    recent: part('recent', recent),
    ...(difference !== undefined && { differences: { url: difference.name } }),
  };
  files[`${url}/version.json`] = new TextEncoder().encode(JSON.stringify(version));
  return async (asked) => {
    const bytes = files[String(asked)];
    return bytes === undefined ? new Response(null, { status: 404 }) : new Response(inPieces(bytes));
  };
}

export function inPieces(bytes: Uint8Array): ReadableStream<Uint8Array> {
  const pieceBytes = 64 * 1024;
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      // Sends one chunk per turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      controller.enqueue(bytes.slice(at, at + pieceBytes));
      at += pieceBytes;
      if (at >= bytes.length) controller.close();
    },
  });
}
