import type { ToolClient, ToolDescription, ToolServerOptions } from 'portcullis/mcp';
import type { ParsedOptions } from '../arguments/arguments.js';
import type { Command, CommandCall } from '../command.js';
import { exitCodes } from '../errors/exit-codes.js';
import { UsageError } from '../errors/usage.js';
import { isUrl, listOptions, listOriginOf, shownWord } from '../lists/list-options.js';
import { loadList, openList } from '../lists/open-list.js';
import { embedded, openClient, serviceAddress } from '../service/connection.js';
import { untilAborted } from '../service/until-aborted.js';
import { hostCommand } from '../terminal/call-again.js';
import { numberText } from '../terminal/unit-text.js';

const { list: listOption, ...otherListOptions } = listOptions;

/** A host keeps the server running for days. */
const pollMs = 300_000;

export const mcp: Command = {
  summary:
    'Serve the operations of the service and local checks as tools for agents (MCP), over standard input and output. Prints nothing else there.',
  positionals: '',
  argumentHint: (text) => `name a list of your own with --blocklist ${shownWord(text, 'file')}, and tools with --tools`,
  examples: [
    ['mcp --local', 'Tools over the embedded service and its sample list; nothing leaves this machine'],
    ['mcp --blocklist my-list.txt', 'Local tools over your own list, without a service'],
    ['mcp --tools local,user_orgs,report_create', 'A group and two tools, over the configured service'],
    ['mcp --list --local', 'Prints the tools with their sizes, and ends'],
  ],
  options: {
    list: { text: 'Print the tools with the size of each, and end' },
    tools: {
      value: 'names',
      text: 'Names of tools or groups, separated by commas; defaults to PORTCULLIS_MCP_TOOLS, then to all. Narrows what is offered; it is not access control',
    },
    'read-only': { text: 'Offer no tool that writes, whatever --tools names' },
    'confirm-writes': { text: 'Let the host ask its user before every write; a host that cannot ask gets an error' },
    blocklist: listOption!,
    ...otherListOptions,
    org: { value: 'slug', text: 'The organization to act for' },
  },
  notes: `The key comes from PORTCULLIS_API_KEY, then from login. A host starts the server with:
  ${hostCommand()} mcp`,

  async run(call) {
    const { options, env, output, signal } = call;
    const { createToolServer } = await import('portcullis/mcp');
    const parts = await partsOf(call);
    try {
      const server = createToolServer({
        ...parts.options,
        tools: options.text('tools') ?? env['PORTCULLIS_MCP_TOOLS'],
        readOnly: options.has('read-only'),
        confirmWrites: options.has('confirm-writes'),
      });
      if (options.has('list')) {
        const rows = server.tools.map(rowOf);
        const chars = JSON.stringify({ tools: server.tools }).length;
        await output.result({ tools: rows, chars }, () => rows);
        output.note(`${rows.length} tools, ${numberText(chars)} characters in tools/list`);
        return exitCodes.ok;
      }
      const connection = await server.connect();
      await Promise.race([untilAborted(signal), connection.closed]);
      await connection.close();
      return exitCodes.ok;
    } finally {
      await parts.close();
    }
  },
};

function rowOf(tool: ToolDescription) {
  const { readOnlyHint, destructiveHint } = tool.annotations;
  return {
    tool: tool.name,
    effect: readOnlyHint ? 'reads' : destructiveHint ? 'changes' : 'adds',
    chars: JSON.stringify(tool).length,
  };
}

interface Parts {
  readonly options: ToolServerOptions;
  close(): Promise<void>;
}

/**
 * The client and the list of a call. A list with a file is loaded at once, because a mistyped name would leave every check without a list; any
 * other loads with the first local check, so that a host waits for nothing.
 */
async function partsOf(call: CommandCall): Promise<Parts> {
  const listCall = { ...call, options: listView(call.options) };
  const origin = listOriginOf(listCall, viewed);
  if (origin === 'local') return localParts(call);
  const places = call.options.all('blocklist');
  if (places.includes('-'))
    throw new UsageError('--blocklist - cannot be read: standard input carries the protocol', 'save the list in a file');
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of closing) await end();
  };
  try {
    let client: ToolClient | undefined;
    const hasService = (await serviceAddress(call)) !== undefined;
    if (origin === 'service' && !hasService)
      throw new UsageError(
        'no service URL is configured',
        'set --url or PORTCULLIS_API_URL, name a list with --blocklist <file>, or try --local',
      );
    // The local tools may have a list of their own, and then need no service.
    if (hasService) {
      const opened = await openClient(call);
      closing.push(opened.close);
      client = opened.client;
    }
    const list = await openList(listCall, { pollMs });
    closing.push(list.close);
    const printsTools = call.options.has('list');
    if (origin === 'list' && !places.every(isUrl) && !printsTools) await loadList(list, listCall);
    return { options: { client, blocklist: list.blocklist }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** One embedded service behind both, so that a report shows in the list. */
async function localParts(call: CommandCall): Promise<Parts> {
  const { createBlocklist } = await import('portcullis');
  const { createClient } = await import('portcullis/client');
  const service = await embedded(call);
  const slug = call.options.text('org');
  const api = { baseUrl: 'http://localhost', apiKey: service.key, fetch: service.fetch };
  const client = createClient({ ...api, paths: service.paths, ...(slug && { slug }) });
  const blocklist = createBlocklist({ ...api, pollMs });
  const close = async (): Promise<void> => {
    await Promise.all([client.close(), blocklist.close()]);
    await service.close();
  };
  return { options: { client, paths: service.paths, blocklist }, close };
}

/** In this command `--list` prints the tools, so a list of one's own is `--blocklist`. */
const viewed = (name: string): string => (name === 'list' ? 'blocklist' : name);

function listView(options: ParsedOptions): ParsedOptions {
  return {
    has: (name) => options.has(viewed(name)),
    text: (name) => options.text(viewed(name)),
    all: (name) => options.all(viewed(name)),
    number: (...given) => options.number(...given),
  };
}
