import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Blocklist, type CheckInput, createBlocklist, type Verdict } from 'portcullis';
import { createClient } from 'portcullis/client';
import { fileStore } from 'portcullis/stores/file';
import { createService, type ServedService } from 'portcullis/testing';
import { wrap } from './arguments/help.js';
import type { CommandCall } from './command.js';
import { type ExitCode, exitCodes } from './errors/exit-codes.js';
import { colorOf } from './lists/verdict-lines.js';
import { serviceActions } from './playground/actions.js';
import { limits, type Served, serveService } from './service/serving.js';
import { untilAborted } from './service/until-aborted.js';
import { callAgain } from './terminal/call-again.js';
import type { Output } from './terminal/output.js';
import { countText, numberText } from './terminal/unit-text.js';

const address = '0x52908400098527886E0F7030069857D2E4169EE7';
/** Longer than any real handle, so that it names no real account. */
const handle = 'example_wallet_support_desk';
const phone = '+1 202 555 0142';

/** Reported and blocked before the list is fetched, in addition to the sample list. */
const reported = [`https://t.me/${handle}`, phone];

const inputs: readonly (readonly [shown: string, input: CheckInput, what: string])[] = [
  textInput('https://scam-mint.example/claim?ref=1', 'a blocked site'),
  textInput('HTTPS://Login.Scam%2DMint.example', 'a subdomain of it'),
  textInput('https://notscam-mint.example/', 'a similar name'),
  textInput('https://example.com/', 'a harmless site'),
  textInput(address, 'a blocked address'),
  textInput(address.toLowerCase(), 'the same in lower case'),
  textInput(`ethereum:${address}`, 'in a payment link'),
  [`@${handle}`, { content: `@${handle}`, type: 'TELEGRAM' }, 'a blocked account'],
  textInput(`https://telegram.me/${handle}`, 'a link to that account'),
  textInput(phone, 'a blocked number'),
  textInput('tel:+12025550142', 'the same number as a link'),
];

function textInput(input: string, what: string): readonly [string, CheckInput, string] {
  return [input, input, what];
}

interface Shown {
  readonly input: string;
  readonly what: string;
  readonly verdict: Verdict;
  /** Prefixes of 4 bytes that were sent. */
  readonly sentPrefixes: number;
  readonly microseconds: number;
}

/** Kept apart from the command, so that its help does not load all this. */
export async function demonstrate(call: CommandCall): Promise<ExitCode> {
  const { output, options, signal } = call;
  const port = options.number('port', 0, 65_535) ?? 0;
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-demo-'));
  const service = createService({ limits });
  let served: Served | undefined;
  try {
    served = await serveService(service, { port, host: '127.0.0.1' });
    const stays = output.isTerminal && output.format === 'human';
    const until = stays ? '' : ' until this command ends';
    const shown = await show(call, service, served, directory, until);
    await requirePage(served.pageUrl);
    const place = stays ? `: ${output.paint('bold', served.pageUrl)}` : ` with: ${callAgain()} serve`;
    await output.result({ ...shown, playground: served.pageUrl }, () => ['', `Try it in a browser${place}`]);
    if (stays) {
      output.note('Press Ctrl-C to stop.');
      await untilAborted(signal);
    }
    return exitCodes.ok;
  } finally {
    await served?.close();
    await service.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function show({ output, signal }: CommandCall, service: ServedService, served: Served, directory: string, until: string) {
  const say = (text: string): Promise<void> => (output.format === 'human' ? output.text(`${text}\n`) : Promise.resolve());
  const explain = (sentence: string): Promise<void> => say(wrap(sentence, output.columns, ''));
  await explain(`A service, a relay and a page are running on ${served.url}${until}.`);
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
    await explain(
      `Fetched ${countText(list.count + list.recentCount, 'entry')} in ${countText(requests, 'request')} and stored them in ${countText(list.byteLength, 'byte')}.`,
    );
    // The first calls in any engine are slow, and the table would show nothing else. `test` sends and caches nothing.
    for (let round = 0; round < warmUpRounds; round++) for (const [, input] of inputs) blocklist.test(input);
    const online = await checkAll(blocklist, signal);
    await say(`\n${tableOf(online, output)}`);
    isOnline = false;
    const offline = await checkAll(blocklist, signal);
    await say(`\nNow ${output.paint('bold', 'offline')}: the network is turned off.\n\n${tableOf(offline, output)}\n`);
    const again = offline.filter(({ verdict }, at) => verdict.status === online[at]!.verdict.status).length;
    await explain(`${again} of ${offline.length} verdicts are the same without the network.`);
    return { list: { count: list.count, recentCount: list.recentCount, byteLength: list.byteLength }, online, offline };
  } finally {
    await blocklist.close();
  }
}

const warmUpRounds = 500;

/** Reports and approves, as an organization would. */
async function block(service: ServedService, contents: readonly string[]): Promise<void> {
  const client = createClient({ baseUrl: 'http://localhost', apiKey: service.key, fetch: service.fetch });
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
/** A narrower terminal shows the input on its own line. */
const minTableColumns = 80;

function tableOf(rows: readonly Shown[], { paint, columns }: Output): string {
  const heads = `${'verdict'.padEnd(widths.status)} ${'sent'.padEnd(widths.sent)} ${'time'.padStart(widths.time)}`;
  const about = 'input, and the matching entry';
  const title = columns < minTableColumns ? `${heads}\n  ${about}` : `${heads}  ${about}`;
  const lines = rows.map(({ input, what, verdict, sentPrefixes, microseconds }) => {
    const status = paint(colorOf(verdict), verdict.status.padEnd(widths.status));
    const sent = (sentPrefixes === 0 ? 'nothing' : `${sentPrefixes} × 4 B`).padEnd(widths.sent);
    const time = timeText(microseconds).padStart(widths.time);
    const matched = verdict.expression === undefined ? '' : ` → ${verdict.expression}`;
    const before = `${status} ${sent} ${time}`;
    const indent = ' '.repeat(widths.status);
    return columns < minTableColumns
      ? `${before}\n${wrap(input, columns, '  ')}\n${wrap(what + matched, columns, '  ')}`
      : `${before}  ${input}\n${indent} ${paint('dim', what + matched)}`;
  });
  return [paint('dim', title), ...lines].join('\n');
}

/** More microseconds than this do not fit in the column. */
const maxMicroseconds = 10_000;

function timeText(microseconds: number): string {
  return microseconds < maxMicroseconds ? `${numberText(microseconds)} µs` : `${numberText(Math.round(microseconds / 1_000))} ms`;
}

/** Fails if the page cannot be opened. */
async function requirePage(url: string): Promise<void> {
  const response = await fetch(url);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`the page responded with ${response.status}`);
}
