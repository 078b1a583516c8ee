import { createServer } from 'node:http';
import * as root from 'portcullis';
import * as assets from 'portcullis/assets';
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
import { describe, expect, test } from 'vitest';
import type { Kind } from '../../src/core/options/read-options.js';
import { optionRows } from '../../tools/option-rows.js';

/** A value of every test: no message may contain it. */
const secret = 'secret-of-these-tests';
const url = 'https://list.example';
const source = sources.publishedSource({ url });
const blocklist = core.createCoreBlocklist({ sources: [source], pollMs: 0 });
const lightList = light.createLightBlocklist({ source: light.lightPublishedSource({ url }), pollMs: 0 });
const api = client.createClient({ baseUrl: url, fetch: () => expect.unreachable('a request was sent') });
const set = assets.PrefixSet.from([1]);
const pick = () => ({ texts: [] });
const event = { type: 'x', data: {} };
const provider = { request: async () => null };
const adapter = { get: () => null, set() {}, remove() {}, keys: () => [] };
const tools = mcp.createToolServer({ blocklist: blocklist as never });
/** Has every function, each of which resolves to an empty object. */
const anything: object = new Proxy(() => {}, {
  get: (_, name) => (name === 'then' ? undefined : anything),
  apply: () => Promise.resolve({}),
});
const { keys: gatewayKeys } = await ohttp.generateGatewayKeys();
const logKey = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
const browser = new Proxy({}, { get: () => new Proxy({}, { get: () => anything }) });
const ofGuard = { browser, blocklist: lightList };

const logVkey = 'lists.example/scam+fd473f74+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c';

type Call = (options: never) => unknown;

