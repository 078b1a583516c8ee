import { checkText, finderOf } from '../../blocklist/extras/check-text.js';
import { explain } from '../../blocklist/extras/explain.js';
import type { Blocklist } from '../../blocklist/model/blocklist-interface.js';
import type { CheckInput } from '../../blocklist/model/question.js';
import { ASSET_TYPES } from '../../core/assets/asset-types.js';
import { refuse } from '../../core/errors.js';
import type { Tool, ToolDescription } from './tool.js';
import { lenientArguments } from './tool-arguments.js';
import type { Json } from './tool-json.js';
import { valueListUri } from './tool-uris.js';

/** A longer input is no single asset. */
const maxInputLength = 8_192;

/** With `confirm` a tool asks the source of the list. */
const annotationsOf = (properties: Json): ToolDescription['annotations'] => ({
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: 'confirm' in properties,
});

const input = { type: 'string', description: 'A link, address, handle or phone number' };
const type = { type: 'string', description: `Its type, one of ${valueListUri('assetType')}; detected by default` };
const confirm = {
  type: 'boolean',
  description: 'Ask the source of the list about hits, which sends four bytes of a hash. Without it nothing is sent.',
};

/** Tools over the list on this machine. They send nothing, unless a call asks to confirm hits. */
export function localTools(blocklist: Blocklist): Tool[] {
  const tool = toolOf(blocklist);
  return [
    tool(
      'local_check',
      'Check one link, address or handle against the list on this machine. Only clear is good; unknown and unconfirmed are not.',
      { input, type, confirm },
      ['input'],
      async (given, signal) => {
        const asked = assetOf(given);
        return given['confirm'] === true ? blocklist.check(asked, { signal }) : blocklist.test(asked);
      },
    ),
    tool(
      'local_check_text',
      'Find every link, address and phone number in a message, also disguised ones, and check them against the list on this machine.',
      { text: { type: 'string', description: 'The message' }, confirm },
      ['text'],
      async (given, signal) => {
        const text = textArgument(given, 'text');
        if (given['confirm'] === true) return checkText(blocklist, text, { signal });
        const local = { checkMany: async (inputs: Iterable<CheckInput>) => Array.from(inputs, (one) => blocklist.test(one)) };
        return checkText(local, text, { findAssets: finderOf(blocklist) });
      },
    ),
    tool(
      'local_explain',
      'Show how an input is read, which expressions are looked up, and which of them is on the list on this machine.',
      { input, type },
      ['input'],
      async (given) => explain(blocklist, assetOf(given)),
    ),
    tool('local_status', 'Show the age and size of the list on this machine, and its last failure.', {}, [], async () =>
      blocklist.status(),
    ),
  ];
}

function toolOf(blocklist: Blocklist) {
  return (
    name: string,
    description: string,
    properties: Json,
    required: readonly string[],
    run: (given: Json, signal: AbortSignal) => Promise<unknown>,
  ): Tool => {
    const inputSchema = { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false };
    return {
      group: 'local',
      description: { name, description, inputSchema, annotations: annotationsOf(properties) },
      read: (given) => lenientArguments(given, inputSchema),
      run: async (given, { signal }) => {
        const unknown = Object.keys(given).find((key) => !Object.hasOwn(properties, key));
        if (unknown !== undefined) refuse(`unknown argument ${JSON.stringify(unknown.slice(0, 40))}`);
        if (given['confirm'] !== undefined && typeof given['confirm'] !== 'boolean') refuse('confirm must be true or false');
        // Loads the list with the first call, so that a server starts at once.
        await blocklist.ready({ signal });
        return run(given, signal);
      },
    };
  };
}

function assetOf(given: Json): string | { readonly content: string; readonly type: (typeof ASSET_TYPES)[number] } {
  const content = textArgument(given, 'input');
  if (content.length > maxInputLength) refuse(`input is longer than ${maxInputLength} characters; use local_check_text`);
  if (given['type'] === undefined) return content;
  const known = ASSET_TYPES.find((one) => one === given['type']);
  if (known === undefined) refuse(`type must be one of ${valueListUri('assetType')}`);
  return { content, type: known };
}

function textArgument(given: Json, name: string): string {
  const text = given[name];
  if (typeof text !== 'string' || text === '') refuse(`${name} must be a string that is not empty`);
  return text;
}
