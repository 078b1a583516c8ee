import { type Blocklist, createBlocklist, explain } from 'portcullis';
import { allFamilies } from 'portcullis/core';
import type { LightOptions } from 'portcullis/light';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type OwnSource, ownSource } from './engine/own-source.js';
import { engines, lightBlocklist } from './light/engines.js';

const target = 'https://login.evil.example/a?b=c';
const escaped = encodeURIComponent(target);
const base64 = Buffer.from(target).toString('base64url');

/** Links of hosts that no table knows, and a listed link in each place and spelling. */
const carrying = [
  `https://good.example/?u=${target}`,
  `https://good.example/?u=${escaped}`,
  `https://good.example/?u=${encodeURIComponent(escaped)}`,
  `https://good.example/?a=1&next=${escaped}&b=2`,
  `https://good.example/?${escaped}`,
  `https://good.example/go/${target}`,
  `https://good.example/go/${escaped}`,
  `https://good.example/go/https:/\\login.evil.example/a`,
  `https://good.example/#${target}`,
  `https://good.example/#/open?u=${escaped}`,
  `https://good.example/?u=HTTPS%3a%2f%2fEVIL.example`,
  `https://good.example/?u=app:${target}`,
  `https://good.example/?list=https://fine.example/,${target}`,
  `https://good.example/?data=${encodeURIComponent(JSON.stringify({ url: target, x: 1 }))}`,
  `https://good.example/?u=${base64}`,
  `https://good.example/r/${base64}`,
  `https://good.example/r/${base64}/0123/x`,
  `https://good.example/?u=${Buffer.from('http://evil.example/').toString('base64')}`,
  `https://good.example/?u=${encodeURIComponent(`https://fine.example/?v=${escaped}`)}`,
  `good.example/?u=${escaped}`,
  `unknown-wallet://open?url=${escaped}`,
  `unknown-wallet:${target}`,
  `https://good.example/?u=ftp://evil.example/file`,
  'https://good.example/?u=https:evil.example',
  'https://good.example/go/https:/evil.example/a',
  'https://good.example/?u=//evil.example/a',
  'https://good.example/?u=%2F%2fevil.example',
  'https://good.example/?u=\\\\evil.example/',
  'https://good.example/?u=%20%09https://evil.example/',
  'https://good.example/?u=ht%09tps://evil.example/',
  'https://good.example/?u=+https://evil.example/',
  'https://good.example/?a=1;u=https://evil.example;b=2',
  'https://good.example/-https://evil.example/',
  'https://good.example/~https://evil.example/',
  `https://good.example/?u=https://t.me.evil.example@evil.example/`,
  `https://127.0.0.1/?u=${escaped}`,
  `[read more](https://good.example/?u=${escaped})`,
];

/** What only mentions it, or has it in another place. */
const quiet = [
  'https://good.example/?u=https://fine.example/evil.example',
  'https://good.example/evil.example',
  'https://good.example/?q=evil.example',
  `https://good.example/share?text=Is%20${escaped}%20a%20scam`,
  `https://good.example/share?text=see+${escaped}`,
  'https://good.example/?u=xhttps://evil.example/',
  'https://good.example/?u=https://',
  'https://good.example:8080/a',
  'https://good.example//evil.example/a',
  'https://good.example/?u=/evil.example/a',
  `https://good.example/?text=${encodeURIComponent('see\nhttps://evil.example')}`,
  `https://good.example/?text=${encodeURIComponent('[a](https://evil.example) **https://evil.example**')}`,
];

