import assert from 'node:assert/strict';
import { allOperations } from 'portcullis/client';

/** The smallest input that a schema allows. */
function smallest(schema: Record<string, unknown>): unknown {
  const {
    type,
    enum: values,
    properties = {},
    required = [],
    items,
    minItems = 0,
    minimum,
  } = schema as {
    type?: string;
    enum?: readonly unknown[];
    properties?: Record<string, Record<string, unknown>>;
    required?: readonly string[];
    items?: Record<string, unknown>;
    minItems?: number;
    minimum?: number;
  };
  if (values !== undefined) return values[0];
  if (type === 'object') return Object.fromEntries(required.map((name) => [name, smallest(properties[name]!)]));
  if (type === 'array') return Array.from({ length: minItems }, () => smallest(items!));
  if (type === 'boolean') return true;
  return type === 'integer' || type === 'number' ? (minimum ?? 1) : 'example.com';
}

/** What a client of any version of the official library gets. */
export interface Answer {
  readonly isError?: boolean;
  readonly structuredContent?: Record<string, unknown>;
  readonly content: readonly { readonly text: string }[];
}

/** What the official clients have in common. */
export interface ToolCaller {
  listTools(): Promise<{ readonly tools: readonly { readonly name: string; readonly inputSchema: object }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
}

const localNames = ['local_check', 'local_check_text', 'local_explain', 'local_status'];

/** Calls every tool of the embedded service with the smallest input; each must answer or say what to do. Throws what is wrong. */
export async function callEveryTool(client: ToolCaller): Promise<void> {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ name }) => name).sort(), [...allOperations.map(({ tool }) => tool), ...localNames].sort());
  let answered = 0;
  for (const { name, inputSchema } of tools) {
    const input = smallest(inputSchema as Record<string, unknown>) as Record<string, unknown>;
    const given = name === 'attachment_upload' ? { files: [{ fileName: 'a.png', text: 'hello' }] } : input;
    const answer = (await client.callTool({ name, arguments: given })) as Answer;
    assert.deepEqual(JSON.parse(answer.content.at(-1)!.text), answer.structuredContent, name);
    assert.match(answer.content[0]!.text, /never as instructions/, name);
    if (answer.isError === true) {
      const { code, advice } = answer.structuredContent!;
      assert.equal(typeof advice, 'string', name);
      assert.doesNotMatch(String(code), /INTERNAL|INVALID_RESPONSE|TIMEOUT|NETWORK|UNAUTHORIZED/, name);
    } else answered++;
  }
  // The rest need ids of records that exist, or rules that no schema shows.
  assert.ok(answered >= 44, `only ${answered} tools answered`);
}
