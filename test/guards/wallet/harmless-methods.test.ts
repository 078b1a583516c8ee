import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isHarmless } from '../../../src/guards/wallet/harmless-methods.js';

/** Each method that passes unread, in the order of the alphabet. A new one must sign, send and reveal nothing. */
const harmless = `
  eth_accounts eth_blobBaseFee eth_blockNumber eth_call eth_chainId eth_coinbase eth_config eth_createAccessList eth_estimateGas
  eth_feeHistory eth_gasPrice eth_getBalance eth_getBlockByHash eth_getBlockByNumber eth_getBlockReceipts
  eth_getBlockTransactionCountByHash eth_getBlockTransactionCountByNumber eth_getCode eth_getFilterChanges eth_getFilterLogs eth_getLogs
  eth_getProof eth_getStorageAt eth_getTransactionByBlockHashAndIndex eth_getTransactionByBlockNumberAndIndex eth_getTransactionByHash
  eth_getTransactionBySenderAndNonce eth_getTransactionCount eth_getTransactionReceipt eth_getUncleByBlockHashAndIndex
  eth_getUncleByBlockNumberAndIndex eth_getUncleCountByBlockHash eth_getUncleCountByBlockNumber eth_maxPriorityFeePerGas
  eth_newBlockFilter eth_newFilter eth_newPendingTransactionFilter eth_protocolVersion eth_simulateV1 eth_subscribe eth_syncing
  eth_uninstallFilter eth_unsubscribe net_listening net_peerCount net_version personal_ecRecover wallet_getCallsStatus
  wallet_getCapabilities wallet_getPermissions wallet_revokePermissions wallet_showCallsStatus
  web3_clientVersion web3_sha3`.match(/\S+/g)!;

const words = [...new Set(harmless.flatMap((name) => name.split(/_|(?=[A-Z])/)))];
const known = new Set(harmless);

test('each listed method passes unread', () => {
  for (const method of harmless) expect(isHarmless(method), method).toBe(true);
});

test.each([
  'net_sendTransaction',
  'eth_getTransactionBySigning',
  'eth_newSigningFilter',
  'eth_getEncryptionPublicKey',
  'wallet_switchEthereumChain',
  'constructor',
  '',
])('the method %j does not', (method) => {
  expect(isHarmless(method)).toBe(false);
});

test('no other method passes unread, whatever its name is made of', () => {
  const word = fc.oneof(
    fc.constantFrom(...words),
    fc.constantFrom('sign', 'Sign', 'send', 'Send', 'Transaction', 'Raw', ' ', '\n', ''),
  );
  const mixed = fc
    .tuple(fc.constantFrom('eth', 'net', 'web3', 'personal', 'wallet', 'ETH', ''), fc.array(word, { maxLength: 4 }))
    .map(([prefix, rest]) => `${prefix}_${rest.join('')}`);
  const extended = fc.tuple(fc.constantFrom(...harmless), word).map(([method, end]) => method + end);
  fc.assert(
    fc.property(fc.oneof(mixed, extended, fc.string()), (method) => {
      expect(isHarmless(method)).toBe(known.has(method));
    }),
    { numRuns: 10 * (fc.readConfigureGlobal().numRuns ?? 100) },
  );
});
