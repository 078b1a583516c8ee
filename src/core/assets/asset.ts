import type { AssetType } from './asset-types.js';

/** One thing a list can hold: its type and the one spelling it is listed under. */
export interface Asset {
  readonly type: AssetType;
  readonly canonical: string;
}

/** What a caller knows beside the text itself. */
export interface AssetHint {
  /** The type the text is meant as. Without it only what identifies itself is read. */
  readonly type?: AssetType | undefined;
  /** The chain an address is meant for, such as `eip155:1`. Says that the text is an address; EVM addresses are read for any chain. */
  readonly chain?: string | undefined;
}

/**
 * Why a text gives no asset:
 * `internal-scheme` a browser's own page, a script or a local file, which no list can hold; `not-a-host` something stands where a
 * host should, and none can be reached by it from elsewhere (`localhost`, a bad number, a forbidden character); `secret` it has the
 * shape of a private key or a recovery phrase and is neither hashed nor repeated; `too-deep` wrapped more often than browsers do;
 * `unknown` no rule reads it.
 */
export type RefusalReason = 'internal-scheme' | 'not-a-host' | 'secret' | 'too-deep' | 'unknown';

/** Why there is no asset in a text. */
export interface Refusal {
  readonly refused: RefusalReason;
}

/** A text ready for reading: trimmed, without tabs, line ends and zero-width characters. */
export interface Candidate {
  readonly text: string;
  readonly hint: AssetHint;
  /** Where the host ends, noted by the first family that asks (`plain.ts`); handed in without. */
  plainEnd?: number;
}

/**
 * Asset types that are read by the same means. Links are always read; every other family is handed in, so that a bundle holds
 * only what it asks for. A family never throws and never reads a text it is unsure of.
 */
export interface Family {
  /** Every reading of the candidate, most specific first. */
  read(candidate: Candidate): readonly Asset[];
}
