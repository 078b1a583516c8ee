import { type Blocklist, createBlocklist } from 'portcullis';
import { allFamilies, createCoreBlocklist } from 'portcullis/core';
import { expect, onTestFinished, test } from 'vitest';
import { ownSource } from './engine/own-source.js';
import { lightBlocklist } from './light/engines.js';

/** The root, `/core` and `/light` with the same families and the same list: the same verdicts, whatever is asked. */

const account = '0x52908400098527886E0F7030069857D2E4169EE7';
const listed = [
  'evil.example',
  'shared.example/scam',
  'scam.example/a?b=c',
  `address:${account.toLowerCase()}`,
  'telegram:t.me/evil_support',
  'email:help@evil-mail.example',
];

/** One target in each of the forms that people type, copy and paste. */
const targets = [
  'evil.example',
  'https://evil.example/',
  'https://login.evil.example/a?b#c',
  'hTTps://user@EVIL.example.:443/a/../%62',
  'https://shared.example/scam',
  'https://shared.example/scam/more',
  'https://shared.example/fine',
  'https://scam.example/a?b=c',
  'https://good.example/a?u=https://evil.example',
  'https://www.google.com/url?q=https%3A%2F%2Fevil.example%2F',
  'https://t.me/evil_support',
  '@evil_support',
  account,
  `ethereum:${account}@1`,
  'https://etherscan.io/address/0x1111111111111111111111111111111111111111',
  'help@evil-mail.example',
  'mailto:help@evil-mail.example',
  'good.example',
  'https://xn--e1awd7f.example/',
  'https://пример.example/путь',
  'http://10.0.0.1/x',
  'http://[::1]/',
  'http://127.1/',
  'localhost',
  'chrome://settings',
  'javascript:alert(1)',
  'data:text/html,x',
  'not a link',
  '+1 202 555 0142',
  '5a'.repeat(32),
  'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  'https://good.example,phishing',
  'good.example,phishing',
  '"https://good.example","phishing"',
  'https://good.example;phishing/a?b',
  'https://shop.good.example,evil.example',
  'https://a,b.evil.example/',
  'https://$%7Bhost%7D.good.example/',
  'https://my_shop.good.example/',
  '',
];
const forms: readonly ((target: string) => string)[] = [
  (target) => target,
  (target) => `(${target})`,
  (target) => `<${target}>`,
  (target) => `${target},`,
  (target) => `${target}.`,
  (target) => `${target}!)`,
  (target) => `"${target}"`,
  (target) => `«${target}»`,
  (target) => ` \t${target}\n`,
  (target) => `[link](${target})`,
  (target) => `[${target}](https://good.example)`,
  (target) => `![p](${target} "title"),`,
  (target) => target.replace(/^http/i, 'hxxp').replace('.', '[.]'),
  (target) => `https://good.example/[x](${target})`,
  (target) => `${target} ${target}`,
  (target) => `https://good.example/\n${target}`,
  (target) => `\u200b${target}\u200b`,
];
const inputs = [...new Set(targets.flatMap((target) => forms.map((form) => form(target))))];

function opened(confirmed: readonly string[] | undefined): Record<'root' | 'core' | 'light', Blocklist> {
  const options = () => ({ pollMs: 0, now: () => Date.UTC(2026, 0, 1), random: () => 0.5 });
  const source = () => ownSource({ snapshot: listed, confirmed });
  const engines = {
    root: createBlocklist({ sources: [source()], ...options() }),
    core: createCoreBlocklist({ sources: [source()], families: allFamilies, ...options() }),
    light: lightBlocklist({ source: source(), families: allFamilies, ...options() }),
  };
  onTestFinished(async () => {
    await Promise.all(Object.values(engines).map((engine) => engine.close()));
  });
  return engines;
}

test.each([
  ['as the source confirms it', undefined],
  ['with hits that the source denies', ['evil.example']],
])('%s, every engine gives the same verdicts', async (_, confirmed) => {
  expect(inputs.length).toBeGreaterThanOrEqual(400);
  const { root, core, light } = opened(confirmed);
  for (const input of inputs) expect([core.test(input), light.test(input)], input).toEqual([root.test(input), root.test(input)]);
  for (const engine of [root, core, light]) await engine.ready();
  const statuses = new Set<string>();
  for (const options of [{}, { isPasted: false }]) {
    for (const input of inputs) {
      const expected = [root.test(input, options), await root.check(input, options)];
      for (const engine of [core, light])
        expect([engine.test(input, options), await engine.check(input, options)], input).toEqual(expected);
      statuses.add(expected[1]!.status);
    }
  }
  expect([...statuses].sort()).toEqual(['blocked', 'clear', 'not-listable', 'unconfirmed', 'unknown']);
});

