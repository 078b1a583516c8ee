/** Texts that are no message of the protocol, with the answer that they get over HTTP and over standard input. */
export const malformed: readonly (readonly [what: string, text: string, refusal: object])[] = [
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
  [
    'an initialize without a revision',
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"clientInfo":{"name":"a","version":"1"}}}',
    refusal(-32602, 'initialize needs protocolVersion, a string such as "2025-11-25"', 1),
  ],
  [
    'an initialize without clientInfo',
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}',
    refusal(-32602, 'initialize needs clientInfo with a name and a version', 1),
  ],
  [
    'an initialize without capabilities',
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"a","version":"1"}}}',
    refusal(-32602, 'initialize needs capabilities, an object', 1),
  ],
];

function refusal(code: number, message: string, id: string | number | null = null): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
