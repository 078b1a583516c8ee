import { resolve } from 'node:path';
import type { OAuthOptions } from 'portcullis/testing';
import { isThisMachine } from '../../../src/core/http/address.js';
import type { Command, CommandCall } from '../command.js';
import { exitCodes } from '../errors/exit-codes.js';
import { UsageError } from '../errors/usage.js';
import { formatOptions } from '../lists/list-options.js';
import { apiOf } from '../service/connection.js';
import type { OpenGateway } from '../service/gateway-key-file.js';
import type { Served, ServedTools, Where } from '../service/serving.js';
import { untilAborted } from '../service/until-aborted.js';

/** What is served at the root. */
type Kind = 'service' | 'published' | 'list' | 'relay';

const defaultPort = 4_040;

/** Lists of others are asked once an hour, as their hosts like it. */
const defaultRefreshMinutes = 60;

export const serve: Command = {
  summary:
    'Serve the embedded service, a published list, lists of others, or a relay of the configured service, with a page for trying it.',
  positionals: '',
  argumentHint: 'to serve a published folder, use --published <folder>',
  examples: [
    ['serve', 'Serves the embedded service with its sample data'],
    ['serve --published ./public', 'Serves a list that publish wrote'],
    ['serve --state service.json', 'Keeps the state of the embedded service in a file'],
    ['serve --list https://lists.example/phishing.txt', 'Publishes a list of others for your own clients, and keeps it current'],
    [
      'serve --relay --url https://api.example/v2 --public-url https://relay.example',
      'Serves a relay, whose clients need no key',
    ],
  ],
  options: {
    state: { value: 'file', text: 'Keep the state of the embedded service in this file' },
    published: { value: 'folder', text: 'Serve this published list instead' },
    list: { value: 'place', isMultiple: true, text: 'Publish and serve these lists instead: files, URLs, or npm:<package>' },
    ...formatOptions,
    refresh: { value: 'minutes', text: `With --list: minutes between two readings; defaults to ${defaultRefreshMinutes}` },
    relay: { text: 'Serve a relay of the service at --url instead, with the key from the environment or from login' },
    'trust-forwarded-for': {
      value: 'proxies',
      text: 'With --relay, or --mcp and --public-url: how many proxies of yours are in front of it and append to X-Forwarded-For. Without it, limits take the other end of each connection for the client',
    },
    ohttp: {
      value: 'file',
      text: 'With --relay or --published: also answer questions at /ohttp that came through a relay of Oblivious HTTP, with the keys in this file, made by keygen --ohttp',
    },
    url: { value: 'url', text: 'With --relay: the URL of the API; defaults to PORTCULLIS_API_URL, then to the stored one' },
    port: { value: 'port', text: `The port; defaults to ${defaultPort}, 0 for any free port` },
    host: {
      value: 'address',
      text: 'The address to listen on; defaults to 127.0.0.1, this machine only. On any other address, anyone who can reach it can use the sample keys',
    },
    mcp: {
      text: 'Also serve the operations as tools for agents, at /mcp, with a sign-in; each request brings its own key or token',
    },
    tools: {
      value: 'names',
      text: 'With --mcp: names of tools or groups, separated by commas; defaults to PORTCULLIS_MCP_TOOLS, then to all',
    },
    'read-only': { text: 'With --mcp: offer no tool that writes, whatever --tools names' },
    cors: { text: 'Let pages from other origins call the embedded service, and its tools; its sample keys are public' },
    'public-url': { value: 'url', text: 'The origin that clients use, for example behind a proxy' },
  },
  notes: 'Answers /healthz and /metrics. Runs until Ctrl-C, then lets requests finish for up to 10 seconds, and exits with 0.',

  async run(call) {
    const { output, signal } = call;
    const kind = kindOf(call);
    const served = await start(call, kind);
    try {
      const shown = {
        kind,
        url: served.url,
        listening: served.listening,
        page: served.pageUrl,
        ...(served.relayUrl && { relay: served.relayUrl }),
        ...(served.toolsUrl && { tools: served.toolsUrl }),
        ...(served.gateway && { ohttp: served.gateway.url, ohttpKeys: served.gateway.keyList }),
      };
      await output.item({ ...shown, ...(served.key && { key: served.key }) }, () => [
        `${titles[kind].padEnd(12)} ${served.url}`,
        ...(served.listening === served.url ? [] : [`listening    ${served.listening}`]),
        ...(served.key === undefined ? [] : [`key          ${served.key}`]),
        ...(served.relayUrl === undefined || kind === 'relay' ? [] : [`relay        ${served.relayUrl}`]),
        ...(served.toolsUrl === undefined ? [] : [`tools        ${served.toolsUrl}`]),
        ...(served.gateway === undefined ? [] : [`ohttp        ${served.gateway.url}`, `ohttp keys   ${served.gateway.keyList}`]),
        `page         ${output.paint('bold', served.pageUrl)}`,
      ]);
      output.note('Press Ctrl-C to stop.');
      await untilAborted(signal);
    } catch (error) {
      await served.close();
      throw error;
    }
    const note = setTimeout(
      () => output.note('Waiting for requests to finish. Press Ctrl-C again to stop at once.'),
      noteAfterMs,
    );
    await served.close({ graceMs });
    clearTimeout(note);
    return exitCodes.ok;
  },
};

