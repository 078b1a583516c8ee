import fc from 'fast-check';
import { PortcullisError } from 'portcullis';
import { type CheckLog, type SeenCheckpoint, transparencyLog } from 'portcullis/log';
import { verifierOf } from 'portcullis/sources';
import { expect, test } from 'vitest';
import { logSigner, verifyWithNode } from '../../support/note-keys.js';
import { TestLog } from '../../support/test-log.js';

const log = new TestLog(logSigner('lists.example/hosts', 1));
const url = 'https://lists.example/version.json';

const started = (): CheckLog => transparencyLog({ key: log.log.vkey }).of(url, verifierOf(verifyWithNode));

/** What a host shows: the first entries of the true log, and others in place of what follows. */
interface Shown {
  readonly kept: number;
  readonly others: readonly number[];
  /** How far before the newest entry the version is, and whether the proof is its own. */
  readonly back: number;
  readonly isOwn: boolean;
  /** Whether the client starts again, with what is stored. */
  readonly isRestarted: boolean;
}

const shown: fc.Arbitrary<Shown> = fc.record({
  kept: fc.integer({ min: 0, max: 20 }),
  others: fc.array(fc.nat(2), { maxLength: 4 }),
  back: fc.nat(3),
  isOwn: fc.boolean(),
  isRestarted: fc.boolean(),
});

/** Offers a version of a log with these entries. */
async function offer(
  client: CheckLog,
  entries: readonly string[],
  seen: SeenCheckpoint | undefined,
  index = entries.length - 1,
  proven = index,
): Promise<SeenCheckpoint | PortcullisError> {
  const bytes = entries.map((entry) => new Uint8Array(Buffer.from(entry)));
  const files = await log.tiles(bytes);
  files.set('version.proof', await log.proof(bytes, proven));
  const signed = { payload: Buffer.from(bytes[index]!).toString('base64') };
  return client({ signed, sequence: index }, { checkpoint: seen }, 0, async (file) => {
    const bytes = files.get(file.replace('https://lists.example/', '').split('?')[0]!);
    if (bytes === undefined) throw new PortcullisError('NOT_FOUND', 'not found');
    return { bytes };
  }).catch((error: PortcullisError) => error);
}

const begins = (all: readonly string[], with_: readonly string[]): boolean => with_.every((entry, at) => all[at] === entry);

test('a client without witnesses accepts a version exactly if its log agrees with the largest that it has accepted', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(shown, { minLength: 1, maxLength: 12 }), async (hosts) => {
      let client = started();
      let seen: SeenCheckpoint | undefined;
      let largest: readonly string[] = [];
      /** The version that was accepted last, of which nothing is fetched again. */
      let found: string | undefined;
      for (const { kept, others, back, isOwn, isRestarted } of hosts) {
        const entries = [...Array.from({ length: kept }, (_, at) => `true ${at}`), ...others.map((one) => `other ${one}`)];
        if (entries.length === 0) continue;
        const index = Math.max(0, entries.length - 1 - back);
        if (isRestarted) {
          client = started();
          found = undefined;
        }
        const answer = await offer(client, entries, seen, index, isOwn ? index : entries.length - 1);
        const isAccepted = begins(entries, largest) || begins(largest, entries);
        const outcome = answer instanceof PortcullisError ? answer.code : answer;
        if (entries[index] === found) {
          expect(outcome).toEqual(seen);
          continue;
        }
        const isShorter = entries.length < largest.length;
        // Of the tree that it remembers, this host has no files. A version that is not newer may come from a slower copy.
        if (isShorter && outcome === 'OLDER_LIST') continue;
        if (isShorter && isAccepted && outcome === 'LOG_FORKED') continue;
        expect(outcome, JSON.stringify({ entries, largest })).toEqual(isAccepted ? expect.anything() : 'LOG_FORKED');
        if (typeof outcome === 'string') continue;
        if (!isShorter) largest = entries;
        expect(outcome.size).toBe(largest.length);
        seen = outcome;
        found = entries[index];
      }
    }),
    { numRuns: 200 },
  );
});

test.each([
  [['A'], ['B']],
  [['A'], ['B', 'C']],
  [['A', 'C'], ['B']],
])('what a question was shown (%j) and what another tab was (%j) are a fork, whichever of them goes on', async (mine, others) => {
  for (const continued of [mine, others]) {
    const [tab, other] = [started(), started()];
    const stored = (await offer(tab, ['1', '2'], undefined)) as SeenCheckpoint;
    const asked = (await offer(tab, ['1', '2', ...mine], stored)) as SeenCheckpoint;
    const shared = (await offer(other, ['1', '2', ...others], stored)) as SeenCheckpoint;
    const error = await offer(tab, ['1', '2', ...continued, '5', '6'], shared);
    const contradicted = continued === mine ? shared : asked;
    expect(error).toMatchObject({ code: 'LOG_FORKED', checkpoints: [contradicted.note, expect.any(String)] });
  }
});
