import { describe, expect, test, vi } from 'vitest';
import { type BodyMessage, readAll, readBody } from '../../src/core/http/bounded-body.js';

const maxBytes = 10;
const tooLarge = (): Error => new Error('too large');
const limit = { maxBytes, tooLarge };

/** A reader that yields the chunks and then ends. */
function readerOf(chunks: readonly unknown[]) {
  const left = [...chunks];
  return {
    read: vi.fn(async () => ({ done: left.length === 0, value: left.shift() as Uint8Array | undefined })),
    cancel: vi.fn(async () => {}),
  };
}

function messageOf(changes: Partial<BodyMessage> & { readonly length?: string }): BodyMessage {
  const { length = null, ...rest } = changes;
  return { headers: { get: () => length }, arrayBuffer: async () => new ArrayBuffer(0), ...rest };
}

describe('a body', () => {
  test.each([0, 1, 5, maxBytes])('is read whole with %i bytes, as a stream and at once', async (length) => {
    const bytes = Uint8Array.from({ length }, (_, at) => at);
    const body = new Response(bytes).body;
    expect(await readBody(messageOf({ body }), limit)).toEqual(bytes);
    expect(await readBody(messageOf({ arrayBuffer: async () => bytes.slice().buffer }), limit)).toEqual(bytes);
    const chunks = Array.from(bytes, (byte) => Uint8Array.of(byte));
    expect(await readAll(readerOf(chunks), limit)).toEqual(bytes);
  });

  test('takes little more memory than its bytes if they arrive one by one', async () => {
    const length = 300_000;
    let left = length;
    let heldBytes = 0;
    const before = process.memoryUsage().heapUsed;
    const read = async () => {
      if (left === 1) heldBytes = process.memoryUsage().heapUsed - before;
      return left-- > 0 ? { done: false, value: Uint8Array.of(7) } : { done: true };
    };
    const bytes = await readAll({ read, cancel: async () => {} }, { maxBytes: length, tooLarge });
    expect(bytes).toEqual(new Uint8Array(length).fill(7));
    // A list of the chunks held 60 MB; what is left here was not collected yet.
    expect(heldBytes).toBeLessThan(30_000_000);
  });

  test.each(['11', '1e300', '9'.repeat(400)])('is rejected unread if its Content-Length is %s', async (length) => {
    const getReader = vi.fn<() => never>();
    const arrayBuffer = vi.fn<() => never>();
    await expect(readBody(messageOf({ length, body: { getReader }, arrayBuffer }), limit)).rejects.toThrow('too large');
    expect(getReader).not.toHaveBeenCalled();
    expect(arrayBuffer).not.toHaveBeenCalled();
  });

  test.each(['1', '-1', 'x', ''])('is counted whatever Content-Length says: %j', async (length) => {
    const reader = readerOf(Array.from({ length: 5 }, () => new Uint8Array(4)));
    await expect(readBody(messageOf({ length, body: { getReader: () => reader } }), limit)).rejects.toThrow('too large');
    expect(reader.read).toHaveBeenCalledTimes(3);
    expect(reader.cancel).toHaveBeenCalledTimes(1);
    const arrayBuffer = async (): Promise<ArrayBuffer> => new ArrayBuffer(maxBytes + 1);
    await expect(readBody(messageOf({ length, arrayBuffer }), limit)).rejects.toThrow('too large');
  });

  test.each([['text'], [[1, 2]], [new Uint16Array(2)], [undefined]])(
    'is cancelled with a TypeError if it yields %j',
    async (chunk) => {
      const reader = readerOf([chunk, new Uint8Array(1)]);
      await expect(readAll(reader, limit)).rejects.toThrow(TypeError);
      expect(reader.read).toHaveBeenCalledTimes(1);
      expect(reader.cancel).toHaveBeenCalledTimes(1);
    },
  );

  test('is cancelled if it fails, and its own error is thrown even if the cancellation fails', async () => {
    const reader = {
      read: () => Promise.reject(new Error('reset')),
      cancel: vi.fn(() => Promise.reject(new Error('not this one'))),
    };
    await expect(readAll(reader, limit)).rejects.toThrow('reset');
    expect(reader.cancel).toHaveBeenCalledTimes(1);
  });
});

describe('an aborted signal', () => {
  test('ends a read that waits for bytes, and leaves no listener behind', async () => {
    const cancel = vi.fn<() => void>();
    const stream = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}), cancel });
    const controller = new AbortController();
    const removed = vi.spyOn(controller.signal, 'removeEventListener');
    const reading = readAll(stream.getReader(), { ...limit, signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(reading).rejects.toMatchObject({ code: 'ABORTED', cause: { message: 'enough' } });
    expect(cancel).toHaveBeenCalled();
    expect(removed).toHaveBeenCalledTimes(1);
  });

  test('ends the read at the next chunk if it cannot have listeners', async () => {
    const signal = { aborted: false };
    const reader = readerOf([new Uint8Array(1), new Uint8Array(1)]);
    reader.read.mockImplementationOnce(async () => {
      signal.aborted = true;
      return { done: false, value: new Uint8Array(1) };
    });
    await expect(readAll(reader, { ...limit, signal })).rejects.toMatchObject({ code: 'ABORTED' });
    expect(reader.read).toHaveBeenCalledTimes(1);
    expect(reader.cancel).toHaveBeenCalled();
  });

  test('leaves a body unread', async () => {
    const getReader = vi.fn<() => never>();
    const reading = readBody(messageOf({ body: { getReader } }), { ...limit, signal: AbortSignal.abort() });
    await expect(reading).rejects.toMatchObject({ code: 'ABORTED' });
    expect(getReader).not.toHaveBeenCalled();
  });
});
