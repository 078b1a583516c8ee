import {
  allFormats,
  autoFormat,
  bitcoin,
  createCoreBlocklist,
  createTextSource,
  csvFormat,
  evm,
  type Family,
  type FormatReader,
  hostsFormat,
  safeBrowsing4,
} from 'portcullis/core';
import { textSource } from 'portcullis/sources';
import { expect, onTestFinished, test } from 'vitest';

const ethereum = '0x52908400098527886E0F7030069857D2E4169EE7';
const btc = '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2';
const text = `evil.example\n${ethereum}\n${btc}\n${'5a'.repeat(32)}\n`;

async function reading(families: readonly Family[]) {
  let refused: Readonly<Record<string, number>> = {};
  const onReport = (report: { readonly refusedBy: typeof refused }): void => {
    refused = report.refusedBy;
  };
  const source = createTextSource({ id: 'own', text, families, onReport });
  const blocklist = createCoreBlocklist({ sources: [source], families, pollMs: 0 });
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
  expect(() => createTextSource(options)).toThrow(expect.objectContaining({ code: 'ALGORITHM_UNKNOWN' }));
  expect(createTextSource({ ...options, algorithms: [safeBrowsing4] }).id).toBe('own');
});

const hosts = '0.0.0.0 evil.example\n0.0.0.0 scam.example\n';

async function readingAs(format: 'auto' | 'hosts', formats: readonly FormatReader[]) {
  const source = createTextSource({ id: 'own', text: hosts, format, formats });
  const blocklist = createCoreBlocklist({ sources: [source], pollMs: 0 });
  onTestFinished(() => blocklist.close());
  const { sources } = await blocklist.sync();
  return [sources[0]!.outcome, blocklist.test('evil.example').status, blocklist.test('fine.example').status];
}

test('reads the formats that are handed in, and refuses the others when it is made', async () => {
  const refused = expect.objectContaining({
    code: 'INVALID_INPUT',
    message: expect.stringContaining('format must be one of lines'),
  });
  for (const { format } of allFormats.filter(({ format }) => format !== 'lines')) {
    expect(() => createTextSource({ id: 'own', text, format }), format).toThrow(refused);
    expect(createTextSource({ id: 'own', text, format, formats: allFormats }).id).toBe('own');
  }
  expect(await readingAs('hosts', [hostsFormat])).toEqual(['updated', 'blocked', 'clear']);
});

test('a format that is recognized but not handed in rejects the list, which then says nothing', async () => {
  expect(await readingAs('auto', [autoFormat, hostsFormat])).toEqual(['updated', 'blocked', 'clear']);
  expect(await readingAs('auto', [autoFormat, csvFormat])).toEqual(['failed', 'unknown', 'unknown']);
});

test('portcullis/sources reads every format', () => {
  for (const { format } of allFormats) expect(textSource({ id: 'own', text, format }).id).toBe('own');
});