/** How to call each function, and the options that it requires. `caller` is what its messages begin with. */
const calls: Readonly<Record<string, { readonly call: Call; readonly required?: object; readonly caller?: string }>> = {
  allow: { call: (options) => blocklist.allow('evil.example', options) },
  announceProvider: {
    call: (options) => wallet.announceProvider(provider, options),
    required: { name: 'W', icon: 'data:image/png;base64,AA', rdns: 'com.example.wallet' },
  },
  build: { call: (options) => assets.PrefixSet.build([1], options) },
  buildList: { call: (options) => publish.buildList('', options) },
  'a call of the client': { call: (options) => api.assets.check({ content: 'a' }, options), caller: 'assetCheck' },
  canonicalizeUrl: { call: (options) => assets.canonicalizeUrl(url, options) },
  check: { call: (options) => blocklist.check('evil.example', options) },
  checkText: { call: (options) => root.checkText(blocklist, '', options) },
  connect: { call: (options) => tools.connect(options) },
  createAssets: { call: core.createAssets },
  createBlocklist: { call: root.createBlocklist, required: { baseUrl: url } },
  createClient: { call: client.createClient, required: { baseUrl: url } },
  createCoreBlocklist: { call: core.createCoreBlocklist, required: { sources: [source] } },
  createDuplicateFilter: { call: webhooks.createDuplicateFilter },
  createExtensionGuard: { call: extension.createExtensionGuard, required: ofGuard },
  createFinder: { call: (options) => core.createFinder(assets, options) },
  createLightBlocklist: { call: light.createLightBlocklist, required: { source } },
  createLogMonitor: { call: publish.createLogMonitor, required: { key: logVkey, read: async () => null } },
  createRelay: { call: relay.createRelay, required: { baseUrl: url, apiKey: 'k', publicUrl: url } },
  createService: { call: testing.createService },
  createTextSource: { call: core.createTextSource, required: { id: 'own', text: '' } },
  createToolServer: { call: mcp.createToolServer },
  decodeArtifact: { call: (options) => assets.decodeArtifact(new Uint8Array(4), options) },
  drain: { call: (options) => middleware.drainable(createServer())(options) },
  encodeArtifact: { call: (options) => assets.encodeArtifact(set, options), required: { encoding: 'raw' } },
  expressScreen: { call: (options) => middleware.expressScreen(blocklist, pick, options) },
  expressionsOf: { call: (options) => assets.expressionsOf(url, options) },
  extensionStore: { call: extension.extensionStore, required: { area: { get() {}, set() {}, remove() {} } } },
  fastifyScreen: { call: (options) => middleware.fastifyScreen(blocklist, pick, options) },
  fetchList: { call: (options) => publish.fetchList(url, options) },
  fileStore: { call: fileStore.fileStore, required: { directory: 'folder' } },
  findAssets: { call: (options) => assets.findAssets('', options) },
  generateGatewayKeys: { call: ohttp.generateGatewayKeys },
  guardProvider: {
    call: (options) => wallet.guardProvider(provider, options),
    required: { blocklist: lightList, origin: url },
  },
  handleWebhook: { call: (options) => root.handleWebhook(blocklist, event, options) },
  honoScreen: { call: (options) => middleware.honoScreen(blocklist, pick, options) },
  indexedDbStore: { call: indexedDbStore.indexedDbStore },
  keyValueStore: { call: (options) => stores.keyValueStore(adapter, options) },
  lightPublishedSource: { call: light.lightPublishedSource, required: { url } },
  lightRelaySource: { call: light.lightRelaySource, required: { baseUrl: url } },
  lightStore: { call: light.lightStore },
  listSource: { call: sources.listSource, required: { baseUrl: url } },
  listen: { call: (options) => testing.listen(async () => new Response(), options) },
  logList: {
    call: (options) => publish.logList({ version: {} } as publish.BuiltList, options),
    required: { signer: { vkey: logVkey, sign() {} }, storage: { read() {}, create() {}, replace() {} } },
  },
  normalizeAsset: { call: (options) => assets.normalizeAsset('a', options) },
  oblivious: { call: ohttp.oblivious, required: { relay: url } },
  obliviousGateway: { call: ohttp.obliviousGateway, required: { keys: gatewayKeys } },
  publishedSource: { call: sources.publishedSource, required: { url } },
  readPsbt: { call: (options) => wallet.readPsbt(new Uint8Array(), options) },
  readSolanaTransaction: { call: (options) => wallet.readSolanaTransaction(new Uint8Array(), options) },
  readiness: { call: (options) => middleware.readiness(blocklist, options) },
  ready: { call: (options) => blocklist.ready(options) },
  redisStore: { call: stores.redisStore, required: { client: { call() {}, duplicate() {}, on() {} } } },
  refreshLog: {
    call: (options) => publish.refreshLog({}, options),
    required: { key: logVkey, policy: publish.readLogPolicy('quorum none'), storage: { read() {}, replace() {} } },
  },
  request: { call: (options) => api.request('GET', '/x', options) },
  safeBrowsingSource: { call: sources.safeBrowsingSource, required: { apiKey: 'k' } },
  screen: { call: (options) => root.screen(blocklist, [], options) },
  screenRecipients: { call: (options) => wallet.screenRecipients(lightList, [], options) },
  serviceSource: { call: sources.serviceSource, required: { baseUrl: url } },
  signList: {
    call: (options) => publish.signList({} as publish.BuiltList, options),
    required: { signers: [{ publicKey: '', sign() {} }] },
  },
  startGatePage: { call: extension.startGatePage, required: { browser: { runtime: {} }, warn() {} } },
  sync: { call: (options) => lightList.sync(options) },
  syncDue: { call: (options) => blocklist.syncDue(options) },
  test: { call: (options) => blocklist.test('evil.example', options) },
  textSource: { call: sources.textSource, required: { id: 'own', text: '' } },
  toNodeHandler: { call: (options) => middleware.toNodeHandler(async () => new Response(), options) },
  transparencyLog: { call: log.transparencyLog, required: { key: logKey } },
  update: {
    call: (options) => extension.createExtensionGuard(ofGuard as never).update(options),
    required: { blocklist: lightList },
  },
  verifyWebhook: { call: (options) => webhooks.verifyWebhook('{}', {}, options), required: { secrets: 's' } },
  verifyWebhookRequest: {
    call: (options) => webhooks.verifyWebhookRequest(new Request(url, { method: 'POST', body: '{}' }), options),
    required: { secrets: 's' },
  },
  waitForScan: { call: (options) => client.waitForScan(api, 1, options) },
  watch: { call: (options) => client.watch(api, 'reports', {}, options).next() },
  webRiskSource: { call: sources.webRiskSource, required: { apiKey: 'k' } },
  webhookReceiver: { call: (options) => middleware.webhookReceiver(blocklist, options), required: { secrets: 's' } },
};

