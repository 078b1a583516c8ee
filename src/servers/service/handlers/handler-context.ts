import type * as z from 'zod/mini';
import type { Operation } from '../../../api/operations/operation.js';
import type { OperationGroups } from '../../../api/operations/operation-groups.js';
import type { ListRules } from '../../../blocklist/lists/list-rules.js';
import type { ArtifactEncoding } from '../../../core/prefixes/artifact.js';
import { Problem } from '../http/problem.js';
import type { JobClock } from '../state/service-clock.js';
import type { Key, Organization, State } from '../state/state.js';

/** What every handler works with. */
export interface Context {
  readonly state: State;
  readonly clock: JobClock;
  /** 0 to 1; seeded. */
  readonly random: () => number;
  readonly settings: Settings;
}

export interface Settings {
  /** The service's own name among the sources of a check. */
  readonly source: string;
  /** Reviews of one organization within 24 hours. */
  readonly reviewsPerDay: number;
  /** Webhooks and callbacks may go to private addresses. */
  readonly allowPrivateTargets: boolean;
  /** How artifacts are written unless the request asks for another way. */
  readonly encoding: ArtifactEncoding;
  /** What may be listed. */
  readonly rules: ListRules;
}

/** One request on its way through a handler. */
export interface Call extends Context {
  readonly key: Key;
  /** `https://host[:port]` of the request, for addresses in answers. The service answers at the root of its host. */
  readonly base: string;
  /** Null where the row is about none and none was named. */
  readonly organization: Organization | null;
}

type Rows = { [Group in keyof OperationGroups]: OperationGroups[Group][keyof OperationGroups[Group]] }[keyof OperationGroups] &
  Operation;
export type OperationName = Rows['name'];
type RowNamed<Name> = Extract<Rows, { readonly name: Name }>;

export type InputOf<Name extends OperationName> = z.output<RowNamed<Name>['input']>;
/** What a handler answers; the compiler holds it to the row's schema. */
export type AnswerOf<Name extends OperationName> = z.input<RowNamed<Name>['output']>;

export type Handler<Name extends OperationName> = (call: Call, input: InputOf<Name>) => AnswerOf<Name>;
export type Handlers<Name extends OperationName = OperationName> = { readonly [Key in Name]: Handler<Key> };

/** The organization of a row that acts for one. */
export function organizationOf({ organization }: Call): Organization {
  if (organization === null) throw new Problem(401, 'No organization can be told from the key; name one by its slug.');
  return organization;
}

/** Seconds are enough for nobody: ISO 8601 with milliseconds, in UTC. */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}

export const dayMs = 86_400_000;

/** The start of the UTC day a time is in. */
export function dayOf(time: Date | string): number {
  return Math.floor(new Date(time).getTime() / dayMs) * dayMs;
}

/** A time, or the start of a day, as milliseconds. */
export function timeOf(time: Date | string): number {
  return new Date(time).getTime();
}

/** The end of a range of times: a day counts whole. */
export function endOf(time: Date | string): number {
  return typeof time === 'string' && time.length === 10 ? dayOf(time) + dayMs - 1 : timeOf(time);
}
