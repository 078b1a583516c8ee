import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as root from 'portcullis';
import * as assets from 'portcullis/assets';
import { ALGORITHM_NAMES } from 'portcullis/assets';
import * as client from 'portcullis/client';
import * as core from 'portcullis/core';
import * as extension from 'portcullis/extension';
import * as light from 'portcullis/light';
import * as log from 'portcullis/log';
import * as mcp from 'portcullis/mcp';
import * as middleware from 'portcullis/middleware';
import * as ohttp from 'portcullis/ohttp';
import * as publish from 'portcullis/publish';
import * as relay from 'portcullis/relay';
import * as sources from 'portcullis/sources';
import * as stores from 'portcullis/stores';
import * as fileStore from 'portcullis/stores/file';
import * as indexedDbStore from 'portcullis/stores/indexeddb';
import * as testing from 'portcullis/testing';
import * as threads from 'portcullis/threads';
import * as wallet from 'portcullis/wallet';
import * as webhooks from 'portcullis/webhooks';
import ts from 'typescript';
import { expect, test } from 'vitest';
import * as webClient from '../../src/entry/client.js';
import * as webTesting from '../../src/entry/testing.js';

/** The public surface. A change here affects users and needs a line in CHANGELOG, and in UPGRADING once there is a release. */
const errorNames = 'PortcullisError isPortcullisError';
const assetNames = `ALGORITHM_NAMES ASSET_TYPES HashSet ${errorNames} PrefixSet canonicalizeUrl decodeArtifact detectAssets encodeArtifact
  expressionsOf findAssets hashOf normalizeAsset prefixOf`;
const blocklistNames = 'checkText explain handleWebhook screen';
const testingNames = `${errorNames} createService listen sampleKeys storeContract`;
const clientNames = `${errorNames} account allOperations assets attachments blocklist createClient createPartialClient deprecated
  detections disputes healthchecks inputSchemaOf maxUploadBytes maxUploadFiles metrics openApi operationGroups organization queues
  reportAcceptable reports runHealthchecks takedowns uploadAndReport waitForScan watch webhooks`;
const assetFamilies = `adPlatforms aeternity algorand allFamilies allFormats autoFormat csvFormat dnsmasqFormat filterFormat hostsFormat jsonFormat phishingFormat rpzFormat unboundFormat yamlFormat bitcoin cardano casper chains ckb conflux cosmos documentPlatforms email ensNames evm explorerPlatforms filecoin
  hedera hexAccounts internetComputer ipfs kadena liquid massa mediaPlatforms messengerPlatforms monero nano near packagePlatforms payments phone platforms
  polkadot secrets shopPlatforms socialPlatforms solana stacks stellar storePlatforms tezos ton tron waves web3Platforms wrappers xrp zcash`;

const entries = [
  ['.', root, `${assetNames} ${blocklistNames} createBlocklist`],
  [
    './core',
    core,
    `${errorNames} ${assetFamilies} ${blocklistNames} PrefixSet createAssets createCoreBlocklist createFinder createTextSource hashOf isTopLevelDomain prefixOf safeBrowsing4 safeBrowsing5`,
  ],
  ['./light', light, `${errorNames} createLightBlocklist evm lightPublishedSource lightRelaySource lightStore`],
  ['./assets', assets, assetNames],
  [
    './sources',
    sources,
    `${errorNames} HashSet PrefixSet SHARED_HOSTS WholeHashes adviceFor ed25519 generateKeys listSource publishedSource safeBrowsingSource serviceSource sharedHostsOf signerOf textSource uniqueTokens verifierOf webRiskSource`,
  ],
  ['./log', log, `${errorNames} transparencyLog`],
  ['./stores', stores, `${errorNames} keyValueStore memoryStore redisStore`],
  ['./stores/file', fileStore, `${errorNames} fileStore findDamagedValues`],
  ['./stores/indexeddb', indexedDbStore, `${errorNames} indexedDbStore`],
  ['./extension', extension, `${errorNames} createExtensionGuard extensionStore startGatePage`],
  [
    './wallet',
    wallet,
    `${errorNames} announceProvider createAddressBook guardProvider readPsbt readSolanaTransaction screenRecipients`,
  ],
  ['./client', client, clientNames],
  ['./client', webClient, clientNames],
  [
    './webhooks',
    webhooks,
    `${errorNames} createDuplicateFilter readScanCallback verifyWebhook verifyWebhookRequest webhookFingerprint`,
  ],
  [
    './publish',
    publish,
    `${errorNames} SHARED_HOSTS adviceFor buildList createLogMonitor fetchList generateLogKey logList logSignerOf publishedFiles readLogPolicy readPublishedVersion refreshLog sharedHostsOf signList versionFindings`,
  ],
  ['./relay', relay, `${errorNames} createRelay`],
  ['./ohttp', ohttp, `${errorNames} generateGatewayKeys oblivious obliviousGateway`],
  [
    './middleware',
    middleware,
    `${errorNames} blocklistMetrics drainable expressScreen fastifyScreen honoScreen openMetrics readiness screeningOf toNodeHandler webhookReceiver`,
  ],
  ['./threads', threads, `${errorNames} attachBlocklist shareBlocklist`],
  ['./mcp', mcp, `${errorNames} createToolServer`],
  ['./testing', testing, testingNames],
  ['./testing', webTesting, testingNames],
] as const;

test.each(entries)('%s exports exactly the names listed here', (_, entry, names) => {
  expect(Object.keys(entry).sort()).toEqual(names.split(/\s+/).sort());
});

/** These have two builds, of which a program gets the one for its platform. */
const builtByPlatform = /^(createClient|createPartialClient|createService|listen)$/;

test('a name means the same thing in every entry', () => {
  const meanings = new Map<string, unknown>();
  for (const [path, entry] of entries) {
    for (const [name, value] of Object.entries(entry)) {
      if (builtByPlatform.test(name)) continue;
      expect(meanings.get(name) ?? value, `${name} of ${path}`).toBe(value);
      meanings.set(name, value);
    }
  }
});

/** What an entry exports, with types: each name, and the declaration it stands for. Entries contain nothing but exports from elsewhere. */
function exportsOf(file: string): [name: string, meaning: string][] {
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022).statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier === undefined)
      throw new Error(`${file} has more than exports`);
    const from = join(dirname(file), (statement.moduleSpecifier as ts.StringLiteral).text.replace(/\.js$/, '.ts'));
    if (statement.exportClause === undefined) return exportsOf(from);
    const { elements } = statement.exportClause as ts.NamedExports;
    return elements.map(({ name, propertyName }): [string, string] => [name.text, `${(propertyName ?? name).text} of ${from}`]);
  });
}

test('a type means the same thing in every entry', () => {
  const meanings = new Map<string, string>();
  for (const [path, target] of Object.entries(exports)) {
    if (typeof target === 'string') continue;
    const file = `src/entry/${(target as { types: string }).types.slice('./dist/'.length, -'.d.ts'.length)}.ts`;
    for (const [name, meaning] of exportsOf(file)) {
      expect(meanings.get(name) ?? meaning, `${name} of ${path}`).toBe(meaning);
      meanings.set(name, meaning);
    }
  }
  expect(meanings.size).toBeGreaterThan(400);
});

test('without Node the service has the same type, and refuses to listen', async () => {
  const embedded = webTesting.createService();
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

test('the export map has these entries', () => {
  expect(Object.keys(exports)).toEqual([...new Set(entries.map(([path]) => path)), './package.json']);
});
