/**
 * The suite that runs in every runtime. It knows the package only through the modules that it is given, and the platform through
 * `SuiteHost`. It is written for the oldest engine, so it uses nothing newer than ES2020.
 */
import type * as Root from 'portcullis';
import type * as Client from 'portcullis/client';
import type * as Light from 'portcullis/light';
import type * as Log from 'portcullis/log';
import type * as Ohttp from 'portcullis/ohttp';
import type * as Publish from 'portcullis/publish';
import type * as Sources from 'portcullis/sources';
import type * as RedisStore from 'portcullis/stores';
import type * as Service from 'portcullis/testing';
import type * as Threads from 'portcullis/threads';
import type * as Wallet from 'portcullis/wallet';
import type * as Webhooks from 'portcullis/webhooks';

/** A blocklist's own options name these types; the entries of stores export only some of them. */
type Store = NonNullable<NonNullable<Parameters<typeof Root.createBlocklist>[0]>['store']>;
type Fetch = NonNullable<NonNullable<Parameters<typeof Client.createClient>[0]>['fetch']>;

export interface SuiteHost {
  /** The modules under test, by the name of their import. */
  readonly entries: Readonly<Record<string, () => Promise<object>>>;
  /** `first`: an empty store and a relay. `restart`: the store of the first part, in a new process, and no relay. */
  readonly part: 'first' | 'restart';
  readonly relayUrl: string;
  /** Where lists survive a restart; a new object for each part. */
  readonly store?: Store | undefined;
  /** Instead of the global `fetch`, which Hermes lacks. */
  readonly fetch?: Fetch | undefined;
  /** Ends the relay: its port refuses connections from then on. */
  stopRelay(): Promise<void>;
}

export interface CheckResult {
  readonly check: string;
  /** Absent: passed. */
  readonly fault?: string;
}

/** Two listed links and an address in spellings that a list does not contain, and what is not listed. */
const listed = [
  'HTTPS:\\\\Login.Scam%2DMint.EXAMPLE.:443/./claim?x=1',
  'https://pages.example/x/..//giveaway#top',
  '0x52908400098527886e0f7030069857d2e4169ee7',
];
const notListed = ['https://example.org/a', 'https://not-scam-mint.example/', '0x8617E340B3D01FA5F11F306F4090FD50E238070D'];
/** Listed, but first checked when the relay is gone. */
const neverConfirmed = 'https://claim-airdrop.example/now';

/** @public The scripts that the driver writes import it. */
export async function runSuite(host: SuiteHost): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const attempt = async (check: string, run: () => Promise<void>): Promise<void> => {
    try {
      await run();
      results.push({ check });
    } catch (error) {
      results.push({ check, fault: describe(error) });
    }
  };
  if (host.part === 'restart') {
    await attempt('restart', () => checkRestart(host));
    return results;
  }
  for (const name of Object.keys(host.entries)) {
    await attempt(name, async () => {
      const module = await load(host, name);
      insist(Object.keys(module).length > 0, 'the module exports nothing');
      await uses[name]?.(host);
    });
  }
  await checkFirst(host, attempt);
  return results;
}

type Attempt = (check: string, run: () => Promise<void>) => Promise<void>;

async function checkFirst(host: SuiteHost, attempt: Attempt): Promise<void> {
  const blocklist = await open(host);
  await attempt('sync', async () => {
    await blocklist.ready();
    const [source] = blocklist.status().sources;
    insist(source?.list?.count === 5, `the list has ${source?.list?.count} entries, expected 5`);
    insist((await blocklist.sync()).outcome === 'unchanged', 'a second round did not find the same list');
  });
  await attempt('check', async () => {
    for (const text of listed) {
      const { status, action, reason } = await blocklist.check(text);
      insist(status === 'blocked' && action === 'block' && reason === 'confirmed', `${text} is ${status} (${reason})`);
    }
    await insistClear(blocklist);
  });
  await attempt('server gone', async () => {
    await host.stopRelay();
    await insistUnconfirmed(blocklist);
    await insistConfirmed(blocklist);
    await insistClear(blocklist);
  });
  await attempt('close', () => blocklist.close());
}

/** Nothing but the store can answer here. */
async function checkRestart(host: SuiteHost): Promise<void> {
  const blocklist = await open(host);
  try {
    await blocklist.ready();
    await insistConfirmed(blocklist);
    await insistClear(blocklist);
    await insistUnconfirmed(blocklist);
  } finally {
    await blocklist.close();
  }
}

