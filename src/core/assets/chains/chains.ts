import type { Family } from '../asset.js';
import {
  readAlgorand,
  readErgo,
  readLabeledBase58,
  readLongBase58,
  readMonero,
  readNano,
  readSolana,
  readTezos,
  readTron,
  readWaves,
  readXrp,
} from './base58-chains.js';
import { readBase58Account, readByron, readCardano, readCosmos, readSegwit } from './bech32-chains.js';
import { readCashAddress } from './bitcoin-cash.js';
import { readCkb } from './ckb.js';
import { readConflux } from './conflux.js';
import { familyOf } from './family.js';
import { readLiquid } from './liquid.js';
import {
  readAntelope,
  readArweave,
  readCasper,
  readEvmSpelling,
  readFilecoin,
  readFlow,
  readHedera,
  readHexAccount,
  readIcon,
  readInternetComputer,
  readKadena,
  readNear,
  readStacks,
  readStellar,
  readSubstrate,
  readTon,
} from './other-chains.js';
import { payableFamilyOf, readLightning } from './payments.js';
import { readPaymentCode, readSilentPayment, readSpark } from './silent-payments.js';

/**
 * Accounts of every chain with an address form of its own, except EVM: docs/addresses.md has the table. A bundle that imports one chain
 * holds only that one. Pass these before `evm`, which reads forty hex digits for any chain: a hint can give them another meaning.
 */

/**
 * Bitcoin and its relatives, such as Litecoin, DigiByte, Bitcoin Cash and Kaspa, read together because they share address forms; and
 * Bitcoin's silent payments, payment codes and Spark.
 */
export const bitcoin: Family = /* @__PURE__ */ familyOf(
  readSegwit,
  readSilentPayment,
  readPaymentCode,
  readSpark,
  readBase58Account,
  readCashAddress,
);

/** Accounts of Solana. */
export const solana: Family = /* @__PURE__ */ familyOf(readSolana);

/** Accounts of TRON. */
export const tron: Family = /* @__PURE__ */ familyOf(readTron);

/** Accounts of TON. */
export const ton: Family = /* @__PURE__ */ familyOf(readTon);

/** Cosmos SDK chains, and other chains with bech32 or bech32m addresses, such as IOTA, Chia, Aleo, Radix, Namada and Penumbra. */
export const cosmos: Family = /* @__PURE__ */ familyOf(readCosmos);

/** Polkadot and every other Substrate chain. */
export const polkadot: Family = /* @__PURE__ */ familyOf(readSubstrate);

/** Accounts of the XRP Ledger. */
export const xrp: Family = /* @__PURE__ */ familyOf(readXrp);

/** Accounts of Cardano, including its Byron era. */
export const cardano: Family = /* @__PURE__ */ familyOf(readCardano, readByron);

/** Accounts of Stellar. */
export const stellar: Family = /* @__PURE__ */ familyOf(readStellar);

/** Aptos, Sui and Starknet. */
export const hexAccounts: Family = /* @__PURE__ */ familyOf(readHexAccount);

/** Accounts of NEAR. */
export const near: Family = /* @__PURE__ */ familyOf(readNear);

/** Accounts of Algorand. */
export const algorand: Family = /* @__PURE__ */ familyOf(readAlgorand);

/** Accounts of Tezos. */
export const tezos: Family = /* @__PURE__ */ familyOf(readTezos);

/** Accounts of Hedera. */
export const hedera: Family = /* @__PURE__ */ familyOf(readHedera);

/** Accounts of Zcash: transparent, shielded and unified. */
export const zcash: Family = /* @__PURE__ */ familyOf(readBase58Account, readLongBase58, readCosmos);

/** Accounts of Monero. */
export const monero: Family = /* @__PURE__ */ familyOf(readMonero);

/** Principals and accounts of the Internet Computer. */
export const internetComputer: Family = /* @__PURE__ */ familyOf(readInternetComputer);

/** Accounts of Filecoin. */
export const filecoin: Family = /* @__PURE__ */ familyOf(readFilecoin);

/** Accounts and contracts of Stacks. */
export const stacks: Family = /* @__PURE__ */ familyOf(readStacks);

/** Accounts of Nano and Banano. */
export const nano: Family = /* @__PURE__ */ familyOf(readNano);

/** Accounts of Liquid, confidential or not. */
export const liquid: Family = /* @__PURE__ */ familyOf(readLiquid, readBase58Account);

/** Accounts of Conflux's core space; those of eSpace are EVM's. */
export const conflux: Family = /* @__PURE__ */ familyOf(readConflux);

/** Accounts of Kadena. */
export const kadena: Family = /* @__PURE__ */ familyOf(readKadena);

/** Locks of Nervos CKB. */
export const ckb: Family = /* @__PURE__ */ familyOf(readCkb);

/** Accounts of Waves and V.Systems. */
export const waves: Family = /* @__PURE__ */ familyOf(readWaves);

/** Accounts of Casper. */
export const casper: Family = /* @__PURE__ */ familyOf(readCasper);

/** Accounts of aeternity. Its form and Massa's are read together. */
export const aeternity: Family = /* @__PURE__ */ familyOf(readLabeledBase58);

/** Accounts of Massa. */
export const massa: Family = /* @__PURE__ */ familyOf(readLabeledBase58);

/** Lightning invoices, and the links, email addresses and recipients inside payment requests of every chain. */
export const payments: Family = /* @__PURE__ */ payableFamilyOf(readLightning);

/** All chains, the most distinctive form first; NEAR's names, which look like any word, come last. */
export const chains: Family = /* @__PURE__ */ payableFamilyOf(
  readSegwit,
  readSilentPayment,
  readPaymentCode,
  readSpark,
  readConflux,
  readKadena,
  readCkb,
  readHexAccount,
  readEvmSpelling,
  readTron,
  readTon,
  readStellar,
  readAlgorand,
  readCashAddress,
  readCardano,
  readCosmos,
  readLiquid,
  readTezos,
  readXrp,
  readBase58Account,
  readWaves,
  readLabeledBase58,
  readCasper,
  readIcon,
  readSolana,
  readSubstrate,
  readByron,
  readErgo,
  readLongBase58,
  readMonero,
  readNano,
  readStacks,
  readFilecoin,
  readInternetComputer,
  readHedera,
  readLightning,
  readAntelope,
  readArweave,
  readFlow,
  readNear,
);
