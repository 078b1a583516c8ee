/**
 * Methods that sign and send nothing. Only these pass unread, each by its name: an unknown method may sign, so it falls under the policy for
 * the unreadable.
 */
const harmless: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ [
    ...named('net_', 'listening peerCount version'),
    ...named('web3_', 'clientVersion sha3'),
    ...named('personal_', 'ecRecover'),
    ...named(
      'eth_',
      'accounts blobBaseFee blockNumber call chainId coinbase config createAccessList estimateGas feeHistory gasPrice maxPriorityFeePerGas newBlockFilter newFilter newPendingTransactionFilter protocolVersion simulateV1 subscribe syncing uninstallFilter unsubscribe',
    ),
    ...named(
      'eth_get',
      'Balance BlockByHash BlockByNumber BlockReceipts BlockTransactionCountByHash BlockTransactionCountByNumber Code FilterChanges FilterLogs Logs Proof StorageAt TransactionByBlockHashAndIndex TransactionByBlockNumberAndIndex TransactionByHash TransactionBySenderAndNonce TransactionCount TransactionReceipt UncleByBlockHashAndIndex UncleByBlockNumberAndIndex UncleCountByBlockHash UncleCountByBlockNumber',
    ),
    ...named('wallet_', 'getCallsStatus getCapabilities getPermissions revokePermissions showCallsStatus'),
  ],
);

function named(prefix: string, names: string): string[] {
  return names.split(' ').map((name) => prefix + name);
}

export function isHarmless(method: string): boolean {
  return harmless.has(method);
}
