import { createHmac } from 'node:crypto';
import { isPortcullisError, verifyWebhook, type WebhookEvent, type WebhookOptions } from 'portcullis/webhooks';
import { expect } from 'vitest';

/** What a sender does, with Node's own HMAC. */
export const signatureOf = (body: string | Uint8Array, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

export const secret = 'a-secret-of-the-webhook';
export const header = 'x-some-signature';

export const updated = {
  type: 'asset.status-updated',
  created_at: '2026-03-01T12:00:00.000Z',
  data: { asset_id: 7, type: 'URL', content: 'evil.example', status: 'BLOCKED' },
};

export function deliver(body: unknown, options: Partial<WebhookOptions> = {}): WebhookEvent {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return verifyWebhook(text, { [header]: signatureOf(text, secret) }, { secrets: secret, ...options });
}

/** The code of the error thrown, or 'TypeError'; any other error fails the test. */
export function codeOf(run: () => unknown): string {
  try {
    run();
    return 'none';
  } catch (error) {
    if (isPortcullisError(error)) return error.code;
    expect(error).toBeInstanceOf(TypeError);
    return 'TypeError';
  }
}

export async function codeOfAsync(run: () => Promise<unknown>): Promise<string> {
  try {
    await run();
    return 'none';
  } catch (error) {
    return codeOf(() => {
      throw error;
    });
  }
}
