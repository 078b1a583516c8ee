import { createHash } from 'node:crypto';
import { createBlocklist } from 'portcullis';
import { safeBrowsingSource, textSource } from 'portcullis/sources';
import { memoryStore } from 'portcullis/stores';
import { expect, test } from 'vitest';
import { hostsOf, randomOf, renderingsOf } from '../../support/list-renderings.js';
import { type Answer, serve } from '../../support/scripted-server.js';
import { isDeep } from '../../support/setup.js';
import { type AnswerFault, answerFaults, apiKey, type ListFault, listFaults, serveThreats } from '../../support/threat-server.js';
import { hasty, hostFaults } from './harness.js';

/** One fault of one of the two sources, or of a confirmation. */
type Fault =
  | { readonly of: 'list'; readonly fault: ListFault }
  | { readonly of: 'update' | 'confirmation'; readonly fault: AnswerFault }
  | { readonly of: 'text'; readonly answer: (bytes: Buffer) => Answer };

const faults: readonly Fault[] = [
  ...listFaults.map((fault): Fault => ({ of: 'list', fault })),
  ...answerFaults.map((fault): Fault => ({ of: 'update', fault })),
  ...answerFaults.map((fault): Fault => ({ of: 'confirmation', fault })),
  ...hostFaults.map(([, answer]): Fault => ({ of: 'text', answer })),
];

const hourMs = 3_600_000;
const list = 'se-4b';
const updates = isDeep ? 1_000 : 12;

test(`Safe Browsing beside a list in any format, through ${updates} updates, restarts and every fault`, async () => {
  const random = randomOf(Number(process.env['PORTCULLIS_SEED'] ?? 11));
  let nowMs = 1_700_000_000_000;
  const now = (): number => nowMs;
  const hosts = hostsOf(random, 120);
  const hashOf = (host: string): string => createHash('sha256').update(`${host}/`).digest('hex');
  const some = (share: number): Set<string> => new Set(hosts.filter(() => random() < share));

  const threats = await serveThreats({ names: [list], now, random });
  for (const host of hosts) threats.full.set(hashOf(host), [{ threatType: 'SOCIAL_ENGINEERING' }]);
  let body = '';
  let etag = '';
  let textFault: ((bytes: Buffer) => Answer) | null = null;
  const text = await serve(({ method, headers }) => {
    if (textFault !== null) return method === 'HEAD' ? { status: 405 } : textFault(Buffer.from(body));
    return headers['if-none-match'] === etag ? { status: 304 } : { body, headers: { etag } };
  });

  const store = memoryStore();
  const times = { timeoutMs: hasty.timeoutMs, artifactTimeoutMs: hasty.artifactTimeoutMs };
  const open = () =>
    createBlocklist({
      sources: [
        safeBrowsingSource({ apiKey, lists: [list], baseUrl: `${threats.origin}/v5`, now, ...times }),
        textSource({ id: 'text', url: text.origin, format: 'auto', ...times }),
      ],
      store,
      pollMs: 0,
      now,
      random,
    });
  let blocklist = open();
  /** What the services publish, and what the client must hold. */
  const published = { threats: new Set<string>(), text: new Set<string>() };
  const held = { ...published };
  const statusOf = async (host: string) => (await blocklist.check(`https://www.${host}/x?y`)).status;
  const expectVerdicts = async (where: string): Promise<void> => {
    const blocked = new Set<string>();
    for (const host of hosts) {
      const status = await statusOf(host);
      if (status === 'blocked') blocked.add(host);
      else expect(status, `${where}: ${host}`).toBe('clear');
    }
    expect([...blocked].sort(), where).toEqual([...new Set([...held.threats, ...held.text])].sort());
  };

  /** The faults that an answer had. */
  const met = new Set<Fault>();
  for (let update = 0; update < updates; update++) {
    nowMs += hourMs * (1 + random());
    if (random() < 0.7) {
      published.threats = some(random() < 0.1 ? 0 : 0.4);
      threats.change(
        list,
        [...published.threats].map((host) => hashOf(host).slice(0, 8)),
      );
    }
    if (update === 0 || random() < 0.7) {
      published.text = some(0.4);
      const renderings = renderingsOf([...published.text], random);
      body = renderings[Math.floor(random() * renderings.length)]!.text;
      etag = `"${update}"`;
    }
    const fault = update > 0 && update % 2 === 0 ? faults[(update / 2) % faults.length]! : null;
    if (fault?.of === 'list') threats.lists.get(list)!.fault = fault.fault;
    if (fault?.of === 'update') threats.faults.push(fault.fault);
    if (fault?.of === 'text') textFault = fault.answer;
    if (random() < 0.1) threats.lists.get(list)!.states.splice(0, threats.lists.get(list)!.states.length - 1);

    const first = (await blocklist.sync()).sources;
    // A list that has become empty or much smaller is accepted when it comes again.
    const isDoubted = first.some(({ error }) => error?.code === 'SUSPICIOUS_LIST');
    if (isDoubted) nowMs += hourMs;
    const again = isDoubted ? (await blocklist.sync()).sources : [];
    const results = [...first.filter(({ error }) => error?.code !== 'SUSPICIOUS_LIST'), ...again];
    for (const { source, outcome, error } of results) {
      const isText = source === 'text';
      const mayFail = isText ? fault?.of === 'text' : fault?.of === 'list' || fault?.of === 'update';
      // A busy machine may miss the short time limit without a fault.
      if (!mayFail && error?.code !== 'TIMEOUT') expect(outcome, `${source} ${error}`).toMatch(/updated|unchanged/);
      if (outcome === 'failed' && mayFail) met.add(fault!);
      if (outcome === 'failed') continue;
      if (isText) held.text = published.text;
      else held.threats = published.threats;
    }
    // A refused version, and changes that cannot be used, are followed by the whole list, so that the round does not fail.
    if (fault?.of === 'list' && threats.lists.get(list)!.fault === null) met.add(fault);
    if (fault?.of === 'update' && threats.faults.length === 0) met.add(fault);
    threats.lists.get(list)!.fault = null;
    threats.faults.length = 0;
    textFault = null;

    if (fault?.of === 'confirmation') {
      const asked = [...held.threats].filter((host) => !held.text.has(host));
      threats.faults.push(...asked.map(() => fault.fault));
      for (const host of asked.slice(0, 3)) expect(await statusOf(host), fault.fault).not.toBe('clear');
      met.add(fault);
      threats.faults.length = 0;
      nowMs += hourMs;
    }
    await expectVerdicts(`after update ${update}`);
    if (random() < 0.2) {
      await blocklist.close();
      blocklist = open();
      await blocklist.ready();
      await expectVerdicts(`restart after update ${update}`);
    }
  }
  await blocklist.close();
  if (isDeep) expect(faults.filter((fault) => !met.has(fault))).toEqual([]);
});
