import { lookup } from 'node:dns';
import type { Agent, request } from 'undici';
import type { Post } from './deliveries.js';
import { isPrivateAddress, requireTarget } from './targets.js';

/** How long a receiver may take. */
const timeoutMs = 15_000;

/** Resolves a name once and connects to the address that was checked, so that a second lookup cannot return a private one. */
export function pinnedPost(allowPrivateTargets: boolean): { post: Post; close: () => Promise<void> } {
  let transport: Promise<Transport> | undefined;
  let closed = false;
  const post: Post = async (url, headers, body, ending) => {
    requireTarget(url, allowPrivateTargets);
    if (closed) throw new Error('the service is closed');
    transport ??= transportOf(allowPrivateTargets);
    const { agent, send } = await transport;
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ending]);
    const { statusCode, body: answer } = await send(url, { dispatcher: agent, method: 'POST', headers, body, signal });
    await answer.dump();
    return statusCode;
  };
  return {
    post,
    close: async () => {
      const open = closed ? undefined : transport;
      closed = true;
      await (await open)?.agent.close();
    },
  };
}

interface Transport {
  readonly agent: Agent;
  readonly send: typeof request;
}

/** Loaded for the first delivery: undici takes 60 ms to load, and most services send nothing. */
async function transportOf(allowPrivateTargets: boolean): Promise<Transport> {
  const { Agent, request } = await import('undici');
  const agent = new Agent({
    pipelining: 0,
    connect: {
      lookup: (hostname, options, done) => {
        lookup(hostname, { ...options, all: true }, (error, addresses) => {
          const reachable = (addresses ?? []).filter(({ address }) => allowPrivateTargets || !isPrivateAddress(address));
          if (error !== null || reachable.length === 0) done(error ?? new Error('the target is a private address'), '', 0);
          // Which form Node wants depends on its version and options.
          else if (options.all) (done as (error: null, found: typeof reachable) => void)(null, reachable);
          else done(null, reachable[0]!.address, reachable[0]!.family);
        });
      },
    },
  });
  return { agent, send: request };
}