/** Public functions without options, and those whose options are in another row. */
const others = `adviceFor attachBlocklist blocklistMetrics createAddressBook createPartialClient detectAssets drainable explain explorerPlatforms findDamagedValues generateKeys generateLogKey hashOf inputSchemaOf isPortcullisError isTopLevelDomain logSignerOf memoryStore openApi openMetrics
  prefixOf publishedFiles platforms readLogPolicy readPasted readPublishedVersion readScanCallback reportAcceptable runHealthchecks safeBrowsing4 safeBrowsing5
  screeningOf secrets shareBlocklist sharedHostsOf signerOf storeContract uploadAndReport verifierOf versionFindings webhookFingerprint HashSet PrefixSet WholeHashes
  PortcullisError`;

test('every public function has a row, or is known to take no options', () => {
  const entries = [
    root,
    assets,
    client,
    core,
    extension,
    light,
    log,
    mcp,
    middleware,
    ohttp,
    publish,
    relay,
    sources,
    stores,
    fileStore,
  ];
  const all = [...entries, indexedDbStore, testing, threads, wallet, webhooks].flatMap((entry) => Object.entries(entry));
  const functions = all.flatMap(([name, value]) => (typeof value === 'function' ? [name] : []));
  const known = [...Object.keys(optionRows), ...others.split(/\s+/)];
  expect(functions.filter((name) => !known.includes(name))).toEqual([]);
  expect(Object.keys(calls)).toEqual(Object.keys(optionRows));
});

async function refusalOf(name: string, options: unknown): Promise<string> {
  const { call, caller = name } = calls[name]!;
  try {
    await call(options as never);
  } catch (error) {
    const { message } = error as Error;
    expect(error, message).toMatchObject({ name: 'PortcullisError', code: 'INVALID_INPUT' });
    expect(message).not.toContain(secret);
    expect(message.slice(0, caller.length + 2)).toBe(`${caller}: `);
    return message.slice(caller.length + 2);
  }
  throw new Error(`nothing was refused by ${name}`);
}

