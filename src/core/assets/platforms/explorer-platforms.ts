import type { Family } from '../asset.js';
import { type PlatformTable, rows } from './platform-table.js';

/**
 * Block explorers, and links that open a wallet with a recipient. The given families read the address in them, so a listed address is
 * found on every explorer. If its form does not identify the chain, the row names the chain.
 */
export function explorerPlatforms(...families: readonly Family[]): PlatformTable {
  return explorers.map(([type, hosts, rules]) => [type, hosts, rules, '', families]);
}

const explorers: PlatformTable = /* @__PURE__ */ (() => rows`
ADDRESS .etherscan.io .bscscan.com .polygonscan.com .arbiscan.io .basescan.org .snowtrace.io snowscan.xyz lineascan.build scrollscan.com .blastscan.io gnosisscan.io celoscan.io .moonscan.io mantlescan.xyz sonicscan.org berascan.com opbnbscan.com monadscan.com hyperevmscan.io kaiascan.io seitrace.com .blockscout.com .routescan.io .oklink.com explorer.zksync.io app.roninchain.com blockchair.com .arkhamintelligence.com intel.arkm.com mempool.space blockstream.info blockchain.com .blockchain.info .btc.com live.blockcypher.com dogechain.info .solscan.io explorer.solana.com solana.fm birdeye.so pump.fun dexscreener.com geckoterminal.com .tronscan.org .tronscan.io tonviewer.com tonscan.org xrpscan.com bithomp.com livenet.xrpl.org stellar.expert cardanoscan.io cexplorer.io .mintscan.io .subscan.io allo.info .tzkt.io link.trustwallet.com metamask.app.link link.metamask.io app.tonkeeper.com tonhub.com app.safe.global app.zerion.io rainbow.me revoke.cash app.uniswap.org pancakeswap.finance
/(?:.*?/)?<of>/(?:pay-)?([\w:.@+-]{20,130}) ?a|address=(\w{20,130}) %2 ADDRESS:%1
/(?:.*?/)?<of>/(?:pay-|[\w-]{2,12}/)?([\w:.@+-]{20,130}) %1
/(?:(?!tx|trans|block)[a-z]{3,12}/)?([\w:-]{25,130}) %1
/$ #!?/(?:.*?/)?<of>/(\w{20,130})(?:/|\?|$) %1
/ ?address|account|wallet|to|recipient|safe|outputcurrency|q=([\w:.@+-]{20,130}) %1
:(?:trust|ledgerlive)://send ?address|recipient=([\w:.@+-]{20,130}) %1

ADDRESS explorer.aptoslabs.com aptoscan.com
/(?:.*?/)?<of>/(0x[\da-f]{1,64})(?:::[^/]*)? aptos:$1

ADDRESS .suiscan.xyz .suivision.xyz
/(?:.*?/)?<of>/(0x[\da-f]{1,64})(?:::[^/]*)? sui:$1

ADDRESS .starkscan.co .voyager.online
/<of>/(0x[\da-f]{1,64}) starknet:$1

ADDRESS .nearblocks.io explorer.near.org
/(?:.*?/)?<of>/([a-z\d][\w.-]{1,63}) near:$1

ADDRESS hashscan.io
/(?:.*?/)?<of>/([\dx.a-f-]{5,80}) hedera:$1

ADDRESS litecoinspace.org
/<of>/(\w{20,80}) litecoin:%1
`)();
