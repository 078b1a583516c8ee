import { createExtensionGuard, type ExtensionBrowser, type GateRule, type RuleUpdate } from 'portcullis/extension';
import { expect, test, vi } from 'vitest';
import type { ListResult } from '../../../src/blocklist/model/blocklist-interface.js';
import type { Verdict } from '../../../src/blocklist/model/verdict.js';
import { shownAdvisory } from '../../../src/guards/extension/gate-messages.js';
import { addPass, type GatePass, maxPasses } from '../../../src/guards/extension/gate-passes.js';
import { navigationEvents } from './simulated-browser.js';

const gate = 'chrome-extension://own/gate.html';

/** A browser that records what it is told, and whose events the test fires. */
function recordedBrowser() {
  const listeners = new Map<string, (...values: never[]) => unknown>();
  const event = (name: string) => ({ addListener: (listener: (...values: never[]) => unknown) => listeners.set(name, listener) });
  const rules = new Map<number, GateRule>();
  const updates: { tabId: number; url: string }[] = [];
  const removed: number[] = [];
  const discarded: number[] = [];
  const reloaded: number[] = [];
  const tab: { url?: string; pendingUrl?: string; status?: string } = {};
  const stored: Record<string, unknown> = {};
  const browser = {
    alarms: { get: vi.fn(async () => undefined), create() {}, onAlarm: event('alarm') },
    declarativeNetRequest: {
      getDynamicRules: async () => [],
      updateDynamicRules: vi.fn(async () => {}),
      getSessionRules: async () => [...rules.values()],
      async updateSessionRules({ removeRuleIds, addRules }: RuleUpdate) {
        for (const id of removeRuleIds) rules.delete(id);
        for (const rule of addRules) {
          if (rules.has(rule.id)) throw new Error('duplicate id');
          rules.set(rule.id, rule);
        }
      },
    },
    runtime: { id: 'own', getURL: (path: string) => `chrome-extension://own/${path}`, onMessage: event('message') },
    storage: {
      session: {
        get: async () => structuredClone(stored),
        set: async (values: object) => void Object.assign(stored, structuredClone(values)),
      },
    },
    tabs: {
      query: async () => [],
      get: async () => tab,
      discard: async (tabId: number) => {
        discarded.push(tabId);
        return { id: tabId + 100 };
      },
      remove: async (tabId: number) => void removed.push(tabId),
      reload: async (tabId: number) => void reloaded.push(tabId),
      update: async (tabId: number, { url }: { url: string }) => void updates.push({ tabId, url }),
      onRemoved: event('removed'),
    },
    webNavigation: navigationEvents(event),
  } as unknown as ExtensionBrowser;
  const fire = (name: string, ...values: unknown[]): unknown => listeners.get(name)!(...(values as never[]));
  const ask = (portcullis: string, url: string, sender: object = {}): Promise<unknown> =>
    new Promise((resolve) => {
      const from = { id: 'own', url: `${gate}?${url}`, frameId: 0, tab: { id: 1 }, ...sender };
      if (fire('message', { portcullis, url }, from, resolve) !== true) resolve('ignored');
    });
  const scope = {
    addEventListener: (name: 'fetch', listener: (request: never) => unknown) => void listeners.set(name, listener),
    fetch: async () => new Response('the gate page'),
  };
  /** What the browser gets for the address of the gate: where it leads, or `page`. */
  const request = async (link: string, destination = 'document', page = gate): Promise<string> => {
    let response: Promise<Response> | undefined;
    const respondWith = (given: Promise<Response>): void => {
      response = given;
    };
    fire('fetch', { request: { url: `${page}?${link}`, destination }, respondWith });
    return response === undefined ? 'unanswered' : ((await response).headers.get('location') ?? 'page');
  };
  /** What the passes let past. */
  const filters = (): unknown[] => [...rules.values()].flatMap(({ condition }) => condition.urlFilter ?? []);
  return { browser, scope, rules, tab, updates, removed, discarded, reloaded, fire, ask, request, filters };
}