/** How long requests may take to finish: as long as supervisors of processes usually wait before they kill one. */
const graceMs = 10_000;

/** Most stops take less, and need no word. */
const noteAfterMs = 500;

const titles: Readonly<Record<Kind, string>> = { service: 'service', published: 'list', list: 'list', relay: 'relay' };

function kindOf({ options }: CommandCall): Kind {
  const [kind = 'service', other] = (['published', 'list', 'relay'] as const).filter((name) => options.has(name));
  if (other !== undefined) throw new UsageError(`--${kind} and --${other} cannot be combined`);
  const only = (isMet: boolean, what: string, ...names: readonly string[]): void => {
    const name = isMet ? undefined : names.find((one) => options.has(one));
    if (name !== undefined) throw new UsageError(`--${name} ${what}`);
  };
  only(kind === 'list', 'needs --list', ...Object.keys(formatOptions), 'refresh');
  only(kind === 'service', 'applies only to the embedded service', 'state', 'cors', 'mcp');
  only(options.has('mcp'), 'needs --mcp', 'tools', 'read-only');
  only(kind === 'relay', 'needs --relay', 'url');
  only(kind === 'relay' || kind === 'published', 'needs --relay or --published', 'ohttp');
  const isProxied = kind === 'relay' || (options.has('mcp') && options.has('public-url'));
  only(isProxied, 'needs --relay, or --mcp with --public-url', 'trust-forwarded-for');
  return kind;
}

