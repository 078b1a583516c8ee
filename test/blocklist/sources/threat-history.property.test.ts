import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDeep, propertyRuns } from '../../support/setup.js';
import { answerFaults, listFaults } from '../../support/threat-server.js';
import { kinds, playHistory, randomFrom, type Step } from './threat-history.js';

const list = fc.nat(2);
const change: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('change'),
  list,
  seed: fc.nat(),
  share: fc.constantFrom(0, 0.05, 0.3, 1),
});
const sync: fc.Arbitrary<Step> = fc.constant({ do: 'sync' });
const listFault = fc.constantFrom(...listFaults);
/** A hang takes a timeout, so it has a test of its own. */
const answerFault = fc.constantFrom(...answerFaults.filter((fault) => fault !== 'hang'));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: change },
  { weight: 8, arbitrary: sync },
  { weight: 2, arbitrary: fc.constant<Step>({ do: 'restart' }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lose-versions' as const), list }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('list-fault' as const), list, fault: listFault }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('lasting-fault' as const),
      list,
      fault: fc.constantFrom('version-refused', 'checksum', 'stripped', null) satisfies fc.Arbitrary<string | null>,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('refuse-key' as const), rounds: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('answer-fault' as const), fault: answerFault }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('stepwise' as const), list, isStepwise: fc.boolean() }) },
);

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])('%s', (kind) => {
  test('after every round each list is the one of the server, or as before if its update failed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24 }), fc.nat(), async (steps, seed) => {
        await playHistory(kind, [...steps, { do: 'sync' }, { do: 'sync' }], seed);
      }),
      { numRuns: Math.ceil(propertyRuns / 32) },
    );
  });

  /** A process that syncs once and ends, such as a scheduled job or an extension's worker, remembers only what it stored. */
  test.each(['version-refused', 'checksum', 'stripped'] as const)(
    'a %s that lasts fails no round, with a restart before each',
    async (fault) => {
      const round: readonly Step[] = [{ do: 'change', list: 0, seed: 5, share: 0.1 }, { do: 'restart' }, { do: 'sync' }];
      const lasting: Step = { do: 'lasting-fault', list: 0, fault };
      const seen = await playHistory(kind, [...round, lasting, ...round, ...round, { ...lasting, fault: null }, ...round], 7);
      expect(seen.failed).toBe(0);
    },
  );

  test('changes with a fault fail no round, with a restart before each', async () => {
    const round: readonly Step[] = [{ do: 'restart' }, { do: 'change', list: 0, seed: 5, share: 0.1 }, { do: 'sync' }];
    const faults = ['checksum', 'index', 'truncated', 'repeated', 'no-checksum', 'stripped'] as const;
    const steps = faults.flatMap((fault): Step[] => [{ do: 'list-fault', list: 0, fault }, ...round]);
    expect((await playHistory(kind, [...round, ...steps, ...round], 7)).failed).toBe(0);
  });

  test('stays equal through a long history', async () => {
    const random = randomFrom(Number(process.env['PORTCULLIS_SEED'] ?? 7));
    const rounds = isDeep ? 1_000 : 12;
    const rare: readonly Step[] = fc.sample(step, { numRuns: rounds, seed: 7 });
    const steps = rare.flatMap((one, at): Step[] => [
      { do: 'change', list: at, seed: Math.floor(random() * 2 ** 31), share: [0, 0.02, 0.1][at % 3]! },
      one,
      ...(at % 12 === 5 ? [{ do: 'answer-fault', fault: 'reset' } as const] : []),
      { do: 'sync' },
    ]);
    const seen = await playHistory(kind, steps, 7);
    expect(seen.updates).toBeGreaterThan(rounds / 2);
    expect(seen.partial).toBeGreaterThan(rounds / 2);
    expect(seen.failed).toBeGreaterThan(0);
  });
});
