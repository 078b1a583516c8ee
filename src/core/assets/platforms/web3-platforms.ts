import { type PlatformTable, rows } from './platform-table.js';

/** Profiles, collections and tools of blockchains. An address in one is looked up as an address too. */
export const web3Platforms: PlatformTable = /* @__PURE__ */ (() => rows`
OPENSEA opensea.io pro. testnets.
-/<lang>collection/([a-z\d-]{1,100}) /collection/$1
/<lang>(?:assets|item)/<evm>/(\d+) /item/ethereum/$1/$2 ADDRESS:$1
/<lang>(?:assets|item)/([\w-]{2,30})/<evm>/(\d+) /item/$1:chain/$2/$3 ADDRESS:$2
/<lang>(?:assets|item)/solana/([1-9A-HJ-NP-Za-km-z]{32,44}) /item/solana/%1
/<lang>token/[\w-]+/<evm> ADDRESS:$1
/<lang>(?:profile/|accounts?/)?<evm> /$1 ADDRESS:$1
@-/([\w.-]{2,60}) /$1
reserved item studio tokens stats ja kr zh-cn zh-tw deals voyages __api _next about search login settings explore privacy blog discover collection drops activity rankings token careers de-de account collections partners fr de es learn category assets profile rewards swap tos

DEBANK debank.com
/(?:profile|(?:hi/)?(?:user|account))/<evm> /profile/$1 ADDRESS:$1
/(stream|bundles)/(\d+) /$1/$2
/(?:nft|token)/\w+/<evm> ADDRESS:$1
/official(?:-account)?/([\w-]+) /official/$1
@<evm> /profile/$1

RARIBLE rarible.com og. app.
/user/<evm> /user/$1 ADDRESS:$1
/(?:token|items?)/<evm>[:/](\d+) /token/ethereum/$1:$2 ADDRESS:$1
/(?:token|items?)/([a-z]+)/<evm>[:/](\d+) /token/$1/$2:$3 ADDRESS:$2
/collection/<evm> /collection/ethereum/$1 ADDRESS:$1
/collection/([a-z]+)/<evm> /collection/$1/$2 ADDRESS:$2
@-/([\w.-]{2,60}) /$1
reserved connect markets multichain about search settings explore home terms user create collection drops activity rankings token

ZAPPER zapper.xyz zapper.fi dashboard.zapper.fi
/(?:account|profile|bundle)/(0x[\da-f]{40}|[a-z\d.-]+\.(?:eth|xyz|lens)) /account/$1 ADDRESS:$1
/nft/([a-z-]+)/<evm>/(\d+) /nft/$1/$2/$3 ADDRESS:$2
/token/[\w-]+/<evm> ADDRESS:$1
@(0x[\da-f]{40}|[a-z\d.-]+\.eth) /account/$1

ZORA zora.co
/coin/([a-z]+):<evm> /coin/$1:$2 ADDRESS:$2
/collect/([a-z]+):<evm>/(?:premint-)?(\d+) /collect/$1:$2/$3 ADDRESS:$2
/collect/([a-z]+):<evm>$ /collect/$1:$2 ADDRESS:$2
/<evm> /$1 ADDRESS:$1
/@([\w.-]{1,60}) /@$1
@@([\w.-]{1,60}) /@$1

BASENAME base.org
/name/([^/\s.]{1,255})(?:\.base\.eth)?$ $1:label.base.eth
@([^/\s.@:]{1,255})\.base\.eth $1:label.base.eth

TENDERLY dashboard.tenderly.co rpc.tenderly.co *.rpc.tenderly.co *.gateway.tenderly.co tdly.co
rpc.|*/(?:fork/)?([\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12})$ $h/$1
*/([a-z\d]{16,64})$ $h/%1
dashboard./explorer/(vnet|fork)/([\da-f-]{36}) /explorer/$1/$2
/shared/(simulation|fork)/([\da-f-]{36}) /shared/$1/$2
/shared/(vnet|fork)/([a-z\d-]{8,40}) /shared/$1/%2
dashboard./contract/\w+/<evm> ADDRESS:$1
-dashboard./([\w-]{2,64})/([\w-]{1,64}) /$1/$2
reserved explorer shared tx contract simulator login settings home account public register

NGROK *.ngrok.io|app|dev|pizza|pro *.ngrok-free.app|dev|pizza
*{\d+\.tcp(?:\.[a-z]{2,3})?}/ $h:$p
*/ $h
reserved *dashboard *blog *api *status
`)();
