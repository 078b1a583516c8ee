import fc, { type Scheduler } from 'fast-check';
import { createExtensionGuard, type ExtensionGuard, type ExtensionGuardOptions } from 'portcullis/extension';
import { expect, test } from 'vitest';
import type { Verdict } from '../../../src/blocklist/model/verdict.js';
import { gateUrl, SimulatedBrowser, type Visit } from './simulated-browser.js';

const clean = [
  'http://good.example/',
  'http://good.example/a',
  'http://www.good.example/',
  'https://other.example/',
  'http://mixed.test/',
];
const scams = ['http://scam.example/', 'http://sub.scam.example/x', 'https://evil.test/', 'http://mixed.test/bad/x'];
const tabIds = [1, 2];

type Step =
  | { readonly type: 'visit'; readonly visit: Visit }
  | { readonly type: 'list'; readonly listed: readonly string[] }
  | { readonly type: 'once' }
  | { readonly type: 'stop' }
  | { readonly type: 'keep' | 'close' | 'push' | 'blob'; readonly tabId: number }
  | { readonly type: 'alarm' }
  | { readonly type: 'blind alarm' };

const tabId = fc.constantFrom(...tabIds);
const visit: fc.Arbitrary<Visit> = fc.record({
  tabId,
  frameId: fc.constantFrom(0, 0, 5, 6),
  hops: fc
    .tuple(fc.array(fc.constantFrom(...clean, ...scams), { maxLength: 2 }), fc.constantFrom(...clean, ...scams, ...scams))
    .map(([before, last]) => [...before, last]),
  isPost: fc.boolean(),
});
const places = ['scam.example', 'evil.test', 'mixed.test/bad', 'other.example', 'good.example/a'];
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('visit' as const), visit }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('list' as const), listed: fc.subarray(places) }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constantFrom('keep' as const, 'close' as const, 'push' as const, 'blob' as const), tabId }),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Step>(
      { type: 'once' },
      { type: 'once' },
      { type: 'stop' },
      { type: 'alarm' },
      { type: 'blind alarm' },
    ),
  },
);

/** How far the browser gets before the next step: a little, or to the end. */
const turns = fc.oneof(fc.nat(12), fc.constant(1_000));

function expressionIn(listed: readonly string[], url: string): string | undefined {
  if (!url.startsWith('http')) return undefined;
  const { hostname, pathname } = new URL(url);
  return listed.find((place) => {
    const [host, folder] = place.split('/') as [string, string?];
    const isOn = hostname === host || hostname.endsWith(`.${host}`);
    return isOn && (folder === undefined || `${pathname}/`.startsWith(`/${folder}/`));
  });
}

/** A browser with the guard, and what is listed. */
class World {
  listed: readonly string[] = places.slice(0, 3);
  /** The list cannot be read, and the policy warns about what is unknown. */
  isBlind = false;
  /** What the user opened: a tab and an origin. */
  readonly opened = new Set<string>();
  readonly browser: SimulatedBrowser;
  private generation = 1;
  private changed: (event: { generation: number }) => void = () => {};
  guard: ExtensionGuard | undefined;

