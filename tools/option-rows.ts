import { callKinds, clientKinds, rawKinds, watchKinds } from '../src/api/client/client-options.js';
import { scanKinds } from '../src/api/client/tasks.js';
import { webhookKinds, webhookRequestKinds } from '../src/api/webhooks/verify-webhook.js';
import { duplicateKinds } from '../src/api/webhooks/webhook-duplicates.js';
import { blocklistKinds, coreKinds } from '../src/blocklist/engine/create-blocklist.js';
import { overrideKinds } from '../src/blocklist/engine/kept-overrides.js';
import { checkTextKinds } from '../src/blocklist/extras/check-text.js';
import { handleWebhookKinds } from '../src/blocklist/extras/handle-webhook.js';
import { screenKinds } from '../src/blocklist/extras/screen.js';
import { lightKinds } from '../src/blocklist/light/light-options.js';
import { lightPublishedKinds, lightRelayKinds } from '../src/blocklist/light/light-sources.js';
import { checkKinds, loadingKinds, syncKinds } from '../src/blocklist/model/blocklist-options.js';
import { fetchListKinds } from '../src/blocklist/sources/fetch-list.js';
import { listKinds } from '../src/blocklist/sources/list-source.js';
import { obliviousKinds } from '../src/blocklist/sources/oblivious.js';
import { publishedKinds } from '../src/blocklist/sources/published-source.js';
import { safeBrowsingKinds } from '../src/blocklist/sources/safe-browsing-source.js';
import { serviceKinds as serviceSourceKinds } from '../src/blocklist/sources/service-source.js';
import { createTextKinds, textKinds } from '../src/blocklist/sources/text-source.js';
import { webRiskKinds } from '../src/blocklist/sources/web-risk-source.js';
import { extensionStoreKinds } from '../src/blocklist/stores/extension-store.js';
import { fileStoreKinds } from '../src/blocklist/stores/file-store.js';
import { indexedDbKinds } from '../src/blocklist/stores/indexeddb-store.js';
import { keyValueKinds } from '../src/blocklist/stores/key-value-store.js';
import { lightStoreKinds } from '../src/blocklist/stores/light-store.js';
import { redisKinds } from '../src/blocklist/stores/redis-store.js';
import { logKinds } from '../src/blocklist/transparency/transparency-log.js';
import { algorithmKinds, hintKinds } from '../src/core/algorithms/create-assets.js';
import { partKinds } from '../src/core/algorithms/registry.js';
import { finderKinds, findKinds } from '../src/core/find/find.js';
import { baseUrl } from '../src/core/http/address.js';
import type { Kind } from '../src/core/options/read-options.js';
import { encodeKinds, expectationKinds } from '../src/core/prefixes/artifact.js';
import { workKinds } from '../src/core/prefixes/prefix-set.js';
import { gatePageKinds } from '../src/guards/extension/gate-page.js';
import { guardKinds, settingKinds } from '../src/guards/extension/guard-options.js';
import { announcementKinds } from '../src/guards/wallet/announce-provider.js';
import { psbtKinds } from '../src/guards/wallet/psbt-reader.js';
import { recipientKinds } from '../src/guards/wallet/screen-parties.js';
import { solanaKinds } from '../src/guards/wallet/solana-reader.js';
import { walletKinds } from '../src/guards/wallet/wallet-guard.js';
import { drainKinds } from '../src/servers/http/drain-server.js';
import { nodeHandlerKinds } from '../src/servers/http/node-handler.js';
import { listenKinds } from '../src/servers/http/node-server.js';
import { connectKinds } from '../src/servers/mcp/tool-server.js';
import { toolServerKinds } from '../src/servers/mcp/tool-server-options.js';
import { readinessKinds } from '../src/servers/middleware/readiness.js';
import { screeningKinds } from '../src/servers/middleware/screen-content.js';
import { webhookReceiverKinds } from '../src/servers/middleware/webhook-receiver.js';
import { gatewayKinds } from '../src/servers/ohttp/gateway.js';
import { gatewayKeysKinds } from '../src/servers/ohttp/gateway-keys.js';
import { logListKinds, refreshLogKinds } from '../src/servers/publish/log-list.js';
import { logMonitorKinds } from '../src/servers/publish/log-monitor.js';
import { buildKinds } from '../src/servers/publish/publish-options.js';
import { signKinds } from '../src/servers/publish/sign-list.js';
import { relayKinds } from '../src/servers/relay/relay-options.js';
import { serverKinds } from '../src/servers/service/node-service.js';

type Kinds = { readonly [option: string]: Kind<unknown> };

