import { PortcullisError } from '../../core/errors.js';
import type { LoadingOptions } from '../model/blocklist-options.js';
import type { Generation, Lists } from '../model/generation.js';
import type { Override } from '../model/override-set.js';
import type { CheckInput } from '../model/question.js';
import type { Advisory, Policy, Verdict } from '../model/verdict.js';

/** The part of a `MessagePort` that threads use, in browsers and in Node. */
export interface MessagePortLike {
  /** Sends a message. */
  postMessage(message: unknown): void;
  /** Ends both ports. */
  close(): void;
  /** Delivers the messages that have arrived, and later ones. */
  start(): void;
  /** Adds a listener of `message`, `messageerror` or `close`. */
  addEventListener(type: string, listener: PortListener): void;
}

/** A listener of a port. */
export type PortListener = {
  /** A method, because only the parameters of methods are bivariant: the event of a message has more than an object. */
  bivariant(event: object): void;
}['bivariant'];

/** A generation whose sets are bytes in shared memory. */
export type SharedGeneration = Omit<Generation, keyof Lists> & {
  readonly [Name in Exclude<keyof Lists, 'common'>]: Uint8Array | null;
};

/** One list, as a worker needs it for misses and for hits that are not answered in time. */
export interface SharedList {
  readonly source: string;
  readonly generation: SharedGeneration | null;
  readonly isLoading: boolean;
  readonly maxAgeMs: number;
  readonly failedAtMs: number;
  readonly lastErrorCode: string | undefined;
  /** Whether its source confirms hits. */
  readonly confirms: boolean;
  readonly neverBlock: ReadonlySet<string>;
  readonly advisory: Advisory | undefined;
}

/** What the sharing thread sends. */
export type FromOwner =
  | {
      readonly type: 'state';
      /** The version of the package. The messages and what they carry are not a format, so both threads must have the same. */
      readonly release: string;
      /** Changes with everything below. */
      readonly version: number;
      readonly lists: readonly SharedList[];
      /** Whether the sharing thread asks its sources about misses too. */
      readonly isRealTime: boolean;
      readonly overrides: readonly Override[];
      readonly policy: Policy;
      /** Of checks that set none. */
      readonly deadlineMs: number;
    }
  | { readonly type: 'verdicts'; readonly id: number; readonly verdicts: readonly Verdict[] }
  | { readonly type: 'failed'; readonly id: number; readonly code: string | undefined; readonly message: string }
  /** A newer state was sent before this. */
  | { readonly type: 'again'; readonly id: number }
  | { readonly type: 'find'; readonly id: number; readonly inputs: readonly CheckInput[] }
  | { readonly type: 'closed' };

/** What a worker sends. */
export type FromWorker =
  | {
      readonly type: 'check';
      readonly id: number;
      /** Of the state in which the other inputs of the call were looked up. */
      readonly version: number;
      readonly inputs: readonly CheckInput[];
      /** The deadline, which also counts while the message waits for the sharing thread. Threads of one machine have one clock. */
      readonly untilMs: number;
      readonly options: LoadingOptions & { readonly deadlineMs: number };
    }
  | { readonly type: 'found'; readonly id: number; readonly found: FoundVerdicts }
  | { readonly type: 'close' };

/** The verdicts of many misses, most of which are equal: a message with an object for each would take longer than the checks. */
export interface FoundVerdicts {
  readonly verdicts: readonly Verdict[];
  /** For each input, the place of its verdict. 0 is `null`, which stands for what the other thread must be asked about. */
  readonly places: Uint32Array;
}

export function shareClosed(): PortcullisError {
  return new PortcullisError('CLOSED', 'the shared blocklist is closed');
}