  private readonly scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
    this.browser = new SimulatedBrowser(scheduler);
    for (const id of tabIds) this.browser.open(id);
    this.browser.start((browser, scope) => {
      const { scheduler: later } = this;
      const blocklist = {
        test: (url: string) => this.verdictOf(url),
        check: (url: string) => later.schedule(Promise.resolve(0)).then(() => this.verdictOf(url)),
        ready: async () => {},
        sync: async () => ({ source: 'own', outcome: 'unchanged' }) as const,
        on: (_: string, listener: (event: never) => void) => {
          this.changed = listener as unknown as typeof this.changed;
          // The worker reads its list when it starts, with what has changed until then.
          this.changed({ generation: this.generation });
          return () => {};
        },
      };
      this.guard = createExtensionGuard({ browser, scope, blocklist, now: () => 0 } as ExtensionGuardOptions);
      this.guard.ready().catch(() => {});
    });
  }

  expressionIn(url: string): string | undefined {
    return expressionIn(this.listed, url);
  }

  private verdictOf(url: string): Verdict {
    if (this.isBlind) return { status: 'unknown', action: 'warn', reason: 'no-list' };
    const expression = this.expressionIn(url);
    if (expression === undefined) return { status: 'clear', action: 'allow', reason: 'not-listed' };
    return { status: 'blocked', action: 'block', reason: 'confirmed', expression };
  }

  change(listed: readonly string[]): void {
    this.listed = listed;
    this.changed({ generation: ++this.generation });
  }

  isOpened(tab: number, url: string): boolean {
    const { origin } = new URL(url);
    return [origin, origin.replace('https:', 'http:')].some((each) => this.opened.has(`${tab} ${each}`));
  }

  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 5; quiet++) {
      while (this.scheduler.count() > 0) {
        quiet = 0;
        await this.scheduler.waitOne();
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

test('whatever the order of navigations, redirects, changes of the list and ends of the worker: no listed page stays, no clean page is replaced', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.tuple(step, turns), { minLength: 1, maxLength: 8 }),
      async (scheduler, steps) => {
        const world = new World(scheduler);
        const { browser } = world;
        for (const id of tabIds) void browser.visit({ tabId: id, frameId: 0, hops: ['http://good.example/'], isPost: false });
        await world.settle();
        const visited = new Map<number, Set<string>>(tabIds.map((id) => [id, new Set()]));
        const lists = [world.listed];
        let hadAlarm = false;
        for (const [one, most] of steps) {
          if (one.type === 'visit') {
            const { frameId, tabId: id } = one.visit;
            // Only a web page has frames.
            if (frameId !== 0 && browser.tabs.get(id)?.url.startsWith('http') !== true) continue;
            for (const hop of one.visit.hops) visited.get(id)!.add(hop);
            void browser.visit(one.visit);
          } else if (one.type === 'list') {
            lists.push(one.listed);
            world.change(one.listed);
          } else if (one.type === 'keep') {
            const tab = browser.tabs.get(one.tabId);
            if (tab !== undefined) tab.isKept = true;
          } else if (one.type === 'close') browser.close(one.tabId);
          else if (one.type === 'push') browser.pushState(one.tabId);
          else if (one.type === 'blob') {
            const { url } = browser.tabs.get(one.tabId) ?? { url: '' };
            if (url.startsWith('http')) visited.get(one.tabId)!.add(`${new URL(url).origin}/`);
            browser.goToBlob(one.tabId);
          } else if (one.type === 'stop') {
            // A browser stops a worker that has nothing to do.
            await world.settle();
            browser.restart();
          } else if (one.type === 'alarm') {
            // A minute passes between two.
            if (hadAlarm) await world.settle();
            hadAlarm = true;
            browser.fire('alarm', { name: 'portcullis' });
          } else if (one.type === 'blind alarm') {
            await world.settle();
            world.isBlind = true;
            browser.fire('alarm', { name: 'portcullis' });
            await world.settle();
            world.isBlind = false;
          } else {
            const warned = tabIds.find((id) => browser.tabs.get(id)?.url.startsWith(`${gateUrl}?http`));
            if (warned === undefined) continue;
            const { origin } = new URL(browser.tabs.get(warned)!.url.slice(gateUrl.length + 1));
            world.opened.add(`${warned} ${origin}`);
            void browser.ask(warned, 'once');
          }
          for (let turn = 0; turn < most && scheduler.count() > 0; turn++) await scheduler.waitOne();
        }
        await world.settle();
        const isListed = (shown: string): boolean => world.expressionIn(shown) !== undefined;
        const shownIn = ({ url, frames }: { url: string; frames: Map<number, string> }): string[] => [url, ...frames.values()];
        const expectWarned = (): void => {
          for (const [id, tab] of browser.tabs) {
            if (tab.isKept) continue;
            for (const shown of shownIn(tab).filter(isListed))
              expect(world.isOpened(id, shown), `tab ${id} shows ${shown} in ${tab.url}`).toBe(true);
            if (!tab.url.startsWith(gateUrl)) continue;
            const link = tab.url.slice(gateUrl.length + 1);
            expect(visited.get(id), `tab ${id} warns`).toContain(link);
            expect(
              lists.some((listed) => expressionIn(listed, link) !== undefined),
              `tab ${id} warns about ${link}`,
            ).toBe(true);
          }
        };
        expectWarned();
        const cleanPages = [...browser.tabs].filter(
          ([, tab]) => tab.url.startsWith('http') && !tab.isKept && !shownIn(tab).some(isListed),
        );
        const before = cleanPages.map(([id, { url }]) => [id, url]);
        // The first asks a page that is kept to go, the second makes it go.
        for (let alarm = 0; alarm < 2; alarm++) {
          browser.fire('alarm', { name: 'portcullis' });
          await world.settle();
        }
        for (const tab of browser.tabs.values()) tab.isKept = false;
        expectWarned();
        for (const id of browser.warnedTabs) expect(browser.tabs.has(id), `tab ${id} is closed`).toBe(true);
        expect(before.map(([id]) => [id, browser.tabs.get(id as number)!.url])).toEqual(before);
        // About a listed page it may warn with another one's address.
        expect(browser.astray.filter((page) => lists.every((listed) => expressionIn(listed, page) === undefined))).toEqual([]);
        const isAlways = (place: string): boolean => !place.includes('/') && lists.every((listed) => listed.includes(place));
        const always = places.filter(isAlways);
        const held = browser.sent.filter(
          ({ tabId: id, frameId, isPost, isThirdParty, url }) =>
            frameId === 0 && !isPost && isThirdParty && expressionIn(always, url) !== undefined && !world.isOpened(id, url),
        );
        expect(held).toEqual([]);
      },
    ),
  );
});
