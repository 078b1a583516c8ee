/**
 * Every bound of the pure core, with its reason. They are part of the algorithm or of a format where a document says so;
 * changing one of those is a new algorithm or a new format version.
 */

/** Host suffixes of one link besides the exact host: 2 to 11 labels. The longest listed host seen has 19, 4 % have five or more. */
export const hostSuffixesMax = 10;

/** Path prefixes of one link. A listed page of more segments is exact; four cover every page form of the shared hosts known. */
export const pathPrefixesMax = 4;

/** Expressions of one link: ten suffixes, the exact host, four path prefixes, the full path, the path with its query. */
export const linkExpressionsMax: number = hostSuffixesMax + 1 + pathPrefixesMax + 2;

/** Expressions of one input beside those of links: the account, its post, an address inside, a gateway's name. */
export const typedExpressionsMax = 4;

/** Octets of a host: what DNS can carry (RFC 1035 §2.3.4). A longer one cannot be opened, so refusing it hides nothing. */
export const hostOctetsMax = 253;

/** Octets of one label (RFC 1035 §2.3.4). */
export const labelOctetsMax = 63;

/**
 * Code points of a host before normalization, ignorable ones not counted. Normalization joins at most four into one, and each
 * costs at least one octet, so a longer host is past `hostOctetsMax`; and it keeps an engine's sorting of marks from going quadratic.
 */
export const hostCodePointsMax: number = 4 * hostOctetsMax;

/** Characters of a canonical path, and of a canonical query, that expressions are made of: twice what servers accept by default. */
export const pathLengthMax: number = 16 * 1024;
export const queryLengthMax: number = 16 * 1024;

/** `blob:` and `filesystem:` around a link, each one level; browsers never nest more than two. */
export const wrapperDepthMax = 4;

/**
 * Entries of one set: 2^25. At that size a clean link of five expressions hits by chance 1 time in 26, so a larger list would be
 * useless before it is too big.
 */
export const entriesMax: number = 2 ** 25;

/** Bytes of one artifact: the widest encoding (JSON, 19 bytes for an 8-byte entry) of `entriesMax`, rounded up. */
export const artifactBytesMax: number = 640 * 1024 * 1024;

/** Bytes of an artifact by its count, in any encoding: every text format known, three times over, and a page's worth for what stands around. */
export function artifactBytesOf(count: number): number {
  return Math.min(artifactBytesMax, 64 * 1024 + 64 * count);
}

/** Entries handled between two pauses: 2 to 10 ms of work on a server's core, whatever is done with them (decision 0006). */
export const entriesPerSlice: number = 64 * 1024;

/** Bytes hashed between two pauses: about 4 ms with the JavaScript SHA-256 on a desktop. */
export const hashedBytesPerSlice: number = 1024 * 1024;
