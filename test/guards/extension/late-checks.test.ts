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
  /** What the worker did to the tab. */
  readonly acts: string[] = [];

  async start(): Promise<this> {
    this.browser.open(1);
    const test = (url: string) =>
      /scam|evil|\/bad/.test(url)
        ? { status: 'blocked', action: 'block', reason: 'confirmed' }
        : { status: 'clear', action: 'allow', reason: 'not-listed' };
    const blocklist = {
      test,
      check: async (url: string) => {
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
      const options = { browser: { ...browser, tabs }, scope, blocklist, now: () => 0 } as unknown as ExtensionGuardOptions;
      createExtensionGuard(options)
        .ready()
        .catch(() => {});
    });
    await this.idle();
    await this.go('http://good.example/');
    return this;
  }

  get url(): string {
    return this.browser.tabs.get(1)!.url;
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
