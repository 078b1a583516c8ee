import { type Assets, createAssets, evm } from 'portcullis/core';

/** What `test/support/oracle/portcullis-1.ts` speaks: links and EVM addresses. The other types are held against the table of their rules. */
const some: Assets = createAssets({ families: [evm] });

export const { canonicalizeUrl, detectAssets, expressionsOf, normalizeAsset } = some;
