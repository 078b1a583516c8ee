import { writeSync } from 'node:fs';
import { createClient } from '../../../src/entry/client-node.js';
import { createService } from '../../../src/entry/service-node.js';

// Writes without end to a service whose state is in a file, and tells its parent of each write once it is acknowledged:
// `node - <file> <round> <bytes of a description, 0 for none>`. It ends by being killed.
const [, , file = '', round = '', descriptionBytes = '0'] = process.argv;

const service = createService({ state: { file } });
const client = createClient({
  baseUrl: 'https://service.test',
  apiKey: service.key,
  retry: false,
  fetch: (url, init) => service.fetch(url, init as RequestInit),
});

/** Synchronously, so that it is on its way before anything else happens. */
function tell(acknowledged: object): void {
  writeSync(1, `${JSON.stringify(acknowledged)}\n`);
}

/** One lane waits for each of its writes; several lanes write at once. */
async function lane(write: (name: string) => Promise<object>): Promise<never> {
  for (let number = 0; ; number++) tell(await write(`${round}-${number}`));
}

await client.account.validate();
tell({ kind: 'ready' });
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
    tell({ kind: 'grouped', name: `g${name}`, ids: [id] });
    await client.organization.assetGroupsDelete({ groupId: id });
    return { kind: 'ungrouped', name: `g${name}`, ids: [id] };
  }),
  ...(descriptionBytes === '0' ? [] : [describing()]),
]);

/** Large writes over the same record, so that the journal grows and the state does not. */
async function describing(): Promise<never> {
  const { assets } = await client.organization.assetsList({ query: 'described.example' });
  const [described] = assets;
  if (described === undefined) throw new Error('there is nothing to describe');
  let number = Number(/^\d+/.exec(described.description ?? '')?.[0] ?? 0);
  for (;;) {
    const description = `${++number} ${'x'.repeat(Number(descriptionBytes))}`;
    await client.organization.assetsUpdate({ assetId: described.id, description });
    tell({ kind: 'described', name: String(number), ids: [] });
  }
}
