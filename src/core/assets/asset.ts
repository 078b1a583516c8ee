import type { AssetType } from './asset-types.js';

/** Something a list can hold: its type and its canonical spelling. */
export interface Asset {
  readonly type: AssetType;
  readonly canonical: string;
}

/** What a caller knows about a text. */
export interface AssetHint {
  /** The type of the text. Without it, only texts that identify their type are read. */
  readonly type?: AssetType | undefined;
  /**
   * The chain of an address, such as `eip155:1`. It implies that the text is an address; EVM addresses are read with any chain.
   */
  readonly chain?: string | undefined;
}

/**
 * Why a text yields no asset:
 * `internal-scheme` a browser's own page, a script or a local file, which no list can hold; `not-a-host` the host cannot be reached
 * from elsewhere (`localhost`); `secret` the text has the shape of a private key or a recovery phrase and is neither hashed nor
 * repeated; `too-deep` a link nested in more wrappers than browsers make; `unknown` no rule reads it, or it is a link whose host is
 * unreadable.
 */
export type RefusalReason = 'internal-scheme' | 'not-a-host' | 'secret' | 'too-deep' | 'unknown';

/** The result for a text without an asset. */
export interface Refusal {
  readonly refused: RefusalReason;
}

/** A text prepared for families: trimmed, without tabs, line ends and zero-width characters. */
export interface Candidate {
  readonly text: string;
  readonly hint: AssetHint;
  /** A cache that the families share; callers leave it out. */
  plainEnd?: number | undefined;
}

/**
 * A reader of related asset types. Links are always read; every other family is passed in, so that a bundle holds only the families it
 * uses. A family never throws, and it ignores a text that it is unsure of.
 */
export interface Family {
  /** Returns every reading of the candidate, most specific first. */
  read(candidate: Candidate): readonly Asset[];
  /** Returns the texts inside the candidate that name other targets, such as the link inside the link of a redirector. */
  targetsIn?(candidate: Candidate): readonly string[];
  /** Returns the links inside the text that its site may or may not open. They are no targets. */
  carriedIn?(text: string): readonly string[];
  /** Hosts with accounts, pages or links of many owners, which a list must not hold as a whole. */
  sharedHosts?(): readonly string[];
  /** What it may read among plain links and bare EVM addresses. Without it, each of them is read in full. */
  readonly claims?: Claims;
  /** Replaces the built-in check for recovery phrases in texts that are not links. A secret is neither hashed nor echoed. */
  isSecret?(text: string): boolean;
}

/**
 * What a family may say about the texts that are checked most, so that a check need not ask it about the others: links with `http`, `https` or no
 * scheme and a host that is a name, and bare EVM addresses. A family that says too little here hides what is listed.
 */
export interface Claims {
  /** Hosts in lower case. It may read the links of these and of those below them; `*` is any top-level domain. @default none */
  readonly hosts?: () => readonly string[];
  /** Words in lower case. It may read a link that has one as a label of its host or as its first folder, in any case of ASCII letters. @default none */
  readonly words?: readonly string[];
  /** By what else behind the host it may read a link, or find the links that it carries. @default nothing */
  readonly rest?: {
    /** Characters of which one must be behind the host. */
    readonly marks: string;
    /** Whether it may read the link then. Without it, it only finds the links that the link carries. */
    readonly mayMean?: (text: string) => boolean;
  };
  /** Whether it reads a bare EVM address, as `address:` and the address in lower case. @default false */
  readonly readsAddresses?: boolean;
}