/** The type of the options, and the kinds that read them, of every public function that takes options. */
export const optionRows: Readonly<Record<string, readonly [type: string, kinds: Kinds]>> = {
  allow: ['OverrideOptions', overrideKinds()],
  announceProvider: ['AnnouncementOptions', announcementKinds()],
  build: ['WorkOptions', workKinds()],
  buildList: ['BuildOptions', buildKinds()],
  'a call of the client': ['CallOptions', callKinds()],
  canonicalizeUrl: ['AlgorithmOptions', algorithmKinds],
  check: ['CheckOptions', checkKinds()],
  checkText: ['CheckTextOptions', checkTextKinds()],
  connect: ['ConnectOptions', connectKinds()],
  createAssets: ['AssetsOptions', partKinds()],
  createBlocklist: ['ServiceBlocklistOptions', blocklistKinds()],
  createClient: ['ClientOptions', clientKinds()],
  createCoreBlocklist: ['CoreOptions', coreKinds()],
  createDuplicateFilter: ['DuplicateFilterOptions', duplicateKinds()],
  createExtensionGuard: ['ExtensionGuardOptions', guardKinds()],
  createFinder: ['FinderOptions', finderKinds()],
  createLightBlocklist: ['LightOptions', lightKinds()],
  createLogMonitor: ['LogMonitorOptions', logMonitorKinds()],
  createRelay: ['RelayOptions', relayKinds()],
  createService: ['ServerOptions', serverKinds()],
  createTextSource: ['CreateTextSourceOptions', createTextKinds()],
  createToolServer: ['ToolServerOptions', toolServerKinds()],
  decodeArtifact: ['ArtifactExpectation', expectationKinds()],
  drain: ['DrainOptions', drainKinds(10_000)],
  encodeArtifact: ['EncodeOptions', encodeKinds()],
  expressScreen: ['ScreeningOptions', screeningKinds()],
  expressionsOf: ['AlgorithmOptions', algorithmKinds],
  extensionStore: ['ExtensionStoreOptions', extensionStoreKinds()],
  fastifyScreen: ['ScreeningOptions', screeningKinds()],
  fetchList: ['FetchListOptions', fetchListKinds()],
  fileStore: ['FileStoreOptions', fileStoreKinds()],
  findAssets: ['FindOptions', findKinds()],
  generateGatewayKeys: ['GatewayKeysOptions', gatewayKeysKinds()],
  guardProvider: ['WalletGuardOptions', walletKinds()],
  handleWebhook: ['HandleWebhookOptions', handleWebhookKinds()],
  honoScreen: ['ScreeningOptions', screeningKinds()],
  indexedDbStore: ['IndexedDbStoreOptions', indexedDbKinds()],
  keyValueStore: ['KeyValueStoreOptions', keyValueKinds()],
  lightPublishedSource: ['LightPublishedOptions', lightPublishedKinds()],
  lightRelaySource: ['LightRelayOptions', lightRelayKinds()],
  lightStore: ['LightStoreOptions', lightStoreKinds()],
  listSource: ['ListSourceOptions', listKinds()],
  listen: ['ListenOptions', listenKinds()],
  logList: ['LogListOptions', logListKinds()],
  normalizeAsset: ['AssetHint', hintKinds],
  oblivious: ['ObliviousOptions', obliviousKinds()],
  obliviousGateway: ['ObliviousGatewayOptions', gatewayKinds()],
  publishedSource: ['PublishedSourceOptions', publishedKinds(baseUrl)],
  readPsbt: ['PsbtReadingOptions', psbtKinds()],
  readSolanaTransaction: ['SolanaReadingOptions', solanaKinds()],
  readiness: ['ReadinessOptions', readinessKinds()],
  ready: ['SyncOptions', syncKinds()],
  redisStore: ['RedisStoreOptions', redisKinds()],
  refreshLog: ['RefreshLogOptions', refreshLogKinds()],
  request: ['RawOptions', rawKinds()],
  safeBrowsingSource: ['SafeBrowsingSourceOptions', safeBrowsingKinds()],
  screen: ['ScreenOptions', screenKinds()],
  screenRecipients: ['ScreenRecipientsOptions', recipientKinds()],
  serviceSource: ['ServiceSourceOptions', serviceSourceKinds()],
  signList: ['SignOptions', signKinds()],
  startGatePage: ['GatePageOptions', gatePageKinds()],
  sync: ['SyncOptions', syncKinds()],
  syncDue: ['SyncOptions', syncKinds()],
  test: ['LoadingOptions', loadingKinds()],
  textSource: ['TextSourceOptions', textKinds()],
  toNodeHandler: ['NodeHandlerOptions', nodeHandlerKinds()],
  transparencyLog: ['TransparencyLogOptions', logKinds()],
  update: ['GuardSettings', settingKinds()],
  verifyWebhook: ['WebhookOptions', webhookKinds()],
  verifyWebhookRequest: ['WebhookRequestOptions', webhookRequestKinds()],
  waitForScan: ['ScanWaitOptions', scanKinds()],
  watch: ['WatchOptions', watchKinds()],
  webRiskSource: ['WebRiskSourceOptions', webRiskKinds()],
  webhookReceiver: ['WebhookReceiverOptions', webhookReceiverKinds()],
};
