import { prefixOf } from 'portcullis';
import { type BuildOptions, buildList } from 'portcullis/publish';
import { expect, test } from 'vitest';
import type { Source } from '../../../src/blocklist/model/source.js';
import { type PublishedSourceOptions, publishedSource } from '../../../src/blocklist/sources/published-source.js';
import { errorOf, filesOf, hasty, hostFaults, hosting, readAll, shardWith } from './harness.js';

export const hosts = ['evil.example', 'scam.example', 'other.example', 'pages.example/fake'];

/** A published list on a real HTTP server. */
export async function published(options: BuildOptions = {}, more: Partial<PublishedSourceOptions> = {}) {
  const list = await buildList(hosts, { shards: 4096, ...options });
  const host = await hosting(filesOf(list));
  const source = publishedSource({ url: host.origin, ...more });
  return { list, source, ...host };
}

const steps = {
  version: (source: Source) => source.version({}),
  snapshot: readAll,
  recent: readAll,
  shard: (source: Source) => source.confirm!([prefixOf('evil.example')], { algoVersion: 'portcullis-1' }),
};
export function testHostFaults(step: keyof typeof steps): void {
  test.each(hostFaults.map(([what, answer, ...codes]) => [what, answer, codes] as const))(
    `${step}: reports a host that %s and recovers`,
    async (_, answer, codes) => {
      const { source, answers, list } = await published({}, codes.includes('TIMEOUT') ? hasty : {});
      const shard = shardWith('evil.example', filesOf(list).keys());
      const { url: snapshot } = list.version.snapshot;
      const name = { version: 'version.json', snapshot, recent: list.version.recent.url, shard }[step];
      answers.set(name, answer(Buffer.from(filesOf(list).get(name)!)));
      const error = await errorOf(steps[step](source));
      expect(codes).toContain(error.code);
      if (error.code === 'TOO_MANY_REQUESTS') expect(error.retryAfterMs).toBe(7_000);
      answers.clear();
      await steps[step](source);
    },
  );
}