async function open(host: SuiteHost): Promise<Root.Blocklist> {
  const { createBlocklist } = (await load(host, 'portcullis')) as typeof Root;
  return createBlocklist({
    baseUrl: host.relayUrl,
    pollMs: 0,
    // Long enough for a busy machine; a relay that is gone refuses at once.
    deadlineMs: 20_000,
    ...(host.store !== undefined && { store: host.store }),
    ...(host.fetch !== undefined && { fetch: host.fetch }),
  });
}

async function insistConfirmed(blocklist: Root.Blocklist): Promise<void> {
  for (const text of listed) {
    const { status, action } = await blocklist.check(text);
    insist(status === 'blocked' && action === 'block', `${text} was confirmed and is ${status}`);
  }
}

async function insistClear(blocklist: Root.Blocklist): Promise<void> {
  for (const text of notListed) {
    const { status, action } = await blocklist.check(text);
    insist(status === 'clear' && action === 'allow', `${text} is ${status}`);
  }
}

async function insistUnconfirmed(blocklist: Root.Blocklist): Promise<void> {
  const { status, action } = await blocklist.check(neverConfirmed);
  insist(status === 'unconfirmed' && action === 'warn', `a hit that nobody can confirm is ${status}`);
}

const logProof = `c2sp.org/tlog-proof@v1
index 1
p4e76nhsrhsvgaXWXKlubo7ScSGjwmbarRkHquG90LI=
tN8F5bJvbwvXyOFYWuchzvRODl7+5IR0rI8asFYx65E=

lists.example/scam
3
Oif0jJhTiLv48/TVM/MAU/l1G1dCxgLlsDkXDJh2tVg=

\xe2\x80\x94 lists.example/scam /Uc/dCFOlsI20imnd57G8aXmuYfL+cTf1ye7Zx3RBtLuS7VWy0AQRqH8brR0Uz7qNgdftTSClntEbig8h0ILMZGgcQI=
`;

/** The key and the request of RFC 9458 appendix A. */
const rfcGatewayKey = {
  id: 1,
  privateKey: 'PBaJdWdLL6jkZZcLecjc8J8cdBYmSAvUxhYvxbapjho=',
  publicKey: 'MeHwWnQBAhFSIOmvkY9zhnSuyV9U224E63Baro55gVU=',
  createdAtMs: 0,
  notAfterMs: null,
};
const rfcRequest = 'AQAgAAEAAUso+IEzPnwWT/xJmtl5b4d/ThBR7m0xutGd7JbCCLRyY3TkaRNZBpkuEmjFlNKhDGldhYxAoCbnll59hrg91ECywBhSBLTWNSU=';

