import type { Family } from '../asset.js';
import { readAlgorand } from './algorand.js';
import { readBase58Account, readSegwit } from './bitcoin.js';
import { readCashAddress } from './bitcoin-cash.js';
import { readByron, readCardano } from './cardano.js';
import { readCosmos } from './cosmos.js';
import { familyOf } from './family.js';
import { readHedera } from './hedera.js';
import { readHexAccount } from './hex.js';
import { readNear } from './near.js';
import { readSolana } from './solana.js';
import { readStellar } from './stellar.js';
import { readSubstrate } from './substrate.js';
import { readTezos } from './tezos.js';
import { readTon } from './ton.js';
import { readTron } from './tron.js';
import { readXrp } from './xrp.js';

/**
 * Accounts of every chain that has its own form, beside EVM: docs/addresses.md has the table. A bundle that asks for one chain holds
 * that one. Handed in before `evm`, which reads forty hex digits for any chain, where a hint gives them another meaning.
 */

/** Bitcoin, Litecoin, Dogecoin and Bitcoin Cash, whose addresses can be told apart only together. */
export const bitcoin: Family = /* @__PURE__ */ familyOf(readSegwit, readBase58Account, readCashAddress);

export const solana: Family = /* @__PURE__ */ familyOf(readSolana);

export const tron: Family = /* @__PURE__ */ familyOf(readTron);

export const ton: Family = /* @__PURE__ */ familyOf(readTon);

/** Cosmos SDK chains, and others with 20 or 32 bytes in bech32. */
export const cosmos: Family = /* @__PURE__ */ familyOf(readCosmos);

/** Polkadot and every other Substrate chain. */
export const polkadot: Family = /* @__PURE__ */ familyOf(readSubstrate);

export const xrp: Family = /* @__PURE__ */ familyOf(readXrp);

export const cardano: Family = /* @__PURE__ */ familyOf(readCardano, readByron);

export const stellar: Family = /* @__PURE__ */ familyOf(readStellar);

/** Aptos, Sui and Starknet. */
export const hexAccounts: Family = /* @__PURE__ */ familyOf(readHexAccount);

export const near: Family = /* @__PURE__ */ familyOf(readNear);

export const algorand: Family = /* @__PURE__ */ familyOf(readAlgorand);

export const tezos: Family = /* @__PURE__ */ familyOf(readTezos);

export const hedera: Family = /* @__PURE__ */ familyOf(readHedera);

/** All of them. What looks at least like anything else comes first; NEAR's names, which look like nothing, come last. */
export const chains: Family = /* @__PURE__ */ familyOf(
  readSegwit,
  readHexAccount,
  readTron,
  readTon,
  readStellar,
  readAlgorand,
  readCashAddress,
  readCardano,
  readCosmos,
  readTezos,
  readXrp,
  readBase58Account,
  readSolana,
  readSubstrate,
  readByron,
  readHedera,
  readNear,
);
