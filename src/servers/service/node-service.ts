import { PortcullisError, refuse } from '../../core/errors.js';
import { pinnedPost } from './delivery/pinned-post.js';
import { type Listening, type ListenOptions, listenWith } from './http/listen.js';
import { isPublicSuffix } from './records/suffixes.js';
import { type Journal, type Service, type ServiceOptions, serviceOf } from './service.js';
import { fileJournal } from './state/file-journal.js';

/** The same, and where the state is kept. */
export interface ServerOptions extends ServiceOptions {
  /** `memory`; `file`, which is `.portcullis/service` in the working folder; or the path of the file it is kept in. @default 'memory' */
  readonly state?: 'memory' | 'file' | { readonly file: string };
}

/** A service that can listen. */
export interface ServedService extends Service {
  /** Resolves when a kept state has been read, and rejects with why it cannot be. */
  readonly ready: Promise<void>;
  /** Answers over HTTP, on this machine only unless another host is given. */
  listen(options?: ListenOptions): Promise<Listening>;
}

/** A service, in this process or over HTTP, with its state in memory or in a file. */
export function createService({ state = 'memory', ...options }: ServerOptions = {}): ServedService {
  const journal = journalOf(state);
  const pinned = pinnedPost(options.allowPrivateTargets ?? false);
  // An option that is there and undefined is none.
  const usual = { post: options.post ?? pinned.post, isPublicSuffix: options.isPublicSuffix ?? isPublicSuffix };
  const service = serviceOf({ ...options, ...usual }, journal);
  const listening = new Set<Listening>();
  let closed = false;
  return {
    ...service,
    async listen(where = {}) {
      await service.ready;
      if (closed) throw new PortcullisError('CLOSED', 'the service is closed');
      const served = await listenWith((request) => service.serve(request), where);
      listening.add(served);
      // Closed meanwhile, by somebody who could not know of it.
      if (closed) await served.close();
      if (closed) throw new PortcullisError('CLOSED', 'the service is closed');
      return served;
    },
    async close() {
      closed = true;
      await Promise.all([...listening].map((served) => served.close()));
      await service.close();
      await pinned.close();
    },
  };
}

/** Where a state is kept that is to be kept in a file, no matter which. */
const usualFile = '.portcullis/service';

function journalOf(state: ServerOptions['state']): Journal | undefined {
  if (state === 'memory') return undefined;
  if (state === 'file') return fileJournal(usualFile);
  if (typeof state === 'string') refuse("state must be 'memory', 'file' or { file }");
  if (typeof state !== 'object' || state === null) throw new TypeError("state must be 'memory', 'file' or an object");
  if (typeof state.file !== 'string') throw new TypeError('state.file must be a string');
  if (state.file === '') refuse('state.file must not be empty');
  return fileJournal(state.file);
}
