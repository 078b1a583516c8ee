import { EventEmitter } from 'node:events';
import { createBlocklist } from 'portcullis';
import { textSource } from 'portcullis/sources';
import {
  type GuardedProvider,
  guardProvider,
  type ProviderRequest,
  type ScreenedRequest,
  type WalletGuardOptions,
} from 'portcullis/wallet';

export const listed = '0xbad0000000000000000000000000000000000bad';
export const clean = '0x52908400098527886e0f7030069857d2e4169ee7';
export const account = '0xde709f2102306220921060314715629080e2fb77';
export const origin = 'https://app.example';

/** A provider that records what reaches it, with events and the old ways to send. */
export class RecordingProvider extends EventEmitter {
  readonly isMetaMask = true;
  readonly received: ProviderRequest[] = [];
  /** What the node answers to the guard's own questions: by default, that there is no code. */
  readonly answers: Record<string, unknown> = { eth_getCode: '0x' };
  readonly questions: ProviderRequest[] = [];
  /** Would reach the wallet unscreened. */
  readonly inner: unknown = this;

  async request(request: ProviderRequest): Promise<unknown> {
    if (Object.hasOwn(this.answers, request.method)) {
      this.questions.push(request);
      return this.answers[request.method];
    }
    this.received.push(request);
    return `result of ${request.method}`;
  }

  send(method: string, params?: unknown): Promise<unknown> {
    return this.request({ method, params });
  }

  sendAsync({ method, params }: ProviderRequest, callback: (error: unknown, response?: unknown) => void): void {
    this.request({ method, params }).then((result) => callback(null, { result }), callback);
  }

  /** Connects without a question. */
  connect(): Promise<unknown> {
    return this.request({ method: 'eth_requestAccounts' });
  }

  sendTransaction(transaction: unknown): Promise<unknown> {
    return this.request({ method: 'eth_sendTransaction', params: [transaction] });
  }
}

export interface World {
  readonly provider: RecordingProvider;
  readonly guarded: GuardedProvider<RecordingProvider>;
  /** What `decide` was asked. */
  readonly asked: ScreenedRequest[];
}

/** A real blocklist with one address and one site on it, and a guard that asks and rejects unless told otherwise. */
export async function world(options: Partial<WalletGuardOptions> = {}): Promise<World> {
  const blocklist = createBlocklist({
    sources: [textSource({ id: 'mine', text: `${listed}\nevil.example\n` })],
    pollMs: 0,
  });
  await blocklist.ready();
  const provider = new RecordingProvider();
  const asked: ScreenedRequest[] = [];
  const decide = (request: ScreenedRequest): 'reject' => {
    asked.push(request);
    return 'reject';
  };
  const guarded = guardProvider(provider, { blocklist, origin, decide, ...options });
  return { provider, guarded, asked };
}
