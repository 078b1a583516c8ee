import { PortcullisError, refuse } from '../../core/errors.js';
import { type KindsOf, nested, readOptions, text } from '../../core/options/read-options.js';
import type { Listening, ListenOptions } from '../http/node-server.js';
import { pinnedTransport } from './delivery/pinned-transport.js';
import { asServerSendsIt } from './faults/fault-answers.js';
import { listenWith } from './http/listen.js';
import { type Service, type ServiceOptions, serviceOf } from './service.js';
import { type ServiceValues, serviceKinds } from './service-options.js';
import { stateFile } from './state/state-file.js';

/** Options of a service on Node. */
export interface ServerOptions extends ServiceOptions {
  /** Where the state is kept: `file` is `.portcullis/testing` in the working directory. @default 'memory' */
  readonly state?: 'memory' | 'file' | { readonly file: string };
}

/** A service that can listen on a port. */
export interface ServedService extends Service {
  /** Resolves when the kept state has been read, and rejects with the reason it cannot be. */
  readonly ready: Promise<void>;
  /** Answers over HTTP, by default on this machine only. */
  listen(options?: ListenOptions): Promise<Listening>;
}

/** Creates a service that answers in this process and over HTTP, with its state in memory or in a file. */
export function createService(given?: ServerOptions): ServedService {
  const { state, ...options } = readOptions('createService', serverKinds(), given);
  const storage = state === undefined ? undefined : stateFile(state);
  const pinned = pinnedTransport(options.allowPrivateTargets);
  const service = serviceOf({ ...options, post: options.post ?? pinned.post }, storage, pinned.get);
  const listening = new Set<Listening>();
  let closed = false;
  return {
    ...service,
    async listen(where) {
      await service.ready;
      if (closed) throw new PortcullisError('CLOSED', 'the service is closed');
      const served = await listenWith(
        async (request, { address }) => asServerSendsIt(await service.serve(request, address)),
        where,
      );
      listening.add(served);
      // The service may have been closed meanwhile.
      if (closed) {
        await served.close();
        throw new PortcullisError('CLOSED', 'the service is closed');
      }
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

const defaultFile = '.portcullis/testing';

/** `state` becomes the path of its file, if it has one. */
export const serverKinds = (): KindsOf<ServiceValues & { readonly state: string | undefined }> => ({
  ...serviceKinds(),
  state(value = 'memory', path) {
    if (typeof value === 'object')
      return nested<{ readonly file: string }>({ file: text('the path of a file', /./s) })(value, path).file;
    if (value !== 'memory' && value !== 'file') refuse(`${path} must be 'memory', 'file' or { file }`);
    return value === 'file' ? defaultFile : undefined;
  },
});
