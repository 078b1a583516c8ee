import { requireObject } from '../../core/errors.js';
import { type Filled, having, type KindsOf, readOptions, text } from '../../core/options/read-options.js';
import type { WalletProvider } from './provider-members.js';

/** Options of `announceProvider`: what sites show of the wallet (EIP-6963). */
export interface AnnouncementOptions {
  /** The name of the wallet. */
  readonly name: string;
  /** Its image, a square of 96 pixels or more, inside a data URI. */
  readonly icon: string;
  /** The domain of its makers, backwards: `com.example.wallet`. It stays the same, so that a site recognizes the wallet. */
  readonly rdns: string;
  /** Tells this announcement from others: a UUID of version 4. @default a random one */
  readonly uuid?: string | undefined;
  /** The page. @default globalThis */
  readonly target?: AnnouncementTarget | undefined;
}

/** The part of `window` that is used. */
export interface AnnouncementTarget {
  /** Gets `eip6963:requestProvider`, the event by which sites ask for wallets. */
  addEventListener(type: string, listener: () => void): void;
  /** Gets the same event and listener when the announcement ends. */
  removeEventListener(type: string, listener: () => void): void;
  /** Takes an event of the platform, which has no type here. */
  dispatchEvent(event: never): unknown;
}

export const announcementKinds = (): KindsOf<Filled<AnnouncementOptions>> => ({
  name: text('a name', /\S/),
  icon: text('a data URI of an image', /^data:image\/[a-z+.-]+[;,]/),
  rdns: text('a domain backwards, such as com.example.wallet', /^[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){1,9}$/),
  uuid: (value, path) =>
    text('a UUID of version 4', /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)(
      value === undefined ? randomUuid() : value,
      path,
    ),
  target: (value, path) =>
    having<AnnouncementTarget>(
      'a window',
      'addEventListener',
      'removeEventListener',
      'dispatchEvent',
    )(value === undefined ? globalThis : value, path),
});

/**
 * Announces a provider to the page at once, and again whenever a site asks for wallets (EIP-6963). Several wallets can do so side by side,
 * where `window.ethereum` has room for one.
 *
 * @returns a function that ends it: sites that ask later do not find the provider
 * @throws PortcullisError `INVALID_INPUT`
 */
export function announceProvider(provider: WalletProvider, options: AnnouncementOptions): () => void {
  requireObject(provider, 'provider');
  const { target, ...info } = readOptions('announceProvider', announcementKinds(), options);
  const detail = Object.freeze({ info: Object.freeze(info), provider });
  const announce = (): void => {
    target.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }) as never);
  };
  target.addEventListener('eip6963:requestProvider', announce);
  announce();
  return () => target.removeEventListener('eip6963:requestProvider', announce);
}

/** `crypto.randomUUID` is missing on pages without TLS. It must be unique, not secret. */
function randomUuid(): string {
  return 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g, () => Math.floor(16 * Math.random()).toString(16));
}
