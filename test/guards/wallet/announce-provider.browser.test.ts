import { connect, createConfig, getConnectors, http, injected, sendTransaction } from '@wagmi/core';
import { createBlocklist } from 'portcullis';
import { textSource } from 'portcullis/sources';
import { announceProvider, guardProvider, type ProviderRequest, type WalletProvider } from 'portcullis/wallet';
import { mainnet } from 'viem/chains';
import { expect, test } from 'vitest';

const listed = '0xbad0000000000000000000000000000000000bad';
const clean = '0x52908400098527886e0f7030069857d2e4169ee7';
const icon = 'data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22/%3E';

class Wallet implements WalletProvider {
  readonly sent: ProviderRequest[] = [];
  readonly #account: string;

  constructor(account: string) {
    this.#account = account;
  }

  async request({ method, params }: ProviderRequest): Promise<unknown> {
    if (method === 'eth_chainId') return '0x1';
    if (method === 'eth_requestAccounts' || method === 'eth_accounts') return [this.#account];
    if (method === 'wallet_requestPermissions')
      return [{ caveats: [{ value: [this.#account] }], parentCapability: 'eth_accounts' }];
    this.sent.push({ method, params });
    return `0x${'12'.repeat(32)}`;
  }

  on(): this {
    return this;
  }

  removeListener(): this {
    return this;
  }
}

test('wagmi finds a guarded wallet beside another one, connects to it, and cannot pay who is listed', async () => {
  const blocklist = createBlocklist({ sources: [textSource({ id: 'mine', text: `${listed}\n` })], pollMs: 0 });
  await blocklist.ready();
  const [own, other] = [new Wallet('0xde709f2102306220921060314715629080e2fb77'), new Wallet(clean)];
  // Before the site loads its library, and after it.
  const guarded = guardProvider(own, { blocklist, origin: location.origin, policy: { undecided: 'allow' } });
  const stop = announceProvider(guarded, { name: 'Guarded', icon, rdns: 'com.example.guarded' });
  const config = createConfig({
    chains: [mainnet],
    transports: { [mainnet.id]: http('http://localhost:9') },
    connectors: [injected()],
    // With a storage, wagmi takes late announcements only after it has read it.
    storage: null,
  });
  const stopOther = announceProvider(other, { name: 'Other', icon, rdns: 'com.example.other' });

  const found = getConnectors(config).filter(({ type, id }) => type === 'injected' && id.startsWith('com.example.'));
  expect(found.map(({ id, name, icon: shown }) => [id, name, shown])).toEqual([
    ['com.example.guarded', 'Guarded', icon],
    ['com.example.other', 'Other', icon],
  ]);

  const connector = found[0]!;
  const { accounts } = await connect(config, { connector });
  expect(accounts[0]?.toLowerCase()).toBe('0xde709f2102306220921060314715629080e2fb77');
  const pay = (to: `0x${string}`): Promise<string> => sendTransaction(config, { connector, to, value: 1n, gas: null });
  expect(await pay(clean)).toBe(`0x${'12'.repeat(32)}`);
  await expect(pay(listed)).rejects.toThrow(/rejected/i);
  expect(own.sent.map(({ method, params }) => [method, (params as { to: string }[])[0]!.to.toLowerCase()])).toEqual([
    ['eth_sendTransaction', clean],
  ]);
  expect(other.sent).toEqual([]);
  stop();
  stopOther();
});
