import type { Algorithm } from '../../core/algorithms/algorithm.js';
import { createAssets } from '../../core/algorithms/create-assets.js';
import { createRegistry, partKinds } from '../../core/algorithms/registry.js';
import type { Family } from '../../core/assets/asset.js';
import { refuse } from '../../core/errors.js';
import { type Filled, type Kind, type KindsOf, optional, readOptions } from '../../core/options/read-options.js';
import { createSureMiss } from '../../core/sure-miss/sure-miss.js';
import type { Blocklist } from '../model/blocklist-interface.js';
import { type CommonOptions, commonKinds, type Settings, type SourcesOptions, sources } from '../model/blocklist-options.js';
import { type ServiceSettings, type ServiceSourceOptions, serviceKinds, serviceSource } from '../sources/service-source.js';
import { allParts } from './all-parts.js';
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

type ServiceOption = Exclude<keyof ServiceBlocklistOptions, keyof CommonOptions | 'sources'>;

type Read = Settings & Partial<Pick<ServiceSettings, ServiceOption>>;

/** The options of one source, or `sources`. */
export const blocklistKinds = (): KindsOf<Read> => {
  const { baseUrl, apiKey, algorithms, headers, fetch, allowInsecureHttp, publicKeys, verifier } = serviceKinds();
  const ofSource = <Value>(kind: Kind<Value>): Kind<Value | undefined> => {
    return (value, path, given) => {
      if (given?.['sources'] === undefined) return kind(value, path, given);
      return value === undefined ? value : refuse(`${path} must be left out beside sources, or moved into one of them`);
    };
  };
  return {
    ...commonKinds(),
    sources: optional(sources, []),
    baseUrl: ofSource((value, path, given) => {
      if (value === undefined) refuse('createBlocklist: options must have baseUrl or sources');
      return baseUrl(value, path, given);
    }),
    apiKey: ofSource(apiKey),
    algorithms: ofSource(algorithms),
    headers: ofSource(headers),
    fetch: ofSource(fetch),
    allowInsecureHttp: ofSource(allowInsecureHttp),
    publicKeys: ofSource(publicKeys),
    verifier: ofSource(verifier),
  };
};

/**
 * Creates a blocklist with every asset type and every algorithm.
 *
 * @example
 * const blocklist = createBlocklist({ baseUrl: 'https://relay.example/blocklist' });
 * await blocklist.ready();
 * const { action } = await blocklist.check('https://claim.example/airdrop');
 * @throws PortcullisError `INVALID_INPUT`
 */
export function createBlocklist(options: BlocklistOptions): Blocklist {
  const settings = readOptions('createBlocklist', blocklistKinds(), options);
  const { sources, baseUrl, apiKey, algorithms, headers, fetch, allowInsecureHttp, publicKeys, verifier, now } = settings;
  const ofService = { baseUrl: baseUrl!, apiKey, algorithms, headers, fetch, allowInsecureHttp, publicKeys, verifier, now };
  const own = sources.length > 0 ? sources : [serviceSource(ofService)];
  return makeBlocklist({ ...settings, sources: own }, allParts);
}

/** Options of `createCoreBlocklist`. */
export interface CoreOptions extends SourcesOptions {
  /** Asset families to read besides links. @default none */
  readonly families?: readonly Family[] | undefined;
  /** Algorithms besides `portcullis-1`. @default none */
  readonly algorithms?: readonly Algorithm[] | undefined;
}

export const coreKinds = (): KindsOf<Settings & Filled<CoreOptions, 'store'>> => ({
  ...commonKinds(),
  ...partKinds(),
  sources,
});

/**
 * Creates a blocklist that reads links and the given families. A bundle contains nothing else.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function createCoreBlocklist(options: CoreOptions): Blocklist {
  const { families, algorithms, ...settings } = readOptions('createCoreBlocklist', coreKinds(), options);
  return makeBlocklist(settings, {
    assets: createAssets({ families, algorithms }),
    algorithms: createRegistry(families, algorithms),
    isSureMiss: createSureMiss(families),
  });
}
