import { writeSync } from 'node:fs';
import { createClient } from '../../../src/entry/client-node.js';
import { createService } from '../../../src/entry/testing-node.js';

// Writes to a service with its state in a file until it is killed, and prints each write once it is acknowledged:
// `node - <file> <round> <bytes of a long description, 0 for none>`.
const [, , file = '', round = '', descriptionBytes = '0'] = process.argv;

const service = createService({ state: { file } });
const client = createClient({
  baseUrl: 'https://service.test',
  apiKey: service.key,
  retry: false,
  fetch: (url, init) => service.fetch(url, init as RequestInit),
});

/** Synchronous, so that the line is out before anything else happens. */
function print(acknowledged: object): void {
  writeSync(1, `${JSON.stringify(acknowledged)}\n`);
}

/** Writes one after the other; several lanes write at the same time. */
async function lane(write: (name: string, number: number) => Promise<object>): Promise<never> {
  for (let number = 0; ; number++) print(await write(`${round}-${number}`, number));
}

await Promise.all([
  lane(async (name) => {
    const { submittedAssets } = await client.assets.submit({
      assets: ['a', 'b', 'c'].map((part) => `https://s${name}-${part}.example/`),
    });
    return { kind: 'submitted', name: `s${name}`, ids: submittedAssets.map(({ assetId }) => assetId) };
  }),
  lane(async (name) => {
    const assets = ['a', 'b'].map((part) => ({ content: `https://r${name}-${part}.example/` }));
    const { id } = await client.reports.create({ organizationSlug: 'example-wallet', title: `r${name}`, assets });
    return { kind: 'reported', name: `r${name}`, ids: [id] };
  }),
  lane(async (name) => {
    const { results } = await client.organization.assetsAdd({ assets: [{ content: `https://o${name}.example/` }] });
    return { kind: 'allowed', name: `o${name}`, ids: results.map(({ id }) => id) };
  }),
  lane(async (name) => {
    const { id } = await client.organization.assetGroupsCreate({ name: `g${name}` });
    print({ kind: 'grouped', name: `g${name}`, ids: [id] });
    await client.organization.assetGroupsDelete({ groupId: id });
    return { kind: 'ungrouped', name: `g${name}`, ids: [id] };
  }),
  ...(descriptionBytes === '0' ? [] : [describing()]),
]);

/** Makes every write long, so that a kill is likely to hit the middle of one. */
async function describing(): Promise<never> {
  const { results } = await client.organization.assetsAdd({ assets: [{ content: `https://described${round}.example/` }] });
  const assetId = results[0]!.id!;
  return lane(async (_, number) => {
    await client.organization.assetsUpdate({ assetId, description: `${number} ${'x'.repeat(Number(descriptionBytes))}` });
    return { kind: 'described', name: `described${round} ${number}`, ids: [] };
  });
}
