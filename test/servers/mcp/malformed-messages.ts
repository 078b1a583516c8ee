interface Refusal {
  readonly jsonrpc: '2.0';
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

type Row = readonly [what: string, text: string, refusal: Refusal];

function refusal(code: number, message: string, id: string | number | null = null): Refusal {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/** A request that names its method. Without params it has none. */
function request(what: string, method: string, params: unknown, message: string, code = -32602): Row {
  return [what, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), refusal(code, message, 1)];
}

const ok = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } };

function initialize(what: string, change: object, problem: string): Row {
  return request(what, 'initialize', { ...ok, ...change }, `initialize: ${problem}`);
}

/** An `initialize` that names its revision as the newest one does in each request. */
function named(what: string, revision: unknown, message: string, code?: number): Row {
  return request(what, 'initialize', { _meta: { 'io.modelcontextprotocol/protocolVersion': revision } }, message, code);
}

const nested = JSON.parse(`${'{"a":'.repeat(1_500)}1${'}'.repeat(1_500)}`) as object;
const fields = Object.fromEntries(Array.from({ length: 300_000 }, (_, at) => [`k${at}`, 1]));
const tooDeep = 'the message has more than 100 levels';
const tooMany = 'the message has more than 30000 values';

/** Texts that are no message of the protocol, with the answer that they get over HTTP and over standard input. */
export const malformed: readonly Row[] = [
  ['no JSON', 'hello', refusal(-32700, 'the message is not JSON')],
  ['half a message', '{"jsonrpc":"2.0","id":1', refusal(-32700, 'the message is not JSON')],
  ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', refusal(-32600, 'batches are not supported; send one message')],
  ['an empty batch', '[]', refusal(-32600, 'batches are not supported; send one message')],
  ['a number', '7', refusal(-32600, 'a message must be a JSON object')],
  ['ten million brackets', '['.repeat(10_000_000), refusal(-32600, tooDeep)],
  ['null', 'null', refusal(-32600, 'a message must be a JSON object')],
  ['no version', '{"id":1,"method":"ping"}', refusal(-32600, 'jsonrpc must be "2.0"', 1)],
  ['another version', '{"jsonrpc":"1.0","id":"a","method":"ping"}', refusal(-32600, 'jsonrpc must be "2.0"', 'a')],
  ['no method', '{"jsonrpc":"2.0","id":1}', refusal(-32600, 'method is missing', 1)],
  ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":7}', refusal(-32600, 'method must be a string', 1)],
  [
    'an id that is an object',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    refusal(-32600, 'id must be a string or a whole number'),
  ],
  ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', refusal(-32600, 'id must be a string or a whole number')],
  ['a field too many', '{"jsonrpc":"2.0","id":1,"method":"ping","extra":1}', refusal(-32600, 'unknown field "extra"', 1)],
  ['a result that is a number', '{"jsonrpc":"2.0","id":1,"result":5}', refusal(-32600, 'result must be an object')],
  ['an error that is a number', '{"jsonrpc":"2.0","id":1,"error":5}', refusal(-32600, 'error must be an object')],
  ['a result without an id', '{"jsonrpc":"2.0","result":{}}', refusal(-32600, 'id is missing')],
  ['a method and a result', '{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}', refusal(-32600, 'unknown field "method"')],
  ['a result of 300,000 fields', JSON.stringify({ jsonrpc: '2.0', id: 1, result: fields }), refusal(-32600, tooMany)],
  request('params that are a list', 'ping', [], 'params must be an object', -32600),
  request('params that are null', 'ping', null, 'params must be an object', -32600),
  request('a _meta that is a number', 'ping', { _meta: 5 }, 'params._meta must be an object', -32600),
  request(
    'a progress token that is an object',
    'ping',
    { _meta: { progressToken: {} } },
    'params._meta.progressToken must be a string or a number',
    -32600,
  ),
  request('an initialize without params', 'initialize', undefined, 'initialize: params is missing'),
  initialize('an initialize without a revision', { protocolVersion: undefined }, 'params.protocolVersion is missing'),
  initialize('an initialize without clientInfo', { clientInfo: undefined }, 'params.clientInfo is missing'),
  initialize('an initialize without capabilities', { capabilities: undefined }, 'params.capabilities is missing'),
  initialize('roots that are a string', { capabilities: { roots: 'x' } }, 'params.capabilities.roots must be an object'),
  initialize(
    'a title that is a number',
    { clientInfo: { ...ok.clientInfo, title: 5 } },
    'params.clientInfo.title must be a string',
  ),
  named('a revision that is a number, where the newest one has it', 5, 'initialize: params.protocolVersion is missing'),
  named('an older revision, where the newest one has it', '2025-11-25', 'initialize: params.protocolVersion is missing'),
  named('an initialize of the newest revision', '2026-07-28', 'revision 2026-07-28 has no initialize', -32601),
  request('a call without the name of its tool', 'tools/call', {}, 'tools/call: params.name is missing'),
  request(
    'a call with arguments that are a list',
    'tools/call',
    { name: 'user_me', arguments: [] },
    'tools/call: params.arguments must be an object',
  ),
  request('a cursor that is a number', 'tools/list', { cursor: 5 }, 'tools/list: params.cursor must be a string'),
  request('a resource without a uri', 'resources/read', {}, 'resources/read: params.uri is missing'),
  request('a prompt without params', 'prompts/get', undefined, 'prompts/get: params is missing'),
  // The schemas of the library ended the process.
  request(
    'an initialize that nests 1,500 levels',
    'initialize',
    { ...ok, capabilities: { experimental: { x: nested } } },
    tooDeep,
    -32600,
  ),
  request('arguments that nest 1,500 levels', 'tools/call', { name: 'user_me', arguments: { x: nested } }, tooDeep, -32600),
  // They took half a minute.
  request('300,000 arguments of a prompt', 'prompts/get', { name: 'trend_search', arguments: fields }, tooMany, -32600),
  request('300,000 fields beside the arguments of a call', 'tools/call', { name: 'user_me', _meta: fields }, tooMany, -32600),
  request(
    'a list of a million empty assets',
    'tools/call',
    { name: 'organization_assets_add', arguments: { assets: Array.from({ length: 1_000_001 }, () => ({})) } },
    tooMany,
    -32600,
  ),
  request('a uri that is too long', 'resources/read', { uri: 'x'.repeat(50_000) }, 'uri must have at most 2000 characters'),
  request(
    'a topic that is too long',
    'prompts/get',
    { name: 'trend_search', arguments: { topic: 'x'.repeat(50_000) } },
    'arguments of a prompt must have at most 2000 characters',
  ),
  request(
    'params that are too long',
    'resources/read',
    { uri: 'x'.repeat(250_000) },
    'the message must have at most 200000 characters',
    -32600,
  ),
  request(
    'a long field beside the arguments of a call',
    'tools/call',
    { name: 'user_me', _meta: { x: 'x'.repeat(250_000) } },
    'the message without arguments must have at most 200000 characters',
    -32600,
  ),
];
