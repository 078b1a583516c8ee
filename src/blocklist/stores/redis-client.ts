import { PortcullisError } from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';
import { globals } from '../../core/http/fetch.js';
import { storeFailure } from './store-failure.js';

/** The part of a client of ioredis or iovalkey that the store uses. */
export interface IoRedisLike {
  /** Sends a command. */
  call(command: string, ...args: string[]): Promise<unknown>;
  /** Makes another client with the same options. */
  duplicate(): object;
  /** Adds a listener. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Removes it. */
  off(event: 'error', listener: (error: Error) => void): unknown;
}

/** The part of a client of node-redis that the store uses. It must be connected, or connecting. */
export interface NodeRedisLike {
  /** Sends a command. */
  sendCommand(args: string[]): Promise<unknown>;
  /** Makes another client with the same options. */
  duplicate(): object;
  /** Adds a listener. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Removes it. */
  off(event: 'error', listener: (error: Error) => void): unknown;
}

/** A client of ioredis, iovalkey or node-redis. */
export type RedisClientLike = IoRedisLike | NodeRedisLike;

/** A server that let one command time out is left alone for this long, so that a start or a round waits once and not for each call. */
const silenceMs = 5_000;

export type Command = (...args: string[]) => Promise<unknown>;

/** Sends commands with a time limit, because clients queue them while the server is gone. Failures are errors of a store. */
export function commandsOf(client: RedisClientLike, timeoutMs: number): Command {
  const send: Command =
    'call' in client ? async (name, ...args) => client.call(name!, ...args) : async (...args) => client.sendCommand(args);
  let silence: unknown;
  const endSilence = (): void => {
    globals.clearTimeout(silence);
    silence = undefined;
  };

  return async (...args) => {
    // node-redis would only say that the client is closed.
    if ((client as { readonly isOpen?: unknown }).isOpen === false) {
      throw new PortcullisError('STORE_UNAVAILABLE', 'the client of Redis is not connected; call its connect() and await it');
    }
    if (silence !== undefined) throw new PortcullisError('STORE_UNAVAILABLE', `Redis did not answer within ${timeoutMs} ms`);
    const sent = send(...args);
    try {
      return plainReply(await bounded(timeoutMs, undefined, () => sent, false, true));
    } catch (cause) {
      if (!(cause instanceof PortcullisError)) throw failureOf(cause);
      endSilence();
      silence = globals.setTimeout(endSilence, silenceMs);
      (silence as { unref?: () => void }).unref?.();
      // The client may have been connecting again.
      sent.then(endSilence, () => {});
      throw new PortcullisError('STORE_UNAVAILABLE', `Redis did not answer within ${timeoutMs} ms`, { cause });
    }
  };
}

/** Options of a client can make it return texts as buffers, also in arrays. */
function plainReply(reply: unknown): unknown {
  if (Array.isArray(reply)) return reply.map(plainReply);
  return reply instanceof Uint8Array ? String(reply) : reply;
}

/** Clients attach the command to its error, with up to half a megabyte of a list. Only the words are kept. */
function failureOf(thrown: unknown): PortcullisError {
  const { name = 'Error', message = '', code } = Object(thrown) as { name?: string; message?: string; code?: unknown };
  const cause = Object.assign(new Error(String(message)), { name, ...(code === undefined ? {} : { code }) });
  return storeFailure(cause, `Redis failed: ${String(message).slice(0, 200)}`);
}

/** A client for one channel, as either library makes it. */
interface Subscriber {
  /** Of ioredis. */
  readonly status?: string;
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  connect?(): Promise<unknown>;
  subscribe(channel: string, listener?: () => void): Promise<unknown>;
  destroy?(): void;
  disconnect?(): unknown;
}

export interface Channel {
  /** Subscribes, unless it has or is about to. */
  open(): void;
  close(): void;
}

/** Calls `heard` for each message of a channel, over a connection of its own: a connection that listens can do nothing else. */
export function channelOf(client: RedisClientLike, name: string, heard: () => void): Channel {
  let current: Subscriber | undefined;

  function leave(subscriber: Subscriber): void {
    if (current === subscriber) current = undefined;
    try {
      if (subscriber.destroy !== undefined) subscriber.destroy();
      else subscriber.disconnect?.();
    } catch {
      // It was closed already.
    }
  }

  async function listen(subscriber: Subscriber): Promise<void> {
    // Without a listener, an error would end the process.
    subscriber.on('error', () => {});
    subscriber.on('end', () => {
      if (current === subscriber) current = undefined;
    });
    if ('call' in client) {
      subscriber.on('message', heard);
      await whenReady(subscriber);
      await subscriber.subscribe(name);
    } else {
      await subscriber.connect?.();
      await subscriber.subscribe(name, heard);
    }
    // A commit before this point made no message.
    heard();
  }

  /** Without its offline queue, ioredis rejects what is sent before the connection is ready. */
  async function whenReady(subscriber: Subscriber): Promise<void> {
    const { status = 'ready' } = subscriber;
    if (status === 'ready') return;
    if (status === 'wait') return void (await subscriber.connect?.());
    await new Promise<void>((resolve, reject) => {
      subscriber.on('ready', () => resolve());
      subscriber.on('end', () => reject(new Error('the connection ended')));
    });
  }

  return {
    open() {
      if (current !== undefined) return;
      const subscriber = client.duplicate() as Subscriber;
      current = subscriber;
      listen(subscriber).catch(() => leave(subscriber));
    },
    close() {
      if (current !== undefined) leave(current);
    },
  };
}
