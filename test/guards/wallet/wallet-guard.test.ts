import { createBlocklist, isPortcullisError, type Verdict } from 'portcullis';
import { textSource } from 'portcullis/sources';
import { guardProvider, type ProviderRequest, type ScreenedRequest, screenRecipients } from 'portcullis/wallet';
import {
  createWalletClient,
  custom,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  keccak256,
  numberToHex,
  pad,
  parseAbi,
  stringToHex,
  zeroAddress,
} from 'viem';
import { mainnet } from 'viem/chains';
import { createSiweMessage } from 'viem/siwe';
import { expect, test } from 'vitest';
import { account, clean, listed, origin, world } from './guard-world.js';

const other = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const approve = (spender: string): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender as Hex, 1n] });

function permit(spender: unknown): object {
  return {
    types: {
      EIP712Domain: [{ name: 'verifyingContract', type: 'address' }],
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
      ],
    },
    primaryType: 'Permit',
    domain: { verifyingContract: clean },
    message: { owner: account, spender, value: '1' },
  };
}

function signIn(domain: string, address: string): string {
  return createSiweMessage({
    domain,
    address: address as Hex,
    uri: `https://${domain}/login`,
    version: '1',
    chainId: 1,
    nonce: 'abcdefgh',
    issuedAt: new Date(0),
  });
}

const ownSignIn = signIn('app.example', account);

/** Texts that a user takes for a sign-in, and that are not in its format. */
const oddSignIns = [
  ownSignIn.replace('Version: 1', 'Version: 2'),
  ownSignIn.replace(/\nNonce.*/, ''),
  ownSignIn.replace('Chain ID: 1', 'Chain ID: one'),
  `${ownSignIn}\nI also pay.`,
  ` ${ownSignIn}`,
  `Hello\n${ownSignIn}`,
  ownSignIn.replace('Ethereum', 'Solana'),
  ownSignIn.replace('Ethereum', 'Bitcoin Cash'),
  ownSignIn.replace('Ethereum', 'Ethereum\u200b'),
  // Letters of Cyrillic, Greek and Armenian, of mathematics and full width, with accents, digits, spaces, and what cannot be seen.
  ...[
    's\u0456gn in',
    '\u0455ign in',
    'sign \u03b9n',
    'sign i\u0578',
    '\ud835\udc2c\ud835\udc22gn in',
    '\uff53ign in',
    's\u00efgn in',
  ].map((phrase) => ownSignIn.replace('sign in', phrase)),
  ...['s1gn in', 'slgn in', 's i g n  i n', 'sign\u00a0in', 'si\u200bgn in', 'SIGN IN', 'sign-in'].map((phrase) =>
    ownSignIn.replace('sign in', phrase),
  ),
  ownSignIn.replace('your', 'y\u043eur').replace('with', 'w\u0456th').replace('account', '\u0430\u0441\u0441ount'),
];

/** Each method that is read, with the place of a party. */
const methods: Record<string, (party: string) => unknown> = {
  'eth_sendTransaction to': (to) => [{ from: account, to, value: '0x1' }],
  'eth_sendTransaction approve': (spender) => [{ from: account, to: clean, data: approve(spender) }],
  'eth_sendTransaction input': (spender) => [{ from: account, to: clean, input: approve(spender) }],
  'eth_sendTransaction feeCurrency': (feeCurrency) => [{ to: clean, feeCurrency }],
  'eth_signTransaction to': (to) => [{ from: account, to }],
  'wallet_sendCalls to': (to) => [{ version: '2.0.0', chainId: '0x1', calls: [{ to: clean }, { to, value: '0x1' }] }],
  'wallet_sendCalls approve': (spender) => [{ version: '2.0.0', calls: [{ to: clean, data: approve(spender) }] }],
  'wallet_watchAsset token': (address) => ({ type: 'ERC20', options: { address, symbol: 'A', decimals: 18 } }),
  'eth_signTypedData_v4 object': (spender) => [account, permit(spender)],
  'eth_signTypedData_v4 text': (spender) => [account, JSON.stringify(permit(spender))],
  'personal_sign hex': (party) => [stringToHex(`I authorize ${party}.`), account],
  'personal_sign inside a word': (party) => [`x${party}_`, account],
  'personal_sign without 0x': (party) => [`I pay ${party.slice(2)}.`, account],
  'personal_sign in 32 bytes': (party) => [`I pay 0x${party.slice(2).padStart(64, '0')} today.`, account],
  'personal_sign of a chain': (party) => [`I pay eip155:1:${party} and more.`, account],
  'personal_sign text, swapped': (party) => [account, `I authorize ${party}.`],
};

test.each(Object.entries(methods))('%s: passes a clean party on, and asks about a listed one', async (name, make) => {
  const { provider, guarded, asked } = await world();
  const method = name.split(' ')[0]!;
  expect(await guarded.request({ method, params: make(other) })).toBe(`result of ${method}`);
  expect(provider.received).toEqual([{ method, params: make(other) }]);
  expect(asked).toEqual([]);

  const error: unknown = await guarded.request({ method, params: make(listed) }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 4001, cause: { code: 'REJECTED' } });
  expect(isPortcullisError((error as Error).cause)).toBe(true);
  expect(provider.received).toHaveLength(1);
  expect(asked[0]).toMatchObject({ method, origin, status: 'listed', unreadable: [] });
  const blocked = asked[0]!.parties.filter(({ verdict }) => verdict.status === 'blocked');
  expect(blocked.map(({ content }) => content)).toContain(listed);
});

const router = parseAbi(['function execute(bytes commands, bytes[] inputs)']);
const wrap = pad(clean, { size: 32 }) + '1'.padStart(64, '0');
const program = (commands: Hex, inputs: readonly string[]): object => ({
  to: clean,
  data: encodeFunctionData({ abi: router, functionName: 'execute', args: [commands, inputs as Hex[]] }),
});

const steps = (codes: Hex, inputs: readonly Hex[]): Hex =>
  encodeAbiParameters([{ type: 'bytes' }, { type: 'bytes[]' }], [codes, inputs]);

