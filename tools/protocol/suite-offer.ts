import { PortcullisError } from '../../src/core/errors.js';
import type { Tool } from '../../src/servers/mcp/tool.js';
import type { Json } from '../../src/servers/mcp/tool-json.js';
import type { Offer } from '../../src/servers/mcp/tool-offer.js';

/**
 * The offer of the tool server with what the conformance suite calls by name: its tools, resource and prompts of text, so that the suite
 * checks how the server answers and not whether it has them.
 */
export function withSuite(offer: Offer): Offer {
  return {
    ...offer,
    tools: [
      ...offer.tools,
      tool('test_simple_text', {}, async () => ({ text: 'This is a simple text response for testing.' })),
      tool('test_error_handling', {}, async () => {
        throw new PortcullisError('CONFLICT', 'This tool intentionally returns an error for testing');
      }),
      tool('json_schema_2020_12_tool', schema2020, async () => ({})),
    ],
    resources: [
      ...offer.resources,
      {
        uri: 'test://static-text',
        name: 'static-text',
        description: 'A text of the conformance suite',
        mimeType: 'text/markdown',
        text: () => 'This is the content of the static text resource.',
      },
    ],
    prompts: [
      ...offer.prompts,
      {
        name: 'test_simple_prompt',
        description: 'A prompt of the conformance suite',
        arguments: [],
        tools: [],
        text: () => 'This is a simple prompt for testing.',
      },
      {
        name: 'test_prompt_with_arguments',
        description: 'A prompt of the conformance suite with arguments',
        arguments: ['arg1', 'arg2'].map((name) => ({ name, description: `The argument ${name}`, required: true })),
        tools: [],
        text: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
      },
    ],
  };
}

function tool(name: string, schema: Json, run: Tool['run']): Tool {
  return {
    group: 'local',
    description: {
      name,
      description: 'A tool of the conformance suite.',
      inputSchema: { type: 'object', ...schema },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    read: (given) => given as Json,
    run,
  };
}

/** Keywords that the suite looks for in the list of tools. */
const schema2020: Json = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $defs: { address: { $anchor: 'address', type: 'object', properties: { city: { type: 'string' } } } },
  properties: { address: { $ref: '#/$defs/address' }, phone: { type: 'string' }, mail: { type: 'string' } },
  additionalProperties: false,
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['mail'] }] }],
  if: { required: ['phone'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['address'] },
  else: {},
};
