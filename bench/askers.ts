import { type blocklistWith, entriesOf, listedHost, openBlocklist, sourceOf } from './lists.js';
import type { Figures, Group, Question, Results, Row, Settings } from './question.js';

/** How many requests result when a thousand callers ask about one prefix at once? A count, not a time. */
export const askers: Question = { name: 'askers', title: 'Requests of a thousand callers at once', groups, rows };

const callers = 1_000;

const ways: Record<string, (blocklist: Awaited<ReturnType<typeof blocklistWith>>) => Promise<unknown>> = {
  'check() of one page by each': (blocklist) =>
    Promise.all(asked(() => `https://${listedHost}/`).map((text) => blocklist.check(text))),
  'check() of another page by each': (blocklist) =>
    Promise.all(asked((caller) => `https://${listedHost}/${caller}`).map((text) => blocklist.check(text))),
  'in turns of the event loop, while it is asked': (blocklist) =>
    Promise.all(
      asked(() => `https://${listedHost}/`).map(async (text, caller) => {
        for (let turn = 0; turn < caller % 10; turn++) await new Promise((resolve) => setImmediate(resolve));
        await blocklist.check(text);
      }),
    ),
  'checkMany()': (blocklist) => blocklist.checkMany(asked((caller) => `https://${listedHost}/${caller}`)),
};

const asked = (textOf: (caller: number) => string): string[] => Array.from({ length: callers }, (_, caller) => textOf(caller));

function groups(): Group[] {
  return [
    {
      name: `${callers} callers`,
      rounds: 1,
      variants: Object.entries(ways).map(([name, ask]) => ({ name, measure: () => countRequests(ask) })),
    },
  ];
}

function rows(results: Results, settings: Settings): Row[] {
  void settings;
  return groups().flatMap(({ name, variants }) =>
    variants.map((variant): Row => {
      const value = results.spread(name, variant.name, 'requests');
      return { what: `${name}: ${variant.name}`, unit: '', value, budget: { limit: '1 request', met: value.median === 1 } };
    }),
  );
}

async function countRequests(ask: (typeof ways)[string]): Promise<Figures> {
  const counted = { versionAtMs: 0, confirmations: 0 };
  const blocklist = await openBlocklist([sourceOf({ snapshot: { token: 's', entries: () => entriesOf(1_000) } }, counted)]);
  await ask(blocklist);
  const requests = counted.confirmations;
  // The answer must be cached.
  await blocklist.check(`https://${listedHost}/`);
  if (counted.confirmations !== requests) throw new Error('the answer was not cached');
  await blocklist.close();
  return { requests };
}