/** Loads the servers here, because the help does not need them. */
async function start(call: CommandCall, kind: Kind): Promise<Served & { readonly key?: string }> {
  const { options } = call;
  const where = whereOf(call);
  if (kind !== 'published' && kind !== 'list' && where.publicUrl === undefined && /^(0\.0\.0\.0|::)$/.test(where.host)) {
    throw new UsageError(`--host ${where.host} needs --public-url`, 'clients fetch the files of the list from that address');
  }
  if (kind === 'published') {
    const { servePublished } = await import('../service/published-folder.js');
    const folder = resolve(options.text('published')!);
    return withGateway(call, async (opened) => {
      const served = await servePublished(folder, where, opened?.gateway);
      await opened?.warnOfOtherKey(folder).catch(() => {});
      return served;
    });
  }
  if (kind === 'list') {
    const { serveLists } = await import('../service/served-lists.js');
    const minutes = options.number('refresh', 1, 7 * 24 * 60) ?? defaultRefreshMinutes;
    return serveLists(call, minutes * 60_000, where);
  }
  if (kind === 'relay') {
    const { baseUrl, apiKey } = await apiOf(call);
    if (apiKey === undefined) {
      throw new UsageError('a relay needs a key', 'set PORTCULLIS_API_KEY, or store one with: portcullis login', {
        code: 'KEY_UNAVAILABLE',
        exitCode: exitCodes.authentication,
      });
    }
    const trustForwardedFor = proxiesOf(call, where);
    const { serveRelay } = await import('../service/serving.js');
    return withGateway(call, (opened) => serveRelay({ baseUrl, apiKey, trustForwardedFor, gateway: opened?.gateway }, where));
  }
  const { createService } = await import('portcullis/testing');
  const { limits, serveService } = await import('../service/serving.js');
  const file = options.text('state');
  const oauth = options.has('mcp') && signInFor(where, proxiesOf(call, where));
  const tools = options.has('mcp') ? toolsOf(call, oauth !== false) : undefined;
  if (tools?.hasSignIn === false) {
    call.output.warn(
      'the sign-in is off, because tokens must not travel a network in the clear; clients of the tools need a key',
    );
    call.output.warn('to switch it on, put a proxy with TLS in front, and pass --public-url https://…');
  }
  const service = createService({ limits, ...(file !== undefined && { state: { file } }), oauth });
  try {
    await service.ready;
    const served = await serveService(service, where, { isOpen: options.has('cors'), tools });
    const close: Served['close'] = async (closing) => {
      await served.close(closing);
      await service.close();
    };
    return { ...served, key: service.key, close };
  } catch (error) {
    await service.close();
    throw error;
  }
}

/** Serves with the gateway of `--ohttp`, if that is given. */
async function withGateway(
  { options, output }: CommandCall,
  serve: (opened: OpenGateway | undefined) => Promise<Served>,
): Promise<Served> {
  const file = options.text('ohttp');
  if (file === undefined) return serve(undefined);
  const { openGateway } = await import('../service/gateway-key-file.js');
  const opened = await openGateway(file, output);
  try {
    const served = await serve(opened);
    return {
      ...served,
      async close(closing) {
        await served.close(closing);
        await opened.close();
      },
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** The number of proxies in front. Only one on this machine can pass on what clients send to the public address. */
function proxiesOf({ options, output }: CommandCall, { publicUrl, host }: Where): number | undefined {
  const proxies = options.number('trust-forwarded-for', 1, Number.MAX_SAFE_INTEGER);
  if (publicUrl !== undefined && proxies === undefined && isThisMachine(host)) {
    output.warn('behind a proxy all clients share one rate; pass --trust-forwarded-for with the number of your proxies');
  }
  return proxies;
}

function toolsOf({ options, env }: CommandCall, hasSignIn: boolean): ServedTools {
  const names = options.text('tools') ?? env['PORTCULLIS_MCP_TOOLS'];
  return { names, isReadOnly: options.has('read-only'), hasSignIn };
}

/** Tokens must not travel a network in the clear, so elsewhere than on this machine the sign-in needs `https`. */
function signInFor({ host, publicUrl }: Where, trustForwardedFor: number | undefined): boolean | OAuthOptions {
  if (publicUrl === undefined) return isThisMachine(host);
  const { origin, protocol, hostname } = new URL(publicUrl);
  return (
    (protocol === 'https:' || isThisMachine(hostname)) && { issuer: origin, ...(trustForwardedFor && { trustForwardedFor }) }
  );
}

function whereOf({ options }: CommandCall): Where {
  const publicUrl = options.text('public-url');
  if (publicUrl !== undefined && !/^https?:\/\/[^/?#@]+\/?$/.test(publicUrl)) {
    throw new UsageError('--public-url must look like https://relay.example', 'pass an origin without a path');
  }
  return { port: options.number('port', 0, 65_535) ?? defaultPort, host: options.text('host') ?? '127.0.0.1', publicUrl };
}
