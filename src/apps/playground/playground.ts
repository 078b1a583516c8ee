import { isPortcullisError, refuse } from '../../core/errors.js';
import { readAction, requireOwnPage } from './action-request.js';
import type { PlaygroundActions } from './actions.js';
import { pageFiles } from './page-files.js';
import { fileAnswer, jsonAnswer, Refusal, redirectAnswer, refusalAnswer } from './playground-answers.js';
import { actionsFolder, type Example, type PlaygroundConfig, relayFolder, sampleExamples } from './playground-config.js';

export interface PlaygroundOptions {
  /** Where the page's list comes from; its `publicUrl` is the address of this page and `/blocklist`. Either this or `published` is given. */
  readonly relay?: { fetch(request: Request): Promise<Response> } | undefined;
  /** Where a published list is, seen from the page: `../`. */
  readonly published?: string | undefined;
  /** What the buttons do. Without them the page has overrides of its own only. */
  readonly actions?: PlaygroundActions | undefined;
  /** The path below which all of it is found, from a slash to a slash. @default '/' */
  readonly path?: string | undefined;
  /**
   * Where the page is found, as `http://127.0.0.1:4000`. Who opens it by another name of this machine is sent there, because the relay's
   * addresses have this one. @default that of each request
   */
  readonly origin?: string | undefined;
  /** Texts to try. @default those of the embedded service's sample list; none beside a published one */
  readonly examples?: readonly Example[] | undefined;
  /** Where the built page is. @default beside the built entries */
  readonly folder?: URL | undefined;
}

export interface Playground {
  /** Answers a request; never rejects. Needs no `this`. */
  fetch(request: Request): Promise<Response>;
}

/**
 * The page, its list and its buttons, as one origin.
 *
 * @throws PortcullisError `INVALID_INPUT`, and `NOT_FOUND` where the page was not built
 */
export async function createPlayground(options: PlaygroundOptions): Promise<Playground> {
  const { relay, published, actions, path = '/', origin, folder } = options;
  if ((relay === undefined) === (published === undefined)) refuse('the page takes its list from a relay or from a published one');
  if (!/^\/(?:[\w-]+\/)*$/.test(path)) refuse('path must be like /playground/');
  if (origin !== undefined && new URL(origin).origin !== origin) refuse('origin must be like http://127.0.0.1:4000');
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

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    // Without its slash the page would look for its files one level too high.
    if (`${url.pathname}/` === path) return redirectAnswer(`${path.slice(0, -1).replace(/^.*\//, '')}/`);
    if (!url.pathname.startsWith(path)) throw notFound();
    const name = url.pathname.slice(path.length);
    if (relay !== undefined && name.startsWith(`${relayFolder}/`)) return relay.fetch(request);
    const action = actions !== undefined && isAction(name) ? actions[nameOf(name)] : undefined;
    if (action !== undefined) return act(request, (content) => action.call(actions, content));
    const fileName = name === '' ? 'index.html' : name;
    const file = files.get(fileName);
    if (file === undefined) throw notFound();
    requireMethod(request, ['GET', 'HEAD']);
    if (fileName === 'index.html' && origin !== undefined && isTwin(url, new URL(origin))) return redirectAnswer(origin + path);
    return fileAnswer(fileName, file, request.method === 'HEAD');
  }

  return {
    async fetch(request) {
      try {
        return await answer(request);
      } catch (error) {
        if (error instanceof Refusal) return refusalAnswer(error);
        return refusalAnswer(new Refusal(500, 'INTERNAL_SERVER_ERROR', 'this failed'));
      }
    },
  };
}

function isAction(name: string): boolean {
  return name === `${actionsFolder}/block` || name === `${actionsFolder}/allow`;
}

function nameOf(path: string): keyof PlaygroundActions {
  return path.endsWith('block') ? 'block' : 'allow';
}

const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/** Another name of the same port of this machine: an origin of its own to the browser, with another database. */
function isTwin(asked: URL, own: URL): boolean {
  const isSamePort = asked.port === own.port && asked.protocol === own.protocol;
  return isSamePort && asked.hostname !== own.hostname && loopback.test(asked.hostname) && loopback.test(own.hostname);
}

function requireMethod(request: Request, methods: readonly string[]): void {
  if (methods.includes(request.method)) return;
  throw new Refusal(405, 'METHOD_NOT_ALLOWED', `this takes ${methods.join(' and ')}`, { allow: methods.join(', ') });
}

function notFound(): Refusal {
  return new Refusal(404, 'NOT_FOUND', 'there is nothing here');
}

/** What the service said against it is what whoever pressed the button has to know. */
function refusalOf(error: unknown): Refusal {
  if (!isPortcullisError(error)) return new Refusal(500, 'INTERNAL_SERVER_ERROR', 'this failed');
  const { status = 502, code, message, assets } = error;
  return new Refusal(status, code, assets?.[0]?.message ?? message);
}
