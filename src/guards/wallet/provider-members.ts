import { plainCopy, thawed } from './plain-copy.js';

/** A request as EIP-1193 has it. */
export interface ProviderRequest {
  readonly method: string;
  /** A list, or an object for a few methods. */
  readonly params?: unknown;
}

/** An EIP-1193 provider. */
export interface WalletProvider {
  // A method, because libraries type the request more narrowly.
  /** Sends a request to the wallet. */
  request(request: ProviderRequest): Promise<unknown>;
}

type KeptMember =
  | 'request'
  | 'send'
  | 'sendAsync'
  | 'enable'
  | 'on'
  | 'once'
  | 'off'
  | 'addListener'
  | 'removeListener'
  | 'prependListener'
  | 'listenerCount'
  | 'isConnected'
  | 'disconnect';

type Primitive = string | number | bigint | boolean | symbol | null | undefined;

/** What a guard keeps of a provider: its ways to send, its events, and plain values such as `isMetaMask`. */
export type GuardedProvider<Provider> = {
  [Name in keyof Provider as Name extends KeptMember ? Name : Provider[Name] extends Primitive ? Name : never]: Provider[Name];
};

type Request = (asked: ProviderRequest) => Promise<unknown>;
type Callback = (error: unknown, response?: unknown) => void;

const listenerMembers = new Set<PropertyKey>([
  'on',
  'once',
  'off',
  'addListener',
  'removeListener',
  'prependListener',
] satisfies KeptMember[]);
const otherMembers = new Set<PropertyKey>(['listenerCount', 'isConnected', 'disconnect'] satisfies KeptMember[]);

/** The provider with its ways to send replaced. Other functions and objects are left out, because one of them could be the provider itself. */
export function guardedMembers<Provider extends object>(provider: Provider, request: Request): GuardedProvider<Provider> {
  const entries = {
    request,
    send: sendWith(request),
    sendAsync: sendWith(request),
    enable: () => request({ method: 'eth_requestAccounts' }),
  };
  /** A listener's `this` would be the provider, and an event may hand over the provider, also inside an object, or another site's listener. */
  const wrapped = new WeakMap<object, unknown>();
  const wrap = (listener: unknown): unknown => {
    // An object with `handleEvent` would get the provider too.
    if (typeof listener !== 'function') return undefined;
    if (!wrapped.has(listener)) {
      wrapped.set(listener, (...args: unknown[]) => listener.apply(undefined, args.map(plainEvent)));
    }
    return wrapped.get(listener);
  };
  const argumentOf = (given: unknown): unknown =>
    typeof given === 'function' ? wrap(given) : typeof given === 'object' ? plainEvent(given) : given;
  const call = (member: unknown, args: unknown[]): unknown => {
    const result: unknown = Reflect.apply(member as (...args: unknown[]) => unknown, provider, args);
    if (result === provider) return guarded;
    return typeof Object(result).then === 'function' ? Promise.resolve(result).then(plainEvent) : plainEvent(result);
  };

  const guarded = new Proxy({} as GuardedProvider<Provider>, {
    get(own, name) {
      if (isOwn(own, name)) return Reflect.get(own, name);
      const member: unknown = Reflect.get(provider, name);
      if (isOwn(entries, name)) return member === undefined ? undefined : entries[name as keyof typeof entries];
      if (listenerMembers.has(name) && typeof member === 'function') {
        return (event: unknown, listener: unknown) => call(member, [event, wrap(listener)]);
      }
      if (otherMembers.has(name) && typeof member === 'function')
        return (...args: unknown[]) => call(member, args.map(argumentOf));
      return typeof member === 'function' || typeof member === 'object' ? undefined : member;
    },
    has: (own, name) => Reflect.has(own, name) || Reflect.has(provider, name),
  });
  return guarded;
}

/** The value as plain data, and an error with its message and code; `undefined` for anything else, which could reach the provider. */
function plainEvent(value: unknown): unknown {
  try {
    if (!(value instanceof Error)) return value === undefined ? undefined : thawed(plainCopy(value));
    const { message, code, data } = value as Error & { code?: unknown; data?: unknown };
    return Object.assign(new Error(String(message)), thawed(plainCopy({ code, data })));
  } catch {
    return undefined;
  }
}

const isOwn = (object: object, name: PropertyKey): boolean => Object.hasOwn(object, name);

/** `send(method, params)`, `send(payload)`, `send(payload, callback)` and `sendAsync(payload or list, callback)`. */
function sendWith(request: Request): (first: unknown, second?: unknown) => unknown {
  const respond = async (payload: { readonly id?: unknown } & ProviderRequest): Promise<unknown> => {
    const { id, method, params } = payload;
    return { id, jsonrpc: '2.0', result: await request({ method, params }) };
  };
  /** A list is answered one by one: a rejected request must not hide that others were signed. */
  const respondToEach = (payload: { readonly id?: unknown } & ProviderRequest): Promise<unknown> =>
    respond(payload).catch((error: { readonly code?: unknown; readonly message?: unknown }) => {
      const { code = -32603, message } = error;
      return { id: Object(payload).id, jsonrpc: '2.0', error: { code, message } };
    });
  return (first, second) => {
    if (typeof first === 'string') return request({ method: first, params: second });
    const payloads = first as Parameters<typeof respond>[0];
    const response = Array.isArray(payloads) ? Promise.all(payloads.map(respondToEach)) : respond(payloads);
    if (typeof second !== 'function') return response;
    const callback = second as Callback;
    response.then(
      (result) => callback(null, result),
      (error) => callback(error),
    );
    return undefined;
  };
}
