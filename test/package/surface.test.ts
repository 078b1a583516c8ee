import { readFileSync } from 'node:fs';
import * as root from 'portcullis';
import * as assets from 'portcullis/assets';
import { ALGORITHM_NAMES } from 'portcullis/assets';
import * as client from 'portcullis/client';
import * as core from 'portcullis/core';
import * as extension from 'portcullis/extension';
import * as light from 'portcullis/light';
import * as mcp from 'portcullis/mcp';
import * as middleware from 'portcullis/middleware';
import * as operations from 'portcullis/operations';
import * as prefixes from 'portcullis/prefixes';
import * as publish from 'portcullis/publish';
import * as relay from 'portcullis/relay';
import * as service from 'portcullis/service';
import * as signatures from 'portcullis/signatures';
import * as sources from 'portcullis/sources';
import * as storeContract from 'portcullis/stores/contract';
import * as extensionStore from 'portcullis/stores/extension';
import * as fileStore from 'portcullis/stores/file';
import * as indexedDbStore from 'portcullis/stores/indexeddb';
import * as keyValueStore from 'portcullis/stores/key-value';
import * as memoryStore from 'portcullis/stores/memory';
import * as redisStore from 'portcullis/stores/redis';
import * as threads from 'portcullis/threads';
import * as wallet from 'portcullis/wallet';
import * as webhooks from 'portcullis/webhooks';
import { expect, test } from 'vitest';
import * as webClient from '../../src/entry/client.js';
import * as webService from '../../src/entry/service.js';

/** The public surface. A change here affects users and needs a line in CHANGELOG, and in UPGRADING once there is a release. */
const errorNames = 'PortcullisError isPortcullisError';
const assetNames = `ALGORITHM_NAMES ASSET_TYPES ${errorNames} canonicalizeUrl detectAssets expressionsOf findAssets hashOf
  normalizeAsset prefixOf`;
const blocklistNames = 'checkText createBlocklist explain handleWebhook screen';
const prefixNames = `HashSet ${errorNames} PrefixSet decodeArtifact encodeArtifact`;
const serviceNames = `${errorNames} createService listen sampleKeys`;
const clientNames = `${errorNames} createClient createPartialClient reportAcceptable runHealthchecks uploadAndReport waitForScan watch`;
const groupNames = `account assets attachments blocklist deprecated detections disputes healthchecks metrics organization queues
  reports takedowns webhooks`;
const assetFamilies = `adPlatforms algorand allFamilies allFormats autoFormat csvFormat dnsmasqFormat filterFormat hostsFormat jsonFormat phishingFormat rpzFormat unboundFormat yamlFormat bitcoin cardano chains cosmos documentPlatforms email ensNames evm explorerPlatforms filecoin
  hedera hexAccounts internetComputer ipfs mediaPlatforms messengerPlatforms monero nano near packagePlatforms payments phone platforms
  polkadot readPasted secrets shopPlatforms socialPlatforms solana stacks stellar storePlatforms tezos ton tron web3Platforms wrappers xrp zcash`;

