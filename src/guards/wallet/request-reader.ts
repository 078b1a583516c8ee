import { readCall } from './call-reader.js';
import { fieldOf, isPlainObject, type PlainObject, type PlainValue, plainCopy } from './plain-copy.js';
import { addAddress, createReading, type Found, hexBytes, isAddress, type Reading, shownName } from './reading.js';
import { readPersonalSign } from './sign-in-reader.js';
import { readTypedData } from './typed-data-reader.js';

/** `params` is a list, but for `wallet_watchAsset`, whose parameters are an object. */
type MethodReader = (params: readonly PlainValue[], reading: Reading, origin: string) => void;

/**
 * Methods that sign and send nothing. Only these pass unread: an unknown method may sign, so it falls under the policy for the unreadable.
 * `eth_get` is spelled out because `eth_getEncryptionPublicKey` reveals a key.
 */
const harmless =
  /^(?:net_\w+|web3_(?:clientVersion|sha3)|personal_ecRecover|eth_(?:accounts|blobBaseFee|blockNumber|call|chainId|coinbase|createAccessList|estimateGas|feeHistory|gasPrice|get(?:Balance|Block\w*|Code|Filter\w+|Logs|Proof|StorageAt|Transaction\w+|Uncle\w+)|maxPriorityFeePerGas|new\w*Filter|protocolVersion|simulateV1|subscribe|syncing|uninstallFilter|unsubscribe)|wallet_(?:getCallsStatus|getCapabilities|getPermissions|revokePermissions|showCallsStatus|switchEthereumChain))$/;

export function isHarmless(method: string): boolean {
  return harmless.test(method);
}

const readers: Readonly<Record<string, MethodReader>> = {
  eth_requestAccounts: () => {},
  wallet_requestPermissions: ([permissions], reading) => {
    const names = isPlainObject(permissions) ? Object.keys(permissions) : [''];
    if (names.some((name) => name !== 'eth_accounts')) reading.fail('it asks for a permission that is not the list of accounts');
  },
  eth_sendTransaction: readTransaction,
  eth_signTransaction: readTransaction,
  wallet_sendCalls: readCalls,
  eth_signTypedData_v4: readTyped,
  personal_sign: ([first, second, password = ''], reading, origin) => {
    readPersonalSign(first, second, origin, reading);
    if (password !== null && typeof password !== 'string') reading.fail('the password is not text');
  },
  wallet_watchAsset: (params, reading) => {
    const asset = params as PlainValue;
    const options = isPlainObject(asset) ? fieldOf(asset, 'options') : undefined;
    addAddress(reading, 'token', isPlainObject(options) ? fieldOf(options, 'address') : undefined);
  },
  wallet_addEthereumChain: ([chain], reading) => {
    for (const name of ['rpcUrls', 'blockExplorerUrls']) {
      const links = isPlainObject(chain) ? (fieldOf(chain, name) ?? []) : null;
      if (!Array.isArray(links)) reading.fail(`${name} is not a list`);
      else for (const link of links as readonly PlainValue[]) addLink(reading, name, link);
    }
  },
};

/** Parameters of a method, where it takes more than one. The third of `personal_sign` is a password. */
const maxParams: Readonly<Record<string, number>> = { eth_signTypedData_v4: 2, personal_sign: 3 };

/** What the request names. `params` is the copy that is forwarded. */
export function readRequest(method: string, params: PlainValue, origin: string): Found {
  const reading = createReading();
  reading.add('origin', origin);
  // A method may be named `constructor`.
  const read = Object.hasOwn(readers, method) ? readers[method]! : null;
  if (read === null) reading.fail(`${/^\w{1,60}$/.test(method) ? method : 'the method'} cannot be read`);
  else if (Array.isArray(params) && params.length > (maxParams[method] ?? 1))
    reading.fail('it has more parameters than its method takes');
  else if (Array.isArray(params) || method === 'wallet_watchAsset') read(params as readonly PlainValue[], reading, origin);
  else if (params === null && method === 'eth_requestAccounts') read([], reading, origin);
  else reading.fail('the parameters are not a list');
  return { parties: reading.parties, unreadable: reading.unreadable };
}

function readTransaction([transaction]: readonly PlainValue[], reading: Reading): undefined {
  if (!isPlainObject(transaction)) return reading.fail('the transaction is missing');
  readTarget(transaction, reading);
  noteUnknown('the transaction', transaction, transactionFields, reading);
  // Celo: the token that pays for gas.
  const feeCurrency = fieldOf(transaction, 'feeCurrency') ?? null;
  if (feeCurrency !== null) addAddress(reading, 'token', feeCurrency);
  const authorizations = fieldOf(transaction, 'authorizationList') ?? [];
  if (!Array.isArray(authorizations)) return reading.fail('the authorizations are not a list');
  for (const each of authorizations as readonly PlainValue[]) {
    if (!isPlainObject(each)) reading.fail('an authorization is not an object');
    else readAuthorization(each, reading);
  }
}

