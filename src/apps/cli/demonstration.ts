import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../../api/client/node-client.js';
import { createBlocklist } from '../../blocklist/checks/create-blocklist.js';
import type { Blocklist } from '../../blocklist/checks/blocklist-interface.js';
import type { CheckInput } from '../../blocklist/checks/question.js';
import { fileStore } from '../../blocklist/stores/file-store.js';
import type { Verdict } from '../../blocklist/verdict.js';
import { createService, type ServedService } from '../../servers/service/node-service.js';
import { serviceActions } from '../playground/actions.js';
import { wrap } from './arguments/help.js';
import type { Call } from './command.js';
import { type ExitCode, exitCodes } from './errors/exit.js';
import { colourOf } from './lists/verdict-lines.js';
import { fetchOf } from './service/connection.js';
import { limits, type Served, serveService } from './service/serving.js';
import { untilAborted } from './service/until-aborted.js';
import type { Output } from './terminal/output.js';

const address = '0x52908400098527886E0F7030069857D2E4169EE7';
/** Longer than accounts of people are. */
const handle = 'example_wallet_support_desk';
const phone = '+1 202 555 0142';

/** What is reported, reviewed and blocked before the list is fetched, beside the sample list of the service. */
const reported = [`https://t.me/${handle}`, phone];

const inputs: readonly (readonly [shown: string, input: CheckInput, what: string])[] = [
  plain('https://scam-mint.example/claim?ref=1', 'a blocked site'),
  plain('HTTPS://Login.Scam%2DMint.example', 'a subdomain of it'),
  plain('https://notscam-mint.example/', 'a name like it'),
  plain('https://example.com/', 'a good site'),
  plain(address, 'a blocked address'),
  plain(address.toLowerCase(), 'in lower case'),
  plain(`ethereum:${address}`, 'in a payment link'),
  [`@${handle}`, { content: `@${handle}`, type: 'TELEGRAM' }, 'a blocked account'],
  plain(`https://telegram.me/${handle}`, 'a link to it'),
  plain(phone, 'a blocked number'),
  plain('tel:+12025550142', 'as a link'),
];

function plain(input: string, what: string): readonly [string, CheckInput, string] {
  return [input, input, what];
}

interface Shown {
  readonly input: string;
  readonly what: string;
  readonly verdict: Verdict;
  /** Prefixes of 4 bytes that left this machine. */
  readonly sentPrefixes: number;
  readonly microseconds: number;
}

