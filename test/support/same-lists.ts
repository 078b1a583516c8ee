import { hashOf } from 'portcullis';
import { buildList } from 'portcullis/publish';
import { type TextSourceReport, textSource } from 'portcullis/sources';
import { expect } from 'vitest';
import { coversOf } from './covers.js';
import { hostsOf, randomOf, renderingsOf } from './list-renderings.js';

const hexOf = (hash: Uint8Array): string => Buffer.from(hash.subarray(0, 8)).toString('hex');

/** Lists the same hosts from every format, with its name and with `auto`. */
export async function expectSameLists(firstRound: number, endRound: number): Promise<void> {
  for (let round = firstRound; round < endRound; round++) {
    const random = randomOf(round);
    const hosts = hostsOf(random, 5 + Math.floor(random() * 60));
    const expected = [...hosts.map((host) => hashOf(host)), ...coversOf(hosts)].map(hexOf).sort();
    for (const { format, text } of renderingsOf(hosts, random)) {
      const where = `round ${round}, ${format}:\n${text.slice(0, 2_000)}`;
      for (const given of [format, 'auto'] as const) {
        const reports: TextSourceReport[] = [];
        const source = textSource({ id: 'mine', format: given, text, onReport: (report) => reports.push(report) });
        const { entries } = await source.artifact('snapshot', await source.version({}), {}).catch((error: Error) => {
          throw new Error(`${error.message} in ${where}`);
        });
        expect([...entries].map((hash) => hexOf(hash as Uint8Array)).sort(), where).toEqual(expected);
        expect(reports[0]!.format, where).toBe(format);
      }
      const { report } = await buildList({ format: 'auto', data: text });
      expect([report.listed, report.formats], where).toEqual([hosts.length, [{ format }]]);
    }
  }
}