/** A token that calls its recipient, which may be a bridge and find the true recipient in the data. */
const hooked = encodeFunctionData({
  abi: parseAbi(['function transferAndCall(address to, uint256 value, bytes data)']),
  args: [clean, 1n, listed],
});

const decoded = { to: clean, data: approve(other) };

/** Fields that wallets may read in different ways, or as something that is not screened. */
const oddTransactions: readonly object[] = [
  { value: { a: listed } },
  { value: '100' },
  { value: -1 },
  { value: 1.5 },
  { gas: [listed] },
  { nonce: { to: listed } },
  { type: 'legacy' },
  { from: 'me' },
  { chainId: true },
  { accessList: [{ address: clean, storageKeys: [{ to: listed }] }] },
  { accessList: [{ address: clean, to: listed }] },
  { accessList: {} },
  { blobs: ['text'] },
];

const oddBatches: readonly [fields: object, reason: RegExp][] = [
  [{ calls: [] }, /it has no calls/],
  [{ id: { to: listed } }, /id of the batch is malformed/],
  [{ atomicRequired: 'yes' }, /atomicRequired of the batch is malformed/],
  [{ calls: [{ to: clean, value: '1' }] }, /value of a call is malformed/],
  [{ capabilities: { atomic: { to: listed } } }, /capability has an unknown field, to/],
  [{ capabilities: { atomic: true } }, /a capability is not an object/],
  [{ capabilities: { auxiliaryFunds: { requiredAssets: [{ address: listed }] } } }, /unknown field, requiredAssets/],
  [
    { capabilities: { paymasterService: { url: 'https://a.example', '0x1': { url: 'https://b.example' } } } },
    /unknown field, 0x1/,
  ],
  [{ capabilities: { constructor: {} } }, /unknown capability/],
];

type Refused = [method: string, params: unknown, reason: RegExp];
const transaction = (fields: object, reason: RegExp): Refused => ['eth_sendTransaction', [fields], reason];
const batch = (fields: object, reason: RegExp): Refused => ['wallet_sendCalls', [fields], reason];

