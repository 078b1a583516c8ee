import { isPortcullisError, PortcullisError } from 'portcullis/core';
import type { Relay, RelayContext } from 'portcullis/relay';
import { HttpRefusal, noSuchPath, wrongMethod } from '../../../src/core/http/http-refusal.js';
import {
  actionsFolder,
  type Example,
  type PlaygroundConfig,
  relayFolder,
  sampleExamples,
} from '../../shared/playground-config.js';
import { readAction, requireOwnPage } from './action-request.js';
import type { PlaygroundActions } from './actions.js';
import { pageFiles } from './page-files.js';
import { fileAnswer, jsonAnswer, redirectAnswer, refusalAnswer } from './playground-answers.js';

export interface PlaygroundOptions {
  /** Serves the page's list; its `publicUrl` is the page's URL and `blocklist`. Pass either this or `published`. */
  readonly relay?: Pick<Relay, 'fetch'> | undefined;
  /** URL of a published list, relative to the page: `../`. Pass either this or `relay`. */
  readonly published?: string | undefined;
  /** What the buttons do. Without them, the buttons set overrides in the browser. */
  readonly actions?: PlaygroundActions | undefined;
  /** The path of the page; it starts and ends with a slash. @default '/' */
  readonly path?: string | undefined;
  /**
   * The origin of the page, such as `http://127.0.0.1:4000`. A request to another name of this machine is redirected there, because the
   * relay's URLs use this one. @default the origin of each request
   */
  readonly origin?: string | undefined;
  /** Texts to try. @default those of the embedded service's sample list; none with a published list */
  readonly examples?: readonly Example[] | undefined;
  /** Folder of the built page. @default `playground` beside the built command line */
  readonly folder?: URL | undefined;
}

export interface Playground {
  /** Answers a request; never rejects. Can be called without `this`. The context is the relay's. */
  fetch(request: Request, context?: RelayContext): Promise<Response>;
}

/**
 * Serves the page, its list and its actions under one origin.
 *
 * @throws PortcullisError `INVALID_INPUT`, and `NOT_FOUND` if the page is not built
 */
export async function createPlayground(options: PlaygroundOptions): Promise<Playground> {
  const { relay, published, actions, path = '/', origin, folder } = options;
  if ((relay === undefined) === (published === undefined)) {
    throw invalid('the page needs one source for its list; pass either relay or published');
  }
  if (!/^\/(?:[\w-]+\/)*$/.test(path)) throw invalid('malformed path; it must look like /playground/');
  if (origin !== undefined && new URL(origin).origin !== origin)
    throw invalid('malformed origin; it must look like http://127.0.0.1:4000');
  const config: PlaygroundConfig =
    published === undefined
      ? { kind: 'relay', baseUrl: relayFolder, canAct: actions !== undefined, examples: options.examples ?? sampleExamples }
      : { kind: 'published', url: published, examples: options.examples ?? [] };
  const files = await pageFiles(config, folder);

  async function act(request: Request, action: (content: string) => Promise<void>): Promise<Response> {
    requireMethod(request, ['POST']);
    requireOwnPage(request, origin ?? new URL(request.url).origin);
    const { content } = await readAction(request);
    try {
      await action(content);
    } catch (error) {
      throw refusalOf(error);
    }
    return jsonAnswer(200, { done: true });
  }

  async function answer(request: Request, context: RelayContext | undefined): Promise<Response> {
    const url = new URL(request.url);
    // Without the final slash the page would resolve its files one level too high.
    if (`${url.pathname}/` === path) return redirectAnswer(`${path.slice(0, -1).replace(/^.*\//, '')}/`);
    if (!url.pathname.startsWith(path)) throw noSuchPath();
    const name = url.pathname.slice(path.length);
    if (relay !== undefined && name.startsWith(`${relayFolder}/`)) return relay.fetch(request, context);
    if (actions !== undefined && name === `${actionsFolder}/block`) return act(request, (content) => actions.block(content));
    if (actions !== undefined && name === `${actionsFolder}/allow`) return act(request, (content) => actions.allow(content));
    const fileName = name === '' ? 'index.html' : name;
    const file = files.get(fileName);
    if (file === undefined) throw noSuchPath();
    requireMethod(request, ['GET', 'HEAD']);
    if (fileName === 'index.html' && origin !== undefined && isTwin(url, new URL(origin))) return redirectAnswer(origin + path);
    return fileAnswer(fileName, file, request.method === 'HEAD');
  }

  return {
    async fetch(request, context) {
      try {
        return await answer(request, context);
      } catch (error) {
        return refusalAnswer(error instanceof HttpRefusal ? error : failure());
      }
    },
  };
}

const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/** Another name for the same port of this machine, which to the browser is another origin with another database. */
function isTwin(asked: URL, own: URL): boolean {
  const isSamePort = asked.port === own.port && asked.protocol === own.protocol;
  return isSamePort && asked.hostname !== own.hostname && loopback.test(asked.hostname) && loopback.test(own.hostname);
}

function requireMethod(request: Request, methods: readonly string[]): void {
  if (methods.includes(request.method)) return;
  throw wrongMethod(...methods);
}

function invalid(message: string): PortcullisError {
  return new PortcullisError('INVALID_INPUT', message);
}

/** Says no more, because an unexpected error may hold the key. */
function failure(): HttpRefusal {
  return new HttpRefusal(500, 'INTERNAL_SERVER_ERROR', 'the request failed for an unexpected reason');
}

/** The service's own reason, because it tells the user what to change; its message is the same for every reason. */
function refusalOf(error: unknown): HttpRefusal {
  if (!isPortcullisError(error)) return failure();
  const { status = 0, code, message, assets, issues } = error;
  const [issue] = issues ?? [];
  // An unusable answer has the status of a success.
  return new HttpRefusal(
    status >= 400 ? status : 502,
    code,
    assets?.[0]?.message ?? (issue ? `${issue.path} ${issue.message}`.trim() : message),
  );
}