function startGuard(nowMs: () => number = () => 0) {
  const recorded = recordedBrowser();
  let generation = 1;
  let changed = (_: { generation: number }): void => {};
  const listed: string[] = [];
  const test = (url: string): Verdict => {
    if (url.includes('broken')) throw new Error('closed');
    if (url.includes('scam') || listed.some((host) => url.includes(host)))
      return { status: 'blocked', action: 'block', reason: 'confirmed' };
    if (url.includes('unknown')) return { status: 'unknown', action: 'allow', reason: 'no-list' };
    return { status: 'clear', action: 'allow', reason: 'not-listed' };
  };
  const blocklist = {
    test,
    check: async (url: string) => test(url),
    ready: async () => {},
    sync: async (): Promise<ListResult> => ({ source: 'own', outcome: 'unchanged' }),
    on: (_: string, listener: (event: never) => void) => {
      changed = listener as unknown as typeof changed;
      return () => {};
    },
  };
  const { browser, scope } = recorded;
  const start = () => createExtensionGuard({ browser, scope, blocklist, now: nowMs, skipMs: 60_000, onceMs: 10_000 });
  return { ...recorded, blocklist, start, guard: start(), change: () => changed({ generation: generation++ }), listed };
}

/** What the tabs show, by their id, and the frames of each. The links may change. */
function showTabs(browser: ExtensionBrowser, urls: readonly string[], frames: readonly object[] = []): void {
  Object.assign(browser.tabs, {
    query: async () => urls.map((url, id) => ({ id, url })),
    get: async (id: number) => ({ id, url: urls[id] }),
  });
  Object.assign(browser.webNavigation, { getAllFrames: async () => frames });
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

async function alarm(fire: (name: string, ...values: unknown[]) => unknown): Promise<void> {
  fire('alarm', { name: 'portcullis' });
  await settle();
}

test('a clean origin is opened by a redirect and gets a pass without its subdomains; a listed one and one that cannot be checked get none', async () => {
  const { ask, request, filters } = startGuard();
  expect(await request('http://good.example/a?b=%2F#c')).toBe('http://good.example/a?b=%2F#c');
  expect(await request('http://scam.example/')).toBe('page');
  expect(await request('http://broken.example/')).toBe('page');
  expect(await ask('decide', 'http://scam.example/')).toEqual({ opens: false, status: 'blocked', steps: 1 });
  expect(await ask('decide', 'http://broken.example/')).toEqual({ opens: false, status: 'unknown', steps: 1 });
  expect(filters()).toEqual(['|http://good.example/']);
});

test('the gate page gets the advisory of the list that decided, and shows no link that is not https:', async () => {
  const { ask, blocklist } = startGuard();
  const advisory = { text: '<b>This may be wrong.</b>', link: 'https://terms.example/', attribution: 'A publisher' };
  blocklist.check = async (url) => ({ ...blocklist.test(url), ...(url.includes('scam') && { advisory }) });
  expect(await ask('decide', 'http://scam.example/')).toEqual({ opens: false, status: 'blocked', steps: 1, advisory });
  expect(shownAdvisory(advisory)).toEqual(advisory);
  for (const other of ['http://terms.example/', 'javascript:alert(1)', 'data:text/html,x', '//terms.example', '', 1])
    expect(shownAdvisory({ ...advisory, link: other })).toBeUndefined();
  for (const other of [undefined, null, 'text', {}, { ...advisory, text: 1 }]) expect(shownAdvisory(other)).toBeUndefined();
});

test('only a page of a tab is opened by a redirect, and only to the web', async () => {
  const { request, filters } = startGuard();
  expect(await request('http://good.example/', 'iframe')).toBe('unanswered');
  expect(await request('http://good.example/', 'document', 'chrome-extension://own/popup.html')).toBe('unanswered');
  expect(await request('javascript:alert(1)')).toBe('unanswered');
  expect(filters()).toEqual([]);
});

test('a gate page that loads for a link that opens is loaded again once, and warns if the browser does not ask', async () => {
  const { ask, request, reloaded } = startGuard();
  const url = 'http://good.example/';
  expect(await ask('decide', url)).toMatchObject({ opens: true });
  expect(await request(url)).toBe(url);
  expect(await ask('decide', url)).toMatchObject({ opens: true });
  expect(await ask('decide', url)).toMatchObject({ opens: false });
  expect(reloaded).toEqual([1, 1]);
});

test('only the top frame of the gate page is answered, and only about web pages', async () => {
  const { ask, filters } = startGuard();
  const url = 'http://scam.example/';
  for (const sender of [
    { id: 'other' },
    { frameId: 1 },
    { url: 'http://scam.example/' },
    { url: `${gate}.evil` },
    { tab: undefined },
  ]) {
    expect(await ask('once', url, sender)).toBe('ignored');
  }
  for (const other of ['javascript:alert(1)', 'chrome-extension://own/other.html', 'none']) {
    expect(await ask('once', other)).toBe('ignored');
  }
  expect(filters()).toEqual([]);
});

test('"open once" is for one tab, ends, and survives a change of the list, which ends only the passes of what it names', async () => {
  let nowMs = 0;
  const { ask, request, reloaded, rules, change, guard, listed, filters } = startGuard(() => nowMs);
  await guard.ready();
  expect(await ask('once', 'http://scam.example/')).toMatchObject({ opens: true });
  expect(reloaded).toEqual([1]);
  expect(await request('http://scam.example/')).toBe('http://scam.example/');
  expect(await request('http://scam.example/')).toBe('page');
  await request('http://good.example/');
  await request('http://other.example/');
  listed.push('good.example');
  change();
  await expect.poll(filters).toEqual(['|http://scam.example/', '|https://scam.example/', '|http://other.example/']);
  expect([...rules.values()][0]?.condition.tabIds).toEqual([1]);
  expect(await ask('decide', 'http://scam.example/', { tab: { id: 2 } })).toMatchObject({ opens: false });
  nowMs = 10_000;
  expect(await ask('decide', 'http://scam.example/')).toMatchObject({ opens: false });
});

test('what opens without knowing gets a pass for ten seconds', async () => {
  let nowMs = 0;
  const { request, rules, fire } = startGuard(() => nowMs);
  expect(await request('http://unknown.example/')).toBe('http://unknown.example/');
  expect(rules.size).toBe(1);
  nowMs = 10_000;
  fire('alarm', { name: 'portcullis' });
  await expect.poll(() => rules.size).toBe(0);
});

test('"open once" ends with its tab', async () => {
  const { ask, rules, fire } = startGuard();
  await ask('once', 'http://scam.example/');
  expect([...rules.values()][0]?.condition.tabIds).toEqual([1]);
  fire('removed', 1);
  await expect.poll(() => rules.size).toBe(0);
});

test.each([
  ['on its way', "scam's", 'scam%27s'],
  ['on its way', 'scam', 'scam'],
  ['replaced already', 'scam', 'scam'],
])('a page that commits while its warning is %s gets no second one: %s', async (when, path, encoded) => {
  const { ask, request, tab, updates, fire } = startGuard();
  const url = `http://good.example/${path}`;
  const link = `http://good.example/${encoded}`;
  const warning = `${gate}?${link}`;
  await request('http://good.example/');
  fire('before', { tabId: 1, frameId: 0, url });
  await expect.poll(() => updates).toEqual([{ tabId: 1, url: warning }]);
  expect(await ask('leave', link)).toMatchObject({ steps: 1 });
  Object.assign(tab, when === 'on its way' ? { url, pendingUrl: warning } : { url: 'http://good.example/' });
  fire('committed', { tabId: 1, frameId: 0, url });
  fire('committed', { tabId: 1, frameId: 0, url: warning });
  await expect.poll(() => ask('leave', link)).toMatchObject({ steps: 2 });
  // Another page ends the record: the next visit is a single step again.
  fire('committed', { tabId: 1, frameId: 0, url: 'http://good.example/' });
  await expect.poll(() => ask('leave', link)).toMatchObject({ steps: 1 });
  expect(updates).toHaveLength(1);
});

test('a listed page that loads again after its warning is warned again', async () => {
  const { tab, updates, fire } = startGuard();
  const url = 'http://scam.example/';
  for (const count of [1, 2]) {
    Object.assign(tab, { url });
    fire('committed', { tabId: 1, frameId: 0, url });
    await expect.poll(() => updates).toHaveLength(count);
    fire('committed', { tabId: 1, frameId: 0, url: `${gate}?${url}` });
  }
});

test('a listed page that is kept open is tried again at the next alarm, and discarded at the one after', async () => {
  const { updates, discarded, fire } = startGuard();
  const url = 'http://scam.example/';
  fire('committed', { tabId: 1, frameId: 0, url });
  fire('committed', { tabId: 2, frameId: 0, url });
  await expect.poll(() => updates).toHaveLength(2);
  fire('committed', { tabId: 2, frameId: 0, url: `${gate}?${url}` });
  // An address of its own does not free it.
  fire('history', { tabId: 1, frameId: 0, url: 'http://scam.example/#kept' });
  await expect.poll(() => updates).toHaveLength(3);
  fire('alarm', { name: 'portcullis' });
  await expect.poll(() => updates).toHaveLength(4);
  expect(updates[3]?.tabId).toBe(1);
  expect(discarded).toEqual([]);
  fire('alarm', { name: 'portcullis' });
  await expect.poll(() => updates).toHaveLength(5);
  expect(discarded).toEqual([1]);
  expect(updates[4]).toEqual({ tabId: 101, url: `${gate}?http://scam.example/#kept` });
});

test('a page that is listed no longer, or opened once, is not tried again', async () => {
  const { updates, discarded, fire, ask, listed } = startGuard();
  listed.push('kept.example', 'once.example');
  for (const [tabId, host] of ['kept.example', 'once.example'].entries()) {
    fire('committed', { tabId, frameId: 0, url: `http://${host}/` });
  }
  await expect.poll(() => updates).toHaveLength(2);
  const url = 'http://once.example/';
  await ask('once', url, { url: `${gate}?${url}`, tab: { id: 1 } });
  listed.shift();
  for (let at = 0; at < 2; at++) {
    fire('alarm', { name: 'portcullis' });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(updates).toHaveLength(2);
  expect(discarded).toEqual([]);
});

test('a verdict that arrives late does not replace a page on another origin, and still replaces one on the same', async () => {
  const { blocklist, updates, fire } = startGuard();
  let decide = (): void => {};
  const decided = new Promise<void>((resolve) => {
    decide = resolve;
  });
  blocklist.check = async (url) => {
    if (url.includes('scam')) await decided;
    return blocklist.test(url);
  };
  const go = (tabId: number, url: string): void => {
    fire('before', { tabId, frameId: 0, url });
    fire('committed', { tabId, frameId: 0, url });
  };
  go(1, 'http://good.example/scam');
  go(1, 'http://bank.example/form');
  go(2, 'http://good.example/scam');
  go(2, 'http://good.example/next');
  go(3, 'http://good.example/around');
  fire('before', { tabId: 3, frameId: 5, url: 'http://scam.example/framed' });
  go(3, 'http://bank.example/form');
  await new Promise((resolve) => setTimeout(resolve, 20));
  decide();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(new Set(updates.map(({ tabId }) => tabId))).toEqual(new Set([2]));
});

test('a rule that the browser refuses is tried again at the alarm, and the status says so meanwhile', async () => {
  const { browser, start, fire } = startGuard();
  const update = vi.mocked(browser.declarativeNetRequest!.updateDynamicRules);
  update.mockRejectedValue(new Error('quota'));
  const guard = start();
  await expect(guard.ready()).rejects.toThrow('quota');
  expect(await guard.status()).toMatchObject({ isGateRefused: true });
  fire('alarm', { name: 'portcullis' });
  expect(await guard.status()).toMatchObject({ isGateRefused: true });
  update.mockResolvedValue(undefined);
  fire('alarm', { name: 'portcullis' });
  await expect.poll(() => guard.status()).toMatchObject({ isGateRefused: false });
});

test('long links are not stored, so that the storage of the session does not fill up', async () => {
  const { browser, updates, guard, fire, ask } = startGuard();
  const url = `http://scam.example/${'x'.repeat(100_000)}`;
  fire('committed', { tabId: 1, frameId: 0, url });
  await expect.poll(() => updates).toHaveLength(1);
  await ask('decide', url);
  expect((await guard.status()).lastBlock?.url).toHaveLength(8_192);
  expect(JSON.stringify(await browser.storage.session.get('')).length).toBeLessThan(20_000);
});

test('a chain of redirects that is too long for the browser goes on, but not for ever', async () => {
  const { reloaded, fire } = startGuard();
  const fail = (error: string): unknown => fire('failed', { tabId: 1, frameId: 0, url: 'http://hop.example/', error });
  fail('net::ERR_ABORTED');
  expect(reloaded).toEqual([]);
  for (let at = 0; at < 10; at++) fail('net::ERR_TOO_MANY_REDIRECTS');
  expect(reloaded).toEqual([1, 1, 1]);
  fire('committed', { tabId: 1, frameId: 0, url: 'http://good.example/' });
  fail('net::ERR_TOO_MANY_REDIRECTS');
  expect(reloaded).toHaveLength(4);
});

test('a worker that fetches a list is kept awake until it has it', async () => {
  vi.useFakeTimers();
  try {
    const { browser, blocklist, fire } = startGuard();
    const calls = vi.mocked(browser.alarms.get).mock.calls;
    let finish = (): void => {};
    blocklist.sync = () =>
      new Promise((resolve) => {
        finish = () => resolve({ source: 'own', outcome: 'unchanged' });
      });
    fire('alarm', { name: 'portcullis' });
    await vi.advanceTimersByTimeAsync(1_000);
    const before = calls.length;
    await vi.advanceTimersByTimeAsync(120_000);
    expect(calls.length - before).toBeGreaterThanOrEqual(4);
    finish();
    await vi.advanceTimersByTimeAsync(1);
    const after = calls.length;
    await vi.advanceTimersByTimeAsync(120_000);
    expect(calls.length).toBe(after);
  } finally {
    vi.useRealTimers();
  }
});

test('each alarm finds what was lost with a worker or with a list that cannot be stored: open pages, passes and places', async () => {
  const { browser, guard, blocklist, change, fire, ask, request, filters, rules, updates, listed } = startGuard();
  await guard.ready();
  blocklist.check = async (url) => {
    const { hostname } = new URL(url);
    const verdict = blocklist.test(url);
    return verdict.status === 'blocked' ? { ...verdict, expression: hostname } : verdict;
  };
  listed.push('gone');
  await request('http://late.example/');
  await ask('decide', 'http://gone.example/');
  change();
  await expect.poll(() => filters()).toEqual(['|http://late.example/']);
  expect([...rules.values()].flatMap(({ condition }) => condition.requestDomains ?? [])).toContain('gone.example');
  // No event tells of it.
  listed.splice(0, 1, 'late');
  showTabs(browser, ['http://late.example/open']);
  fire('alarm', { name: 'portcullis' });
  await expect.poll(() => updates).toEqual([{ tabId: 0, url: `${gate}?http://late.example/open` }]);
  expect(filters()).toEqual([]);
  expect([...rules.values()].flatMap(({ condition }) => condition.requestDomains ?? [])).toEqual([
    'late.example',
    'late.example',
  ]);
});

test('an alarm counts no page that is observed again', async () => {
  const { browser, guard, blocklist, fire } = startGuard();
  await guard.update({ blocklist, mode: 'observe' });
  showTabs(browser, ['http://scam.example/']);
  fire('committed', { tabId: 0, frameId: 0, url: 'http://scam.example/' });
  await expect.poll(() => guard.status()).toMatchObject({ blockedCount: 1 });
  for (let at = 0; at < 3; at++) await alarm(fire);
  expect(await guard.status()).toMatchObject({ blockedCount: 1 });
});

test.each(['unknown', 'unconfirmed'] as const)(
  'what is %s at an alarm was checked when it opened, so open pages stay; once it is confirmed they do not',
  async (status) => {
    const { browser, guard, blocklist, fire, updates } = startGuard();
    await guard.ready();
    showTabs(browser, ['http://a.example/', 'http://b.example/'], [{ frameId: 5, url: 'http://c.example/' }]);
    let found: Verdict = { status, action: 'warn', reason: status === 'unknown' ? 'no-list' : 'offline' };
    blocklist.check = async () => found;
    await alarm(fire);
    blocklist.check = async () => {
      throw new Error('closed');
    };
    await alarm(fire);
    expect(updates).toEqual([]);
    found = { status: 'blocked', action: 'block', reason: 'confirmed' };
    blocklist.check = async (url) =>
      url.includes('a.example') ? { status: 'clear', action: 'allow', reason: 'not-listed' } : found;
    await alarm(fire);
    // The frame is in both pages.
    expect(updates.map(({ tabId, url }) => [tabId, url])).toEqual([
      [0, `${gate}?http://c.example/`],
      [1, `${gate}?http://b.example/`],
    ]);
  },
);

test('a place that was confirmed stays while its source cannot confirm it again, although the policy lets unconfirmed pages open', async () => {
  const { guard, blocklist, ask, fire, rules, request } = startGuard();
  await guard.ready();
  blocklist.check = async (url) => ({ ...blocklist.test(url), expression: new URL(url).hostname });
  await ask('decide', 'http://scam.example/');
  const unconfirmed = { status: 'unconfirmed', action: 'allow', reason: 'not-asked' } as const;
  blocklist.test = () => unconfirmed;
  blocklist.check = async () => unconfirmed;
  await alarm(fire);
  expect(rules.size).toBeGreaterThan(0);
  expect(await request('http://scam.example/')).toBe('page');
});

test('what a source cannot confirm again is no longer listed after a day', async () => {
  let nowMs = 0;
  const { guard, blocklist, ask, fire, rules } = startGuard(() => nowMs);
  await guard.ready();
  blocklist.check = async (url) => ({ ...blocklist.test(url), expression: new URL(url).hostname });
  await ask('decide', 'http://scam.example/');
  blocklist.check = async () => ({ status: 'unconfirmed', action: 'warn', reason: 'offline', expression: 'scam.example' });
  nowMs += 80_000_000;
  expect(await ask('decide', 'http://scam.example/')).toMatchObject({ status: 'blocked' });
  nowMs += 6_400_001;
  expect(await ask('decide', 'http://scam.example/')).toMatchObject({ status: 'unconfirmed' });
  await alarm(fire);
  expect(rules.size).toBe(0);
});

test('a page whose user keeps a frame that is no longer listed goes for another frame, and for itself', async () => {
  const { browser, guard, change, fire, updates, listed } = startGuard();
  await guard.ready();
  listed.push('one');
  const frames = [{ frameId: 1, url: 'http://one.example/' }];
  showTabs(browser, ['http://page.example/'], frames);
  await alarm(fire);
  expect(updates).toHaveLength(1);
  listed[0] = 'two';
  await alarm(fire);
  expect(updates).toHaveLength(1);
  frames.push({ frameId: 2, url: 'http://two.example/' });
  await alarm(fire);
  expect(updates).toHaveLength(2);
  listed[0] = 'page';
  change();
  await settle();
  expect(updates.at(-1)).toEqual({ tabId: 0, url: `${gate}?http://page.example/` });
});

test.each(['unknown', 'unconfirmed'] as const)('a page that its user keeps stays while it is %s', async (status) => {
  const { guard, browser, blocklist, fire, discarded } = startGuard();
  await guard.ready();
  showTabs(browser, ['http://scam.example/']);
  fire('committed', { tabId: 0, frameId: 0, url: 'http://scam.example/' });
  await settle();
  blocklist.check = async () => ({ status, action: 'warn', reason: 'offline' });
  for (let at = 0; at < 3; at++) await alarm(fire);
  expect(discarded).toEqual([]);
  blocklist.check = async (url) => blocklist.test(url);
  for (let at = 0; at < 2; at++) await alarm(fire);
  expect(discarded).toEqual([0]);
});

test('what a change of the settings asks for is checked, although a check by the earlier settings is not over', async () => {
  const { browser, guard, blocklist, change, updates } = startGuard();
  await guard.update({ blocklist, mode: 'observe' });
  change();
  await settle();
  showTabs(browser, ['http://scam.example/', 'http://slow.example/']);
  let finish = (): void => {};
  blocklist.check = async (url) => {
    if (url.includes('slow'))
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
    return blocklist.test(url);
  };
  change();
  await settle();
  const updating = guard.update({ blocklist, mode: 'gate' });
  await settle();
  finish();
  await settle();
  finish();
  await updating;
  expect(updates).toEqual([{ tabId: 0, url: `${gate}?http://scam.example/` }]);
});

test('a page with two listed frames that its user keeps is asked about once a minute, and discarded then', async () => {
  const { browser, guard, fire, updates, discarded } = startGuard();
  await guard.ready();
  const frames = ['f', 'g'].map((path, at) => ({ frameId: at + 1, url: `http://scam.example/${path}` }));
  showTabs(browser, ['http://good.example/'], frames);
  for (let at = 1; at <= 2; at++) {
    await alarm(fire);
    expect(updates).toHaveLength(at);
  }
  expect(discarded).toEqual([]);
  await alarm(fire);
  expect(discarded).toEqual([0]);
});

test('a page that is left while another tab is checked is not warned about', async () => {
  const { browser, guard, blocklist, fire, updates } = startGuard();
  await guard.ready();
  const urls = ['http://slow.example/', 'http://good.example/scam'];
  showTabs(browser, urls);
  blocklist.check = async (url) => {
    urls[1] = 'http://good.example/next';
    return blocklist.test(url);
  };
  await alarm(fire);
  expect(updates).toEqual([]);
});

test('alarms do not pile up while open pages are checked', async () => {
  const { browser, guard, blocklist, fire } = startGuard();
  await guard.ready();
  showTabs(browser, ['http://good.example/']);
  let checks = 0;
  let finish = (): void => {};
  blocklist.check = async (url) => {
    checks++;
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    return blocklist.test(url);
  };
  for (let at = 0; at < 6; at++) await alarm(fire);
  expect(checks).toBe(1);
  for (let at = 0; at < 6; at++) {
    finish();
    await settle();
  }
  expect(checks).toBe(2);
});

test('pages that are open when a list arrives are checked once', async () => {
  const { browser, guard, blocklist, change } = startGuard();
  await guard.ready();
  showTabs(browser, ['http://scam.example/']);
  blocklist.ready = async () => change();
  await guard.update({ blocklist, mode: 'observe' });
  await settle();
  expect(await guard.status()).toMatchObject({ blockedCount: 1 });
});

test('what was confirmed stays listed while the list cannot be read, whatever the policy says of unknown pages', async () => {
  const { guard, blocklist, ask, request } = startGuard();
  await guard.ready();
  blocklist.check = async (url) => ({ ...blocklist.test(url), expression: new URL(url).hostname });
  await ask('decide', 'http://scam.example/');
  blocklist.check = async () => ({ status: 'unknown', action: 'allow', reason: 'no-list' });
  expect(await request('http://scam.example/')).toBe('page');
  expect(await request('http://other.example/')).toBe('http://other.example/');
});

test('a pass without its rule ends with the worker, because its pages would come back to the gate', async () => {
  const { guard, start, request, filters, rules } = startGuard();
  await guard.ready();
  await request('http://good.example/');
  await request('http://other.example/');
  for (const { id, condition } of [...rules.values()]) if (condition.urlFilter === '|http://good.example/') rules.delete(id);
  await start().ready();
  expect(await request('http://good.example/')).toBe('http://good.example/');
  expect(filters()).toEqual(['|http://other.example/', '|http://good.example/']);
});

test('"close" closes the tab that asks, also without a link, but not while it is loading', async () => {
  const { ask, removed, tab } = startGuard();
  tab.status = 'loading';
  await ask('close', 'http://scam.example/');
  expect(removed).toEqual([]);
  tab.status = 'complete';
  await ask('close', 'http://scam.example/');
  await ask('close', 'javascript:alert(1)');
  expect(removed).toEqual([1, 1]);
});

test('a link with an apostrophe, which the address of the gate page encodes, opens as the tab asked for it', async () => {
  const { request, fire } = startGuard();
  const encoded = "http://good.example/it%27s?a#it's";
  expect(await request(encoded)).toBe(encoded);
  fire('before', { tabId: 1, frameId: 0, url: "http://good.example/it's?a" });
  // The gate page is still on the way to its link.
  fire('before', { tabId: 1, frameId: 0, url: `${gate}?${encoded}` });
  fire('committed', { tabId: 1, frameId: 0, url: `${gate}?${encoded}` });
  expect(await request(encoded)).toBe("http://good.example/it's?a#it's");
  expect(await request('http://other.example/it%27s')).toBe('http://other.example/it%27s');
  fire('committed', { tabId: 1, frameId: 0, url: "http://good.example/it's?a" });
  expect(await request(encoded)).toBe(encoded);
});

test('a worker that starts again keeps its passes and removes rules it does not know', async () => {
  const { request, start, rules, filters } = startGuard();
  await request('http://good.example/');
  rules.set(99, { ...[...rules.values()][0]!, id: 99 });
  await start().ready();
  expect(filters()).toEqual(['|http://good.example/']);
  await request('http://next.example/');
  expect(filters()).toEqual(['|http://good.example/', '|http://next.example/']);
});

test('the worker of incognito windows shares the rules, and neither removes those of the other before they have ended', async () => {
  let nowMs = 0;
  const { browser, request, start, fire, filters, rules, guard } = startGuard(() => nowMs);
  await guard.ready();
  await request('http://good.example/');
  const context = browser as { extension?: object };
  context.extension = { inIncognitoContext: true };
  await start().ready();
  await request('http://good.example/');
  await request('http://private.example/');
  expect(filters()).toEqual(['|http://good.example/', '|http://good.example/', '|http://private.example/']);
  delete context.extension;
  await start().ready();
  expect(rules.size).toBe(3);
  const pollAt = async (ms: number): Promise<void> => {
    nowMs = ms;
    fire('alarm', { name: 'portcullis' });
    await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await pollAt(0);
  await pollAt(60_000);
  expect(filters()).toEqual(['|http://good.example/', '|http://private.example/']);
  await pollAt(60_001);
  expect(filters()).toEqual([]);
});

test('passes are bounded, the oldest goes first, and no id is used twice', () => {
  let passes: readonly GatePass[] = [];
  for (let at = 0; at < maxPasses + 5; at++) {
    passes = addPass(passes, { kind: 'clean', origin: `http://h${at}.example`, tabId: null, untilMs: 10 }, 0);
  }
  expect(passes).toHaveLength(maxPasses);
  expect(passes[0]?.origin).toBe('http://h5.example');
  expect(new Set(passes.map(({ id }) => id)).size).toBe(maxPasses);
});
