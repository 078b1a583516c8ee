import type { Algorithm } from '../../core/algorithms/algorithm.js';
import { createAssets } from '../../core/algorithms/create-assets.js';
import { createRegistry } from '../../core/algorithms/registry.js';
import type { Family } from '../../core/assets/asset.js';
import type { Blocklist } from './blocklist-interface.js';
import type { SourcesOptions } from './blocklist-options.js';
import { makeBlocklist } from './make-blocklist.js';
import type { ReadPasted } from './pasted-input.js';

/** Options of the smallest blocklist. */
export interface CoreOptions extends SourcesOptions {
  /** Asset families to read besides links. @default none */
  readonly families?: readonly Family[] | undefined;
  /** Algorithms besides `portcullis-1`. @default none */
  readonly algorithms?: readonly Algorithm[] | undefined;
  /** Reads texts as people paste them: pass the function `readPasted`. @default none: a text is read unchanged */
  readonly readPasted?: ReadPasted | undefined;
}

/**
 * Creates a blocklist that reads links and the given families. A bundle contains nothing else.
 *
 * @throws TypeError, PortcullisError `INVALID_INPUT`
 */
export function createBlocklist(options: CoreOptions): Blocklist {
  const { families = [], algorithms = [], readPasted, sources } = Object(options) as CoreOptions;
  if (sources === undefined)
    throw new TypeError('createBlocklist of /core needs sources, such as [serviceSource({ baseUrl })] of /sources');
  return makeBlocklist(options, {
    assets: createAssets({ families, algorithms }),
    algorithms: createRegistry(families, algorithms),
    readPasted,
  });
}
