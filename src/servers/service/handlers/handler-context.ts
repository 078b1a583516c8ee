import type { OperationName } from '../../../api/operations/all-operations.js';
import type { OperationGroups, RowNamed } from '../../../api/operations/operation-groups.js';
import type * as z from '../../../api/operations/zod.js';
import type { ListRules } from '../../../blocklist/lists/list-rules.js';
import type { ArtifactEncoding } from '../../../core/prefixes/artifact.js';
import { Problem } from '../http/problem.js';
import type { JobClock } from '../state/service-clock.js';
import type { State } from '../state/state.js';
import type { Key, Organization } from '../state/state-tables.js';

/** The context of every handler. */
export interface Context {
  readonly state: State;
  readonly clock: JobClock;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
  readonly settings: Settings;
  /** The key behind an access token for the service at this origin; any other text as it is. */
  readonly keyBehind: (text: string, origin: string) => string;
}

export interface Settings {
  /** The service's own name among the sources of a check. */
  readonly source: string;
  /** Reviews of one organization within 24 hours. */
  readonly reviewsPerDay: number;
  /** Errors of organization pages are nested under `error`. */
  readonly nestedErrors: boolean;
  /** Whose page sizes hold where the service's document contradicts itself. */
  readonly pageLimits: 'schema' | 'prose';
  /** Webhooks and callbacks may go to private addresses. */
  readonly allowPrivateTargets: boolean;
  /** The encoding of artifacts unless a request asks for another one. */
  readonly encoding: ArtifactEncoding;
  /** Which assets may be listed. */
  readonly rules: ListRules;
}

export interface HandlerCall extends Context {
  readonly key: Key;
  /** `https://host[:port]` of the request, for URLs in the response. */
  readonly base: string;
  /** `null` if the operation needs none and the call names none. */
  readonly organization: Organization | null;
}

export type InputOf<Name extends OperationName> = z.output<RowNamed<OperationGroups, Name>['input']>;
/** The response of a handler, checked against the schema of its row by the compiler. */
export type AnswerOf<Name extends OperationName> = z.input<RowNamed<OperationGroups, Name>['output']>;

export type Handler<Name extends OperationName> = (call: HandlerCall, input: InputOf<Name>) => AnswerOf<Name>;
export type Handlers<Name extends OperationName = OperationName> = { readonly [Key in Name]: Handler<Key> };

/** The organization of an operation that needs one, without which no call reaches its handler (`organizationFor`). */
export function organizationOf({ organization }: HandlerCall): Organization {
  if (organization === null) throw new Error('the operation is not marked as one that needs an organization');
  return organization;
}

/** The organization with a slug, if the key reaches it. */
export function reachedOrganization({ state, key }: Pick<HandlerCall, 'state' | 'key'>, slug: string): Organization {
  return requireReached(
    key,
    state.all('organizations').find((one) => one.slug === slug),
  );
}

/** An organization that a call names: an unknown one is a 404, one out of reach a 403. */
export function requireReached(key: Key, organization: Organization | undefined): Organization {
  if (organization === undefined) throw new Problem(404, 'There is no such organization.');
  if (!key.organizationIds.includes(organization.id)) throw new Problem(403, 'The key has no access to this organization.');
  return organization;
}

/** Rejects an id that is not a brand of the organization. */
export function requireBrand(call: HandlerCall, brandId: number | undefined): void {
  if (brandId !== undefined && call.state.get('brands', brandId)?.organizationId !== organizationOf(call).id)
    throw new Problem(404, 'There is no such brand.');
}

/** A legal document that was not uploaded; none can be here. */
export const absentDocument = { present: false, fileName: null, fileUrl: null } as const;

/** ISO 8601 with milliseconds, in UTC. */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}

export const dayMs = 86_400_000;

/** The start of the UTC day of a time. */
export function dayOf(time: Date | string | number): number {
  return Math.floor(new Date(time).getTime() / dayMs) * dayMs;
}

/** Whether a filter lets one of these items pass. A filter without values lets all pass. */
export function isAny<Item>(
  wanted: readonly unknown[] | undefined,
  items: readonly Item[],
  read: (item: Item) => unknown = (item) => item,
): boolean {
  return !wanted?.length || items.some((item) => wanted.includes(read(item)));
}