describe.each(engines)('the %s engine', (engine) => {
  async function listing(options: Pick<LightOptions, 'policy'> = {}, confirmed = ['evil.example']) {
    const source: OwnSource = ownSource({ snapshot: ['evil.example'], confirmed });
    const common = { pollMs: 0, ...options };
    const blocklist: Blocklist =
      engine === 'full'
        ? createBlocklist({ sources: [source], ...common })
        : lightBlocklist({ source, families: allFamilies, ...common });
    onTestFinished(() => blocklist.close());
    await blocklist.sync();
    return { blocklist, source };
  }

  test('warns about a link that carries a listed one, and names that', async () => {
    const { blocklist } = await listing();
    for (const link of carrying) {
      const verdict = await blocklist.check(link);
      expect(verdict, link).toMatchObject({ status: 'unconfirmed', action: 'warn', reason: 'carried', source: 'own' });
      expect(verdict.expression, link).toBe('evil.example');
      expect(verdict.asset?.canonical, link).toMatch(/(^|[.])evil[.]example/);
    }
  });

  test.each(quiet)('says nothing about a listed name that is no link of its own: %s', async (link) => {
    const { blocklist } = await listing();
    expect((await blocklist.check(link)).status).toBe('clear');
  });

  test('a listed link is blocked whatever it carries, and one of a known redirector too', async () => {
    const { blocklist } = await listing();
    expect((await blocklist.check('https://evil.example/?u=https://evil.example/')).status).toBe('blocked');
    expect((await blocklist.check(`https://www.google.com/url?q=${escaped}`)).status).toBe('blocked');
  });

  test('what else is known about a carried link does not count', async () => {
    const { blocklist } = await listing();
    for (const carried of ['https://10.0.0.1/', 'https://localhost/', 'https://fine.example/', 'https://a b/'])
      expect((await blocklist.check(`https://good.example/?u=${encodeURIComponent(carried)}`)).status, carried).toBe('clear');
  });

  test('the policy decides what to do, and with "allow" nothing is looked up', async () => {
    const strict = await listing({ policy: { carried: 'block' } });
    expect(await strict.blocklist.check(carrying[0]!)).toMatchObject({ reason: 'carried', action: 'block' });
    const lax = await listing({ policy: { carried: 'allow', unconfirmed: 'block' } });
    expect(await lax.blocklist.check(carrying[0]!)).toMatchObject({ status: 'clear', action: 'allow' });
    expect(lax.source.asked).toEqual([]);
  });

  test('a hit of four bytes is confirmed like any other, and one that is not confirmed is not called carried', async () => {
    const other = await listing({}, []);
    expect(other.blocklist.test(carrying[0]!)).toMatchObject({ status: 'unconfirmed', reason: 'not-asked' });
    expect((await other.blocklist.check(carrying[0]!)).status).toBe('clear');
    const { blocklist } = await listing();
    expect((await blocklist.check(carrying[0]!)).reason).toBe('carried');
    expect(blocklist.test(carrying[0]!)).toMatchObject({ status: 'unconfirmed', reason: 'carried', action: 'warn' });
  });

  test('many carried links take no more than a few look-ups', async () => {
    const { blocklist } = await listing();
    const many = Array.from({ length: 3_000 }, (_, at) => `https://a${at}.example/`);
    const started = performance.now();
    await blocklist.check(`https://good.example/?${many.map((link) => `u=${link}`).join('&')}`);
    await blocklist.check(`https://good.example/${'%25'.repeat(5_000)}3A${'https://'.repeat(2_000)}`);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

test('who allows a link allows what its site opens, and the carried link stays blocked', async () => {
  const blocklist = createBlocklist({ sources: [ownSource({ whole: true, snapshot: ['evil.example'] })], pollMs: 0 });
  await blocklist.sync();
  await blocklist.allow('good.example');
  expect((await blocklist.check(carrying[0]!)).status).toBe('allowed');
  expect((await blocklist.check(target)).status).toBe('blocked');
  await blocklist.close();
});

test('an override about the carried link decides about the notice', async () => {
  const blocklist = createBlocklist({ sources: [ownSource({ whole: true, snapshot: ['evil.example'] })], pollMs: 0 });
  await blocklist.sync();
  await blocklist.block('fine.example');
  expect(await blocklist.check('https://good.example/?u=https://fine.example/')).toMatchObject({
    reason: 'carried',
    expression: 'fine.example',
  });
  await blocklist.allow('evil.example');
  expect((await blocklist.check(carrying[0]!)).status).toBe('clear');
  await blocklist.close();
});

test('an explanation shows the expressions of carried links', async () => {
  const blocklist = createBlocklist({ sources: [ownSource({ whole: true, snapshot: ['evil.example'] })], pollMs: 0 });
  await blocklist.sync();
  const { verdict, lists, policy } = explain(blocklist, carrying[0]!);
  expect(verdict.reason).toBe('carried');
  expect(policy.carried).toBe('warn');
  expect(lists[0]!.expressions.filter(({ isCarried }) => isCarried).map(({ expression }) => expression)).toContain(
    'evil.example',
  );
  await blocklist.close();
});
