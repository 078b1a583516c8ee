import { lookup } from 'node:dns';
import { Readable } from 'node:stream';
import type { Agent, request } from 'undici';
import { isPrivateAddress } from '../../../core/assets/web/private.js';
import type { FetchDocument } from '../../oauth/oauth-clients.js';
import type { Post } from './deliveries.js';
import { getTimeoutMs, privateTarget, requireTarget, shortText, timeoutMs } from './targets.js';

/** Resolves a name once and connects to the address that was checked, so that a second lookup cannot return a private one. */
export function pinnedTransport(allowPrivateTargets: boolean): { post: Post; get: FetchDocument; close: () => Promise<void> } {
  let transport: Promise<Transport> | undefined;
  let closed = false;
  const open = (url: string): Promise<Transport> => {
    requireTarget(url, allowPrivateTargets);
    if (closed) throw new Error('the service is closed');
    transport ??= transportOf(allowPrivateTargets);
    return transport;
  };
  const post: Post = async (url, headers, body, ending) => {
    const { agent, send } = await open(url);
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ending]);
    const { statusCode, body: answer } = await send(url, { dispatcher: agent, method: 'POST', headers, body, signal });
    await answer.dump();
    return statusCode;
  };
  const get: FetchDocument = async (url) => {
    const { agent, send } = await open(url);
    const headers = { accept: 'application/json' };
    const answer = await send(url, { dispatcher: agent, headers, signal: AbortSignal.timeout(getTimeoutMs) });
    const text = await shortText(new Response(Readable.toWeb(answer.body) as ReadableStream));
    return { status: answer.statusCode, contentType: String(answer.headers['content-type'] ?? ''), text };
  };
  return {
    post,
    get,
    close: async () => {
      const opened = closed ? undefined : transport;
      closed = true;
      await (await opened)?.agent.close();
    },
  };
}

interface Transport {
  readonly agent: Agent;
  readonly send: typeof request;
}

/** Loaded for the first request: undici takes 60 ms to load, and most services send nothing. */
async function transportOf(allowPrivateTargets: boolean): Promise<Transport> {
  const { Agent, request } = await import('undici');
  const agent = new Agent({
    pipelining: 0,
    connect: {
      lookup: (hostname, options, done) => {
        lookup(hostname, { ...options, all: true }, (error, addresses) => {
          const reachable = (addresses ?? []).filter(({ address }) => allowPrivateTargets || !isPrivateAddress(address));
          if (error !== null || reachable.length === 0) done(error ?? new Error(privateTarget), '', 0);
          // Which form Node wants depends on its version and options.
          else if (options.all) (done as (error: null, found: typeof reachable) => void)(null, reachable);
          else done(null, reachable[0]!.address, reachable[0]!.family);
        });
      },
    },
  });
  return { agent, send: request };
}
