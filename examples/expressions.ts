/**
 * Shows the expressions of a link and of an address, and looks them up in a list of two entries. `npm run example`
 */
import assert from 'node:assert/strict';
import { detectAssets, expressionsOf, hashOf, PrefixSet, prefixOf } from 'portcullis';

const link = 'https://login.scam-mint.example/claim?ref=1';
const address = '0x52908400098527886E0F7030069857D2E4169EE7';

for (const text of [link, address]) {
  console.log(text);
  for (const { type, canonical } of detectAssets(text)) console.log(`  reads as ${type} ${canonical}`);
  for (const expression of expressionsOf(text)) {
    console.log(`  ${Buffer.from(hashOf(expression)).toString('hex').slice(0, 8)}  ${expression}`);
  }
}

const listed = PrefixSet.from(['scam-mint.example', 'address:0x52908400098527886e0f7030069857d2e4169ee7'].map(prefixOf));
const mayBeListed = (text: string): boolean => expressionsOf(text).some((expression) => listed.has(prefixOf(expression)));

for (const text of [link, address, 'https://example.org/']) {
  console.log(`${mayBeListed(text) ? 'may be listed' : 'is not listed'}: ${text}`);
}

assert.equal(mayBeListed(link), true);
assert.equal(mayBeListed(address), true);
assert.equal(mayBeListed('https://example.org/'), false);
