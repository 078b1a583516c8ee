import type { Algorithm } from '../../core/algorithms/algorithm.js';
import { allAlgorithms, allAssets } from '../../core/algorithms/all-algorithms.js';
import { createAssets } from '../../core/algorithms/create-assets.js';
import { createRegistry } from '../../core/algorithms/registry.js';
import type { Family } from '../../core/assets/asset.js';
import { refuse, requireObject } from '../../core/errors.js';
import { type ServiceSourceOptions, serviceSource } from '../sources/service-source.js';
import type { Blocklist } from './blocklist-interface.js';
import type { CommonOptions, SourcesOptions } from './blocklist-options.js';
import { makeBlocklist } from './make-blocklist.js';

/** Options for the list of one service or relay, or for several sources. Times are in milliseconds. */
export type BlocklistOptions = ServiceBlocklistOptions | SourcesOptions;

/** Options for the list of one service or relay. */
export interface ServiceBlocklistOptions
  extends CommonOptions,
    Pick<
      ServiceSourceOptions,
      'baseUrl' | 'apiKey' | 'algorithms' | 'headers' | 'fetch' | 'allowInsecureHttp' | 'publicKeys' | 'verifier'
    > {
  readonly sources?: undefined;
}

/**
 * Creates a blocklist with every asset type and every algorithm.
 *
 * @example
 * const blocklist = createBlocklist({ baseUrl: 'https://relay.example/blocklist' });
 * await blocklist.ready();
 * const { action } = await blocklist.check('https://claim.example/airdrop');
 * @throws TypeError, PortcullisError `INVALID_INPUT`
 */
export function createBlocklist(options: BlocklistOptions): Blocklist {
  return makeBlocklist(withSources(options), { assets: allAssets, algorithms: allAlgorithms });
}

/** Options of `createCoreBlocklist`. */
export interface CoreOptions extends SourcesOptions {
  /** Asset families to read besides links. @default none */
  readonly families?: readonly Family[] | undefined;
  /** Algorithms besides `portcullis-1`. @default none */
  readonly algorithms?: readonly Algorithm[] | undefined;
}

/**
 * Creates a blocklist that reads links and the given families. A bundle contains nothing else.
 *
 * @throws TypeError, PortcullisError `INVALID_INPUT`
 */
export function createCoreBlocklist(options: CoreOptions): Blocklist {
  const { families = [], algorithms = [], sources } = Object(options) as CoreOptions;
  if (sources === undefined)
    throw new TypeError('createCoreBlocklist needs sources, such as [serviceSource({ baseUrl })] of portcullis/sources');
  return makeBlocklist(options, {
    assets: createAssets({ families, algorithms }),
    algorithms: createRegistry(families, algorithms),
  });
}

function withSources(options: BlocklistOptions): SourcesOptions {
  requireObject(options, 'options');
  if (options.sources === undefined && options.baseUrl === undefined)
    throw new TypeError('createBlocklist needs baseUrl or sources');
  if (options.sources === undefined) return { ...options, sources: [serviceSource(options)] };
  if ('baseUrl' in options) refuse('both baseUrl and sources were given; move baseUrl into a source, or leave out sources');
  return options;
}
