/**
 * A small wallet behind the guard: it signs with viem, asks about what is not clear, and never sees a request that is rejected.
 * A site uses it through viem too. `npm run example:wallet`
 */
import assert from 'node:assert/strict';
import { createBlocklist } from 'portcullis';
import { textSource } from 'portcullis/sources';
import { guardProvider, type ProviderRequest, type ScreenedRequest, type WalletDecision } from 'portcullis/wallet';
import { createWalletClient, custom, type Hex, parseAbi, type TransactionSerializable } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { mainnet } from 'viem/chains';

const drainer = '0xbad0000000000000000000000000000000000bad';
const friend = '0x52908400098527886e0f7030069857d2e4169ee7';
const token = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';

// Your list comes from a relay or a published list, and is kept in a store.
const blocklist = createBlocklist({ sources: [textSource({ id: 'mine', text: `${drainer}\n` })], pollMs: 0 });
await blocklist.ready();

/** The wallet itself. In place of sending, it signs and counts. */
const account = privateKeyToAccount(generatePrivateKey());
let signed = 0;
const wallet = {
  async request({ method, params }: ProviderRequest): Promise<unknown> {
    const [first] = params as [unknown];
    if (method === 'eth_chainId') return '0x1';
    // The guard asks this about calls of unknown functions. A real wallet has a node answer; here, only the token is a contract.
    if (method === 'eth_getCode') return first === token ? '0x6080' : '0x';
    signed++;
    if (method === 'personal_sign') return account.signMessage({ message: { raw: first as Hex } });
    const { to, data } = first as { to: Hex; data?: Hex };
    const transaction: TransactionSerializable = { type: 'eip1559', chainId: 1, to, ...(data !== undefined && { data }) };
    return (await account.signTransaction(transaction)).slice(0, 66);
  },
};

/** Where a real wallet shows a dialog, this one prints it. The user of this example is careful. */
function decide({ method, status, parties, unreadable, notUnderstood }: ScreenedRequest): WalletDecision {
  const bad = parties.flatMap(({ role, content, verdict, imitates }) => [
    ...(verdict.status === 'clear' ? [] : [`${role} ${content}: ${verdict.status}`]),
    ...(imitates ? [`${role} ${content} looks like ${imitates.address}`] : []),
  ]);
  // Some lists ask for a notice beside each warning about their entries.
  const notices = parties.flatMap(({ verdict: { advisory } }) =>
    advisory ? [`${advisory.text} ${advisory.attribution}: ${advisory.link}`] : [],
  );
  console.log(`asked  ${method}: ${[status, ...bad, ...unreadable, ...notUnderstood, ...new Set(notices)].join('; ')}`);
  return 'reject';
}

// One guard for each site that is connected.
const provider = guardProvider(wallet, { blocklist, origin: 'https://app.example', decide });

// From here on, the site's code.
const client = createWalletClient({ account: account.address, chain: mainnet, transport: custom(provider, { retryCount: 0 }) });
const erc20 = parseAbi(['function approve(address spender, uint256 value) returns (bool)']);
const approve = (spender: Hex): Promise<Hex> =>
  client.writeContract({ address: token, abi: erc20, functionName: 'approve', args: [spender, 1n], chain: null });

await approve(friend);
await client.signMessage({ message: 'Welcome to the app' });
assert.equal(signed, 2);
console.log(`signed ${signed} clean requests`);

await assert.rejects(approve(drainer), /rejected/i);
// The guard does not know this function, and it takes the user's money.
await assert.rejects(client.sendTransaction({ to: token, data: '0x12345678', value: 1n, chain: null }), /rejected/i);
assert.equal(signed, 2);
console.log('signed nothing else');
await blocklist.close();