/** EIP-7702: the code of this address runs as the account. Some libraries have another name for it, and one may have a value of its own. */
function readAuthorization(authorization: PlainObject, reading: Reading): void {
  const delegates = ['address', 'contractAddress']
    .map((name) => fieldOf(authorization, name))
    .filter((each) => each !== undefined);
  for (const delegate of delegates.length === 0 ? [null] : delegates) addAddress(reading, 'delegate', delegate);
  noteUnknown('an authorization', authorization, authorizationFields, reading);
}

const transactionFields = fieldSet(
  'from to value data input gas gasLimit gasPrice maxFeePerGas maxPriorityFeePerGas maxFeePerBlobGas nonce type chainId accessList blobVersionedHashes blobs authorizationList feeCurrency',
);
const authorizationFields = fieldSet('address contractAddress chainId nonce r s v yParity');
const batchFields = fieldSet('version id from chainId atomicRequired calls capabilities');
const callFields = fieldSet('to value data input chainId gas capabilities');

function fieldSet(names: string): ReadonlySet<string> {
  return new Set(names.split(' '));
}

/** A field that this reader does not know may hold another recipient or payer: chains and wallets have fields of their own. */
function noteUnknown(what: string, holder: PlainObject, known: ReadonlySet<string>, reading: Reading): void {
  for (const [name, value] of Object.entries(holder)) {
    if (value !== null && !known.has(name)) reading.fail(`${what} has an unknown field, ${shownName(name)}`);
  }
}

/** The target and the calldata of a transaction or a call. */
function readTarget(call: PlainObject, reading: Reading): undefined {
  const to = fieldOf(call, 'to') ?? null;
  const [data, input] = [fieldOf(call, 'data') ?? null, fieldOf(call, 'input') ?? null];
  if (to === null) return reading.fail('it deploys a contract');
  addAddress(reading, 'to', to);
  if (data !== null && input !== null && data !== input) return reading.fail('data and input differ');
  const bytes = hexBytes(data ?? input ?? '0x');
  if (bytes === null) reading.fail('the calldata is not hex');
  else readCall(bytes, reading);
}

/** EIP-5792. */
function readCalls([batch]: readonly PlainValue[], reading: Reading): undefined {
  const calls = isPlainObject(batch) ? fieldOf(batch, 'calls') : undefined;
  if (!isPlainObject(batch) || !Array.isArray(calls)) return reading.fail('the calls are not a list');
  noteUnknown('the batch', batch, batchFields, reading);
  readCapabilities(batch, reading);
  for (const call of calls as readonly PlainValue[]) {
    if (!isPlainObject(call)) reading.fail('a call is not an object');
    else {
      readTarget(call, reading);
      noteUnknown('a call', call, callFields, reading);
      readCapabilities(call, reading);
    }
  }
}

/** A capability may change what is signed. Two are known not to; of the paymaster, the address of its service is screened. */
function readCapabilities(holder: PlainObject, reading: Reading): undefined {
  const capabilities = fieldOf(holder, 'capabilities') ?? {};
  if (!isPlainObject(capabilities)) return reading.fail('the capabilities are malformed');
  for (const [name, value] of Object.entries(capabilities)) {
    if (name === 'paymasterService' && isPlainObject(value)) addLink(reading, 'paymaster', fieldOf(value, 'url'));
    else if (name !== 'atomic' && name !== 'auxiliaryFunds') reading.fail('it uses an unknown capability');
  }
}

/** The data comes as JSON text or as an object, the account before it. */
function readTyped([account, second]: readonly PlainValue[], reading: Reading): void {
  // Wallets that take the two in either order go by the address.
  if (!isAddress(account)) reading.fail('the account of the typed data is not an address');
  if (isPlainObject(second)) readTypedData(second, reading);
  else reading.fail('the typed data is not an object');
}

function addLink(reading: Reading, role: string, link: PlainValue | undefined): void {
  if (typeof link === 'string' && /^(?:https?|wss?):\/\//i.test(link)) reading.add(role, link);
  else reading.fail(`${role} has no link`);
}

/**
 * The copy of the parameters that is read and forwarded. Typed data that comes as text is parsed and written again, because a field that
 * the text repeats could have another value for the next reader.
 *
 * @throws PortcullisError `INVALID_INPUT`, `LIMIT_EXCEEDED`
 */
export function copyOfParams(method: string, params: unknown): { readonly read: PlainValue; readonly forwarded: PlainValue } {
  const copy = plainCopy(params);
  if (method !== 'eth_signTypedData_v4' || !Array.isArray(copy) || typeof copy[1] !== 'string')
    return { read: copy, forwarded: copy };
  const withData = (data: PlainValue): PlainValue => Object.freeze([copy[0] as PlainValue, data, ...copy.slice(2)]);
  const data = plainCopy(parsed(copy[1]));
  return { read: withData(data), forwarded: withData(JSON.stringify(data)) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The reader then finds no typed data.
    return null;
  }
}