test.each<Refused>([
  ['eth_sign', [account, `0x${'ab'.repeat(32)}`], /eth_sign cannot be read/],
  ['eth_signTypedData', [[], account], /cannot be read/],
  ['eth_signTypedData_v3', [account, permit(clean)], /cannot be read/],
  ['eth_sendRawTransaction', ['0x02'], /cannot be read/],
  ['wallet_grantPermissions', [{}], /lets others act for the account/],
  ['wallet_requestExecutionPermissions', [{}], /lets others act for the account/],
  ['wallet_switchEthereumChain', [{ chainId: '0x1', rpcUrls: ['https://a.example'] }], /chain has an unknown field, rpcUrls/],
  ['wallet_switchEthereumChain', [{ chainId: { id: 1 } }], /chainId of the chain is malformed/],
  ['wallet_switchEthereumChain', ['0x1'], /chain is not an object/],
  ['wallet_switchEthereumChain', [{ chainId: '0x1' }, { chainId: '0x2' }], /too many parameters/],
  ['eth_getEncryptionPublicKey', [account], /cannot be read/],
  ['constructor', [], /cannot be read/],
  ['wallet_somethingNew', undefined, /cannot be read/],
  ['eth_sendTransaction', [], /transaction is not an object/],
  ['eth_sendTransaction', { to: clean }, /parameters are not a list/],
  transaction({ data: '0x6000' }, /deploys a contract/),
  transaction({ to: '0x12' }, /to is not an address/),
  transaction({ ...decoded, input: approve(listed) }, /data and input differ/),
  transaction({ to: clean, data: '0x12345678' }, /unknown function, 0x12345678/),
  transaction({ to: clean, data: '0x1234' }, /calldata is malformed/),
  transaction({ to: clean, data: 'a9059cbb' }, /calldata is not hex/),
  transaction({ to: clean, data: `${approve(other)}00` }, /parameters of approve are malformed/),
  transaction({ to: clean, data: approve(other).replace('000000', '000001') }, /parameters of approve are malformed/),
  transaction(program('0x0b0b', [wrap]), /parameters of execute are malformed/),
  transaction(program('0x0b', [wrap, wrap]), /more inputs than commands of a router/),
  transaction(program('0x21', ['0x']), /parameters of router command 21 are malformed/),
  transaction(program('0x22', ['0x']), /unknown command of a router, 22/),
  transaction(program('0x4b', [wrap]), /unknown command of a router, 4b/),
  transaction(program('0x10', [steps('0x0a', ['0x'])]), /unknown action of a router, 0a/),
  transaction(program('0x10', [steps('0x8b', ['0x'])]), /unknown action of a router, 8b/),
  transaction({ to: clean, data: hooked }, /transferAndCall passes on data that cannot be read/),
  transaction(program('0x0b', [`${wrap}00`]), /parameters of router command 0b are malformed/),
  transaction({ to: clean, authorizationList: [{}] }, /delegate is not an address/),
  transaction({ to: clean, authorizationList: [{ address: clean }] }, /installs code that cannot be read/),
  transaction(
    { to: clean, authorizationList: [{ address: zeroAddress, contractAddress: clean }] },
    /installs code that cannot be read/,
  ),
  ...oddTransactions.map((fields): [string, unknown, RegExp] =>
    transaction({ to: clean, ...fields }, /of the transaction is malformed/),
  ),
  ...oddBatches.map(([fields, reason]): [string, unknown, RegExp] => [
    'wallet_sendCalls',
    [{ version: '2.0.0', calls: [{ to: clean }], ...fields }],
    reason,
  ]),
  ['wallet_addEthereumChain', [{ chainId: '0x1', rpcUrls: [], fees: listed }], /chain has an unknown field, fees/],
  ['wallet_addEthereumChain', [{ chainId: '0x1', chainName: { a: 1 } }], /chainName of the chain is malformed/],
  ['wallet_addEthereumChain', [{ chainId: '0x1', nativeCurrency: { symbol: 'A', to: listed } }], /currency has an unknown field/],
  ['wallet_addEthereumChain', [{ chainId: '0x1', nativeCurrency: listed }], /currency is not an object/],
  ['wallet_addEthereumChain', [], /chain is not an object/],
  ['wallet_watchAsset', { type: 'ERC20', options: { address: clean, image: 'evil' } }, /image has no link/],
  ['wallet_watchAsset', { type: 'ERC20', options: { address: clean, to: listed } }, /token has an unknown field, to/],
  ['wallet_watchAsset', { type: 'ERC20', options: { address: clean }, to: listed }, /asset has an unknown field, to/],
  ['wallet_watchAsset', [], /asset is not an object/],
  transaction({ to: clean, authorizationList: ['0x'] }, /authorization is not an object/),
  transaction({ to: clean, authorizationList: [{ address: clean, to: listed }] }, /authorization has an unknown field, to/),
  ['eth_sendTransaction', [{ to: clean }, { to: listed }], /too many parameters/],
  transaction({ to: clean, paymasterParams: { paymaster: listed } }, /unknown field, paymasterParams/),
  transaction({ to: clean, '<b>': 1 }, /unknown field, a field/),
  ['wallet_sendCalls', [{ calls: [] }, { calls: [{ to: listed }] }], /too many parameters/],
  batch({ calls: [], authorizationList: [{ address: listed }] }, /batch has an unknown field, authorizationList/),
  batch({ calls: [{ to: clean, target: listed }] }, /call has an unknown field, target/),
  ['eth_signTypedData_v4', [JSON.stringify(permit(listed)), permit(clean)], /account of the typed data/],
  ['eth_signTypedData_v4', [account, permit(clean), permit(listed)], /too many parameters/],
  ['personal_sign', ['hello', account, { to: listed }], /password is not text/],
  ['personal_sign', [stringToHex(signIn('other.example', account)).slice(2), account], /read the message as hex/],
  transaction({ to: clean, authorizationList: {} }, /authorizations are not a list/),
  batch({ calls: {} }, /calls are not a list/),
  batch({ calls: ['0x'] }, /a call is not an object/),
  batch({ calls: [decoded], capabilities: { permissions: {} } }, /unknown capability/),
  ['eth_signTypedData_v4', [account, '{'], /typed data is not an object/],
  ['eth_signTypedData_v4', [account, { ...permit(clean), types: {} }], /lacks its type/],
  ['eth_signTypedData_v4', [account, { ...permit(clean), primaryType: 'EIP712Domain' }], /only its domain/],
  ['eth_signTypedData_v4', [account, permit(clean.slice(0, 40))], /spender is not an address/],
  ['eth_signTypedData_v4', [account, permit(undefined)], /spender in the typed data does not fit/],
  ['eth_signTypedData_v4', [account, permit(2 ** 60)], /spender is not an address/],
  ['personal_sign', [`0x${'ab'.repeat(32)}`, account], /not text/],
  ['personal_sign', [`0x${'61'.repeat(32)}`, account], /may be a hash/],
  ['personal_sign', [stringToHex(`${'äöü'.repeat(5)}ab`), account], /may be a hash/],
  ['personal_sign', ['Log in to app.example right now.', account], /may be a hash/],
  ['personal_sign', [stringToHex(`0x${'ab'.repeat(32)}`), account], /may be a hash/],
  ['personal_sign', [stringToHex(`${'ab'.repeat(32)}\n`), account], /may be a hash/],
  ['personal_sign', [other, account], /cannot be told apart/],
  ['personal_sign', ['hello'], /missing/],
  ['personal_sign', ['0xhello', account], /not text/],
  ['personal_sign', [signIn('other.example', account), account], /another site/],
  ['personal_sign', [signIn('app.example', other), account], /another account/],
  ...Object.entries({
    'https://other.example/login': /another site/,
    'https://app.example.other.example': /another site/,
    'https://app.example@other.example': /another site/,
    'http://app.example/login': /another site/,
    'did:key:abc': /another site/,
  }).map(([uri, reason]): Refused => ['personal_sign', [ownSignIn.replace('https://app.example/login', uri), account], reason]),
  ...oddSignIns.map((text): Refused => ['personal_sign', [text, account], /sign-in message is malformed/]),
  [
    'personal_sign',
    [`app.example  wants you to sign in with your Ethereum account:\n${account}`, account],
    /sign-in message is malformed/,
  ],
  ['wallet_requestPermissions', [{ eth_accounts: {}, snap: {} }], /unknown field, snap/],
  ['wallet_requestPermissions', [{ eth_accounts: { to: listed } }], /eth_accounts of the request is malformed/],
  ['wallet_requestPermissions', [null], /the request is not an object/],
  ['wallet_requestPermissions', [{ wallet_snap: null }], /a permission without a value/],
  ['eth_requestAccounts', [{ eth_accounts: {}, wallet_snap: null }], /a permission without a value/],
  ['eth_requestAccounts', [{ to: listed }], /unknown field, to/],
  ['eth_requestAccounts', [listed], /the request is not an object/],
  ['wallet_addEthereumChain', [{ rpcUrls: ['file:///etc'] }], /rpcUrls has no link/],
])('%s %j is never passed on unasked', async (method, params, reason) => {
  const { provider, guarded, asked } = await world();
  await expect(guarded.request(params === undefined ? { method } : { method, params })).rejects.toMatchObject({ code: 4001 });
  expect(provider.received).toEqual([]);
  expect(asked[0]!.unreadable.join()).toMatch(reason);
});

test.each([
  [
    'with every line',
    {
      statement: 'I accept.',
      expirationTime: new Date(1e12),
      notBefore: new Date(1),
      requestId: 'a-1',
      resources: ['https://a.example/b', 'ipfs://c'],
    },
  ],
  ['with a query and a fragment', { uri: 'https://app.example?x#y' }],
  ['with a scheme', { scheme: 'https' }],
])('passes a sign-in %s on', async (_, fields) => {
  const { provider, guarded } = await world();
  const message = createSiweMessage({
    domain: 'app.example',
    address: account,
    uri: 'https://app.example',
    version: '1',
    chainId: 5,
    nonce: 'abcdefgh',
    ...fields,
  });
  await guarded.request({ method: 'personal_sign', params: [message, account] });
  expect(provider.received).toHaveLength(1);
});

