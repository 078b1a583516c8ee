import { describe, expect, test } from 'vitest';
import { ask, Harness, start } from './harness.js';

/** Texts that are neither links nor addresses, their type and canonical spelling. */
const plain = [
  ['+1 202-555-0100', 'PHONE_NUMBER', '+12025550100'],
  ['@Example_Mint', 'TWITTER', 'twitter.com/example_mint'],
  ['Scammer@mail.example', 'EMAIL', 'scammer@mail.example'],
] as const;

describe.each(plain)('%s', (content, type, canonical) => {
  test(`is stored as ${type} in its canonical spelling`, () => {
    const h = new Harness();
    const [submitted] = h.ask('assetSubmit', { assets: [`  ${content}\n`] }).submittedAssets;
    expect(h.state.get('assets', submitted!.assetId)).toMatchObject({ type, content: canonical, status: 'UNKNOWN' });
    expect(h.ask('assetSearch', { content }).asset).toMatchObject({ type, content: canonical });
    expect(h.ask('assetParse', { content })).toMatchObject({ type, content: canonical });
  });

  test('can be reported, blocked and unblocked', () => {
    const h = new Harness();
    const { id } = h.block(content);
    expect(h.ask('assetCheck', { content })).toMatchObject({ status: 'BLOCKED' });
    expect(h.ask('assetDetails', { content })).toMatchObject({ status: 'BLOCKED' });
    expect(h.ask('reportsSearch', { slug: 'acme', assetContents: [content] }).totalCount).toBe(1);
    expect(h.ask('assetUnblock', { content })).toEqual({ outcome: 'UNBLOCKED', assetId: id });
  });
});

test('a blocked e-mail address does not block its host, nor the other way round', () => {
  const h = new Harness();
  h.block('scammer@mail.example');
  expect(h.ask('assetCheck', { content: 'https://mail.example/' }).status).toBe('UNKNOWN');
  expect(h.ask('assetCheck', { content: 'somebody@mail.example' }).status).toBe('UNKNOWN');
  h.block('https://mail.example/');
  expect(h.ask('assetCheck', { content: 'somebody@mail.example' }).status).toBe('UNKNOWN');
});

test.each(['https://user@mail.example/', 'user:word@mail.example', 'user@mail.example/path'])(
  '%s is a link with a user name, not an e-mail address',
  (content) => {
    expect(new Harness().ask('assetParse', { content })?.type).toMatch(/^(URL|PAGE)$/);
  },
);

test.each(['15555550100', '+0155555501', '@', '@a_name_that_is_too_long', 'me@localhost', 'me@.example'])(
  '%s has none of these types',
  (content) => {
    expect(new Harness().ask('assetParse', { content })?.type ?? 'URL').toMatch(/^(URL|PAGE)$/);
  },
);

test('a sentence is parsed as the link in it, not as the name of a file before it', () => {
  const content = 'see main.rs and then https://scam.example/a please';
  expect(new Harness().ask('assetParse', { content })).toMatchObject({ type: 'PAGE', content: 'scam.example/a' });
});

// A private key of 52 characters must not end up in a log.
test('a secret before an @ is rejected, and no response repeats it', () => {
  const h = new Harness();
  const key = `L${'1'.repeat(51)}`;
  const content = `${key}@mail.example`;
  expect(h.refusal('assetSubmit', { assets: [content] })).toBe(400);
  const add = h.ask('organizationAssetsAdd', { assets: [{ content }] });
  expect(add).toMatchObject({ errorCount: 1 });
  expect(JSON.stringify(add)).not.toContain(key);
  try {
    h.report([content]);
    expect.unreachable();
  } catch (error) {
    expect(error).toMatchObject({ status: 422, assets: [{ errorType: 'INVALID_FORMAT' }] });
    expect(JSON.stringify(error)).not.toContain(key);
  }
});

test('assets that are not links are listed too', async () => {
  const service = start({ data: 'empty' });
  const assets = [...plain.map(([content]) => ({ content })), { content: 'https://scam.example/' }];
  await ask(service, '/report/create', { assets });
  for (const { id, assetId } of service.snapshot().tables.proposals ?? []) {
    await ask(service, `/organization/proposals/${id}/review`, { assetId, decision: 'APPROVE', label: 'General Phishing' });
  }
  expect(await service.publish()).toEqual({
    listed: 1 + plain.length,
    refused: [],
  });
});

test('a link is stored as its host, and one with a path as a page', () => {
  const h = new Harness();
  const [host] = [...h.context.settings.rules.sharedHosts].filter((name) => /^[^/]+\.[^/]+$/.test(name));
  expect(h.ask('assetParse', { content: 'https://user@Mint.example:8443/' })).toMatchObject({
    type: 'URL',
    content: 'mint.example',
  });
  for (const name of [host, 'mint.example']) {
    const content = `${name}/claim`;
    expect(h.ask('assetParse', { content: `https://${content}` })).toMatchObject({ type: 'PAGE', content });
  }
});

test('an address is stored in lower case', () => {
  const content = '0x52908400098527886E0F7030069857D2E4169EE7';
  expect(new Harness().ask('assetParse', { content })).toMatchObject({ type: 'ADDRESS', content: content.toLowerCase() });
});

describe('the reason for a check', () => {
  test('is hosting-domain on a shared host', () => {
    const h = new Harness();
    const [host] = [...h.context.settings.rules.sharedHosts].filter((name) => /^[^/]+\.[^/]+$/.test(name));
    const content = `https://${host}/example`;
    expect(h.ask('assetCheck', { content })).toMatchObject({ status: 'UNKNOWN', reason: 'hosting-domain' });
    expect(h.ask('assetCheck', { content: 'https://elsewhere.example/example' })).toMatchObject({ reason: 'not-found' });
  });

  test('is parent-domain for a page on a blocked domain, and absent for a page below a blocked page', () => {
    const h = new Harness();
    h.asset('https://evil.example/', 'BLOCKED');
    h.asset('https://pages.example/mint', 'BLOCKED');
    expect(h.ask('assetCheck', { content: 'https://a.evil.example/b' })).toMatchObject({ reason: 'parent-domain' });
    const below = h.ask('assetCheck', { content: 'https://pages.example/mint/now' });
    expect(below).toMatchObject({ status: 'BLOCKED' });
    expect(below.reason).toBeUndefined();
  });
});
