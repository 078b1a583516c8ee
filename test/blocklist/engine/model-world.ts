/**
 * The content and failures of a source, as data: one copy drives the real source, another the model, and both change in the same
 * way. All listed entries are among these few, and no two of them share four bytes.
 */
export const names = [
  'h0.example',
  'a.h0.example',
  'h0.example/p',
  'h1.example',
  'h2.example',
  'h3.example',
  'h4.example',
  'h5.example',
] as const;
/** Inputs, each with all expressions that a list could hold for it, written by hand, the most specific first. */
export const probes: Readonly<Record<string, readonly string[]>> = {
  'https://h0.example/': ['h0.example'],
  'https://a.h0.example/': ['a.h0.example', 'h0.example'],
  'https://h0.example/p': ['h0.example/p', 'h0.example'],
  'https://a.h0.example/p': ['a.h0.example/p', 'a.h0.example', 'h0.example'],
  'https://www.h1.example/': ['www.h1.example', 'h1.example'],
  'https://h2.example/': ['h2.example'],
  'https://h3.example/': ['h3.example'],
  'https://h4.example/': ['h4.example'],
  'https://h5.example/': ['h5.example'],
  'https://fine.example/': ['fine.example'],
};

export type Call = 'version' | 'snapshot' | 'recent' | 'confirm';

/**
 * The faults: `away` fails to connect, `busy` returns a 500, `wait` a 429 for 40 minutes; the last two change the list while it is
 * read.
 */
export type FaultKind = 'away' | 'busy' | 'wait' | 'moves' | 'feed moves';

/** What is wrong with a confirmation. `half` leaves out a group; a question about that prefix alone is answered. */
export type Garble = 'too many' | 'astray' | 'foreign' | 'short' | 'half';

/** What half an answer leaves out. */
export const forgotten: string = 'h1.example';

export interface Fault {
  readonly at: Call;
  readonly kind: FaultKind | Garble;
  /** The calls that the fault affects. */
  times: number;
}

export interface World {
  algoVersion: 'portcullis-1' | '7' | 'nobodys';
  /** Counts all tokens, so that none repeats. */
  tokens: number;
  snapshotToken: string;
  recentToken: string | undefined;
  snapshot: readonly string[];
  recent: readonly string[];
  remove: readonly string[] | undefined;
  allow: readonly string[] | undefined;
  isProven: boolean;
  found: number | undefined;
  minWaitMs: number | undefined;
  /** The expressions whose full hashes are known. */
  blocked: readonly string[];
  faults: readonly Fault[];
}

export function newWorld(): World {
  return {
    algoVersion: 'portcullis-1',
    tokens: 1,
    snapshotToken: 's1',
    recentToken: undefined,
    snapshot: ['h0.example', 'h1.example'],
    recent: [],
    remove: undefined,
    allow: undefined,
    isProven: false,
    found: undefined,
    minWaitMs: undefined,
    blocked: ['h0.example', 'h1.example'],
    faults: [],
  };
}

/** Everything that is blocked becomes the snapshot. */
export function publish(world: World, isProven: boolean): void {
  world.snapshotToken = `s${++world.tokens}`;
  Object.assign(world, { snapshot: world.blocked, isProven });
  if (world.recentToken !== undefined) feed(world, { recent: [] });
}

export function feed(world: World, { recent, remove, allow }: Partial<Pick<World, 'recent' | 'remove' | 'allow'>>): void {
  world.recentToken = `r${++world.tokens}`;
  Object.assign(world, { recent: recent ?? world.recent, remove, allow });
}

/** Applies the planned fault of a call: may change the list, or returns the failure that the call must end with. */
export function meet(world: World, call: Call): Exclude<FaultKind, 'moves' | 'feed moves'> | null {
  const fault = world.faults.find(({ at, times, kind }) => at === call && times > 0 && !isGarble(kind));
  if (fault === undefined) return null;
  const kind = fault.kind as FaultKind;
  fault.times--;
  if (kind === 'moves') publish(world, world.isProven);
  else if (kind === 'feed moves') feed(world, { recent: world.blocked.slice(0, 3) });
  else return kind;
  return null;
}

/** What is wrong with the next confirmation. */
export function garbleIn(world: World): Garble | null {
  const fault = world.faults.find(({ times, kind }) => times > 0 && isGarble(kind));
  if (fault === undefined) return null;
  fault.times--;
  return fault.kind as Garble;
}

export const garbles: readonly Garble[] = ['too many', 'astray', 'foreign', 'short', 'half'];

function isGarble(kind: FaultKind | Garble): boolean {
  return garbles.includes(kind as Garble);
}