test.each([
  'Sign your name in the list.',
  'Войдите с помощью вашего кошелька, чтобы открыть аккаунт и продолжить',
  '请使用您的钱包登录您的帐户以继续访问我们的网站和服务，谢谢您的配合与支持',
])('passes the text %j on, which is no sign-in', async (text) => {
  const { provider, guarded } = await world();
  await guarded.request({ method: 'personal_sign', params: [text, account] });
  expect(provider.received).toHaveLength(1);
});

test('passes a switch to another chain on', async () => {
  const { provider, guarded } = await world();
  await guarded.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: '0x89' }] });
  expect(provider.received).toHaveLength(1);
});

/** EIP-7715: the text of 2024, the text of today, and a rule that names who may use the permission. */
test.each<[string, unknown, string]>([
  [
    'wallet_grantPermissions',
    [{ chainId: 1, signer: { type: 'account', data: { address: listed } }, permission: { type: 'a', data: {} } }],
    'address',
  ],
  ['wallet_grantPermissions', [{}, { policies: [{ type: 'a', data: { targets: [clean, listed] } }] }], 'targets'],
  [
    'wallet_requestExecutionPermissions',
    [{ chainId: '0x1', from: account, to: listed, permission: { type: 'a', data: {} } }],
    'to',
  ],
  [
    'wallet_requestExecutionPermissions',
    [{ to: clean, rules: [{ type: 'redeemer', data: { addresses: [listed] } }] }],
    'addresses',
  ],
  ['wallet_requestExecutionPermissions', [{ to: clean, context: pad(listed as Hex) }], 'context'],
  ['eth_sendUserOperation', [{ sender: account, paymaster: listed }], 'paymaster'],
  ['eth_signTypedData_v3', [account, JSON.stringify(permit(listed))], 'a parameter'],
])('%s %j: names its listed party, and asks', async (method, params, role) => {
  const { provider, guarded, asked } = await world();
  await expect(guarded.request({ method, params })).rejects.toMatchObject({ code: 4001 });
  expect(asked).toMatchObject([{ status: 'listed', unreadable: [expect.any(String)] }]);
  expect(asked[0]!.parties).toContainEqual(expect.objectContaining({ role, content: listed }));
  expect(provider.received).toEqual([]);
});

test("asks about each of viem's ways to append data, and looks its words up", async () => {
  const { provider, guarded, asked } = await world();
  const transport = custom(guarded, { retryCount: 0 });
  const client = createWalletClient({ account, chain: mainnet, transport, dataSuffix: '0x12345678' });
  const call = { address: clean, abi: erc20Abi, functionName: 'transfer', args: [other, 1n], chain: null } as const;
  const calls = [{ to: clean, data: approve(other) }] as const;
  await client.writeContract(call).catch(() => {});
  await client.writeContract({ ...call, dataSuffix: pad(listed as Hex) }).catch(() => {});
  await client.sendTransaction({ to: clean, chain: null }).catch(() => {});
  await client.sendCalls({ calls, chain: mainnet }).catch(() => {});
  const { sendCalls } = createWalletClient({ account, chain: mainnet, transport, dataSuffix: pad(listed as Hex) });
  await sendCalls({ calls }).catch(() => {});
  expect(asked.map(({ status, unreadable }) => [status, ...unreadable])).toEqual([
    ['clear', 'the parameters of transfer are malformed'],
    ['listed', 'the parameters of transfer are malformed'],
    ['screened', 'it calls an unknown function, 0x12345678, of what may be no contract'],
    ['clear', 'it uses an unknown capability'],
    ['listed', 'it uses an unknown capability'],
  ]);
  expect(provider.received.filter(({ method }) => method !== 'eth_chainId')).toEqual([]);
});

test('passes a sign-in for its own site and account on', async () => {
  const { provider, guarded } = await world();
  await guarded.request({ method: 'personal_sign', params: [stringToHex(signIn('app.example', account)), account] });
  expect(provider.received).toHaveLength(1);
});

test('passes on every field that wallets and libraries put into transactions and batches', async () => {
  const { provider, guarded } = await world();
  const fees = { gas: '0x5208', gasLimit: '0x5208', gasPrice: '0x1', maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1' };
  const transaction = {
    from: account,
    to: clean,
    value: '0x1',
    data: '0x',
    nonce: '0x0',
    type: '0x2',
    chainId: '0x1',
    accessList: [],
    ...fees,
  };
  await guarded.request({
    method: 'eth_sendTransaction',
    params: [{ ...transaction, input: null, feeCurrency: null, customData: null }],
  });
  const calls = [{ to: clean, value: '0x1', data: '0x' }];
  const batch = { version: '2.0.0', id: '0x1', from: account, chainId: '0x1', atomicRequired: true, calls, capabilities: {} };
  await guarded.request({ method: 'wallet_sendCalls', params: [batch] });
  await guarded.request({ method: 'personal_sign', params: ['hello', account, ''] });
  const accessList = [{ address: clean, storageKeys: [`0x${'00'.repeat(32)}`] }];
  // It takes the code away.
  const authorizationList = [{ address: zeroAddress, chainId: 1, nonce: 0, r: '0x1', s: '0x1', yParity: '0x0' }];
  await guarded.request({ method: 'eth_sendTransaction', params: [{ to: clean, accessList, authorizationList, nonce: 7 }] });
  const capabilities = {
    paymasterService: { url: 'https://a.example', optional: true, context: { policyId: '5f0c9f0e-5b8a' } },
    atomic: { required: true },
    auxiliaryFunds: { supported: true },
  };
  await guarded.request({ method: 'wallet_sendCalls', params: [{ ...batch, capabilities }] });
  const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 };
  const chain = { chainId: '0x1', chainName: 'Ethereum', nativeCurrency, rpcUrls: ['https://a.example'], iconUrls: null };
  await guarded.request({ method: 'wallet_addEthereumChain', params: [chain] });
  for (const image of ['data:image/png;base64,AAAA', 'https://a.example/a.png', null]) {
    const options = { address: clean, symbol: 'A', decimals: 18, image };
    await guarded.request({ method: 'wallet_watchAsset', params: { type: 'ERC20', options } });
  }
  expect(provider.received).toHaveLength(9);
});

