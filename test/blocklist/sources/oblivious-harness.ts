import { type ObliviousOptions, oblivious } from 'portcullis/ohttp';
import { type BuiltList, buildList, signList } from 'portcullis/publish';
import { ed25519, generateKeys, signerOf } from 'portcullis/sources';
import { testGateway, testRelay } from '../../support/test-gateway.js';
import { filesOf, hosting } from './harness.js';

export const hosts = ['evil.example', 'scam.example', 'other.example'];

/** A signed list on a host, a gateway in front of it, and a relay in front of that. */
export async function unseenList({ shards = 4096, names = true }: { shards?: 1 | 4096; names?: boolean } = {}) {
  const signer = await signerOf((await generateKeys()).privateKey);
  const files = new Map<string, Uint8Array>();
  const host = await hosting(files);
  const gateway = await testGateway((path) => host.origin + path);
  const relay = await testRelay(gateway.url);
  const publish = async (keys: Uint8Array | undefined, entries: readonly string[] = hosts): Promise<BuiltList> => {
    const built = await buildList(entries, { listName: 'hosts', isPublicSuffix: () => false, shards });
    const list = await signList(built, { signers: [signer], ohttpKeys: keys });
    files.clear();
    for (const [name, bytes] of filesOf(list)) files.set(name, bytes);
    return list;
  };
  await publish(names ? gateway.keyList : undefined);
  /** Requests that did not come through the gateway. */
  const direct = (): string[] => host.requests.filter(({ headers }) => headers['x-gateway'] === undefined).map(({ url }) => url);
  return {
    ...host,
    files,
    gateway,
    relay,
    publish,
    direct,
    signer,
    signatures: { publicKeys: [signer.publicKey], verifier: ed25519 },
    ohttp: (more: Partial<ObliviousOptions> = {}) => oblivious({ relay: relay.url, ...more }),
  };
}
