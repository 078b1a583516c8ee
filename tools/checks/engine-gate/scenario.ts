/**
 * What a built entry must do in every engine. This file is bundled with the entry and runs inside the engine, so it may
 * use nothing but ECMAScript; `report` is the one function the engine lends it.
 */

/** The exports that the scenario uses; `portcullis/core` has none that read artifacts. */
interface Library {
  createBlocklist(options: { sources: readonly object[]; pollMs: 0; families?: readonly unknown[] }): Blocklist;
  expressionsOf(text: string): string[];
  prefixOf(expression: string): number;
  hashOf(expression: string): Uint8Array;
  PrefixSet: {
    from(prefixes: Iterable<number>): Prefixes;
    build(prefixes: Iterable<number>): Promise<Prefixes>;
  };
  decodeArtifact?(bytes: Uint8Array, options: Record<string, never>): Promise<Prefixes>;
}

/** `portcullis/core`, which gets its asset families from the caller. */
interface CoreLibrary extends Omit<Library, 'createBlocklist' | 'expressionsOf' | 'decodeArtifact'> {
  createCoreBlocklist: Library['createBlocklist'];
  evm: unknown;
  createAssets(options: { families: readonly unknown[] }): CoreAssets;
}

/** `portcullis/webhooks` */
interface WebhookLibrary {
  verifyWebhook(body: string, headers: Record<string, string>, options: { secrets: string }): { type: string; data: unknown };
}

/** Computed by the gate with Node's own SHA-256, as a second implementation. */
export interface Expectations {
  /** SHA-256 of the UTF-8 expression, as lower-case hex. */
  hashes: readonly { expression: string; hex: string }[];
  /** The artifact of `manyPrefixes`, as hex. */
  packed: string;
  /** HMAC-SHA256 of `webhookBody`, as hex. */
  signature: string;
}

interface Prefixes {
  readonly size: number;
  has(prefix: number): boolean;
}

interface Blocklist {
  ready(): Promise<void>;
  test(input: string): { readonly status: string };
  check(input: string): Promise<{ readonly status: string }>;
  block(input: string): Promise<unknown>;
  sync(): Promise<{ readonly outcome: string }>;
  close(): Promise<void>;
}

interface CoreAssets {
  expressionsOf(text: string): string[];
  detectAssets(text: string): unknown;
  normalizeAsset(text: string): unknown;
  canonicalizeUrl(text: string): unknown;
}

declare const report: (line: string) => void;

export const listed: readonly string[] = [
  'scam-mint.example',
  'xn--bcher-kva.example',
  'address:0x52908400098527886e0f7030069857d2e4169ee7',
];

const judged: readonly { text: string; hit: boolean }[] = [
  { text: 'https://login.scam-mint.example/claim?x=1', hit: true },
  { text: 'https://scam-mint.example', hit: true },
  { text: 'https://bücher.example/x', hit: true },
  { text: '0x52908400098527886E0F7030069857D2E4169EE7', hit: true },
  { text: 'https://example.org/a', hit: false },
  { text: 'https://scam-mint.example.org/', hit: false },
  { text: 'https://not-scam-mint.example/', hit: false },
  { text: 'https://bucher.example/x', hit: false },
  { text: '0x8617E340B3D01FA5F11F306F4090FD50E238070D', hit: false },
];

/** Must not throw; lone surrogates and broken escapes are the first to fail if a platform function is missing. */
const unreadable: readonly string[] = ['', 'https://', 'https://%zz%/', '\ud800', 'a b c', 'javascript:void 0'];

/** Enough for the layout, slices and encoding of a real list, and few enough for an interpreter. */
const manyCount = 20_000;

/**
 * Runs `work` and reports one line, whether it succeeds or fails. A promise that never settles reports nothing.
 * @public The scripts that the gate writes import it, as the two checks below.
 */
export function verdictOf(work: () => Promise<string>): void {
  new Promise<string>((resolve) => resolve(work())).then(
    (summary) => report(`PASS ${summary}`),
    (error: unknown) => report(`FAIL ${describe(error)}`),
  );
}

