import type { Blocklist } from 'portcullis';
import { ed25519, generateKeys, signerOf } from 'portcullis/sources';
import { beforeAll, describe, expect, test } from 'vitest';
import { attackedHost, jsonBytes, type Lists, makeLists, mondayMs, versionIn } from './attack-host.js';
import { dayMs, heard, hourMs, minuteMs } from './engine/harness.js';
import { engines } from './light/engines.js';
import { hasty, shardWith } from './sources/harness.js';

/**
 * The attacks of The Update Framework on a published list, by an attacker who controls its host or a CDN, over real HTTP. docs/security.md has the
 * table; each of its cells names a test here.
 */

let lists: Lists;
beforeAll(async () => {
  lists = await makeLists();
});

const blocked = { status: 'blocked', reason: 'confirmed' } as const;
const stale = { status: 'unknown', reason: 'list-stale' } as const;
const shardOf = (host: string, files = lists.tuesday): string => shardWith(host, files.keys());

const lastError = (blocklist: Blocklist): string | undefined => blocklist.status().sources[0]?.lastError?.code;

/** The list of Tuesday still answers, as a whole. */
async function keepsTuesday(blocklist: Blocklist): Promise<void> {
  for (const host of ['evil.example', 'old.example', 'new.example'])
    expect((await blocklist.check(host)).status).not.toBe('clear');
  expect(blocklist.test('good.example').status).not.toBe('blocked');
  expect(blocklist.status().sources[0]?.list?.sequence).toBe(mondayMs + dayMs);
}

