/**
 * The limits of the core, each with its reason. Some are part of an algorithm or a format, as its document says:
 * changing one of those makes a new algorithm or a new format version.
 */

/** Host suffixes of one link besides the exact host: 2 to 11 labels. The longest listed host seen has 19; 4 % have five or more. */
export const maxHostSuffixes = 10;

/** Path prefixes of one link. Four cover every page form of the known shared hosts; a longer page is listed by its full path. */
export const maxPathPrefixes = 4;

/** Expressions of one link: the host suffixes, the exact host, the path prefixes, the full path, and the path with its query. */
export const maxLinkExpressions: number = maxHostSuffixes + 1 + maxPathPrefixes + 2;

/** Readings of one input besides its links that count: an account, its post, a gateway's name. A name has an expression for each domain above it. */
export const maxTypedReadings = 4;

/** Octets of a host that DNS can carry (RFC 1035 §2.3.4). A longer host cannot be opened, so rejecting it hides nothing. */
export const maxHostOctets = 253;

/** Octets of one label (RFC 1035 §2.3.4). */
export const maxLabelOctets = 63;

/**
 * Code points of a host before normalization, without ignorable ones. Normalization joins at most four into one, and each takes
 * at least one octet, so a longer host exceeds `maxHostOctets` anyway. The limit keeps an engine's sorting of combining marks from
 * taking quadratic time.
 */
export const maxHostCodePoints: number = 4 * maxHostOctets;

/** Characters of a canonical path, and of a canonical query, that get expressions: twice what servers accept by default. */
export const maxPathLength: number = 16 * 1024;
export const maxQueryLength: number = 16 * 1024;

/** Levels of `blob:`, `filesystem:` and links inside links around a link; browsers never nest more than two of their own. */
export const maxWrapperDepth = 4;

/**
 * Different targets inside one text besides its own link: more than large mail services send one mail to (500). Each takes microseconds. One
 * more makes the text unreadable, so that harmless ones cannot hide another.
 */
export const maxTargets = 512;

/** Links that a link carries and that are looked up: twice what links in use have, and together 50 µs. */
export const maxCarried = 8;

/** Characters of a link in which carried links are looked for: those of a canonical path and a canonical query. */
export const maxCarryingText: number = maxPathLength + maxQueryLength;

/**
 * Entries of one set: 2^25. At that size one clean link in 26, at five expressions each, matches a 4-byte prefix by chance, so a
 * larger list would be useless anyway.
 */
export const maxEntries: number = 2 ** 25;

/** Bytes of one artifact: `maxEntries` in the widest encoding (JSON, 19 bytes for an 8-byte entry), rounded up. */
export const maxArtifactBytes: number = 640 * 1024 * 1024;

/** Bytes of an artifact with that many entries, in any encoding: three times the widest text format, plus 64 kB for its envelope. */
export function maxArtifactBytesOf(count: number): number {
  return Math.min(maxArtifactBytes, 64 * 1024 + 64 * count);
}

/** Entries processed between two pauses: 2 to 10 ms of work on a server's core, whatever the work is (decision 0006). */
export const entriesPerSlice: number = 64 * 1024;

/** Bytes hashed or coded as text between two pauses: about 4 ms with the JavaScript SHA-256 on a desktop. */
export const hashedBytesPerSlice: number = 1024 * 1024;
