/**
 * All parts together, offline: a service publishes a list, a relay holds the key, and a blocklist keeps a copy in a folder and checks
 * against it: online, without a network, and after a restart from the folder. `npm run quickstart`
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Blocklist, createBlocklist } from 'portcullis';
import { createRelay } from 'portcullis/relay';
import { fileStore } from 'portcullis/stores/file';
import { createService } from 'portcullis/testing';

const address = '0x52908400098527886E0F7030069857D2E4169EE7';

/** Inputs and their expected status. The service's sample list blocks the first site and the address. */
const inputs = [
  ['https://scam-mint.example/claim?ref=1', 'blocked'],
  ['login.scam-mint.example', 'blocked'],
  ['https://example.com/', 'clear'],
  [address, 'blocked'],
  [address.toLowerCase(), 'blocked'],
  [`ethereum:${address}@1`, 'blocked'],
] as const;

// A local service with a list and a key, in place of the real one.
const service = createService();
const { url } = await service.listen();

// The relay holds the key, so that apps need none. In production it runs on a server; here a function replaces the network.
const baseUrl = 'https://relay.example/blocklist';
const relay = createRelay({ baseUrl: url, apiKey: service.key, publicUrl: baseUrl });
let isOnline = true;
let requests = 0;
const fetch = async (target: string, init?: object): Promise<Response> => {
  if (!isOnline) throw new TypeError('the network is off');
  requests++;
  return relay.fetch(new Request(target, init));
};

const directory = mkdtempSync(join(tmpdir(), 'portcullis-'));
const open = (): Blocklist => createBlocklist({ baseUrl, fetch, store: fileStore({ directory }) });

async function checkAll(title: string, blocklist: Blocklist): Promise<void> {
  console.log(`\n${title}`);
  const before = requests;
  for (const [input, status] of inputs) {
    const verdict = await blocklist.check(input);
    console.log(`  ${verdict.action.padEnd(6)} ${`${verdict.status}, ${verdict.reason}`.padEnd(26)} ${input}`);
    assert.equal(verdict.status, status, input);
  }
  console.log(`  ${requests - before} requests`);
}

let blocklist = open();
await blocklist.ready();
const { list } = blocklist.status().sources[0]!;
console.log(`${list?.count} entries in ${list?.byteLength} bytes, after ${requests} requests`);
await checkAll('online', blocklist);

isOnline = false;
await checkAll('the network is off', blocklist);
await blocklist.close();

blocklist = open();
await blocklist.ready();
assert.equal(blocklist.status().sources[0]?.list?.count, list?.count);
await checkAll('restarted from the folder, still without a network', blocklist);

await blocklist.close();
await relay.close();
await service.close();
rmSync(directory, { recursive: true });
