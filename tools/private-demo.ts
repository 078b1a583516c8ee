/**
 * Shows on this machine that nobody sees who asks what, and that nobody can be given a list of their own: a list with a log and a gateway, a
 * relay and two witnesses in processes of their own, and clients in Chromium. Exits with 1 unless everything was seen.
 *
 *   npm run demo:private [-- --json]
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type Browser, chromium } from 'playwright';
import { readLogPolicy } from 'portcullis/publish';
import { createOutput } from '../apps/cli/terminal/output.js';
import { hasCode } from '../src/core/errors.js';
import { findChromium } from './find-chromium.js';
import type { Client, ClientOptions, ClientState } from './private-demo/page.js';
import { endProcesses, startRelay, startWitness } from './private-demo/processes.js';
import { startPublisher } from './private-demo/publisher.js';
import { sideBySide } from './private-demo/side-by-side.js';

const scam = 'scam-mint.example';
const link = `https://${scam}/claim?ref=1`;
const hosts = [scam, 'claim-airdrop.example', 'wallet-support.example'];
/** As hex: what a list has of it, and what a confirmation asks about. */
const prefix = createHash('sha256').update(scam).digest('hex').slice(0, 8);
/** A run takes ten to twenty seconds, half of which are the starts of Chromium and of the programs. */
const maxMs = 180_000;

const isJson = process.argv.includes('--json');
const output = createOutput(process, { format: isJson ? 'json' : 'human', isQuiet: false, isPlain: false });
const { paint } = output;

async function say(...lines: readonly string[]): Promise<void> {
  if (!isJson) await output.result(null, () => lines);
}

/** What was to be seen, and whether it was. */
const seen: Record<string, boolean> = {};
async function expectSeen(what: string, isSeen: boolean): Promise<void> {
  seen[what] = isSeen;
  await say(`${isSeen ? paint('green', 'yes') : paint('red', 'NO ')}  ${what}`);
}

/** Runs in the order of its steps; the first part is about questions, the second about lists. */
async function demonstrate(folder: string, browser: Browser) {
  const publisher = await startPublisher({ '/': page, '/client.js': await clientScript() });
  try {
    const { everybody, targeted } = publisher;
    const relay = await startRelay(`${publisher.origin}/ohttp`);
    const names = ['w1', 'w2'];
    const witnesses = await Promise.all(names.map((name) => startWitness(join(folder, name), name, publisher.logKey)));
    const policy = readLogPolicy(
      [
        `log ${publisher.logKey}`,
        ...witnesses.map(({ name, vkey, url }) => `witness ${name} ${vkey} ${url}`),
        `group both all ${names.join(' ')}`,
        'quorum both',
        '',
      ].join('\n'),
    );
    const { url, publicKey } = publisher;
    const open = (name: string, vkeys = witnesses.map(({ vkey }) => vkey)): Promise<PageClient> =>
      openClient(browser, publisher.origin, name, {
        url,
        publicKey,
        relay: relay.url,
        log: { key: publisher.logKey, witnesses: vkeys },
      });

    await say(paint('bold', 'Ask without being seen'), '');
    await publisher.publish(everybody, hosts, policy);
    const anna = await open('Anna');
    const first = await anna.check(link);
    const [byRelay, byGateway] = [relay.received(), publisher.received];
    await say(
      `Anna checks ${link} in Chromium: ${paint('red', first.verdict.status)}. The hit was confirmed in ${byRelay.length} sealed requests.`,
      '',
      ...sideBySide(
        {
          title: `Relay, process ${relay.pid}`,
          lines: byRelay.flatMap(({ from, headers, body }) => [
            `from ${from}, ${agentIn(headers)}`,
            `  ${(body.length / 2).toLocaleString('en')} bytes ${body.slice(0, 20)}…`,
          ]),
        },
        {
          title: `Gateway, process ${process.pid}`,
          // The rest of a name is a digest of the file.
          lines: byGateway.flatMap(({ from, asked }) => [`from ${from}, the relay`, `  ${asked.replace(/-\w+/, '-…')}`]),
        },
        output.columns,
        (text) => paint('bold', text),
      ),
      '',
    );
    const clients = byRelay.flatMap(({ from, headers }) => [from, agentIn(headers)]);
    const toRelay = JSON.stringify(byRelay);
    const toGateway = JSON.stringify(byGateway);
    const isShard = ({ asked }: { readonly asked: string }): boolean => asked.includes(`/confirm/${prefix.slice(0, 3)}-`);
    await expectSeen('Anna is warned about the link', first.verdict.status === 'blocked' && first.verdict.expression === scam);
    await expectSeen(
      `the relay knows the address, and the prefix ${prefix} is in nothing that it received`,
      byRelay.length > 0 && clients.includes('Anna') && !toRelay.includes(prefix) && !toRelay.includes(`confirm/`),
    );
    await expectSeen(
      `the gateway knows what is asked (${prefix.slice(0, 3)}…, 12 bits), and nothing of Anna is in what it received`,
      byGateway.some(isShard) && !clients.some((one) => toGateway.includes(JSON.stringify(one))),
    );
    await expectSeen(
      'no question went to the host of the list in another way',
      publisher.direct.some((path) => path.endsWith('/version.json')) &&
        !publisher.direct.some((path) => /sums-|confirm/.test(path)),
    );
    const lengths = new Set(byRelay.map(({ body }) => body.length / 2));
    await expectSeen('all sealed requests have one length', lengths.size === 1);

    await say('', paint('bold', 'Prove that everyone gets this list'), '');
    const [ben, cleo] = [await open('Ben'), await open('Cleo', [])];
    const copy = new Map(everybody);
    const second = await publisher.publish(everybody, [...hosts, 'new-scam.example'], policy);
    await Promise.all([anna, ben, cleo].map((client) => client.poll()));
    await say(
      `Version ${second.index + 1} is in the log, cosigned by ${second.cosigned.join(' and ')} (processes ${witnesses.map(({ pid }) => pid).join(' and ')}).`,
      `Now the publisher signs another history of the log, in which ${scam} was never listed, for Anna and Cleo alone.`,
      '',
    );
    const forked = hosts.filter((host) => host !== scam);
    const refusal: unknown = await publisher.publish(new Map(copy), forked, policy).catch((error: unknown) => error);
    await expectSeen(
      'the witnesses do not cosign it, because it does not extend what they have (LOG_FORKED)',
      hasCode(refusal, 'LOG_FORKED'),
    );
    await publisher.publish(copy, forked);
    for (const name of ['Anna', 'Cleo']) targeted.set(name, copy);
    await Promise.all([anna, ben, cleo].map((client) => client.poll()));
    const states = { anna: await anna.check(link), ben: await ben.check(link), cleo: await cleo.check(link) };
    await say(stateLine('Anna', states.anna), stateLine('Ben', states.ben), stateLine('Cleo', states.cleo), '');
    await expectSeen(
      'Anna, who asks for two witnesses, refused it within one poll (LOG_NOT_WITNESSED) and is still warned',
      isKept(states.anna, 'LOG_NOT_WITNESSED'),
    );
    await expectSeen(
      'Cleo, who asks for none, refused it within one poll (LOG_FORKED) and is still warned',
      isKept(states.cleo, 'LOG_FORKED'),
    );
    await expectSeen('Ben has the list of everybody', states.ben.alarms.length === 0 && states.ben.entries === hosts.length + 1);
    const processes = new Set([process.pid, relay.pid, ...witnesses.map(({ pid }) => pid)]);
    await expectSeen('gateway, relay and witnesses are four processes', processes.size === 4);
    return { link, prefix, relay: byRelay, gateway: byGateway, clients: states, seen };
  } finally {
    publisher.close();
  }
}