/** @public */
export function checkRoot(library: Library, expected: Expectations): Promise<string> {
  return check(library, expected);
}

/** @public */
export function checkCore(library: CoreLibrary, expected: Expectations): Promise<string> {
  const assets = library.createAssets({ families: [library.evm] });
  for (const { text } of judged) {
    for (const answer of [assets.detectAssets(text), assets.normalizeAsset(text)]) {
      insist(answer !== undefined && answer !== null, `an asset function returned nothing for ${text}`);
    }
    assets.canonicalizeUrl(text);
  }
  const createBlocklist: Library['createBlocklist'] = (options) =>
    library.createCoreBlocklist({ ...options, families: [library.evm] });
  return check({ ...library, createBlocklist, expressionsOf: assets.expressionsOf }, expected);
}

/** Two-byte, three-byte and four-byte characters: a bare engine has no encoder. */
export const webhookBody =
  '{"type":"asset.status-updated","created_at":"2026-03-01T12:00:00Z","data":{"asset_id":7,"type":"url","content":"bücher.例え.\u{1f600}","status":"BLOCKED"}}';
export const webhookSecret = 'größe-\u{1f600}';

/** @public */
export async function checkWebhooks({ verifyWebhook }: WebhookLibrary, { signature }: Expectations): Promise<string> {
  const verify = (hex: string) => verifyWebhook(webhookBody, { 'X-Any-Signature': `sha256=${hex}` }, { secrets: webhookSecret });
  insist(verify(signature).type === 'asset.status-updated', 'a signed event is not known');
  let refused = '';
  try {
    verify(signature.replace(/./, (digit) => (digit === '0' ? '1' : '0')));
  } catch (error) {
    refused = (error as { code?: string }).code ?? describe(error);
  }
  insist(refused === 'SIGNATURE_INVALID', `a wrong signature is rejected with ${refused}`);
  return 'verified a signed event and refused a changed signature';
}

async function check(library: Library, expected: Expectations): Promise<string> {
  checkHashes(library, expected);
  const prefixes = listed.map((expression) => library.prefixOf(expression));
  checkJudgments(library, library.PrefixSet.from(prefixes), 'PrefixSet.from');
  checkJudgments(library, await library.PrefixSet.build(prefixes), 'PrefixSet.build');
  for (const text of unreadable) {
    insist(Array.isArray(library.expressionsOf(text)), `expressionsOf(${JSON.stringify(text)}) is not an array`);
  }
  await checkManyPrefixes(library, bytesOf(expected.packed));
  await checkBlocklist(library);
  return (
    `hashed ${expected.hashes.length} expressions, judged ${judged.length} links and addresses, ` +
    `kept a blocklist, built ${manyCount} prefixes${library.decodeArtifact === undefined ? '' : ' and read them from an artifact'}`
  );
}

function checkHashes({ hashOf, prefixOf }: Library, { hashes }: Expectations): void {
  for (const { expression, hex } of hashes) {
    const hash = Array.from(hashOf(expression), (byte) => byte.toString(16).padStart(2, '0')).join('');
    insist(hash === hex, `hashOf(${JSON.stringify(expression)}) is ${hash}, expected ${hex}`);
    const prefix = Number.parseInt(hex.slice(0, 8), 16);
    insist(prefixOf(expression) === prefix, `prefixOf(${JSON.stringify(expression)}) is not ${prefix}`);
  }
}

function checkJudgments({ expressionsOf, prefixOf }: Library, set: Prefixes, maker: string): void {
  insist(set.size === listed.length, `${maker} holds ${set.size} prefixes of ${listed.length}`);
  for (const { text, hit } of judged) {
    const expressions = expressionsOf(text);
    insist(expressions.length > 0, `expressionsOf(${text}) is empty`);
    const found = expressions.some((expression) => set.has(prefixOf(expression)));
    insist(found === hit, `${maker}: ${text} ${hit ? 'should hit' : 'should not hit'}: ${expressions.join(', ')}`);
  }
}

