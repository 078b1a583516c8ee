import { readCall } from './call-reader.js';
import { readCode } from './code-rules.js';
import { fieldOf, isPlainObject, type PlainObject, type PlainValue, plainCopy } from './plain-copy.js';
import { addAddress, createReading, type Found, hexBytes, isAddress, type Place, type Reading, shownName } from './reading.js';
import { addAll, type FieldRules, fieldRules, readFields } from './request-fields.js';
import { readPersonalSign } from './sign-in-reader.js';
import { readTypedData } from './typed-data-reader.js';

/** `params` is a list, but for `wallet_watchAsset`, whose parameters are an object. */
type MethodReader = (params: readonly PlainValue[], reading: Reading, origin: string) => void;

const readers: Readonly<Record<string, MethodReader>> = {
  eth_requestAccounts: readConnection,
  wallet_requestPermissions: readConnection,
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
    if (!readFields('the asset', asset, assetFields, reading)) return;
    const options = fieldOf(asset, 'options');
    if (!readFields('the token', options, tokenFields, reading)) return;
    addAddress(reading, 'token', fieldOf(options, 'address'));
    const image = fieldOf(options, 'image') ?? null;
    if (!(image === null || (typeof image === 'string' && /^data:image\//i.test(image)))) addLink(reading, 'image', image);
  },
  wallet_switchEthereumChain: ([chain], reading) => void readFields('the chain', chain, switchFields, reading),
  wallet_addEthereumChain: ([chain], reading) => {
    if (!readFields('the chain', chain, chainFields, reading)) return;
    for (const name of ['rpcUrls', 'blockExplorerUrls', 'iconUrls']) {
      const links = fieldOf(chain, name) ?? [];
      if (!Array.isArray(links)) reading.fail(`${name} is not a list`);
      else for (const link of links as readonly PlainValue[]) addLink(reading, name, link);
    }
    const currency = fieldOf(chain, 'nativeCurrency') ?? null;
    if (currency !== null) readFields('the currency', currency, currencyFields, reading);
  },
};

const permissions = fieldRules({ empty: 'eth_accounts' });
const assetFields = fieldRules({ text: 'type', read: 'options' });
const tokenFields = fieldRules({ text: 'symbol name tokenId', quantity: 'decimals', read: 'address image' });
const chainFields = fieldRules({
  text: 'chainName',
  quantity: 'chainId',
  read: 'rpcUrls blockExplorerUrls iconUrls nativeCurrency',
});
/** EIP-3326 has no other: a chain that the wallet does not know is added first. */
const switchFields = fieldRules({ quantity: 'chainId' });
const currencyFields = fieldRules({ text: 'name symbol', quantity: 'decimals' });

/** Parameters of a method, where it takes more than one. The third of `personal_sign` is a password. */
const maxParams: Readonly<Record<string, number>> = { eth_signTypedData_v4: 2, personal_sign: 3 };

/** What the request names. `params` is the copy that is forwarded. */
export function readRequest(method: string, params: PlainValue, origin: string, isPacked = false): Found {
  const reading = createReading(isPacked);
  reading.add('origin', origin);
  // A method may be named `constructor`.
  const read = Object.hasOwn(readers, method) ? readers[method]! : null;
  if (read === null) {
    const name = /^\w{1,60}$/.test(method) ? method : 'the method';
    // EIP-7715: wallet_grantPermissions, and today wallet_requestExecutionPermissions.
    reading.fail(name.endsWith('Permissions') ? 'it lets others act for the account' : `${name} cannot be read`);
    addAll('a parameter', params, reading);
  } else if (Array.isArray(params) || method === 'wallet_watchAsset') {
    if (Array.isArray(params) && params.length > (maxParams[method] ?? 1)) reading.fail('it has too many parameters');
    read(params as readonly PlainValue[], reading, origin);
  } else if (params === null && method === 'eth_requestAccounts') read([], reading, origin);
  else reading.fail('the parameters are not a list');
  return reading;
}

function readConnection([asked = {}]: readonly PlainValue[], reading: Reading): void {
  readFields('the request', asked, permissions, reading);
  // A permission is asked for by its name.
  if (isPlainObject(asked) && Object.keys(asked).some((name) => asked[name] === null && !permissions.has(name)))
    reading.fail('the request has a permission without a value');
}

function readTransaction([transaction]: readonly PlainValue[], reading: Reading): undefined {
  if (!readFields('the transaction', transaction, transactionFields, reading)) return;
  readTarget(transaction, reading);
  // Celo: the token that pays for gas.
  const feeCurrency = fieldOf(transaction, 'feeCurrency') ?? null;
  if (feeCurrency !== null) addAddress(reading, 'token', feeCurrency);
  const authorizations = fieldOf(transaction, 'authorizationList') ?? [];
  if (!Array.isArray(authorizations)) return reading.fail('the authorizations are not a list');
  for (const each of authorizations as readonly PlainValue[]) {
    if (readFields('an authorization', each, authorizationFields, reading)) readAuthorization(each, reading);
  }
}

/** EIP-7702: the code of this address runs as the account. Some libraries have another name for it, and one may have a value of its own. */
function readAuthorization(authorization: PlainObject, reading: Reading): void {
  const delegates = ['address', 'contractAddress']
    .map((name) => fieldOf(authorization, name))
    .filter((each) => each !== undefined);
  for (const delegate of delegates.length === 0 ? [null] : delegates) {
    addAddress(reading, 'delegate', delegate);
    readCode(`${delegate}`, reading);
  }
}

const transactionFields = fieldRules({
  quantity: 'value gas gasLimit gasPrice maxFeePerGas maxPriorityFeePerGas maxFeePerBlobGas nonce type chainId',
  address: 'from',
  hexes: 'blobVersionedHashes blobs',
  accessList: 'accessList',
  read: 'to data input authorizationList feeCurrency',
});
const authorizationFields = fieldRules({ quantity: 'chainId nonce r s v yParity', read: 'address contractAddress' });
const batchFields = fieldRules({
  text: 'version id',
  quantity: 'chainId',
  address: 'from',
  flag: 'atomicRequired',
  read: 'calls capabilities',
});
const callFields = fieldRules({ quantity: 'value chainId gas', read: 'to data input capabilities' });

/** The target and the calldata of a transaction or a call, which may be in a batch. */
function readTarget(call: PlainObject, reading: Reading, batch: PlainObject = call): undefined {
  const to = fieldOf(call, 'to') ?? null;
  const [data, input] = [fieldOf(call, 'data') ?? null, fieldOf(call, 'input') ?? null];
  if (to === null) return reading.fail('it deploys a contract');
  addAddress(reading, 'to', to);
  if (data !== null && input !== null && data !== input) return reading.fail('data and input differ');
  const bytes = hexBytes(data ?? input ?? '0x');
  if (bytes === null) reading.fail('the calldata is not hex');
  else readCall(bytes, reading, placeOf(`${to}`.toLowerCase(), call, batch));
}

/** An unknown function of a smart account itself may add an owner to it. */
function placeOf(target: string, call: PlainObject, batch: PlainObject): Place {
  if (Number(fieldOf(call, 'value') ?? 0) !== 0) return 'and sends value';
  const from = fieldOf(batch, 'from');
  if (!isAddress(from) || from.toLowerCase() === target) return 'of the account itself, or with no sender';
  return { target, chainIds: [fieldOf(call, 'chainId'), fieldOf(batch, 'chainId')] };
}

/** EIP-5792. */
function readCalls([batch]: readonly PlainValue[], reading: Reading): undefined {
  if (!readFields('the batch', batch, batchFields, reading)) return;
  const calls = fieldOf(batch, 'calls');
  if (!Array.isArray(calls)) return reading.fail('the calls are not a list');
  if (calls.length === 0) reading.fail('it has no calls');
  readCapabilities(batch, reading);
  for (const call of calls as readonly PlainValue[]) {
    if (!readFields('a call', call, callFields, reading)) continue;
    readTarget(call, reading, batch);
    readCapabilities(call, reading);
  }
}

/** A capability may change what is signed, except `atomic` and `auxiliaryFunds`. Whatever it is, its parties are screened. */
function readCapabilities(holder: PlainObject, reading: Reading): undefined {
  const capabilities = fieldOf(holder, 'capabilities') ?? {};
  if (!isPlainObject(capabilities)) return reading.fail('the capabilities are malformed');
  for (const [name, value] of Object.entries(capabilities)) {
    const rules = Object.hasOwn(capabilityFields, name) ? capabilityFields[name] : undefined;
    if (rules === undefined) reading.fail('it uses an unknown capability');
    else readFields('a capability', value, rules, reading);
    if (name === 'paymasterService' && isPlainObject(value)) addLink(reading, 'paymaster', fieldOf(value, 'url'));
    addAll(shownName(name), value, reading);
  }
}

const capabilityFields: Readonly<Record<string, FieldRules>> = {
  paymasterService: fieldRules({ flag: 'optional', read: 'url context' }),
  atomic: fieldRules({ flag: 'required optional', text: 'status' }),
  auxiliaryFunds: fieldRules({ flag: 'supported optional' }),
};

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
