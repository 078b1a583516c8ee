import type { Scheduler } from 'fast-check';
import { createExtensionGuard, type ExtensionBrowser, type ExtensionGuardOptions } from 'portcullis/extension';
import { expect, test } from 'vitest';
import { SimulatedBrowser } from './simulated-browser.js';

/** A browser without delays, whose list answers about some links only when a test says so. */
class World {
  readonly browser = new SimulatedBrowser({ schedule: <Value>(value: Promise<Value>) => value } as unknown as Scheduler);
  /** Checks of these links wait. */
  readonly slow = new Map<string, Promise<void>>();
  /** The user keeps the page. */
  isKept = false;
  /** Links that were looked up. */
  readonly checks: string[] = [];
  /** What the worker did to the tab. */
  readonly acts: string[] = [];

  /** Firefox's gate, which waits for the check. */
  request: (request: object) => Promise<unknown> = async () => ({});

  async start(engine: 'chromium' | 'firefox' = 'chromium'): Promise<this> {
    this.browser.open(1);
    const test = (url: string) =>
      /scam|evil|\/bad/.test(url)
        ? { status: 'blocked', action: 'block', reason: 'confirmed' }
        : { status: 'clear', action: 'allow', reason: 'not-listed' };
    const blocklist = {
      test,
      check: async (url: string) => {
        this.checks.push(url);
        await this.slow.get(url);
        return test(url);
      },
      ready: async () => {},
      sync: async () => ({}),
      on: () => () => {},
    };
    this.browser.start((browser, scope) => {
      const tabs: ExtensionBrowser['tabs'] = {
        ...browser.tabs,
        update: async (id, change) => {
          this.acts.push(`warns in ${this.url}`);
          return this.isKept ? undefined : browser.tabs.update(id, change);
        },
        discard: (id) => {
          this.acts.push(`discards ${this.url}`);
          return browser.tabs.discard(id);
        },
      };
      const onBeforeRequest = { addListener: (listener: typeof this.request) => (this.request = listener) };
      const own = engine === 'firefox' ? { declarativeNetRequest: undefined, webRequest: { onBeforeRequest } } : {};
      const options = {
        browser: { ...browser, tabs, ...own },
        scope,
        blocklist,
        now: () => 0,
      } as unknown as ExtensionGuardOptions;
      createExtensionGuard(options)
        .ready()
        .catch(() => {});
    });
    await this.idle();
    await this.go('http://good.example/');
    return this;
  }

  get url(): string {
    return [...this.browser.tabs.values()][0]?.url ?? 'closed';
  }

  close(): Promise<void> {
    this.browser.close(1);
    return this.idle();
  }