/** What a kind says about a value that no kind takes. */
function wordsOf(kind: Kind<unknown>): string {
  try {
    kind(Symbol(secret), 'x');
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('a symbol was accepted');
}

/** Values that are never right. */
const wrong: readonly unknown[] = [Symbol(secret), null, 5n];

describe.each(Object.entries(optionRows))('%s', (name, [, kinds]) => {
  const required = calls[name]!.required ?? {};

  test.each([null, 5, secret, true, [secret], new Map([[secret, secret]])])('refuses %j as options', async (options) => {
    expect(await refusalOf(name, options)).toBe('options must be an object');
  });

  test('refuses unknown names, and says which one was meant', async () => {
    expect(await refusalOf(name, { ...required, xyzzy: secret })).toBe('there is no option xyzzy');
    expect(await refusalOf(name, { ...required, toString: secret })).toMatch(/^there is no option toString/);
    const [first = ''] = Object.keys(kinds);
    const [upper, hint] = [first.toUpperCase(), /[a-z]/.test(first)];
    if (hint) expect(await refusalOf(name, { ...required, [upper]: secret })).toContain(`; did you mean ${first}?`);
  });

  test.each(Object.entries(kinds))('refuses %s of a wrong type, and numbers out of its range', async (option, kind) => {
    for (const value of wrong)
      expect(await refusalOf(name, { ...required, [option]: value })).toMatch(new RegExp(`^${option} must `));
    const words = wordsOf(kind);
    const range = /must be a (whole )?number from (\S+) to ([\d.e+-]+|Infinity)/.exec(words);
    for (const value of range ? outside(range) : [])
      expect(await refusalOf(name, { ...required, [option]: value }), String(value)).toBe(words.replace('x', option));
    if (!/must be an object$/.test(words) || option === 'headers') return;
    for (const inner of Object.keys((kind({}, 'x') ?? {}) as object)) {
      const message = await refusalOf(name, { ...required, [option]: { [inner]: Symbol(secret) } });
      expect(message).toMatch(new RegExp(`^${option}\\.${inner} must be `));
    }
  });
});

function outside([, isWhole, min, max]: RegExpExecArray): number[] {
  const below = Number(min) - 1;
  const numbers = [Number.NaN, Number.NEGATIVE_INFINITY, below === 0 ? -1 : below];
  if (Number(max) < Number.MAX_SAFE_INTEGER) numbers.push(Number(max) + 1, Number.POSITIVE_INFINITY);
  if (isWhole) numbers.push(Number(min) + 0.5);
  return numbers.filter((value) => !(value >= Number(min) && value <= Number(max)) || !Number.isInteger(value));
}

test('an unknown event is refused, and says which one was meant', () => {
  for (const on of [blocklist.on, lightList.on] as readonly ((name: never, listener: () => void) => unknown)[]) {
    expect(() => on('change' as never, () => {})).toThrow('on: there is no event change; did you mean changed?');
    expect(() => on('toString' as never, () => {})).toThrow('on: there is no event toString');
  }
});

test.each(['https://list.example:99999', 'https://list.example/../x', 'http://0.0.0.0', 'https://1.2.3.256', 'https://[::::]'])(
  'every function refuses the URL %s',
  async (wrongUrl) => {
    for (const name of ['createBlocklist', 'createClient', 'createRelay', 'lightRelaySource', 'listSource', 'serviceSource'])
      expect(await refusalOf(name, { ...calls[name]!.required, baseUrl: wrongUrl })).toMatch(/^baseUrl must be /);
    for (const name of ['publishedSource', 'lightPublishedSource'])
      expect(await refusalOf(name, { url: wrongUrl })).toMatch(/^url must be /);
    expect(await refusalOf('oblivious', { relay: wrongUrl })).toMatch(/^relay must be /);
    expect(await refusalOf('textSource', { id: 'own', url: wrongUrl })).toMatch(/^url must be /);
  },
);

test('no public function answers a wrong argument with an error of the engine', async () => {
  const values = [undefined, null, 5, 'x', {}, [], () => {}, Promise.resolve()];
  const entries = {
    ...{ root, assets, client, core, extension, light, log, mcp, middleware, ohttp, publish, relay, sources, stores, fileStore },
    ...{ indexedDbStore, testing, threads, wallet, webhooks },
  };
  const found: string[] = [];
  for (const [entry, exported] of Object.entries(entries)) {
    for (const [name, value] of Object.entries(exported)) {
      const isClass = /^[A-Z]/.test(name);
      // Constructors are not public.
      const names =
        typeof value !== 'function' ? [] : isClass ? ['from', 'build', 'fromBytes'].filter((own) => own in value) : [name];
      for (const own of names) {
        const call = (isClass ? value[own as never] : value) as (...given: unknown[]) => unknown;
        for (const given of values.flatMap((one) => [[one], [one, one], [url, one]])) {
          try {
            await Promise.race([call.apply(value, given), new Promise((resolve) => setTimeout(resolve, 5))]);
          } catch (error) {
            const { message } = error as Error;
            if (/^Cannot (?:read|convert|destructure|use)|is not (?:a function|iterable)/.test(message))
              found.push(`${entry}.${name} ${own} ${given.map((one) => typeof one).join()}: ${message}`);
          }
        }
      }
    }
  }
  expect(found).toEqual([]);
});
