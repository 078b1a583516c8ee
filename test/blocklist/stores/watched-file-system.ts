import * as promises from 'node:fs/promises';
import type { FileSystem } from '../../../src/blocklist/stores/file-system.js';

/** One call of a file system or of an open file. */
export interface Call {
  readonly name: string;
  /** Counted from 0. */
  readonly number: number;
  run(): Promise<unknown>;
  /** Writes half of the bytes if the call writes. */
  runHalf(): Promise<unknown>;
}

/** The real file system, each call of which goes through `around`. */
export function watchedFileSystem(around: (call: Call) => Promise<unknown>): FileSystem {
  let calls = 0;

  function watched<T extends object>(target: T): T {
    return new Proxy(target, {
      get(_, key) {
        const member: unknown = Reflect.get(target, key, target);
        if (typeof member !== 'function') return member;
        return async (...parameters: unknown[]) => {
          const run = (...given: unknown[]): Promise<unknown> => Reflect.apply(member, target, given) as Promise<unknown>;
          const [first, ...others] = parameters;
          const result = await around({
            name: String(key),
            number: calls++,
            run: () => run(...parameters),
            runHalf: () => run(first instanceof Uint8Array ? first.subarray(0, first.length / 2) : first, ...others),
          });
          return key === 'open' ? watched(result as object) : result;
        };
      },
    });
  }

  return watched({ ...promises } as FileSystem);
}

/** An error like those of the system. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: made by a test`), { code });
}
