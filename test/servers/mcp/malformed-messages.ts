interface Refusal {
  readonly jsonrpc: '2.0';
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

/** Texts that are no message of the protocol, with the answer that they get over HTTP and over standard input. */
export const malformed: readonly (readonly [what: string, text: string, refusal: Refusal])[] = [
  ['no JSON', 'hello', refusal(-32700, 'the message is not JSON')],
  ['half a message', '{"jsonrpc":"2.0","id":1', refusal(-32700, 'the message is not JSON')],
  ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', refusal(-32600, 'batches are not supported; send one message')],
  ['an empty batch', '[]', refusal(-32600, 'batches are not supported; send one message')],
  ['a number', '7', refusal(-32600, 'a message must be a JSON object')],
  ['null', 'null', refusal(-32600, 'a message must be a JSON object')],
  ['no version', '{"id":1,"method":"ping"}', refusal(-32600, 'jsonrpc must be "2.0"', 1)],
  ['another version', '{"jsonrpc":"1.0","id":"a","method":"ping"}', refusal(-32600, 'jsonrpc must be "2.0"', 'a')],
  ['no method', '{"jsonrpc":"2.0","id":1}', refusal(-32600, 'method is missing', 1)],
  ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":7}', refusal(-32600, 'method must be a string', 1)],
  [
    'params that are a list',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
    refusal(-32600, 'params must be an object', 1),
  ],
  [
    'params that are null',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":null}',
    refusal(-32600, 'params must be an object', 1),
  ],
  [
    'an id that is an object',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    refusal(-32600, 'id must be a string or a whole number'),
  ],
  ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', refusal(-32600, 'id must be a string or a whole number')],
  ['a field too many', '{"jsonrpc":"2.0","id":1,"method":"ping","extra":1}', refusal(-32600, 'unknown field "extra"', 1)],
  [
    'a _meta that is a number',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":5}}',
    refusal(-32600, 'params._meta must be an object', 1),
  ],
  [
    'a progress token that is an object',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":{}}}}',
    refusal(-32600, 'params._meta.progressToken must be a string or a number', 1),
  ],
  ['a result that is a number', '{"jsonrpc":"2.0","id":1,"result":5}', refusal(-32600, 'result must be an object')],
  ['an error that is a number', '{"jsonrpc":"2.0","id":1,"error":5}', refusal(-32600, 'error must be an object')],
  ['a result without an id', '{"jsonrpc":"2.0","result":{}}', refusal(-32600, 'id is missing')],
  ['a method and a result', '{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}', refusal(-32600, 'unknown field "method"')],
  [
    'an initialize without params',
    '{"jsonrpc":"2.0","id":1,"method":"initialize"}',
    refusal(-32602, 'initialize: params is missing', 1),
  ],
  [
    'an initialize without a revision',
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"clientInfo":{"name":"a","version":"1"}}}',
    refusal(-32602, 'initialize: params.protocolVersion is missing', 1),
  ],
  [
    'an initialize without clientInfo',
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}',
    refusal(-32602, 'initialize: params.clientInfo is missing', 1),
  ],
  [
    'an initialize without capabilities',
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"a","version":"1"}}}',
    refusal(-32602, 'initialize: params.capabilities is missing', 1),
  ],
  [
    'an initialize with roots that are a string',
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":"x"},"clientInfo":{"name":"a","version":"1"}}}',
    refusal(-32602, 'initialize: params.capabilities.roots must be an object', 1),
  ],
  [
    'an initialize with a title that is a number',
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1","title":5}}}',
    refusal(-32602, 'initialize: params.clientInfo.title must be a string', 1),
  ],
  [
    'a call without the name of its tool',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}',
    refusal(-32602, 'tools/call: params.name is missing', 1),
  ],
  [
    'a call with arguments that are a list',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"user_me","arguments":[]}}',
    refusal(-32602, 'tools/call: params.arguments must be an object', 1),
  ],
  [
    'a cursor that is a number',
    '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":5}}',
    refusal(-32602, 'tools/list: params.cursor must be a string', 1),
  ],
  [
    'a resource without a uri',
    '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{}}',
    refusal(-32602, 'resources/read: params.uri is missing', 1),
  ],
  [
    'a prompt without params',
    '{"jsonrpc":"2.0","id":1,"method":"prompts/get"}',
    refusal(-32602, 'prompts/get: params is missing', 1),
  ],
  [
    'an initialize whose revision is a number, in the way of the newest one',
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":5}}}',
    refusal(-32602, 'initialize: params.protocolVersion is missing', 1),
  ],
  // The schemas of the library ended the process.
  [
    'an initialize that nests 1,500 levels',
    `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"experimental":{"x":${nested(1_500)}}},"clientInfo":{"name":"a","version":"1"}}}`,
    refusal(-32600, 'the message has more than 100 levels', 1),
  ],
  [
    'arguments that nest 1,500 levels',
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"user_me","arguments":{"x":${nested(1_500)}}}}`,
    refusal(-32600, 'the message has more than 100 levels', 1),
  ],
  // The schemas of the library took half a minute.
  [
    '300,000 arguments of a prompt',
    `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"trend_search","arguments":{${Array.from({ length: 300_000 }, (_, at) => `"k${at}":1`).join()}}}}`,
    refusal(-32600, 'the message has more than 30000 values', 1),
  ],
  [
    'a call with 300,000 fields beside its arguments',
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"user_me","_meta":{${Array.from({ length: 300_000 }, (_, at) => `"k${at}":1`).join()}}}}`,
    refusal(-32600, 'the message has more than 30000 values', 1),
  ],
  [
    'a uri that is too long',
    `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"${'x'.repeat(50_000)}"}}`,
    refusal(-32602, 'uri must have at most 2000 characters', 1),
  ],
  [
    'a topic that is too long',
    `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"trend_search","arguments":{"topic":"${'x'.repeat(50_000)}"}}}`,
    refusal(-32602, 'arguments of a prompt must have at most 2000 characters', 1),
  ],
  [
    'params that are too long',
    `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"${'x'.repeat(250_000)}"}}`,
    refusal(-32600, 'the message must have at most 200000 characters', 1),
  ],
  [
    'a call with a long field beside its arguments',
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"user_me","_meta":{"x":"${'x'.repeat(250_000)}"}}}`,
    refusal(-32600, 'the message without arguments must have at most 200000 characters', 1),
  ],
  [
    'a list of a million empty assets',
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"organization_assets_add","arguments":{"assets":[${'{},'.repeat(1_000_000)}{}]}}}`,
    refusal(-32600, 'the message has more than 30000 values', 1),
  ],
  [
    'a result of 300,000 fields',
    `{"jsonrpc":"2.0","id":1,"result":{${Array.from({ length: 300_000 }, (_, at) => `"k${at}":1`).join()}}}`,
    refusal(-32600, 'the message has more than 30000 values'),
  ],
  [
    'an initialize of an older revision, in the way of the newest one',
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25"}}}',
    refusal(-32602, 'initialize: params.protocolVersion is missing', 1),
  ],
  [
    'an initialize of the newest revision',
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}',
    refusal(-32601, 'revision 2026-07-28 has no initialize', 1),
  ],
];

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}

function refusal(code: number, message: string, id: string | number | null = null): Refusal {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