test('passes reads on without a look at their parameters', async () => {
  const { provider, guarded } = await world();
  const params = [{ to: listed, data: '0x12345678' }, 'latest'];
  await guarded.request({ method: 'eth_call', params });
  await guarded.request({ method: 'eth_chainId' });
  expect(provider.received).toEqual([{ method: 'eth_call', params }, { method: 'eth_chainId' }]);
  expect(provider.received[0]!.params).toBe(params);
});

test.each<[string, (link: string) => unknown]>([
  ['wallet_addEthereumChain', (link) => [{ chainId: '0x1', rpcUrls: [link], blockExplorerUrls: ['https://a.example'] }]],
  ['wallet_addEthereumChain', (link) => [{ chainId: '0x1', iconUrls: [link] }]],
  ['wallet_addEthereumChain', (link) => [{ chainId: '0x1', chainName: `Visit ${link} first` }]],
  ['wallet_watchAsset', (image) => ({ type: 'ERC20', options: { address: clean, image } })],
  ['wallet_watchAsset', (symbol) => ({ type: 'ERC20', options: { address: clean, symbol } })],
  ['wallet_sendCalls', (url) => [{ version: '2.0.0', calls: [{ to: clean }], capabilities: { paymasterService: { url } } }]],
  [
    'wallet_sendCalls',
    (link) => [
      {
        version: '2.0.0',
        calls: [{ to: clean }],
        capabilities: { paymasterService: { url: 'https://a.example', context: { terms: [link] } } },
      },
    ],
  ],
  ['wallet_sendCalls', (url) => [{ version: '2.0.0', calls: [{ to: clean, capabilities: { paymasterService: { url } } }] }]],
  ['personal_sign', (link) => [`Our terms: (${link}).`, account]],
  ['personal_sign', (link) => [`Log in at ${link.slice(8, -2)} now`, account]],
  ['personal_sign', (link) => [`Log in (${link.slice(8, -2)}).`, account]],
  ['personal_sign', (link) => [`请访问${link.slice(8, -2)}领取`, account]],
  ['personal_sign', (link) => [`Connect to ${link.replace('https', 'wss')}`, account]],
  ['personal_sign', (link) => [`Go to ${link.replace('//', '/')}`, account]],
])('%s: asks about a listed link', async (method, make) => {
  const { provider, guarded, asked } = await world();
  await guarded.request({ method, params: make('https://b.example/x') });
  await expect(guarded.request({ method, params: make('https://evil.example/x') })).rejects.toMatchObject({ code: 4001 });
  expect(asked).toMatchObject([{ status: 'listed', unreadable: [] }]);
  expect(provider.received).toHaveLength(1);
});

test('asks before a listed site connects', async () => {
  const { provider, guarded, asked } = await world({ origin: 'https://evil.example' });
  await expect(guarded.request({ method: 'eth_requestAccounts' })).rejects.toMatchObject({ code: 4001 });
  expect(asked[0]!.parties).toMatchObject([{ role: 'origin', content: 'https://evil.example', verdict: { status: 'blocked' } }]);
  expect(provider.received).toEqual([]);
});

test('forwards what was screened, even if the site changes it while the user decides', async () => {
  const transaction = { to: clean, data: '0x12345678' };
  let answer = (_: 'allow'): void => {};
  const decide = (): Promise<'allow'> =>
    new Promise((resolve) => {
      answer = resolve;
    });
  const { provider, guarded } = await world({ decide });
  const sent = guarded.request({ method: 'eth_sendTransaction', params: [transaction] });
  transaction.to = listed;
  await expect.poll(() => `${answer}`).not.toContain('=>');
  answer('allow');
  await sent;
  expect(provider.received).toEqual([{ method: 'eth_sendTransaction', params: [{ to: clean, data: '0x12345678' }] }]);
});

test('reads the method and each value once, so that no proxy can show two faces', async () => {
  const { provider, guarded } = await world();
  let reads = 0;
  const twoFaced = new Proxy(
    { to: clean },
    {
      getOwnPropertyDescriptor: () => ({
        value: reads++ === 0 ? clean : listed,
        enumerable: true,
        configurable: true,
        writable: true,
      }),
    },
  );
  const request = Object.defineProperty({ params: [twoFaced] }, 'method', {
    get: () => 'eth_sendTransaction',
  }) as unknown as ProviderRequest;
  // A proxy answers for its keys with the same trap, so either copy must be the one that was screened.
  const sent = await guarded.request(request).catch((error: { code: number }) => error.code);
  if (sent === 4001) expect(provider.received).toEqual([]);
  else expect(provider.received).toEqual([{ method: 'eth_sendTransaction', params: [{ to: clean }] }]);
});

test.each<[string, () => unknown]>([
  ['a getter', () => [Object.defineProperty({}, 'to', { get: () => clean, enumerable: true })]],
  ['a function', () => [{ to: clean, toJSON: () => ({ to: listed }) }]],
  ['a BigInt', () => [{ to: clean, value: 1n }]],
  ['a number that JSON lacks', () => [{ to: clean, value: Number.NaN }]],
  ['a date', () => [new Date()]],
  ['a field that sets the prototype', () => JSON.parse(`[{"to":"${clean}","__proto__":{"data":"0x12345678"}}]`)],
  [
    'a cycle',
    () => {
      const params: unknown[] = [];
      params.push(params);
      return params;
    },
  ],
  ['more levels than allowed', () => JSON.parse('['.repeat(40) + ']'.repeat(40))],
  ['more values than allowed', () => Array(20_000).fill(0)],
  ['more text than allowed', () => [{ to: clean, data: `0x${'00'.repeat(600_000)}` }]],
  [
    'a proxy that throws',
    () => [
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('no');
          },
        },
      ),
    ],
  ],
])('refuses parameters with %s', async (_, make) => {
  const { provider, guarded, asked } = await world();
  await expect(guarded.request({ method: 'eth_sendTransaction', params: make() })).rejects.toMatchObject({ code: -32602 });
  expect([provider.received, asked]).toEqual([[], []]);
});