async function checkManyPrefixes({ PrefixSet, decodeArtifact }: Library, bytes: Uint8Array): Promise<void> {
  const members = new Set(manyPrefixes());
  checkMembers(await PrefixSet.build(twice(members)), members, 'PrefixSet.build');
  if (decodeArtifact === undefined) return;
  checkMembers(await decodeArtifact(bytes, {}), members, 'decodeArtifact');

  const damaged = bytes.slice();
  damaged[damaged.length - 1] = (damaged[damaged.length - 1] ?? 0) ^ 0x10;
  await insistRefusal(() => decodeArtifact(damaged, {}), 'a damaged artifact');
  await insistRefusal(() => decodeArtifact(bytes.slice(0, bytes.length >> 1), {}), 'half an artifact');
}

/** Syncs a list from a custom source and checks against it, as an app would. */
async function checkBlocklist({ createBlocklist, hashOf, prefixOf, PrefixSet }: Library): Promise<void> {
  lendTimers();
  const source = {
    id: 'own',
    version: async () => ({ algoVersion: 'portcullis-1', snapshot: { token: 'one' } }),
    artifact: async () => ({ entries: PrefixSet.from(listed.map((expression) => prefixOf(expression))), isProven: true }),
    confirm: async (prefixes: readonly number[]) => {
      const hashes = (prefix: number) =>
        listed.filter((expression) => prefixOf(expression) === prefix).map((expression) => hashOf(expression));
      return { hashes: new Map(prefixes.map((prefix) => [prefix, hashes(prefix)] as const)) };
    },
  };
  const blocklist = createBlocklist({ sources: [source], pollMs: 0 });
  await blocklist.ready();
  for (const { text, hit } of judged) {
    const { status } = blocklist.test(text);
    insist(status === (hit ? 'unconfirmed' : 'clear'), `test: ${text} is ${status}`);
  }
  for (const { text, hit } of judged) {
    const { status } = await blocklist.check(text);
    insist(status === (hit ? 'blocked' : 'clear'), `check: ${text} is ${status}`);
  }
  await blocklist.block('https://example.org/');
  insist(blocklist.test('https://example.org/a').status === 'blocked', 'an override does not block');
  const { outcome } = await blocklist.sync();
  insist(outcome === 'unchanged', `a second round is ${outcome}`);
  await blocklist.close();
}

/** Timers for an engine without a clock: a delay of zero runs soon, any other delay never ends. */
function lendTimers(): void {
  const setTimeout = (run: () => void, delayMs: number): number => {
    if (delayMs === 0) void Promise.resolve().then(run);
    return 0;
  };
  Object.assign(globalThis, { setTimeout, clearTimeout: () => undefined });
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16));
}

function checkMembers(set: Prefixes, members: ReadonlySet<number>, maker: string): void {
  insist(set.size === members.size, `${maker} holds ${set.size} prefixes of ${members.size}`);
  for (const prefix of members) {
    insist(set.has(prefix), `${maker} lost ${prefix}`);
    const next = (prefix + 1) >>> 0;
    insist(set.has(next) === members.has(next), `${maker} answers wrongly for ${next}`);
  }
}

/** Also shows that a subclass of Error keeps its fields after Babel. */
async function insistRefusal(decode: () => Promise<unknown>, what: string): Promise<void> {
  let refusal: unknown;
  try {
    await decode();
  } catch (error) {
    refusal = error;
  }
  insist(refusal instanceof Error, `${what} was read without complaint`);
  insist('code' in refusal && typeof refusal.code === 'string', `the refusal of ${what} has no code: ${refusal}`);
}

/** A generator of unsorted, repeated values, the hardest iterable that a caller may pass. */
function* twice(values: Iterable<number>): Generator<number> {
  yield* values;
  yield* values;
}

export function* manyPrefixes(): Generator<number> {
  let state = 0x9e3779b9;
  for (let i = 0; i < manyCount; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    yield state >>> 0;
  }
}

function insist(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

/** The stacks of V8 and Hermes start with the message; other errors may have no stack. */
function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? String(error)) : String(error);
}
