import { fileJournal } from './journal.js';
import { type Listening, type ListenOptions, listenWith } from './listen.js';
import { pinnedPost } from './post.js';
import { type Service, type ServiceOptions, serviceOf } from './service.js';
import { isPublicSuffix } from './suffixes.js';

export interface ServerOptions extends ServiceOptions {
  /** `memory`, or the file it is kept in. @default 'memory' */
  readonly state?: 'memory' | { readonly file: string };
}

export interface ServedService extends Service {
  /** Answers over HTTP, on this machine only unless another host is given. */
  listen(options?: ListenOptions): Promise<Listening>;
}

/** A service, in this process or over HTTP, with its state in memory or in a file. */
export function createService({ state = 'memory', ...options }: ServerOptions = {}): ServedService {
  const pinned = pinnedPost(options.allowPrivateTargets ?? false);
  const service = serviceOf(
    { post: pinned.post, isPublicSuffix, ...options },
    state === 'memory' ? undefined : fileJournal(state.file),
  );
  const listening = new Set<Listening>();
  return {
    ...service,
    async listen(where = {}) {
      const served = await listenWith((request) => service.serve(request), where);
      listening.add(served);
      return served;
    },
    async close() {
      await Promise.all([...listening].map((served) => served.close()));
      await service.close();
      await pinned.close();
    },
  };
}
