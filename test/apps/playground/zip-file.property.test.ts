import fc from 'fast-check';
import { expect, test } from 'vitest';
import { zipOf } from '../../../apps/publisher/zip-file.js';
import { unzipped } from '../../support/unzip.js';

const file = fc.record({ name: fc.stringMatching(/^[a-z0-9é/.-]{1,20}$/), bytes: fc.uint8Array({ maxLength: 300 }) });

test('an archive holds every file as it was', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(file, { maxLength: 12, selector: ({ name }) => name }), async (files) => {
      const zip = zipOf('list', files, Date.UTC(2026, 0, 2, 3, 4, 6));
      const read = unzipped(new Uint8Array(await zip.arrayBuffer()));
      expect([...read]).toEqual(files.map(({ name, bytes }) => [`list/${name}`, new Uint8Array(bytes)]));
    }),
  );
});

test('a file has the time of the list', async () => {
  const zip = zipOf('list', [{ name: 'a', bytes: new Uint8Array(1) }], Date.UTC(2026, 10, 24, 12, 34, 56));
  const view = new DataView(await zip.arrayBuffer());
  const [time, day] = [view.getUint16(10, true), view.getUint16(12, true)];
  expect([time >> 11, (time >> 5) & 63, (time & 31) * 2]).toEqual([12, 34, 56]);
  expect([(day >> 9) + 1980, (day >> 5) & 15, day & 31]).toEqual([2026, 11, 24]);
});