test('text that repeats a field is forwarded as it was read', async () => {
  const { provider, guarded } = await world();
  const text = JSON.stringify(permit(clean)).replace('"spender":"', `"spender":"${listed}","spender":"`);
  await guarded.request({ method: 'eth_signTypedData_v4', params: [account, text] });
  expect(provider.received).toEqual([{ method: 'eth_signTypedData_v4', params: [account, JSON.stringify(permit(clean))] }]);
});

const multicall = parseAbi(['function multicall(bytes[] data)']);

test('finds a listed party in nested calls, and asks about calls that are nested too deep', async () => {
  const nested = (levels: number): Hex =>
    levels === 0
      ? approve(listed)
      : encodeFunctionData({ abi: multicall, functionName: 'multicall', args: [[nested(levels - 1)]] });
  const { provider, guarded, asked } = await world();
  for (const levels of [8, 9, 40]) {
    const params = [{ to: clean, data: nested(levels) }];
    await expect(guarded.request({ method: 'eth_sendTransaction', params })).rejects.toMatchObject({ code: 4001 });
  }
  expect(asked.map(({ status, unreadable }) => [status, ...unreadable])).toEqual([
    ['listed'],
    ['listed', 'its calls are nested more than 8 deep'],
    ['listed', 'its calls are nested more than 8 deep'],
  ]);
  expect(provider.received).toEqual([]);
});

test('bounds programs of a router inside programs', async () => {
  const nested = (levels: number): Hex => (levels === 0 ? steps('0x', []) : steps('0x21', [nested(levels - 1)]));
  const { guarded, asked } = await world();
  await guarded.request({ method: 'eth_sendTransaction', params: [program('0x21', [nested(7)])] });
  await expect(guarded.request({ method: 'eth_sendTransaction', params: [program('0x21', [nested(8)])] })).rejects.toMatchObject({
    code: 4001,
  });
  expect(asked.map(({ unreadable }) => unreadable)).toEqual([['its calls are nested more than 8 deep']]);
});

const padding = (count: number): object[] =>
  Array.from({ length: count }, (_, at) => ({ to: `0x${at.toString(16).padStart(40, 'a')}` }));
const paying = (terms: string): object => ({ paymasterService: { url: 'https://a.example', context: { terms } } });
const longLinks = Array.from({ length: 40 }, (_, at) => `https://a${at}.example/${'x'.repeat(2_000)}`).join(' ');

test('asks about a batch that names more parties than are screened', async () => {
  const { guarded, asked } = await world();
  await expect(guarded.request({ method: 'wallet_sendCalls', params: [{ calls: padding(600) }] })).rejects.toMatchObject({
    code: 4001,
  });
  expect(asked[0]).toMatchObject({ status: 'undecided', unreadable: ['it names more than 512 parties, or very long ones'] });
});

test.each<[string, unknown]>([
  ['addresses', { calls: [...padding(600), { to: listed }] }],
  ['long links', { calls: [{ to: clean }], capabilities: paying(`${longLinks} https://evil.example`) }],
])('no policy lets a request pass whose listed party is behind too many %s', async (_, batch) => {
  const { provider, guarded, asked } = await world({ policy: { unreadable: 'allow', listed: 'reject' } });
  await expect(guarded.request({ method: 'wallet_sendCalls', params: [batch] })).rejects.toMatchObject({ code: 4001 });
  expect(asked).toMatchObject([{ status: 'undecided' }]);
  expect(provider.received).toEqual([]);
});

const transfer = { method: 'eth_sendTransaction', params: [{ to: clean }] };
const toListed = { method: 'eth_sendTransaction', params: [{ to: listed }] };
const unreadable = { method: 'eth_sign', params: [account, '0x'] };

test('a parameter too many does not hide what the others name', async () => {
  const { guarded, provider } = await world({ policy: { unreadable: 'allow', listed: 'reject' } });
  const params = [{ to: listed }, 'latest'];
  await expect(guarded.request({ method: 'eth_sendTransaction', params })).rejects.toMatchObject({
    cause: { message: expect.stringContaining('listed') },
  });
  expect(provider.received).toEqual([]);
});

test.each([
  ['eth_sendTransaction', { to: clean, recipient: listed }],
  ['eth_sendTransaction', { to: clean, value: [listed] }],
  ['wallet_requestPermissions', { eth_accounts: { caveats: [{ value: listed }] } }],
])('%s: a field that is not understood may be allowed, but not if it names a listed party', async (method, params) => {
  const { guarded, asked } = await world({ policy: { unreadable: 'allow' } });
  await expect(guarded.request({ method, params: [params] })).rejects.toMatchObject({ code: 4001 });
  expect(asked).toMatchObject([{ status: 'listed' }]);
});

test('the policy decides without a question, and the strictest rule wins', async () => {
  const strict = await world({ policy: { listed: 'reject', unreadable: 'allow' } });
  await expect(strict.guarded.request(toListed)).rejects.toMatchObject({ code: 4001 });
  await strict.guarded.request(unreadable);
  const both = { method: 'eth_sendTransaction', params: [{ to: listed, data: '0x12345678' }] };
  await expect(strict.guarded.request(both)).rejects.toMatchObject({
    cause: { message: expect.stringContaining('listed, unreadable') },
  });
  expect(strict.asked).toEqual([]);
  expect(strict.provider.received).toEqual([unreadable]);
});

test('without decide, after its deadline, when it fails, and for any other answer, the request is rejected', async () => {
  let isEnded = false;
  const silent = (
    _: ScreenedRequest,
    signal: { addEventListener(type: 'abort', listener: () => void): void },
  ): Promise<'allow'> =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        isEnded = true;
        // Too late.
        resolve('allow');
      });
    });
  const failing = (): never => {
    throw new Error('the dialog was closed');
  };
  for (const decide of [undefined, silent, failing, (() => 'yes') as never]) {
    const { provider, guarded } = await world({ decide, deadlineMs: 50 });
    await expect(guarded.request(toListed)).rejects.toMatchObject({ code: 4001, cause: { code: 'REJECTED' } });
    expect(provider.received).toEqual([]);
  }
  expect(isEnded).toBe(true);
});

test('passes on what the user allows', async () => {
  const { provider, guarded } = await world({ decide: () => 'allow' });
  expect(await guarded.request(toListed)).toBe('result of eth_sendTransaction');
  expect(provider.received).toEqual([toListed]);
});