test('a miss is unknown if its host has a character that no host name has, and a hit stays one', async () => {
  const { root, core, light } = opened(undefined);
  const answers = {
    'https://good.example,phishing': 'unknown',
    'good.example;phishing': 'unknown',
    'https://shop.good.example,evil.example/': 'unknown',
    "https://good'.example/a": 'unknown',
    'https://a,b.evil.example/': 'blocked',
    'https://a,evil.example/': 'unknown',
    'https://my_shop.good-shop.example/a,b?c;d': 'clear',
    'https://пример.example/a"b': 'clear',
    'http://[2606:4700::1111]/,': 'clear',
    'https://t.me/good_support,x': 'clear',
    '+1 202 555 0142': 'clear',
    "o'neil@good-mail.example": 'clear',
  };
  for (const engine of [root, core, light]) {
    await engine.ready();
    const found: Record<string, string> = {};
    for (const input of Object.keys(answers)) found[input] = (await engine.check(input, { isPasted: false })).status;
    expect(found).toEqual(answers);
  }
});

test('each line, cell and link of a pasted text counts, and the whole as a browser reads it', async () => {
  const { root, core, light } = opened(undefined);
  const answers = {
    'https://good.example/\nhttps://evil.example/': 'blocked',
    'good.example\r\n\r\n"evil.example",\r\n': 'blocked',
    'https://evil.example/a\n/b': 'blocked',
    'good.example\tevil.example': 'blocked',
    'good.example\revil.example': 'blocked',
    'https://good.example/ https://evil.example/': 'blocked',
    '["https://good.example/","https://evil.example/"]': 'blocked',
    'https://good.example/\n1\n2\n3\n4\n5\n6\n7\n8\n9': 'clear',
    ' https://good.example/?q=[x](https://evil.example)\n': 'clear',
    '0x5290…9EE7': 'unknown',
    'good...example': 'unknown',
    'https://good.example/a...b': 'clear',
    'good.example,1.5': 'unknown',
    'good.example|phishing': 'unknown',
    '||good.example^': 'unknown',
    'http://localhost:3000/': 'not-listable',
    'https://good.example/\n5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ': 'unknown',
    'evil.example\n5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ': 'blocked',
    'https://good.example/a\nfine.example': 'clear',
    'see this\nhttps://good.example/': 'unknown',
    [Array.from({ length: 9 }, (_, at) => `https://good${at}.example/`).join('\n')]: 'unknown',
    [`good.example\n${'abandon\n'.repeat(11)}about`]: 'unknown',
    [`https://good.example/\n${'abandon\n'.repeat(11)}about`]: 'unknown',
    [`evil.example\n${'word\n'.repeat(12)}`]: 'blocked',
    [`${'good.example\n'.repeat(6)}evil.example`]: 'blocked',
    'https://good.example/\nkey: 5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ': 'unknown',
    '["https://good.example/","5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"]': 'unknown',
    'https://good.example/\n- https://evil.example/': 'blocked',
    'https://good.example/\nvia hxxps://evil[.]example/': 'blocked',
    'see https://evil.example/ before you pay': 'blocked',
    'https://good.example/ evil.example': 'blocked',
    'https://good.example/\u00a0https://evil.example/': 'blocked',
    'good.example\u2028evil.example': 'blocked',
    'https://good.example/\nOk...then': 'clear',
    '0x5290\u2026\u20269EE7': 'unknown',
    [`https://good.example/\n${'this is a long message without another link in it '.repeat(3)}`]: 'clear',
    [`${'abandon\n'.repeat(11)}about`]: 'not-listable',
  };
  for (const engine of [root, core, light]) {
    await engine.ready();
    const found: Record<string, string> = {};
    for (const input of Object.keys(answers)) found[input] = (await engine.check(input)).status;
    expect(found).toEqual(answers);
  }
});