/** The whole of it. The command that calls it is loaded where only its options are asked for; all this is not. */
export async function demonstrate(call: Call): Promise<ExitCode> {
  const { output, options, signal } = call;
  const port = options.number('port', 0, 65_535) ?? 0;
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-demo-'));
  const service = createService({ limits });
  let served: Served | undefined;
  try {
    served = await serveService(service, { port, host: '127.0.0.1' });
    const shown = await show(call, service, served, directory);
    await requirePage(served.pageUrl);
    await output.result(
      { ...shown, playground: served.pageUrl },
      () => `\nSee it in a browser: ${output.paint('bold', served!.pageUrl)}\n`,
    );
    if (output.isTerminal && output.format === 'human') {
      output.note('Ctrl-C ends it.');
      await untilAborted(signal);
    }
    return exitCodes.ok;
  } finally {
    await served?.close();
    await service.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function show({ output, signal }: Call, service: ServedService, served: Served, directory: string) {
  const say = (text: string): Promise<void> => (output.format === 'human' ? output.raw(`${text}\n`) : Promise.resolve());
  const tell = (sentence: string): Promise<void> => say(wrap(sentence, output.columns, ''));
  await tell(`A service, its relay and its page run on ${served.url}.`);
  await block(service, reported);

  let isOnline = true;
  let requests = 0;
  const fetch = (url: string, init?: object): Promise<Response> => {
    if (!isOnline) return Promise.reject(new TypeError('the network is off'));
    requests++;
    return globalThis.fetch(url, init);
  };
  const blocklist = createBlocklist({ baseUrl: served.relayUrl!, fetch, store: fileStore({ directory }), pollMs: 0 });
  try {
    const progress = output.progress('sync');
    blocklist.on('progress', ({ step, bytes, total }) => progress.update(bytes, total, step));
    await blocklist.ready({ signal });
    progress.end();
    const { list } = blocklist.status().sources[0]!;
    if (list === null) throw new Error('the list could not be fetched from the service in this process');
    await tell(`Fetched ${list.count} entries with ${requests} requests, and stored them: ${list.byteLength} bytes.`);
    warmUp(blocklist);
    const online = await checkAll(blocklist, signal);
    await say(`\n${tableOf(online, output)}`);
    isOnline = false;
    const offline = await checkAll(blocklist, signal);
    await say(`\nThe network is off now: ${output.paint('bold', 'offline')}.\n\n${tableOf(offline, output)}\n`);
    const again = offline.filter(({ verdict }, at) => verdict.status === online[at]!.verdict.status).length;
    await tell(`${again} of ${offline.length} verdicts are the same without a network.`);
    return { list: { count: list.count, recentCount: list.recentCount, byteLength: list.byteLength }, online, offline };
  } finally {
    await blocklist.close();
  }
}

/** A program's first calls are slow in any engine, and would be all that one sees here. `test` asks nobody and remembers nothing. */
function warmUp(blocklist: Blocklist): void {
  for (let round = 0; round < warmUpRounds; round++) for (const [, input] of inputs) blocklist.test(input);
}

const warmUpRounds = 500;

/** As an organization does it: a report, and a review that approves. */
async function block(service: ServedService, contents: readonly string[]): Promise<void> {
  const client = createClient({ baseUrl: 'http://localhost', apiKey: service.key, fetch: fetchOf(service) });
  const actions = serviceActions({ client, publish: () => service.publish() });
  for (const content of contents) await actions.block(content);
  await client.close();
}

async function checkAll(blocklist: Blocklist, signal: AbortSignal): Promise<Shown[]> {
  let sentPrefixes = 0;
  const end = blocklist.on('confirm', ({ prefixes, error }) => {
    if (error === undefined) sentPrefixes += prefixes;
  });
  const shown: Shown[] = [];
  for (const [input, question, what] of inputs) {
    sentPrefixes = 0;
    const startMs = performance.now();
    const verdict = await blocklist.check(question, { signal });
    shown.push({ input, what, verdict, sentPrefixes, microseconds: Math.round((performance.now() - startMs) * 1_000) });
  }
  end();
  return shown;
}

/** Widths of the columns before the input. */
const widths = { status: 8, sent: 8, time: 9 } as const;
/** A narrower terminal has the input on a line of its own. */
const columnsMin = 80;

function tableOf(rows: readonly Shown[], { paint, columns }: Output): string {
  const heads = `${'verdict'.padEnd(widths.status)} ${'sent'.padEnd(widths.sent)} ${'time'.padStart(widths.time)}`;
  const about = 'input, and what of it is listed';
  const title = columns < columnsMin ? `${heads}\n  ${about}` : `${heads}  ${about}`;
  const lines = rows.map(({ input, what, verdict, sentPrefixes, microseconds }) => {
    const status = paint(colourOf(verdict), verdict.status.padEnd(widths.status));
    const sent = (sentPrefixes === 0 ? 'nothing' : `${sentPrefixes} × 4 B`).padEnd(widths.sent);
    const time = `${microseconds.toLocaleString('en')} µs`.padStart(widths.time);
    const matched = verdict.expression === undefined ? '' : ` → ${verdict.expression}`;
    const before = `${status} ${sent} ${time}`;
    const indent = ' '.repeat(widths.status);
    return columns < columnsMin
      ? `${before}\n${wrap(input, columns, '  ')}\n${wrap(what + matched, columns, '  ')}`
      : `${before}  ${input}\n${indent} ${paint('dim', what + matched)}`;
  });
  return [paint('dim', title), ...lines].join('\n');
}

/** A page nobody can open is no page. */
async function requirePage(url: string): Promise<void> {
  const response = await fetch(url);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`the page answers ${response.status}`);
}