  async idle(): Promise<void> {
    for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  /** As a POST, which skips the gate. */
  async go(url: string, frameId = 0): Promise<void> {
    await this.browser.visit({ tabId: 1, frameId, hops: [url], isPost: true });
    await this.idle();
  }

  async alarm(): Promise<void> {
    this.browser.fire('alarm', { name: 'portcullis' });
    await this.idle();
  }

  /** @returns lets the checks end */
  hold(url: string): () => Promise<void> {
    let end = (): void => {};
    this.slow.set(url, new Promise((resolve) => (end = resolve)));
    return async () => {
      this.slow.delete(url);
      end();
      await this.idle();
    };
  }
}

test.each([1, 2])('alarm %i spares the page to which the user went while a kept one was asked about', async (alarm) => {
  const world = await new World().start();
  world.isKept = true;
  await world.go('http://scam.example/');
  if (alarm === 2) await world.alarm();
  const answer = world.hold('http://scam.example/');
  await world.alarm();
  world.isKept = false;
  await world.go('http://good.example/form');
  world.acts.length = 0;
  await answer();
  await world.alarm();
  expect([world.url, world.acts]).toEqual(['http://good.example/form', []]);
});

test('a check that ends after its page was warned about and left warns neither then nor later', async () => {
  const world = await new World().start();
  await world.go('http://mixed.test/');
  const answer = world.hold('http://mixed.test/bad');
  void world.browser.visit({ tabId: 1, frameId: 0, hops: ['http://mixed.test/bad'], isPost: true });
  await world.idle();
  await world.go('http://evil.test/', 5);
  expect(world.url).toContain('?http://evil.test/');
  await world.go('http://mixed.test/');
  world.acts.length = 0;
  await answer();
  await world.alarm();
  await world.alarm();
  expect([world.url, world.acts]).toEqual(['http://mixed.test/', []]);
});

test('"go back" skips a listed page whose frame was warned about first', async () => {
  const world = await new World().start();
  const answer = world.hold('http://mixed.test/bad');
  await world.go('http://mixed.test/bad');
  void world.browser.visit({ tabId: 1, frameId: 5, hops: ['http://evil.test/'], isPost: false });
  await answer();
  expect(world.url).toContain('gate.html?');
  expect(await world.browser.ask(1, 'leave')).toMatchObject({ steps: 2 });
});

test.each([1, 3])('a page that is reloaded %i times while it is checked is warned about', async (times) => {
  const world = await new World().start();
  const answer = world.hold('http://mixed.test/bad');
  void world.browser.visit({ tabId: 1, frameId: 0, hops: ['http://mixed.test/bad'], isPost: true });
  await world.idle();
  for (let time = 0; time < times; time++) {
    void world.browser.visit({ tabId: 1, frameId: 0, hops: ['http://mixed.test/bad'], isPost: false });
    await world.idle();
  }
  await answer();
  expect(world.url).toContain('gate.html?http://mixed.test/bad');
});

test.each(['http://good.example/#x', 'http://good.example/path'])(
  'a listed frame is warned about although its page becomes %s while a worker that has just started checks it',
  async (url) => {
    const world = await new World().start();
    world.browser.restart();
    await world.idle();
    const answer = world.hold('http://evil.test/');
    void world.browser.visit({ tabId: 1, frameId: 5, hops: ['http://evil.test/'], isPost: false });
    await world.idle();
    world.browser.fire(url.includes('#') ? 'fragment' : 'history', { tabId: 1, frameId: 0, url });
    await world.idle();
    await answer();
    expect(world.url).toContain('gate.html?http://evil.test/');
  },
);

test.each([0, 5])('a tab that closes while its frame %i is checked leaves nothing that an alarm looks up', async (frameId) => {
  const world = await new World().start();
  const answer = world.hold('http://evil.test/bad');
  void world.browser.visit({ tabId: 1, frameId, hops: ['http://evil.test/bad'], isPost: true });
  await world.idle();
  await world.close();
  await answer();
  world.checks.length = 0;
  for (let alarm = 0; alarm < 3; alarm++) await world.alarm();
  expect(world.checks).toEqual([]);
});

test('a listed page that a script of it replaces by one of its own is warned about', async () => {
  const world = await new World().start();
  const answer = world.hold('http://mixed.test/bad');
  void world.browser.visit({ tabId: 1, frameId: 0, hops: ['http://mixed.test/bad'], isPost: true });
  await world.idle();
  world.browser.goToBlob(1);
  await world.idle();
  await answer();
  expect(world.url).toContain('gate.html?http://mixed.test/bad');
});

test('a page that a script of a listed site wrote is warned about when it loads', async () => {
  const world = await new World().start();
  world.browser.tabs.get(1)!.url = 'http://evil.test/';
  world.browser.goToBlob(1);
  await world.idle();
  expect(world.url).toContain('gate.html?http://evil.test/');
});

test('a kept page that is discarded is warned about under its new id, and nothing of the old id is looked up again', async () => {
  const world = await new World().start();
  world.browser.replacesDiscarded = true;
  world.isKept = true;
  await world.go('http://mixed.test/bad');
  await world.alarm();
  world.browser.tabs.get(1)!.isKept = true;
  world.isKept = false;
  await world.alarm();
  expect([...world.browser.tabs.keys()]).toEqual([101]);
  expect(world.url).toContain('gate.html?http://mixed.test/bad');
  expect(world.browser.warnedTabs).toEqual([101]);
  world.checks.length = 0;
  for (let alarm = 0; alarm < 3; alarm++) await world.alarm();
  expect(world.checks).toEqual([]);
  expect(await world.browser.ask(101, 'leave')).toMatchObject({ steps: 2 });
});

test('what was opened once stays open under the new id of its tab', async () => {
  const world = await new World().start();
  await world.go('http://mixed.test/bad');
  void world.browser.ask(1, 'once');
  await world.idle();
  expect(world.url).toBe('http://mixed.test/bad');
  const tab = world.browser.tabs.get(1)!;
  world.browser.tabs.delete(1);
  world.browser.tabs.set(7, tab);
  world.browser.fire('replaced', 7, 1);
  await world.idle();
  await world.browser.visit({ tabId: 7, frameId: 0, hops: ['http://mixed.test/bad'], isPost: false });
  await world.idle();
  expect(world.url).toBe('http://mixed.test/bad');
});

test.each([
  [1, 'sub_frame'],
  [1, 'main_frame'],
  [-1, 'sub_frame'],
])('in Firefox a request of tab %i that is stopped as %s leaves nothing if its tab is gone', async (tabId, type) => {
  const world = await new World().start('firefox');
  const answer = world.hold('http://scam.example/');
  const stopped = world.request({ tabId, url: 'http://scam.example/', type });
  await world.idle();
  if (tabId === 1) await world.close();
  await answer();
  expect(await stopped).toEqual({ cancel: true });
  expect([world.browser.warnedTabs, world.acts.filter((act) => !act.startsWith('warns'))]).toEqual([[], []]);
});