test('asks again about a party that is listed while the user decides', async () => {
  const blocklist = createBlocklist({ sources: [textSource({ id: 'mine', text: 'evil.example\n' })], pollMs: 0 });
  await blocklist.ready();
  for (const [method, params, questions] of [
    ['eth_sendTransaction', [{ to: clean, data: '0x12345678' }], 2],
    ['eth_sign', [account, '0x'], 1],
  ] as const) {
    const statuses: string[] = [];
    const decide = async ({ status }: ScreenedRequest): Promise<'allow'> => {
      statuses.push(status);
      await blocklist.block(clean);
      return 'allow';
    };
    const { provider, guarded } = await world({ blocklist, decide });
    await guarded.request({ method, params });
    expect(statuses).toEqual(questions === 2 ? ['screened', 'listed'] : ['clear']);
    expect(provider.received).toHaveLength(1);
  }
  await blocklist.close();
});

test('not knowing never passes for clear: no list, a closed list, a check that fails or hangs', async () => {
  const empty = createBlocklist({
    sources: [textSource({ id: 'mine', read: () => Promise.reject(new Error('no')) })],
    pollMs: 0,
  });
  await empty.ready();
  const closed = createBlocklist({ sources: [textSource({ id: 'mine', text: 'evil.example\n' })], pollMs: 0 });
  await closed.close();
  const failing = { check: (): Promise<Verdict> => Promise.reject(new Error('broken')) };
  const hanging = { check: (): Promise<Verdict> => new Promise(() => {}) };
  for (const blocklist of [empty, closed, failing, hanging]) {
    const { provider, guarded, asked } = await world({ blocklist, deadlineMs: 300 });
    await expect(guarded.request(transfer)).rejects.toMatchObject({ code: 4001 });
    expect(asked[0]).toMatchObject({ status: 'undecided', unreadable: [] });
    expect(provider.received).toEqual([]);
  }
});

test('the old ways to send are screened, and what could reach the wallet unscreened is left out', async () => {
  const { provider, guarded } = await world();
  const legacy = guarded as unknown as {
    send(first: unknown, second?: unknown): Promise<unknown>;
    sendAsync(payload: unknown, callback: (error: unknown, response?: unknown) => void): void;
  };
  await expect(legacy.send(toListed.method, toListed.params)).rejects.toMatchObject({ code: 4001 });
  await expect(legacy.send({ id: 1, ...toListed })).rejects.toMatchObject({ code: 4001 });
  const answered = (payload: unknown): Promise<unknown[]> =>
    new Promise((resolve) => legacy.sendAsync(payload, (...answer) => resolve(answer)));
  expect(await answered({ id: 1, ...toListed })).toMatchObject([{ code: 4001 }]);
  expect(
    await answered([
      { id: 1, ...transfer },
      { id: 2, ...toListed },
    ]),
  ).toEqual([
    null,
    [
      { id: 1, jsonrpc: '2.0', result: 'result of eth_sendTransaction' },
      { id: 2, jsonrpc: '2.0', error: { code: 4001, message: 'the request was rejected' } },
    ],
  ]);
  expect(provider.received).toEqual([transfer]);
  expect(await answered({ id: 7, ...transfer })).toEqual([
    null,
    { id: 7, jsonrpc: '2.0', result: 'result of eth_sendTransaction' },
  ]);
  expect(await legacy.send('eth_chainId')).toBe('result of eth_chainId');

  for (const name of ['sendTransaction', 'inner', 'connect', 'removeAllListeners', 'constructor']) {
    expect(Reflect.get(guarded, name), name).toBeUndefined();
  }
  expect('enable' in guarded).toBe(false);
});

test('events and plain values keep working, and no listener gets the provider', async () => {
  const { provider, guarded } = await world();
  expect(guarded.isMetaMask).toBe(true);
  const seen: unknown[] = [];
  function listener(this: unknown, value: unknown): void {
    seen.push(this, value);
  }
  expect(guarded.on('chainChanged', listener)).toBe(guarded);
  provider.emit('chainChanged', '0x1');
  guarded.removeListener('chainChanged', listener);
  provider.emit('chainChanged', '0x2');
  expect(seen).toEqual([undefined, '0x1']);

  // Members that take a function, or an object with one, could hand it the provider.
  const received: unknown[] = [];
  const handed: unknown[] = [];
  Object.assign(provider, { disconnect: (...args: unknown[]) => void received.push(...args) });
  (guarded as unknown as { disconnect(...args: unknown[]): void }).disconnect(
    (given: unknown) => handed.push(given),
    { id: 1 },
    'now',
  );
  expect(received).toEqual([expect.any(Function), { id: 1 }, 'now']);
  (received[0] as (given: unknown) => void)(provider);
  expect(handed).toEqual([undefined]);
  expect(() => guarded.on('chainChanged', { handleEvent() {} } as never)).toThrow(TypeError);

  // An EventEmitter tells of new listeners, and a wallet may emit anything.
  const told: unknown[] = [];
  guarded.on('newListener', (...args: unknown[]) => told.push(args));
  provider.on('accountsChanged', () => {});
  guarded.on('connect', (...args: unknown[]) => told.push(args));
  provider.emit('connect', provider, '0x1');
  expect(told).toContainEqual(['accountsChanged', undefined]);
  expect(told).toContainEqual([undefined, '0x1']);
  provider.emit('connect', { provider }, [provider], { get: () => provider }, { chainId: '0x1' }, ['0x1'], undefined);
  expect(told.at(-1)).toEqual([undefined, undefined, undefined, { chainId: '0x1' }, ['0x1'], undefined]);
  provider.emit('connect', Object.assign(new Error('gone'), { code: 4900, provider }));
  expect(told.at(-1)).toEqual([Object.assign(new Error('gone'), { code: 4900 })]);
  expect((told.at(-1) as object[])[0]).not.toHaveProperty('provider');

  // Some emitters return a function that ends it, which may have anything beside it.
  const ending = Object.assign(() => provider, { provider });
  const other = guardProvider(
    { request: async () => null, on: () => ending, isConnected: () => true },
    { blocklist: { check: async () => ({}) as never }, origin: 'https://app.example' },
  );
  expect([other.on(), other.isConnected()]).toEqual([undefined, true]);
});