type PageClient = Pick<Client, 'poll' | 'check'>;

/** Each client has its own context, and its name as user agent. */
async function openClient(browser: Browser, origin: string, name: string, options: ClientOptions): Promise<PageClient> {
  const tab = await (await browser.newContext({ userAgent: name })).newPage();
  await tab.goto(`${origin}/`);
  await tab.waitForFunction(() => 'client' in globalThis);
  await tab.evaluate((given) => (globalThis as unknown as { client: Client }).client.open(given), options);
  return {
    poll: () => tab.evaluate(() => (globalThis as unknown as { client: Client }).client.poll()),
    check: (text) => tab.evaluate((given) => (globalThis as unknown as { client: Client }).client.check(given), text),
  };
}

function isKept({ verdict, alarms, entries }: ClientState, code: string): boolean {
  return verdict.status === 'blocked' && alarms.join() === code && entries === hosts.length + 1;
}

function stateLine(name: string, { verdict, entries, alarms }: ClientState): string {
  const refused = alarms.length === 0 ? '' : `, refused a list with ${alarms.join()}`;
  return `${name.padEnd(4)} ${verdict.status}, ${entries} entries${refused}`;
}

const agentIn = (headers: readonly string[]): string =>
  headers[headers.findIndex((name) => /^user-agent$/i.test(name)) + 1] ?? '';

const page = '<!doctype html><title>client</title><script type="module" src="client.js"></script>';

async function clientScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('private-demo/page.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    // Resolves the package's public names to its sources.
    tsconfig: fileURLToPath(new URL('../tsconfig.tools.json', import.meta.url)),
    logLevel: 'warning',
  });
  return outputFiles[0]!.text;
}

function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error('Chromium is missing; npx tsx tools/find-chromium.ts installs it or says how');
  // Chromium's sandbox refuses to run as root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args });
}

const timer = setTimeout(() => {
  console.error(`did not end within ${maxMs / 1_000} seconds`);
  process.exit(1);
}, maxMs);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));

const folder = mkdtempSync(join(tmpdir(), 'portcullis-private-'));
process.on('exit', () => {
  endProcesses();
  rmSync(folder, { recursive: true, force: true });
});
const browser = await launchBrowser();
try {
  const facts = await demonstrate(folder, browser);
  if (isJson) await output.result(facts, () => []);
} finally {
  clearTimeout(timer);
  await browser.close();
  endProcesses();
}
if (!Object.values(seen).every(Boolean)) process.exitCode = 1;
