import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

/** The configuration of both detectors, with their field names. */
export interface DetectorConfig {
  name: string;
  version: number;
  tolerance: number;
  allowlist: string[];
  blocklist: string[];
  fuzzylist: string[];
}

/** MetaMask's detector takes a whole link, the older one a host. */
interface Detector {
  check(text: string): { result: boolean };
}

/**
 * The detector of `@metamask/phishing-controller`, from its own files, unchanged.
 *
 * The package exports only its index, which loads the controller around the detector, and with it several hundred
 * packages (keyrings, networks, transactions) that a check never uses. They are not installed (`overrides` in
 * `rivals/package.json`), and an empty module replaces the controller in the module cache before the detector is loaded.
 * The rest is what runs in a check: the detector, its path trie, its helpers and fastest-levenshtein.
 */
export function metaMaskDetector(config: DetectorConfig): Detector {
  const load = rivals();
  const folder = join(dirname(load.resolve('@metamask/phishing-controller/package.json')), 'dist');
  const controller = join(folder, 'PhishingController.cjs');
  load.cache[controller] = { id: controller, filename: controller, loaded: true, exports: {} } as NodeJS.Module;
  const { PhishingDetector } = load(join(folder, 'PhishingDetector.cjs')) as { PhishingDetector: DetectorClass };
  return new PhishingDetector([config]);
}

/** The detector of `eth-phishing-detect`, without its index, which would load the bundled list. */
export function ethPhishingDetector(config: DetectorConfig): Detector {
  const PhishingDetector = rivals()('eth-phishing-detect/src/detector.js') as DetectorClass;
  return new PhishingDetector([config]);
}

/** `linkify-it`. With `fuzzyLink` it also finds hosts without a scheme. */
export function linkifier(options: LinkifyOptions): Linkify {
  const { LinkifyIt } = rivals()('linkify-it') as { LinkifyIt: new (options: LinkifyOptions) => Linkify };
  return new LinkifyIt(options);
}

export interface LinkifyOptions {
  fuzzyLink?: boolean;
}

interface Linkify {
  match(text: string): readonly unknown[] | null;
}

type DetectorClass = new (configs: DetectorConfig[]) => Detector;

/** The rivals have a separate lock file, because work on the library does not need them. */
function rivals(): NodeJS.Require {
  // The harness starts every child process in the root folder of the package.
  return createRequire(resolve('bench/rivals/package.json'));
}
