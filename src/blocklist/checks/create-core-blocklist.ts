import type { Algorithm } from '../../core/algorithms/algorithm.js';
import { createAssets } from '../../core/algorithms/create-assets.js';
import { createRegistry } from '../../core/algorithms/registry.js';
import type { Family } from '../../core/assets/asset.js';
import type { Blocklist } from './blocklist-interface.js';
import type { SourcesOptions } from './blocklist-options.js';
import { makeBlocklist } from './make-blocklist.js';

export interface CoreOptions extends SourcesOptions {
  /** What is read beside links. @default none */
  readonly families?: readonly Family[] | undefined;
  /** What is spoken beside `portcullis-1`. @default none */
  readonly algorithms?: readonly Algorithm[] | undefined;
}

/**
 * A blocklist that reads links and what it is given families for; a bundle holds nothing else.
 *
 * @throws TypeError, PortcullisError `INVALID_INPUT`
 */
export function createBlocklist(options: CoreOptions): Blocklist {
  const { families = [], algorithms = [] } = Object(options) as CoreOptions;
  return makeBlocklist(options, {
    assets: createAssets({ families, algorithms }),
    algorithms: createRegistry(families, algorithms),
  });
}
