import { bitcoin, createBlocklist, evm, type Family, safeBrowsing4, textSource } from 'portcullis/core';
import { expect, onTestFinished, test } from 'vitest';

const ethereum = '0x52908400098527886E0F7030069857D2E4169EE7';
const btc = '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2';
const text = `evil.example\n${ethereum}\n${btc}\n${'5a'.repeat(32)}\n`;

async function reading(families: readonly Family[]) {
  let refused: Readonly<Record<string, number>> = {};
  const onReport = (report: { readonly refusedBy: typeof refused }): void => {
    refused = report.refusedBy;
  };
  const source = textSource({ id: 'own', text, families, onReport });
  const blocklist = createBlocklist({ sources: [source], families, pollMs: 0 });
  onTestFinished(() => blocklist.close());
  await blocklist.ready();
  return { refused, statusOf: (input: string) => blocklist.test(input).status };
}

test('lists the assets of the families that are handed in, and refuses the others', async () => {
  const { refused, statusOf } = await reading([evm]);
  expect(refused).toEqual({ unknown: 1, secret: 1 });
  expect(['evil.example', ethereum, btc].map(statusOf)).toEqual(['blocked', 'blocked', 'unknown']);
  expect((await reading([evm, bitcoin])).refused).toEqual({ secret: 1 });
  expect((await reading([])).refused).toEqual({ unknown: 2, secret: 1 });
});

test('other algorithms are handed in too', () => {
  const options = { id: 'own', text, algorithm: 'safe-browsing-4' } as const;
  expect(() => textSource(options)).toThrow(expect.objectContaining({ code: 'ALGORITHM_UNKNOWN' }));
  expect(textSource({ ...options, algorithms: [safeBrowsing4] }).id).toBe('own');
});
