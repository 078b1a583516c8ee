import type { IncomingHttpHeaders } from 'node:http';
import {
  isPortcullisError,
  verifyWebhook,
  verifyWebhookRequest,
  type WebhookHeaders,
  type WebhookOptions,
  type WebhookRequest,
} from 'portcullis/webhooks';
import { describe, expect, expectTypeOf, test, vi } from 'vitest';
import { serve } from '../../support/scripted-server.js';
import { codeOfAsync, deliver, header, secret, signatureOf, updated } from './webhook-harness.js';

describe('verifyWebhookRequest', () => {
  const text = JSON.stringify(updated);
  const options = { secrets: secret };
  const requestOf = (body: RequestInit['body'], headers: Record<string, string> = { [header]: signatureOf(text, secret) }) =>
    new Request('https://receiver.example/hook', { method: 'POST', body, headers, duplex: 'half' } as RequestInit);

  function streamOf(parts: readonly unknown[], then: 'close' | 'hang' | 'break' = 'close') {
    const state = { pulled: 0, cancelled: false };
    const stream = new ReadableStream({
      pull(controller) {
        const part = parts[state.pulled++];
        if (part !== undefined) controller.enqueue(part);
        else if (then === 'close') controller.close();
        else if (then === 'break') controller.error(new Error('reset'));
        else return new Promise<void>(() => {});
        return undefined;
      },
      cancel() {
        state.cancelled = true;
      },
    });
    return { stream, state };
  }

  test('returns the event of a valid signature, for any kind of body', async () => {
    const bytes = new Uint8Array(Buffer.from(text));
    const parts = Array.from(bytes, (byte) => Uint8Array.of(byte));
    for (const body of [
      text,
      bytes,
      streamOf(parts).stream,
      streamOf([bytes.slice(0, 9), new Uint8Array(0), bytes.slice(9)]).stream,
    ]) {
      expect(await verifyWebhookRequest(requestOf(body), options)).toEqual(deliver(updated));
    }
    const { stream } = streamOf([bytes.slice(1)]);
    expect(await codeOfAsync(() => verifyWebhookRequest(requestOf(stream), options))).toBe('SIGNATURE_INVALID');
  });

  test('treats a missing body like an empty one', async () => {
    const empty = requestOf(null, { [header]: signatureOf('', secret) });
    expect(await codeOfAsync(() => verifyWebhookRequest(empty, options))).toBe('INVALID_WEBHOOK');
  });

  test('reads a request without a stream at once', async () => {
    const bare: WebhookRequest = {
      headers: { [header]: signatureOf(text, secret) },
      arrayBuffer: async () => new Uint8Array(Buffer.from(text)).buffer,
    };
    expect((await verifyWebhookRequest(bare, options)).type).toBe(updated.type);
    const large = { ...bare, arrayBuffer: async () => new ArrayBuffer(1024 * 1024 + 1) };
    expect(await codeOfAsync(() => verifyWebhookRequest(large, options))).toBe('LIMIT_EXCEEDED');
    const broken = { ...bare, arrayBuffer: () => Promise.reject(new Error('reset')) };
    expect(await codeOfAsync(() => verifyWebhookRequest(broken, options))).toBe('NETWORK');
  });

  test('rejects a body that was read or is being read, and suggests clone()', async () => {
    const used = requestOf(text);
    await used.text();
    const locked = requestOf(text);
    locked.body?.getReader();
    // Like React Native, without a stream that could be locked.
    const bare = { headers: requestOf('').headers, bodyUsed: true, arrayBuffer: async () => new ArrayBuffer(0) };
    for (const request of [used, locked, bare]) {
      await expect(verifyWebhookRequest(request, options)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      await expect(verifyWebhookRequest(request, options)).rejects.toThrow(/already read.*clone/);
    }
    const kept = requestOf(text);
    expect((await verifyWebhookRequest(kept.clone(), options)).type).toBe(updated.type);
    expect(await kept.text()).toBe(text);
  });

  test('does not read a request without a signature or with a too large Content-Length', async () => {
    for (const [headers, code] of [
      [{}, 'SIGNATURE_MISSING'],
      [{ [header]: 'nonsense' }, 'SIGNATURE_INVALID'],
      [{ [header]: signatureOf(text, secret), 'content-length': '1048577' }, 'LIMIT_EXCEEDED'],
      [{ [header]: signatureOf(text, secret), 'content-length': '9'.repeat(400) }, 'LIMIT_EXCEEDED'],
    ] as const) {
      const arrayBuffer = vi.fn<() => Promise<ArrayBuffer>>();
      expect(await codeOfAsync(() => verifyWebhookRequest({ headers, arrayBuffer }, options))).toBe(code);
      expect(arrayBuffer).not.toHaveBeenCalled();
    }
  });

  test('stops reading at the limit, whatever Content-Length says', async () => {
    const part = new Uint8Array(256 * 1024);
    for (const length of [undefined, '10', '-1', 'x']) {
      const { stream, state } = streamOf(new Array<Uint8Array>(100).fill(part));
      const headers = { [header]: signatureOf(text, secret), ...(length === undefined ? {} : { 'content-length': length }) };
      const request: WebhookRequest = { headers, body: stream, arrayBuffer: () => Promise.reject(new Error('not this way')) };
      expect(await codeOfAsync(() => verifyWebhookRequest(request, options))).toBe('LIMIT_EXCEEDED');
      expect(state.cancelled).toBe(true);
      expect(state.pulled).toBeLessThan(8);
    }
  });

  test('fails with NETWORK if the body breaks off', async () => {
    const { stream } = streamOf([Buffer.from(text)], 'break');
    await expect(verifyWebhookRequest(requestOf(stream), options)).rejects.toMatchObject({
      code: 'NETWORK',
      cause: { message: 'reset' },
    });
  });

  test('throws a TypeError and stops reading if chunks are not bytes', async () => {
    const { stream, state } = streamOf(['text', 'more', 'more']);
    const request: WebhookRequest = { headers: requestOf('').headers, body: stream, arrayBuffer: async () => new ArrayBuffer(0) };
    expect(await codeOfAsync(() => verifyWebhookRequest(request, options))).toBe('TypeError');
    expect(state.cancelled).toBe(true);
  });

  test('stops reading when the signal is aborted', async () => {
    const { stream, state } = streamOf([Buffer.from(text)], 'hang');
    const controller = new AbortController();
    const reason = new Error('enough');
    const waiting = verifyWebhookRequest(requestOf(stream), { ...options, signal: controller.signal });
    setTimeout(() => controller.abort(reason), 10);
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED', cause: reason });
    expect(state.cancelled).toBe(true);
    const unread = requestOf(text);
    expect(await codeOfAsync(() => verifyWebhookRequest(unread, { ...options, signal: controller.signal }))).toBe('ABORTED');
    expect(unread.bodyUsed).toBe(false);
  });

  test('removes its listener from the signal', async () => {
    const { signal } = new AbortController();
    const [added, removed] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')];
    await verifyWebhookRequest(requestOf(text), { ...options, signal });
    expect(added).toHaveBeenCalledTimes(1);
    expect(removed.mock.calls).toEqual(added.mock.calls);
  });

  test("rejects Node's own request, and names verifyWebhook", async () => {
    const incoming = { headers: { [header]: signatureOf(text, secret) }, body: updated } as unknown as WebhookRequest;
    await expect(verifyWebhookRequest(incoming, options)).rejects.toThrow(/Fetch Request.*verifyWebhook/);
    for (const value of [undefined, null, text]) {
      expect(await codeOfAsync(() => verifyWebhookRequest(value as unknown as WebhookRequest, options))).toBe('TypeError');
    }
  });

  test('accepts the types of every platform', () => {
    expectTypeOf<Request>().toExtend<WebhookRequest>();
    expectTypeOf<Headers>().toExtend<WebhookHeaders>();
    expectTypeOf<IncomingHttpHeaders>().toExtend<WebhookHeaders>();
    expectTypeOf<Map<string, string>>().toExtend<WebhookHeaders>();
    expectTypeOf<[string, string][]>().toExtend<WebhookHeaders>();
    // A variable of the environment that is not set must not compile.
    expectTypeOf<{ secrets: string | undefined }>().not.toExtend<WebhookOptions>();
    expectTypeOf<typeof updated>().not.toExtend<Parameters<typeof verifyWebhook>[0]>();
  });
});

test("verifies deliveries to Node's own server", async () => {
  const { origin } = await serve(({ body, headers }) => {
    try {
      return { body: verifyWebhook(body, headers, { secrets: ['next', secret] }).raw };
    } catch (error) {
      return { status: isPortcullisError(error) ? 401 : 500 };
    }
  });
  const body = JSON.stringify({ ...updated, data: { ...updated.data, content: 'bücher.example' } });
  const send = (value: string): Promise<Response> =>
    fetch(origin, { method: 'POST', body, headers: { 'X-Vendor-Signature': value } });
  expect(await (await send(signatureOf(body, secret))).json()).toEqual(JSON.parse(body));
  expect((await send(signatureOf(body, 'wrong'))).status).toBe(401);
});
