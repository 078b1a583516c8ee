import { expect, test, vi } from 'vitest';
import { serve } from '../../support/scripted-server.js';
import { clientAt, type Entry, failed, found, promptMs } from './client-harness.js';

/** The documented limit of one response. */
export const maxAnswerBytes = 32 * 1024 * 1024;

/**
 * Tests of connections that the client closes. The platform's `fetch` takes seconds for each, so it runs them in the deep tests.
 */
export function testHangUps(entry: Entry): void {
  const checkAt = (origin: string, timeoutMs = promptMs): Promise<unknown> =>
    clientAt(entry, origin, { timeoutMs }).client.assets.check({ content: 'scam.example' });

  test('closes the connection of a call that timed out', async () => {
    const server = await serve([{ body: found, fault: 'stall' }]);
    await expect(checkAt(server.origin, 50)).rejects.toThrow();
    await vi.waitFor(() => expect(server.open()).toBe(0), promptMs);
  });

  test.each([200, 503])('stops reading an endless answer of status %d', async (status) => {
    const server = await serve([{ status, fault: 'endless' }]);
    await expect(checkAt(server.origin)).rejects.toEqual(failed('LIMIT_EXCEEDED', { operation: 'assetCheck' }));
    await vi.waitFor(() => expect(server.open()).toBe(0), promptMs);
    // The buffers of both sockets add to this size.
    expect(server.bytesSent()).toBeLessThan(2 * maxAnswerBytes);
  });

  test('rejects a Content-Length over the limit before reading', async () => {
    const server = await serve([{ headers: { 'content-length': String(maxAnswerBytes + 1) }, body: found, fault: 'stall' }]);
    await expect(checkAt(server.origin)).rejects.toEqual(failed('LIMIT_EXCEEDED', { operation: 'assetCheck' }));
    await vi.waitFor(() => expect(server.open()).toBe(0), promptMs);
    expect(server.bytesSent()).toBeLessThan(10_000);
  });
}
