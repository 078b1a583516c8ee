import { resolve } from 'node:path';
import type { Call, Command } from '../command.js';
import { exitCodes } from '../errors/exit.js';
import { UsageError } from '../errors/usage.js';
import { apiOf } from '../service/connection.js';
import type { Served, Where } from '../service/serving.js';
import { untilAborted } from '../service/until-aborted.js';

/** What the root of a server is. */
type Kind = 'service' | 'published' | 'relay';

const portUsual = 4_040;

export const serve: Command = {
  summary:
    'Serve the embedded service, a published list, or a relay of the configured service, each with the page where one sees it work.',
  positionals: '',
  wordsHint: 'a folder that publish wrote is served with --published <folder>',
  examples: [
    ['serve', 'The embedded service with its sample data; gone when it ends'],
    ['serve --state service.json', 'The same, with its state in a file'],
    ['serve --published ./public', 'A list that publish wrote'],
    ['serve --relay --url https://api.example/v2 --public-url https://relay.example', 'A relay: clients need no key'],
  ],
  options: {
    state: { value: 'file', text: 'Keep the state of the embedded service in this file' },
    published: { value: 'folder', text: 'Serve a published list instead' },
    relay: { text: 'Serve a relay of the service at --url instead, with the key of the environment or of login' },
    url: { value: 'url', text: 'With --relay: where the API is; otherwise PORTCULLIS_API_URL, then the stored one' },
    port: { value: 'port', text: `${portUsual} without this; 0 is any that is free` },
    host: {
      value: 'address',
      text: '127.0.0.1 without this: this machine only. Anybody who reaches another address may use the sample keys',
    },
    cors: { text: 'Let pages of other origins call the embedded service, whose sample keys everybody knows' },
    'public-url': { value: 'url', text: 'How others reach it, behind a proxy' },
  },
  notes: 'It runs until Ctrl-C, which ends it with 0.',

  async run(call) {
    const { output, signal } = call;
    const kind = kindOf(call);
    const [served, close] = await start(call, kind);
    try {
      const shown = {
        kind,
        url: served.url,
        listening: served.listening,
        page: served.pageUrl,
        ...(served.relayUrl && { relay: served.relayUrl }),
      };
      await output.item({ ...shown, ...(served.key && { key: served.key }) }, () =>
        [
          `${titles[kind].padEnd(12)} ${served.url}`,
          ...(served.listening === served.url ? [] : [`listening    ${served.listening}`]),
          ...(served.key === undefined ? [] : [`key          ${served.key}`]),
          ...(served.relayUrl === undefined || kind === 'relay' ? [] : [`relay        ${served.relayUrl}`]),
          `page         ${output.paint('bold', served.pageUrl)}`,
        ].join('\n'),
      );
      output.note('Ctrl-C ends it.');
      await untilAborted(signal);
      return exitCodes.ok;
    } finally {
      await close();
    }
  },
};

const titles: Readonly<Record<Kind, string>> = { service: 'service', published: 'list', relay: 'relay' };

function kindOf({ options }: Call): Kind {
  if (options.has('published') && options.has('relay')) throw new UsageError('--published and --relay contradict each other');
  const kind = options.has('published') ? 'published' : options.has('relay') ? 'relay' : 'service';
  if (options.has('state') && kind !== 'service') throw new UsageError('--state belongs to the embedded service');
  if (options.has('cors') && kind !== 'service') throw new UsageError('--cors belongs to the embedded service');
  if (options.has('url') && kind !== 'relay') throw new UsageError('--url belongs to --relay');
  return kind;
}

type Started = Served & { readonly key?: string };

/** Servers are loaded only here: who asks for the options of `serve` needs none. */
async function start(call: Call, kind: Kind): Promise<readonly [Started, () => Promise<void>]> {
  const { options } = call;
  const where = whereOf(call);
  if (kind !== 'published' && where.publicUrl === undefined && /^(0\.0\.0\.0|::)$/.test(where.host)) {
    throw new UsageError(`--host ${where.host} needs --public-url`, 'clients are sent to that address for the files of the list');
  }
  if (kind === 'published') {
    const { servePublished } = await import('../service/published-folder.js');
    const served = await servePublished(resolve(options.text('published')!), where);
    return [served, served.close];
  }
  if (kind === 'relay') {
    const { baseUrl, apiKey } = await apiOf(call);
    if (apiKey === undefined) {
      throw new UsageError('a relay needs a key', 'set PORTCULLIS_API_KEY, or store one with: portcullis login', {
        code: 'KEY_UNAVAILABLE',
        exitCode: exitCodes.authentication,
      });
    }
    const { serveRelay } = await import('../service/serving.js');
    const served = await serveRelay({ baseUrl, apiKey }, where);
    return [served, served.close];
  }
  const { createService } = await import('../../../servers/service/node-service.js');
  const { limits, serveService } = await import('../service/serving.js');
  const file = options.text('state');
  const service = createService({ limits, ...(file !== undefined && { state: { file } }) });
  try {
    await service.ready;
    const served = await serveService(service, where, options.has('cors'));
    const close = async (): Promise<void> => {
      await served.close();
      await service.close();
    };
    return [{ ...served, key: service.key }, close];
  } catch (error) {
    await service.close();
    throw error;
  }
}

function whereOf({ options }: Call): Where {
  const publicUrl = options.text('public-url');
  if (publicUrl !== undefined && !/^https?:\/\/[^/?#@]+\/?$/.test(publicUrl)) {
    throw new UsageError('--public-url must be like https://relay.example', 'what stands behind the host is the same as here');
  }
  return { port: options.number('port', 0, 65_535) ?? portUsual, host: options.text('host') ?? '127.0.0.1', publicUrl };
}
