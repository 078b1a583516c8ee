import { readFileSync } from 'node:fs';
import { toBase64 } from '../src/core/base64.js';
import { hashOfLabel, remainderBits } from '../src/core/find/top-level-domains.js';

interface SuffixTrie {
  readonly edgeLength: Uint8Array;
  readonly edgeStart: Uint16Array;
  readonly labelText: string;
  readonly rulesRoot: number;
}

/** tldts publishes this file without types. */
const trie = new URL('../node_modules/tldts/dist/es6/src/data/trie.js', import.meta.url).href;
const { edgeLength, edgeStart, labelText, rulesRoot } = (await import(trie)) as SuffixTrie;

/** The list of top-level domains that the finder uses (decision 0030). */

/** Every top-level domain in the public suffix list of tldts, in Unicode. */
export function topLevelDomains(): readonly string[] {
  const labels: string[] = [];
  let at = 0;
  for (let edge = 0; edge < edgeStart[rulesRoot + 1]!; at += edgeLength[edge++]!) {
    if (edge >= edgeStart[rulesRoot]!) labels.push(labelText.slice(at, at + edgeLength[edge]!));
  }
  return labels.filter((label) => !label.startsWith('xn--'));
}

/** Names of assets that are not in the root zone: ENS, Tor, and the names reserved for examples. */
export const others: readonly string[] = ['eth', 'onion', 'example'];

/** Frequent words after a dot that are not top-level domains; none of their hashes may be in the list by accident. */
export const neverListed: readonly string[] =
  `js json html htm css scss less log txt map min lock yaml yml toml xml csv tsv gz tar tgz bz2 exe dll jar war php asp aspx jsp cpp hpp java
  class tsx jsx mjs cjs mts cts kt swift scala lua sql bak tmp cfg conf ini env png jpg jpeg gif svg webp ico pdf doc docx xls xlsx ppt pptx
  mp3 mp4 wav ogg webm wasm node spec test tests config length push prototype then catch default exports require value values key keys type types features requests request response size count index item items list body text content
  headers header method path query params state children parent width height left right top bottom title message status result results user users
  create update delete remove add get set has clear find includes indexOf concat sort reverse apply bind assign freeze define resolve reject all
  race send write close end start stop init load render emit once off use format
  error warn debug trace stringify parse filter reduce join split slice trim local localhost internal lan home corp invalid sock
  pem crt pub asc sig sum rst adoc ipynb vue svelte astro apk ipa dmg iso deb rpm msi bat cmd ps1 psd sketch proto graphql gradle plist
  abort aborted abs access acos acosh address alloc anchor any arch argv asin asinh assert atan atanh basename big binding blink bold
  callbackify cbrt ceil chdir chmod chown closed compare compile compose connect connection constants construct constructor context cookie
  cork cos cosh cpus cwd debuglog delimiter deprecate destroy destroyed dir directories dirname dirxml dispose dlopen drop endianness
  entries equal errored every exec exists exit exp extname fail family fchmod fchown fdatasync fill finally fips fixed flags flat floor
  fontcolor fontsize fork freemem fround fstat fsync ftruncate futimes getegid geteuid getgid getgroups getuid global group hkdf homedir
  host hostname href hrtime hypot imul incoming info inherits initgroups inspect italics iterator kill lchmod lchown link listen listeners
  loadavg lstat lutimes machine man match max mkdir mkdtemp mode multiline name normalize offset open opendir origin password pathname
  pause pending pid pipe platform pop port position posix pow ppid prng profile promises promisify protocol random read readable readdir
  readlink readv realpath ref rejects relative release rename repeat replace report resume rmdir rng round scrypt seal search sep session
  setegid seteuid setgid setgroups setuid shift sign sin sinh small some source spawn species splice sqrt stat statfs stderr stdin stdout
  sticky strict strike sub substr substring subtle sup symlink table take tan tanh throws time tmpdir token totalmem trailers trunc
  truncate umask uncork unicode unlink unpipe unref unscopables unshift uptime username utimes verify versions watch webcrypto with wrap
  writable writev
  thanks bye hello yes now then because please спасибо привет danke merci gracias obrigado`.split(/\s+/);

/** The words that follow a dot in the test corpus. */
function wordsOfCorpus(): readonly string[] {
  const rows = JSON.parse(readFileSync('test/core/find/bare-hosts.json', 'utf8')) as { readonly text: string }[];
  const words = rows.flatMap(({ text }) => text.match(/(?<=\.)[\p{L}\d]+/gu) ?? []);
  return words.map((word) => word.normalize('NFKC').toLowerCase());
}

/** The text of the generated file, with the first seed that avoids such accidents. */
export function hashFile(): string {
  const all = [...new Set([...topLevelDomains(), ...others])];
  const countries = all.filter((label) => /^[a-z]{2}$/.test(label));
  const labels = all.filter((label) => !countries.includes(label));
  const unlisted = [...new Set([...neverListed, ...wordsOfCorpus()])].filter((label) => !all.includes(label));
  for (let seed = 1; ; seed++) {
    const range = labels.length << remainderBits;
    const hashes = new Set(labels.map((label) => hashOfLabel(label, seed) % range));
    if (hashes.size < labels.length || unlisted.some((label) => hashes.has(hashOfLabel(label, seed) % range))) continue;
    return fileOf(encoded([...hashes].sort((one, other) => one - other)), labels.length, seed, countries);
  }
}

function encoded(hashes: readonly number[]): string {
  let bits = '';
  let last = 0;
  for (const hash of hashes) {
    const difference = hash - last;
    bits += `${'1'.repeat(difference >> remainderBits)}0${(difference & ((1 << remainderBits) - 1)).toString(2).padStart(remainderBits, '0')}`;
    last = hash;
  }
  return toBase64(
    Uint8Array.from({ length: Math.ceil(bits.length / 8) }, (_, at) =>
      Number.parseInt(bits.slice(8 * at, 8 * at + 8).padEnd(8, '0'), 2),
    ),
  );
}

function fileOf(hashes: string, count: number, seed: number, countries: readonly string[]): string {
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const seconds = letters.map((first) => letters.filter((second) => countries.includes(first + second)).join(''));
  const { version } = JSON.parse(readFileSync('node_modules/tldts/package.json', 'utf8')) as { version: string };
  return `/**
 * Made by "npm run make:domains" from the public suffix list in tldts ${version}, which holds the root zone as IANA
 * publishes it, and ${others.map((label) => `\`${label}\``).join(', ')}.
 */

/** The second letters of the domains of countries, by first letter. */
export const countryLetters =
  '${seconds.join(' ')}';
/** The other domains. */
export const topLevelCount = ${count};
export const topLevelSeed = ${seed};
/** Sorted hashes in Rice's code, in base64. */
export const topLevelHashes =
  '${hashes}';
`;
}