test("screens what viem's wallet client sends", async () => {
  const { guarded, asked } = await world();
  const client = createWalletClient({ account, chain: mainnet, transport: custom(guarded, { retryCount: 0 }) });
  const parameters = { address: clean, abi: erc20Abi, functionName: 'transfer', args: [listed, 1n], chain: null } as const;
  await expect(client.writeContract(parameters)).rejects.toThrow(/rejected/i);
  expect(asked[0]!.parties).toContainEqual(expect.objectContaining({ role: 'to', content: listed }));
});

test.each([undefined, '', 'app.example', 'https://app.example/', 'https://a b', 'https://user@app.example'])(
  'refuses the origin %j',
  async (bad) => {
    const blocklist = { check: (): Promise<Verdict> => Promise.reject(new Error('not called')) };
    const provider = { request: async () => null };
    expect(() => guardProvider(provider, { blocklist, origin: bad as string })).toThrow(/origin must be/);
  },
);

test.each([
  [null, /guardProvider: options must be an object/],
  [{ origin }, /blocklist/],
  [{ origin, blocklist: {} }, /blocklist must be a blocklist/],
  [{ origin, blocklist: { check: () => {} }, decide: 'allow' }, /decide must be a function/],
  [{ origin, blocklist: { check: () => {} }, policy: null }, /policy/],
  [{ origin, blocklist: { check: () => {} }, policy: { list: 'reject' } }, /no option policy.list; did you mean policy.listed\?/],
])('refuses the options %j', (options, message) => {
  expect(() => guardProvider({ request: async () => null }, options as never)).toThrow(message);
});

test.each([undefined, null, 'eth_sign', {}, { method: 5 }])('refuses the request %j', async (asked) => {
  const { provider, guarded } = await world();
  await expect(guarded.request(asked as never)).rejects.toMatchObject({ code: -32602 });
  expect(provider.received).toEqual([]);
});

test('refuses a policy that it does not know', async () => {
  await expect(world({ policy: { listed: 'block' as never } })).rejects.toThrow(/policy.listed must be/);
});

test('screens recipients of other chains that a wallet already has', async () => {
  const bitcoin = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
  const solana = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
  const blocklist = createBlocklist({ sources: [textSource({ id: 'mine', text: `${bitcoin}\n` })], pollMs: 0 });
  await blocklist.ready();
  expect(await screenRecipients(blocklist, [solana])).toMatchObject({ status: 'clear', parties: [{ content: solana }] });
  expect(await screenRecipients(blocklist, [solana, bitcoin.toUpperCase()])).toMatchObject({ status: 'listed' });
  expect(await screenRecipients(blocklist, ['bc1qnot-an-address'])).toMatchObject({ status: 'undecided' });
  expect(await screenRecipients(blocklist, [])).toEqual({ status: 'undecided', parties: [] });
  for (const account of ['0.0.1234', 'eip155:1:0x52908400098527886e0f7030069857d2e4169ee7', `0x${'ab'.repeat(32)}`]) {
    expect(await screenRecipients(blocklist, [account])).toMatchObject({ status: 'clear' });
  }
  for (const other of [
    'http://localhost',
    'file://x',
    'vitalik.eth',
    'a.example',
    'https://a.example',
    '+14155550123',
    'me@a.example',
  ]) {
    expect(await screenRecipients(blocklist, [solana, other]), other).toMatchObject({ status: 'undecided' });
  }
  await expect(screenRecipients(blocklist, [1 as never])).rejects.toThrow(TypeError);
});

test('a listed address in a number of a known function, in a negative number, in a domain without a type or in hex in a text is found', async () => {
  const word = listed.slice(2).padStart(64, '0');
  const types = {
    M: [
      { name: 'n', type: 'int256' },
      { name: 'to', type: 'address' },
    ],
  };
  const typed = (domain: object, n: string): object => ({ types, primaryType: 'M', domain, message: { n, to: clean } });
  const negative = `-${(1n << 160n) - BigInt(listed)}`;
  const inText = `Approve 0xa9059cbb${word}${'1'.padStart(64, '0')}.`;
  const note = { types: { M: [{ name: 'text', type: 'string' }] }, primaryType: 'M', domain: {}, message: { text: inText } };
  for (const request of [
    { method: 'personal_sign', params: [inText, account] },
    { method: 'personal_sign', params: [`${inText.slice(0, -1)}ab`, account] },
    ...[
      `0x1${listed.slice(2)}`,
      `${listed}0`,
      `${listed}01`,
      `${listed}${clean.slice(2)}`,
      `${listed}${'a1'.repeat(12)}`,
      `0x0102${listed.slice(2)}03040506`,
    ].map((touched) => ({ method: 'personal_sign', params: [`Pay ${touched}`, account] })),
    ...['2e1a7d4d', 'a694fc3a', 'f14fcbc8'].map((selector) => ({
      method: 'eth_sendTransaction',
      params: [{ from: account, to: clean, data: `0x${selector}${word}` }],
    })),
    ...[
      typed({}, negative),
      typed({ salt: `0x${word}` }, '1'),
      typed({ name: 'https://evil.example/x' }, '1'),
      typed({ chainId: BigInt(listed).toString() }, '1'),
      note,
    ].map((data) => ({
      method: 'eth_signTypedData_v4',
      params: [account, data],
    })),
  ]) {
    const { guarded, asked, provider } = await world();
    await expect(guarded.request(request)).rejects.toMatchObject({ code: 4001 });
    expect(asked[0]?.status, JSON.stringify(request)).toBe('listed');
    expect(provider.received.filter(({ method }) => method === request.method)).toEqual([]);
  }
});

test('a text with hundreds of hashes is looked up whole', async () => {
  const lines = Array.from({ length: 400 }, (_, at) => keccak256(numberToHex(at)));
  const { guarded, asked } = await world();
  await guarded.request({ method: 'personal_sign', params: [`Leaves:\n${lines.join('\n')}`, account] });
  expect(asked).toEqual([]);
});
