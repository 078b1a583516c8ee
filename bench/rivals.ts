import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

/** What both detectors are given; the fields are theirs. */
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
 * The package gives access only to its index, which loads the controller around the detector and with it several
 * hundred packages (keyrings, networks, transactions) that a check never uses. So they are not installed (`overrides`
 * in `rivals/package.json`), and the controller's place in the module cache is taken by an empty module before the
 * detector is loaded. What remains is what runs in a check: the detector, its path trie, its helpers and
 * fastest-levenshtein.
 */
export function metaMaskDetector(config: DetectorConfig): Detector {
  const load = rivals();
  const folder = join(dirname(load.resolve('@metamask/phishing-controller/package.json')), 'dist');
  const controller = join(folder, 'PhishingController.cjs');
  load.cache[controller] = { id: controller, filename: controller, loaded: true, exports: {} } as NodeJS.Module;
  const { PhishingDetector } = load(join(folder, 'PhishingDetector.cjs')) as { PhishingDetector: DetectorClass };
  return new PhishingDetector([config]);
}

/** The detector of `eth-phishing-detect`; its index would load the list that it brings along. */
export function ethPhishingDetector(config: DetectorConfig): Detector {
  const PhishingDetector = rivals()('eth-phishing-detect/src/detector.js') as DetectorClass;
  return new PhishingDetector([config]);
}

/** `linkify-it`; `fuzzyLink` has it find hosts without a scheme, too. */
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

/** They have a lock file of their own: whoever only works on the library needs none of them. */
function rivals(): NodeJS.Require {
  // The harness starts every child process at the root of the package.
  return createRequire(resolve('bench/rivals/package.json'));
}