/** One use of each entry that does something of its own; the rest is used by the checks of the list. */
const uses: Readonly<Record<string, (host: SuiteHost) => Promise<void>>> = {
  async 'portcullis/light'(host) {
    const { createLightBlocklist, lightRelaySource, evm } = (await load(host, 'portcullis/light')) as typeof Light;
    const source = lightRelaySource({ baseUrl: host.relayUrl, ...(host.fetch !== undefined && { fetch: host.fetch }) });
    const blocklist = createLightBlocklist({ source, families: [evm], pollMs: 0, deadlineMs: 20_000 });
    await blocklist.ready();
    const statuses: string[] = [];
    for (const text of [listed[0]!, listed[2]!, notListed[0]!]) statuses.push((await blocklist.check(text)).status);
    await blocklist.close();
    insist(statuses.join() === 'blocked,blocked,clear', `a light list answers ${statuses.join()}`);
  },
  /** An object is always read in full, a text on the fast path first: both must agree in each engine. Few, because Hermes begins anew a dozen times. */
  async 'portcullis/sources'(host) {
    const { textSource } = (await load(host, 'portcullis/sources')) as typeof Sources;
    const { createBlocklist } = (await load(host, 'portcullis')) as typeof Root;
    const text = `scam.example\nlogin.pages.example\npages.example/a\nhttps://t.me/scam_channel\n${listed[2]!}`;
    const blocklist = createBlocklist({ sources: [textSource({ id: 'own', text })], pollMs: 0 });
    await blocklist.ready();
    const counts: Record<string, number> = {};
    for (const link of editedLinks(400)) {
      const { status } = blocklist.test(link);
      const full = blocklist.test({ content: link }).status;
      insist(status === full, `${JSON.stringify(link)} is ${status}, and ${full} if it is read in full`);
      counts[status] = (counts[status] ?? 0) + 1;
    }
    await blocklist.close();
    insist(counts['blocked']! > 50 && counts['clear']! > 50, `the links are ${JSON.stringify(counts)}`);
  },
  /** The proof that test/core/tlog has verified with its signatures; here the hashes alone, because some engines have no Ed25519. */
  async 'portcullis/log'(host) {
    const { transparencyLog } = (await load(host, 'portcullis/log')) as typeof Log;
    const { verifierOf } = (await load(host, 'portcullis/sources')) as typeof Sources;
    const log = transparencyLog({ key: 'lists.example/scam+fd473f74+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c' });
    const check = log.of(
      'https://lists.example/version.json',
      verifierOf(() => true),
    );
    const bytes = Uint8Array.from(logProof, (letter) => letter.codePointAt(0)!);
    const signed = { payload: '9HYaoCPDY53DcaIzbuNRSrYja60oxaDr8uUvtuQgMNE=' };
    const { size } = await check({ signed, sequence: 1 }, {}, 0, async () => ({ bytes }));
    insist(size === 3, `a log of three versions has ${size}`);
  },
  async 'portcullis/publish'(host) {
    const { buildList } = (await load(host, 'portcullis/publish')) as typeof Publish;
    const { version } = await buildList(['scam-mint.example'], { isPublicSuffix: () => false });
    insist(version.snapshot.count === 1, 'a built list has another count');
  },
  /** A gateway opens the request of RFC 9458 appendix A, and a client gets an answer of it but none that anybody could make. */
  async 'portcullis/ohttp'(host) {
    const { isPortcullisError, oblivious, obliviousGateway } = (await load(host, 'portcullis/ohttp')) as typeof Ohttp;
    const gateway = await obliviousGateway({ keys: { format: 'portcullis-ohttp-keys-1', keys: [rfcGatewayKey] } });
    const asked: string[] = [];
    const deliver = (body: Uint8Array): Promise<Response> => {
      const headers = { 'content-type': 'message/ohttp-req' };
      const request = new Request('https://gateway.example/ohttp', { method: 'POST', headers, body: body as BodyInit });
      return gateway.answer(request, async ({ method, url }) => {
        asked.push(`${method} ${new URL(url).pathname} of ${body.length} bytes`);
        return new Response('seen');
      });
    };
    const { status } = await deliver(Uint8Array.from(atob(rfcRequest), (letter) => letter.codePointAt(0)!));
    insist(status === 200, `the request of the RFC is answered with ${status}`);
    const ask = async (change: (answer: Uint8Array) => void): Promise<string> => {
      const ohttp = oblivious({
        relay: 'https://relay.example/',
        keys: gateway.keyList(),
        fetch: async (_, init) => {
          const answer = await deliver(init!.body as Uint8Array);
          const bytes = new Uint8Array(await answer.arrayBuffer());
          change(bytes);
          return new Response(bytes, { headers: answer.headers });
        },
      });
      let sealed: Ohttp.FetchLike | undefined;
      const confirm = ohttp.confirmWith('https://list.example', (fetch) => {
        sealed = fetch;
        return { confirm: async () => ({ hashes: new Map() }) } as never;
      });
      await confirm([], { algoVersion: '3' });
      const answer = await sealed!('https://list.example/version.json');
      return new TextDecoder().decode(await answer.arrayBuffer());
    };
    const text = await ask(() => {});
    insist(text === 'seen', `a sealed answer is read as ${text}`);
    insist(asked.join() === 'GET / of 80 bytes,GET /version.json of 1079 bytes', `the gateway was asked ${asked.join()}`);
    const error: unknown = await ask((answer) => answer.fill(0)).catch((cause: unknown) => cause);
    insist(isPortcullisError(error) && error.code === 'INVALID_RESPONSE', `a forged answer gives ${describe(error)}`);
  },
  async 'portcullis/webhooks'(host) {
    const { verifyWebhook } = (await load(host, 'portcullis/webhooks')) as typeof Webhooks;
    let code: unknown;
    try {
      verifyWebhook('{}', { 'x-any-signature': `sha256=${'0'.repeat(64)}` }, { secrets: 'secret' });
    } catch (error) {
      code = (error as { code?: unknown }).code;
    }
    insist(code === 'SIGNATURE_INVALID', `a wrong signature is rejected with ${code}`);
  },
  async 'portcullis/wallet'(host) {
    const { screenRecipients } = (await load(host, 'portcullis/wallet')) as typeof Wallet;
    insist(typeof screenRecipients === 'function', 'screenRecipients is missing');
  },
  /** Both ends are in one thread: the memory and the messages are the same as between two. */
  async 'portcullis/threads'(host) {
    const { attachBlocklist, shareBlocklist } = (await load(host, 'portcullis/threads')) as typeof Threads;
    const blocklist = await open({ ...host, store: undefined });
    await blocklist.ready();
    const shared = shareBlocklist(blocklist);
    const attached = await attachBlocklist(shared.port());
    const verdicts = await attached.checkMany([listed[0]!, notListed[0]!, notListed[1]!]);
    attached.close();
    shared.close();
    await blocklist.close();
    const statuses = verdicts.map(({ status }) => status).join();
    insist(statuses === 'blocked,clear,clear', `an attached blocklist answers ${statuses}`);
  },
  /** Without a server of Redis, a check is answered from memory. */
  async 'portcullis/stores'(host) {
    const { redisStore } = (await load(host, 'portcullis/stores')) as typeof RedisStore;
    const refuse = async (): Promise<never> => Promise.reject(new Error('connect ECONNREFUSED'));
    const client = { call: refuse, duplicate: () => ({ on() {}, subscribe: refuse }), on() {}, off() {} };
    const codes: string[] = [];
    const store = redisStore({ client });
    const blocklist = await open({ ...host, store });
    blocklist.on('error', ({ error }) => codes.push(error.code));
    await blocklist.ready();
    const { status } = await blocklist.check(notListed[0]!);
    await blocklist.close();
    insist(status === 'clear', `without Redis, a link that is not listed is ${status}`);
    insist(codes.indexOf('STORE_UNAVAILABLE') >= 0, `without Redis, the errors are ${codes.join()}`);
  },
  async 'portcullis/testing'(host) {
    const { createService } = (await load(host, 'portcullis/testing')) as typeof Service;
    const { createClient } = (await load(host, 'portcullis/client')) as typeof Client;
    const service = createService();
    const client = createClient({ baseUrl: 'http://localhost', apiKey: service.key, fetch: service.fetch });
    const { status } = await client.assets.check({ content: listed[0]! });
    await client.close();
    await service.close();
    insist(status === 'BLOCKED', `the embedded service answers ${status}`);
  },
  async 'portcullis/client'(host) {
    const { createClient } = (await load(host, 'portcullis/client')) as typeof Client;
    const client = createClient({ baseUrl: host.relayUrl, ...(host.fetch !== undefined && { fetch: host.fetch }) });
    const { algoVersion } = await client.blocklist.version({});
    await client.close();
    insist(String(algoVersion) === 'portcullis-1', `the client reads the version ${algoVersion}`);
  },
};

