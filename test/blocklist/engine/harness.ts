import {
  type Blocklist,
  type BlocklistEvent,
  type BlocklistEvents,
  createBlocklist,
  PortcullisError,
  type SourcesOptions,
} from 'portcullis';
import { onTestFinished } from 'vitest';
import { type OwnOptions, type OwnSource, ownSource } from './own-source.js';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

export interface Clock {
  nowMs: number;
}

/** A blocklist with its own clock that polls only on request, closed when the test ends. */
export function opened(options: Partial<SourcesOptions> = {}): { blocklist: Blocklist; clock: Clock } {
  const clock = { nowMs: Date.UTC(2026, 0, 1) };
  const blocklist = createBlocklist({ sources: [ownSource()], pollMs: 0, now: () => clock.nowMs, ...options });
  // The test runs the rounds itself.
  blocklist.stop();
  onTestFinished(() => blocklist.close());
  return { blocklist, clock };
}

/** The same blocklist after fetching its list. */
export async function synced(
  source: OwnSource | readonly OwnSource[],
  options: Partial<SourcesOptions> = {},
): Promise<{ blocklist: Blocklist; clock: Clock }> {
  const made = opened({ sources: [source].flat() as readonly OwnSource[], ...options });
  await made.blocklist.ready();
  return made;
}

/** The same blocklist with a single source, which lists `evil.example` by default. */
export async function listing(list: OwnOptions = {}, options: Partial<SourcesOptions> = {}) {
  const source = ownSource({ snapshot: ['evil.example'], ...list });
  return { source, ...(await synced(source, options)) };
}

/** A call that fails. */
export const fails = (error: unknown) => (): never => {
  throw error;
};

/** Fails like a missing connection. */
export const away = fails(new PortcullisError('NETWORK', 'away'));

/** The webhook event about a blocked asset. */
export const told = (content: string, type?: string) => ({
  type: 'asset.status-updated',
  data: { status: 'BLOCKED', content, ...(type !== undefined && { type }) },
});

/** A promise that the test resolves. */
export function held(): { readonly wait: () => Promise<void>; readonly release: () => void } {
  let release = (): void => {};
  const ended = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { wait: () => ended, release };
}

/** Every event of these types, in order. */
export function heard<Type extends BlocklistEvent>(
  blocklist: Blocklist,
  ...types: readonly Type[]
): ({ type: Type } & Omit<BlocklistEvents[Type], never>)[] {
  const events: ({ type: Type } & BlocklistEvents[Type])[] = [];
  for (const type of types) blocklist.on(type, (event) => events.push({ type, ...event }));
  return events;
}
