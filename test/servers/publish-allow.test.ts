import { buildList } from 'portcullis/publish';
import { expect, test } from 'vitest';
import { isPublicSuffix } from '../../apps/shared/public-suffix.js';
import { now } from './publish-harness.js';

const reportOf = async (lines: readonly string[], options = {}) =>
  (await buildList(lines, { now, isPublicSuffix, ...options })).report;

/** Rules such as `*.raw.icp0.io` and `*.compute-1.amazonaws.com` make a suffix of each host below them. */
test.each([
  'rdmx6-jaaaa-aaaaa-aaadq-cai.raw.icp0.io',
  'rdmx6-jaaaa-aaaaa-aaadq-cai.icp0.io',
  'ec2-52-1-2-3.compute-1.amazonaws.com',
  'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi.ipfs.dweb.link',
])('%s has one owner and is listed, although a wildcard makes it a public suffix', async (host) => {
  expect((await reportOf([host])).refused).toEqual([]);
});

test.each([
  ['com.bd', 'public-suffix'],
  ['a-very-long-name-of-a-second-level.ck', 'public-suffix'],
  ['co.uk', 'public-suffix'],
  ['raw.icp0.io', 'shared-host'],
  ['eu-west-1.compute.amazonaws.com', 'shared-host'],
  ['eu-west-1.elb.amazonaws.com', 'shared-host'],
  ['s3-website-ap-southeast-1.amazonaws.com', 'shared-host'],
  ['us-3.magentosite.cloud', 'public-suffix'],
])('%s covers what belongs to many and is refused as %s', async (host, reason) => {
  expect((await reportOf([host])).refused).toEqual([{ line: 0, reason, host }]);
});

test('refuses entries that an allowlist names or that cover one of its hosts, and lists their pages and subdomains', async () => {
  const lines = [
    'coinbase.com',
    'https://www.coinbase.com/',
    'docs.google.example',
    'google.example',
    'coinbase.com/fake',
    'scam.coinbase.com',
    'https://x.com/coinbase',
    'https://x.com/coinbase/status/1',
    '0xdAC17F958D2ee523a2206206994597C13D831ec7',
    '0x52908400098527886E0F7030069857D2E4169EE7',
  ];
  const allow = ['https://coinbase.com', 'docs.google.example', 'x.com/coinbase', '0xdac17f958d2ee523a2206206994597c13d831ec7'];
  const { refused, listed } = await reportOf(lines, { allow, sharedHosts: [] });
  expect(refused.map(({ line, reason, host }) => [line, reason, host])).toEqual([
    [0, 'allowlisted', 'coinbase.com'],
    [1, 'allowlisted', 'coinbase.com'],
    [2, 'allowlisted', 'docs.google.example'],
    [3, 'allowlisted', 'google.example'],
    [6, 'allowlisted', 'x.com'],
    [8, 'allowlisted', undefined],
  ]);
  // Four entries, and the post beside its page.
  expect(listed).toBe(5);
  await expect(buildList(['a.example'], { allow: ['a b c'] })).rejects.toThrow('allow[0] must be');
});

test('warns about popular names, and lists them', async () => {
  const { listed, warnings, warningsBy } = await reportOf(['coinbase.com', 'fake.example', 'coinbase.com/a'], {
    popular: ['www.coinbase.com', 'kraken.com'],
  });
  expect(listed).toBe(3);
  expect(warnings).toEqual([{ line: 0, code: 'popular', host: 'coinbase.com' }]);
  expect(warningsBy).toEqual({ popular: 1 });
});

test('reads popular names a thousand at a time', async () => {
  let most = 0;
  let taken = 0;
  const names = function* () {
    for (let at = 0; at < 20_000; at++, taken++) yield `site-${at}.example`;
  };
  let isDone = false;
  const turn = (): void => {
    most = Math.max(most, taken);
    taken = 0;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await buildList(['a.example'], { popular: names(), isPublicSuffix: () => false });
  isDone = true;
  expect(most).toBeLessThanOrEqual(1_000);
});