describe.each([
  ['without a key', false, 'full'],
  ['with a key', true, 'full'],
  ['light, without a key', false, 'light'],
  ['light, with a key', true, 'light'],
] as const)('%s', (_, isSigned, engine) => {
  const ready = async (options = {}) => {
    const host = await attackedHost(lists, isSigned, engine);
    const blocklist = host.client(options);
    await blocklist.ready();
    expect(lastError(blocklist)).toBeUndefined();
    return { ...host, blocklist };
  };

  test('without an attack: blocks what is listed and clears what is not', async () => {
    const { blocklist } = await ready();
    for (const host of ['evil.example', 'old.example', 'new.example']) expect(await blocklist.check(host)).toMatchObject(blocked);
    expect(await blocklist.check('good.example')).toMatchObject({ status: 'clear' });
    expect(blocklist.status().sources[0]?.list?.signedBy).toEqual(isSigned ? expect.stringMatching(/^[0-9a-f]{16}$/) : null);
  });

  test('rollback: keeps its own list, ages it and reports it, and never says clear', async () => {
    const { blocklist, clock, serve } = await ready();
    const events = engine === 'full' ? heard(blocklist, 'rollback') : [];
    serve(lists.monday);
    clock.nowMs += hourMs;
    await blocklist.sync();
    expect(lastError(blocklist)).toBe('OLDER_LIST');
    expect(blocklist.status().sources[0]).toMatchObject({ list: { ageMs: hourMs } });
    if (engine === 'full') {
      expect(events).toHaveLength(1);
      expect(blocklist.status().sources[0]).toMatchObject({ olderAtMs: clock.nowMs });
    }
    await keepsTuesday(blocklist);
    // The host's shards are older too, so they cannot deny the hit.
    expect(await blocklist.check('new.example')).toMatchObject({ status: 'unconfirmed' });
    clock.nowMs += dayMs;
    await blocklist.sync();
    expect(blocklist.test('good.example')).toMatchObject(stale);
    serve(lists.tuesday);
    await blocklist.sync();
    expect(await blocklist.check('new.example')).toMatchObject(blocked);
    expect(blocklist.test('good.example')).toMatchObject({ status: 'clear' });
  });

  test('rollback by every other edge: never goes back', async () => {
    const { blocklist, clock, serve } = await ready();
    for (let poll = 0; poll < 8; poll++) {
      clock.nowMs += 5 * minuteMs;
      serve(poll % 2 === 0 ? lists.monday : lists.tuesday);
      await blocklist.sync();
      await keepsTuesday(blocklist);
    }
  });

  test('rollback across a restart: the newest version is remembered', async () => {
    const { blocklist, client, serve } = await ready();
    await blocklist.close();
    serve(lists.monday);
    const again = client();
    await again.ready();
    await again.sync();
    expect(lastError(again)).toBe('OLDER_LIST');
    await keepsTuesday(again);
  });

  test(`freeze: ${isSigned ? 'is stale once the version has expired, and says so' : 'is not detected'}`, async () => {
    const { blocklist, clock, serve, put } = await ready();
    // An attacker who freezes a list can also remove what is not signed.
    const { expiresAtMs: _, ...version } = versionIn(lists.tuesday);
    put('version.json', jsonBytes({ ...version, sequence: version.sequence + 1 }));
    await blocklist.sync();
    for (let day = 0; day < 5; day++) {
      clock.nowMs += dayMs - hourMs;
      await blocklist.sync();
      const isExpired = isSigned && clock.nowMs > mondayMs + 4 * dayMs;
      expect(blocklist.test('good.example')).toMatchObject(isExpired ? stale : { status: 'clear' });
      expect(lastError(blocklist)).toBe(isExpired ? 'LIST_EXPIRED' : undefined);
      expect((await blocklist.check('evil.example')).status).toBe('blocked');
    }
    serve(lists.thursday);
    clock.nowMs = mondayMs + 6 * dayMs;
    await blocklist.sync();
    expect(blocklist.test('good.example')).toMatchObject({ status: 'clear' });
  });

  test.each(['snapshot', 'recent'] as const)(
    'mix-and-match, the %s of another version: is rejected by its checksum',
    async (part) => {
      const host = await attackedHost(lists, isSigned, engine);
      const other = part === 'recent' ? lists.monday : lists.forged;
      host.put(versionIn(lists.tuesday)[part].url, other.get(versionIn(other)[part].url)!);
      const blocklist = host.client();
      await blocklist.ready();
      expect(lastError(blocklist)).toBe('INVALID_ARTIFACT');
      expect(blocklist.test('good.example')).toMatchObject({ status: 'unknown', reason: 'no-list' });
    },
  );

  test('mix-and-match, a shard of an older version: a hit stays unconfirmed', async () => {
    const { blocklist, put, clock } = await ready();
    put(shardOf('new.example'), lists.monday.get(shardOf('new.example', lists.monday))!);
    expect(await blocklist.check('new.example')).toMatchObject({ status: 'unconfirmed', reason: 'bad-answer', action: 'warn' });
    put(shardOf('new.example'), lists.tuesday.get(shardOf('new.example'))!);
    // Past the pause after a question that failed.
    clock.nowMs += 60_000;
    expect(await blocklist.check('new.example')).toMatchObject(blocked);
  });

  test('mix-and-match, the sums of an older version: a hit stays unconfirmed', async () => {
    const { blocklist, put } = await ready();
    put(versionIn(lists.tuesday).confirm.url, lists.monday.get(versionIn(lists.monday).confirm.url)!);
    put(shardOf('new.example'), lists.monday.get(shardOf('new.example', lists.monday))!);
    expect(await blocklist.check('new.example')).toMatchObject({ status: 'unconfirmed' });
  });

  test.each(['version.json', 'snapshot', 'sums', 'shard'])('endless data, %s: stops at a limit', async (which) => {
    const host = await attackedHost(lists, isSigned, engine);
    const version = versionIn(lists.tuesday);
    const name = { snapshot: version.snapshot.url, sums: version.confirm.url, shard: shardOf('evil.example') }[which] ?? which;
    host.answer(name, { fault: 'endless' });
    const blocklist = host.client();
    await blocklist.ready();
    const isList = which === 'version.json' || which === 'snapshot';
    expect(lastError(blocklist)).toBe(isList ? 'LIMIT_EXCEEDED' : undefined);
    expect((await blocklist.check('evil.example')).status).toBe(isList ? 'unknown' : 'unconfirmed');
  });

  test('slow retrieval of any file: gives up in time', async () => {
    const slow = async (which: string): Promise<void> => {
      const host = await attackedHost(lists, isSigned, engine);
      const version = versionIn(lists.tuesday);
      const name = { snapshot: version.snapshot.url, sums: version.confirm.url, shard: shardOf('evil.example') }[which] ?? which;
      host.answer(name, { fault: 'slow', body: Buffer.alloc(10_000) });
      // A light list has no limit for a pause within a file.
      const { idleTimeoutMs, ...limits } = hasty;
      const blocklist = host.client(engine === 'full' ? { ...limits, idleTimeoutMs } : limits);
      await blocklist.ready();
      const isList = which === 'version.json' || which === 'snapshot';
      expect(lastError(blocklist), which).toBe(isList ? 'TIMEOUT' : undefined);
      expect((await blocklist.check('evil.example')).status, which).toBe(isList ? 'unknown' : 'unconfirmed');
    };
    await Promise.all(['version.json', 'snapshot', 'sums', 'shard'].map(slow));
  });

  test(`arbitrary content: ${isSigned ? 'keeps its own list' : 'is believed'}`, async () => {
    const { blocklist, clock, serve } = await ready();
    clock.nowMs += dayMs;
    serve(lists.forged);
    await blocklist.sync();
    if (isSigned) {
      expect(lastError(blocklist)).toBe('SIGNATURE_MISSING');
      await keepsTuesday(blocklist);
    } else {
      expect(await blocklist.check('good.example')).toMatchObject(blocked);
      expect(await blocklist.check('evil.example')).toMatchObject({ status: 'clear' });
    }
  });

  test(`wrong key: ${isSigned ? 'keeps its own list' : 'is believed'}`, async () => {
    const { blocklist, clock, serve } = await ready();
    clock.nowMs += dayMs;
    serve(lists.foreign);
    await blocklist.sync();
    if (isSigned) {
      expect(lastError(blocklist)).toBe('SIGNATURE_UNTRUSTED');
      await keepsTuesday(blocklist);
    } else expect(await blocklist.check('evil.example')).toMatchObject({ status: 'clear' });
  });

  test(`forged confirmation, a shard that denies an entry or adds one: is ${isSigned ? 'not read' : 'believed with the version document that names it'}`, async () => {
    const { blocklist, clock, put, files } = await ready();
    clock.nowMs += minuteMs;
    for (const [name, bytes] of lists.forged) if (/^(confirm\/|sums-)/.test(name)) put(name, bytes);
    put('version.json', jsonBytes({ ...versionIn(files), confirm: versionIn(lists.forged).confirm }));
    await blocklist.sync();
    const verdict = await blocklist.check('evil.example');
    expect(verdict).toMatchObject(
      isSigned ? { status: 'blocked', reason: 'confirmed' } : { status: 'clear', reason: 'disproved' },
    );
  });

  test.each([
    ['sequence', '9'],
    ['sequence', -1],
    ['expiresAtMs', 1e300],
    ['confirm', {}],
    ['confirm', { url: '../x', sha256: 'a'.repeat(64) }],
  ])('a version document whose %s is %j is malformed, not one without it', async (name, value) => {
    const { blocklist, put } = await ready();
    put('version.json', jsonBytes({ ...versionIn(lists.thursday), [name]: value }));
    await blocklist.sync();
    expect(lastError(blocklist)).toBe('INVALID_RESPONSE');
    await keepsTuesday(blocklist);
  });

  test('another list: keeps its own list, which no shard of the other one can deny, and says so', async () => {
    const { blocklist, client, clock, serve } = await ready();
    const errors = heard(blocklist, 'error');
    serve(lists.other);
    clock.nowMs += hourMs;
    await blocklist.sync();
    expect(errors).toMatchObject([{ where: 'sync', error: { code: 'OTHER_LIST' } }]);
    expect(blocklist.status().sources[0]).toMatchObject({ list: { listName: 'hosts', ageMs: hourMs } });
    expect(lastError(blocklist)).toBe('OTHER_LIST');
    await keepsTuesday(blocklist);
    await blocklist.close();
    const again = client();
    await again.ready();
    await again.sync();
    expect(lastError(again)).toBe('OTHER_LIST');
    await keepsTuesday(again);
    serve(lists.tuesday);
    clock.nowMs += 5 * minuteMs;
    await again.sync();
    expect(await again.check('new.example')).toMatchObject(blocked);
  });

  test('another list: is no first list if the app gave a name', async () => {
    const host = await attackedHost(lists, isSigned, engine);
    host.serve(lists.other);
    const blocklist = host.client({ listName: 'hosts' });
    await blocklist.ready();
    expect(lastError(blocklist)).toBe('OTHER_LIST');
    expect(blocklist.test('evil.example')).toMatchObject({ status: 'unknown', reason: 'no-list' });
  });

  test('a version from the future: keeps its own list, and the next version is newer', async () => {
    const { blocklist, clock, serve } = await ready();
    for (let day = 0; day < 3; day++) {
      serve(lists.future);
      clock.nowMs += hourMs;
      await blocklist.sync();
      expect(lastError(blocklist)).toBe('LIST_AHEAD');
      await keepsTuesday(blocklist);
    }
    serve(lists.thursday);
    clock.nowMs = mondayMs + 3 * dayMs;
    await blocklist.sync();
    expect(lastError(blocklist)).toBeUndefined();
    expect(await blocklist.check('new.example')).toMatchObject(blocked);
  });

  test('an emptied list: keeps its own list until an empty one comes again', async () => {
    const { blocklist, clock, serve } = await ready();
    serve(lists.empty);
    clock.nowMs = mondayMs + 2 * dayMs;
    await blocklist.sync();
    expect(lastError(blocklist)).toBe('SUSPICIOUS_LIST');
    await keepsTuesday(blocklist);
    clock.nowMs += 5 * minuteMs;
    await blocklist.sync();
    expect(lastError(blocklist)).toBeUndefined();
    expect(blocklist.status().sources[0]?.list).toMatchObject({ count: 0 });
  });

  test('withheld files: keeps its own list', async () => {
    const { blocklist, clock, files, serve } = await ready();
    serve(new Map([['version.json', lists.thursday.get('version.json')!]]));
    clock.nowMs += 2 * dayMs;
    await blocklist.sync();
    files.clear();
    await blocklist.sync();
    expect(lastError(blocklist)).toBe('NOT_FOUND');
    await blocklist.check('evil.example').then(({ status }) => expect(status).not.toBe('clear'));
  });
});