const links = [
  'https://www.scam.example/a/b?c=d#e',
  'http://Login.Pages.example:80/x/y',
  'pages.example/a',
  'https://pages.example/%61/b%20c',
  'https://pages.example/x/../a?q=1',
  'https://clean.example/a/b/c/d/e/f?next=https%3A%2F%2Fscam.example%2F',
  'https://t.me/scam_channel/12',
  'https://gateway.example/ipfs/QmT5NvUtoM5nWFfrQdVrFtvGfKFmG7AHE8P34isapyhCxX',
  listed[2]!,
  notListed[2]!,
];
const pieces = [
  '',
  '',
  'a',
  'Z',
  '7',
  '.',
  '..',
  '/',
  '//',
  '/../',
  '?',
  '#',
  '%',
  '%2e',
  '%2F',
  '%41',
  ':',
  '@',
  '-',
  '_',
  '=',
  ' ',
  '\\',
  '\u00e9',
  '\u3002',
  '\t',
];

/** Each with up to two edits; the same ones in every runtime. */
function editedLinks(count: number): string[] {
  let state = 1;
  const random = (end: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
  return Array.from({ length: count }, () => {
    let link = links[random(links.length)]!;
    for (let edits = random(3); edits > 0; edits--) {
      const at = random(link.length + 1);
      link = link.slice(0, at) + pieces[random(pieces.length)]! + link.slice(at + random(2));
    }
    return link;
  });
}

function load(host: SuiteHost, name: string): Promise<object> {
  const entry = host.entries[name];
  if (entry === undefined) throw new Error(`${name} is not meant for this runtime`);
  return entry();
}

function insist(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error as { cause?: unknown };
  const stack = error.stack ?? '';
  // The stack of some engines does not start with the message.
  const text = stack.indexOf(error.message) >= 0 ? stack : `${error}\n${stack}`;
  return cause === undefined ? text : `${text}\ncaused by ${describe(cause)}`;
}
