import { type Assets, createAssets, evm } from 'portcullis/core';

/** The asset families of `test/support/oracle/portcullis-1.ts`: links and EVM addresses. The other types are checked against the table of their rules. */
const some: Assets = createAssets({ families: [evm] });

export const { canonicalizeUrl, detectAssets, expressionsOf, normalizeAsset } = some;
