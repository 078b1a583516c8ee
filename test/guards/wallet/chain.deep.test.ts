import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createBlocklist } from 'portcullis';
import { textSource } from 'portcullis/sources';
import { guardProvider, type ProviderRequest } from 'portcullis/wallet';
import {
  createPublicClient,
  createWalletClient,
  custom,
  erc20Abi,
  type Hex,
  pad,
  parseEther,
  recoverTypedDataAddress,
  verifyMessage,
} from 'viem';
import { foundry } from 'viem/chains';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Installed by `npm run test:deep`. The registry has it for this platform only. */
const binary = 'tools/deep/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil';
const isSupported = process.platform === 'linux' && process.arch === 'x64';

const listed = '0xbad0000000000000000000000000000000000bad';
const friend = '0x52908400098527886e0f7030069857d2e4169ee7';
const token = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';

let chain: ChildProcess | undefined;
let url = '';

beforeAll(async () => {
  if (!isSupported) return;
  expect(existsSync(binary), 'run npx tsx tools/install.ts tools/deep').toBe(true);
  chain = spawn(binary, ['--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: chain.stdout! })) {
    const [, address] = /^Listening on (\S+)/.exec(line) ?? [];
    if (address === undefined) continue;
    url = `http://${address}`;
    break;
  }
  chain.stdout!.resume();
  // Stores the amount of an approval under its spender: SSTORE(first argument, second argument).
  await request({ method: 'anvil_setCode', params: [token, '0x6024356004355500'] });
});

afterAll(async () => {
  if (chain === undefined || chain.exitCode !== null) return;
  const ended = new Promise((resolve) => chain?.once('exit', resolve));
  chain.kill();
  await ended;
});

/** The node is the wallet: it holds the keys of its accounts and signs with them. */
async function request({ method, params }: ProviderRequest): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: params ?? [] });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (error !== undefined) throw new Error(error.message);
  return result;
}

test.skipIf(!isSupported)('on a real chain, only what is clean happens', async () => {
  const blocklist = createBlocklist({ sources: [textSource({ id: 'mine', text: `${listed}\n` })], pollMs: 0 });
  await blocklist.ready();
  const provider = guardProvider({ request }, { blocklist, origin: 'https://app.example' });
  const [account] = (await provider.request({ method: 'eth_requestAccounts' })) as [Hex];
  const transport = custom(provider, { retryCount: 0 });
  const client = createWalletClient({ account, chain: foundry, transport });
  const chainClient = createPublicClient({ chain: foundry, transport });
  const done = (hash: Hex): Promise<unknown> => chainClient.waitForTransactionReceipt({ hash, pollingInterval: 50 });
  const allowance = (spender: Hex): Promise<Hex | undefined> => chainClient.getStorageAt({ address: token, slot: pad(spender) });
  const approve = (spender: Hex): Promise<Hex> =>
    client.writeContract({ address: token, abi: erc20Abi, functionName: 'approve', args: [spender, 5n] });

  await done(await client.sendTransaction({ to: friend, value: parseEther('1') }));
  await done(await approve(friend));
  await expect(client.sendTransaction({ to: listed, value: parseEther('1') })).rejects.toThrow(/rejected/i);
  await expect(approve(listed)).rejects.toThrow(/rejected/i);

  expect(await chainClient.getBalance({ address: friend })).toBe(parseEther('1'));
  expect(await chainClient.getBalance({ address: listed })).toBe(0n);
  expect(await allowance(friend)).toBe(pad('0x05'));
  expect(await allowance(listed)).toBe(pad('0x00'));
  expect(await chainClient.getTransactionCount({ address: account })).toBe(2);

  const message = 'Welcome';
  const signature = await client.signMessage({ message });
  expect(await verifyMessage({ address: account, message, signature })).toBe(true);

  const permit = (spender: Hex) =>
    ({
      domain: { chainId: foundry.id, verifyingContract: token },
      types: { Permit: [{ name: 'spender', type: 'address' }] },
      primaryType: 'Permit',
      message: { spender },
    }) as const;
  const signed = await client.signTypedData(permit(friend));
  expect(await recoverTypedDataAddress({ ...permit(friend), signature: signed })).toBe((await client.getAddresses())[0]);
  await expect(client.signTypedData(permit(listed))).rejects.toThrow(/rejected/i);
  await blocklist.close();
});