test.each([
  ['assets', assets, assetNames],
  ['publish', publish, `${errorNames} SHARED_HOSTS adviceFor buildList fetchList publishedFiles readPublishedVersion signList`],
  ['light', light, `${errorNames} createLightBlocklist evm lightStore publishedSource relaySource`],
  ['mcp', mcp, `${assetNames} ${blocklistNames} HashSet PrefixSet createToolServer decodeArtifact encodeArtifact`],
  ['extension', extension, `${errorNames} createExtensionGuard startGatePage`],
  ['wallet', wallet, `${errorNames} guardProvider screenRecipients`],
  [
    'middleware',
    middleware,
    `${errorNames} drainable expressScreen fastifyScreen honoScreen metrics openMetrics readiness screeningOf toNodeHandler webhookReceiver`,
  ],
  ['relay', relay, `${errorNames} createRelay`],
  ['threads', threads, `${errorNames} attachBlocklist shareBlocklist`],
  ['stores/memory', memoryStore, `${errorNames} memoryStore`],
  ['stores/indexeddb', indexedDbStore, `${errorNames} indexedDbStore`],
  ['stores/file', fileStore, `${errorNames} fileStore findDamagedValues`],
  ['stores/extension', extensionStore, `${errorNames} extensionStore`],
  ['stores/key-value', keyValueStore, `${errorNames} keyValueStore`],
  ['stores/redis', redisStore, `${errorNames} redisStore`],
  ['stores/contract', storeContract, 'storeContract'],
  ['service on Node', service, serviceNames],
  ['service on other platforms', webService, serviceNames],
  ['client on Node', client, clientNames],
  ['client on other platforms', webClient, clientNames],
  ['operations', operations, `${groupNames} allOperations inputSchemaOf maxUploadBytes maxUploadFiles openApi operationGroups`],
  [
    'webhooks',
    webhooks,
    `${errorNames} createDuplicateFilter readScanCallback verifyWebhook verifyWebhookRequest webhookFingerprint`,
  ],
  ['prefixes', prefixes, prefixNames],
  ['signatures', signatures, `${errorNames} ed25519 generateKeys signerOf verifierOf`],
  [
    'sources',
    sources,
    `${errorNames} HashSet PrefixSet SHARED_HOSTS adviceFor listSource publishedSource safeBrowsingSource serviceSource textSource uniqueTokens webRiskSource`,
  ],
  ['root', root, `${assetNames} ${blocklistNames} HashSet PrefixSet decodeArtifact encodeArtifact`],
  [
    'core',
    core,
    `${errorNames} ${assetFamilies} ${blocklistNames} PrefixSet createAssets createFinder hashOf isTopLevelDomain prefixOf safeBrowsing4 safeBrowsing5 textSource`,
  ],
] as const)('%s exports exactly the names listed here', (_, entry, names) => {
  expect(Object.keys(entry).sort()).toEqual(names.split(/\s+/).sort());
});

test('all entries share one error class and one set class', () => {
  expect(root.PortcullisError).toBe(core.PortcullisError);
  expect(prefixes.PrefixSet).toBe(core.PrefixSet);
  expect(light.PortcullisError).toBe(core.PortcullisError);
  expect(extension.PortcullisError).toBe(core.PortcullisError);
  expect(wallet.PortcullisError).toBe(core.PortcullisError);
  for (const entry of [client, webClient, webhooks]) expect(entry.PortcullisError).toBe(core.PortcullisError);
});

test('without Node the service has the same type, and refuses to listen', async () => {
  const embedded = webService.createService();
  await expect(embedded.listen()).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringMatching(/needs Node or Deno; on Bun .*Bun\.serve/),
  });
  await embedded.close();
});

test('the algorithms have the names lists announce', () => {
  expect(ALGORITHM_NAMES).toEqual(['portcullis-1', 'safe-browsing-4', 'safe-browsing-5']);
});

const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, object | string> };

test('every entry has one set of types, which every module resolution finds first', () => {
  for (const [path, target] of Object.entries(exports)) {
    if (path === './package.json') continue;
    const [first, ...others] = Object.entries(target);
    expect(first, path).toEqual(['types', expect.stringMatching(/^\.\/dist\/[\w-]+\.d\.ts$/)]);
    for (const [condition, file] of others) expect(file, `${path} ${condition}`).toMatch(/^\.\/dist\/[\w-]+\.js$/);
  }
});

test('the export map is the one documented', () => {
  const entries = `. core light extension wallet assets prefixes sources signatures webhooks operations client publish relay service mcp middleware threads stores/memory stores/indexeddb
    stores/file stores/extension stores/key-value stores/redis stores/contract package.json`;
  const paths = entries.split(/\s+/).map((entry) => (entry === '.' ? entry : `./${entry}`));
  expect(Object.keys(exports)).toEqual(paths);
});