describe.each(engines)('with a key, %s', (engine) => {
  type Version = ReturnType<typeof versionIn>;
  const changed = (change: (signed: Version['signed']) => object) => (version: Version) => ({
    ...version,
    signed: { ...version.signed, ...change(version.signed) },
  });
  const forgeries: readonly (readonly [string, (version: Version) => unknown, string])[] = [
    ['a signature that was removed', ({ signed: _, ...rest }) => rest, 'SIGNATURE_MISSING'],
    ['no signatures', changed(() => ({ signatures: [] })), 'SIGNATURE_UNTRUSTED'],
    ['another payload', changed(({ payload }) => ({ payload: reversed(payload) })), 'SIGNATURE_INVALID'],
    ['a payload that is not base64', changed(() => ({ payload: '!' })), 'SIGNATURE_INVALID'],
    ['another payload type', changed(() => ({ payloadType: 'text/plain' })), 'SIGNATURE_INVALID'],
    [
      'one bit of the signature',
      changed(({ signatures: [first] }) => ({ signatures: [bitChanged(first!)] })),
      'SIGNATURE_INVALID',
    ],
    [
      'a signature that is too short',
      changed(({ signatures: [first] }) => ({ signatures: [{ ...first, sig: 'AAAA' }] })),
      'SIGNATURE_UNTRUSTED',
    ],
  ];
  test.each(forgeries)('a version document with %s is refused', async (_, forge, code) => {
    const { client, put } = await attackedHost(lists, true, engine);
    put('version.json', jsonBytes(forge(versionIn(lists.tuesday))));
    const blocklist = client();
    await blocklist.ready();
    expect(lastError(blocklist)).toBe(code);
    expect(await blocklist.check('good.example')).toMatchObject({ status: 'unknown', reason: 'no-list' });
  });

  test('what stands outside of the signature changes nothing but the URLs', async () => {
    const { client, put } = await attackedHost(lists, true, engine);
    const version = versionIn(lists.tuesday);
    put(
      'version.json',
      jsonBytes({
        ...version,
        sequence: 9e14,
        expiresAtMs: 9e14,
        algoVersion: 'nobodys',
        minWaitMs: 86_400_000,
        shards: 1,
        differences: { url: 'difference-0000000000000000-0000000000000000.bin' },
        calibration: { samples: 50, found: 0 },
        signedBy: 'x',
      }),
    );
    const blocklist = client();
    await blocklist.ready();
    expect(await blocklist.check('evil.example')).toMatchObject(blocked);
    expect(blocklist.test('good.example')).toMatchObject({ status: 'clear' });
    expect(blocklist.status().sources[0]).toMatchObject({
      heldUntilMs: 0,
      list: { sequence: mondayMs + dayMs, expiresAtMs: mondayMs + 4 * dayMs },
    });
  });

  test('a stolen key: the steps of docs/security.md take its lists and its sequences back', async () => {
    const host = await attackedHost(lists, true, engine);
    const { clock } = host;
    const old = host.client();
    await old.ready();
    // The thief goes as far ahead as clients let him, each day.
    for (let day = 1; day <= 30; day++) {
      host.serve(await lists.stolen(clock.nowMs + 2 * day * dayMs));
      await old.sync();
      expect(await old.check('good.example')).toMatchObject({ status: 'blocked' });
    }
    await old.close();
    // 1 and 2: a new key, and the list signed with both.
    const { publicKey, privateKey } = await generateKeys();
    clock.nowMs += dayMs;
    host.serve(await lists.rotated(clock.nowMs, [lists.signer, await signerOf(privateKey)]));
    const unaware = host.client();
    await unaware.ready();
    await unaware.sync();
    expect(lastError(unaware)).toBe('OLDER_LIST');
    await unaware.close();
    // 3: clients with the new key only. Offline, nothing of the thief answers.
    const away = host.client({ publicKeys: [publicKey], fetch: () => Promise.reject(new TypeError('away')) });
    await away.ready();
    for (const name of ['good.example', 'evil.example'])
      expect(['list-stale', 'no-list', 'not-asked', 'offline']).toContain((await away.check(name)).reason);
    await away.close();
    for (let start = 0; start < 3; start++) {
      const next = host.client({ publicKeys: [publicKey] });
      await next.ready();
      await next.sync();
      expect(lastError(next)).toBeUndefined();
      expect(await next.check('evil.example')).toMatchObject({ status: 'blocked' });
      expect(await next.check('good.example')).toMatchObject({ status: 'clear' });
      await next.close();
      clock.nowMs += dayMs;
      // 4: signed with the new key alone.
      host.serve(await lists.rotated(clock.nowMs, [await signerOf(privateKey)]));
    }
  });

  test('a list that was stored before the key was trusted does not answer', async () => {
    const host = await attackedHost(lists, false, engine);
    host.serve(lists.forged);
    host.clock.nowMs += dayMs;
    const before = host.client();
    await before.ready();
    expect(await before.check('evil.example')).toMatchObject({ status: 'clear' });
    await before.close();
    const after = host.client({ publicKeys: [lists.keys.publicKey], verifier: ed25519 });
    await after.ready();
    expect(after.test('evil.example')).toMatchObject({ status: 'unknown', reason: 'no-list' });
    host.serve(lists.thursday);
    host.clock.nowMs += 2 * dayMs;
    await after.sync();
    expect(await after.check('evil.example')).toMatchObject(blocked);
  });
});

const reversed = (text: string): string => Buffer.from(Buffer.from(text, 'base64').reverse()).toString('base64');

function bitChanged<Signature extends { readonly sig: string }>(signature: Signature): Signature {
  const sig = Buffer.from(signature.sig, 'base64');
  sig[3]! ^= 1;
  return { ...signature, sig: sig.toString('base64') };
}
