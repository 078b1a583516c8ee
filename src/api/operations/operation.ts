import type * as z from 'zod/mini';

/** The verbs in use. */
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Verb and path, as a row has them. */
export type Route = `${Method} /${string}`;

/**
 * How sure a part of a row is. `seed`: the service's own document says it. `public`: its public documentation does. `draft`: only an
 * unpublished draft of that does, so it may not be live. `provisional`: nobody does, it is our proposal and may change.
 */
export type Mark = 'seed' | 'public' | 'draft' | 'provisional';

/**
 * What only a reader of the table asks for, by verb: a summary, and how sure name, route, input and output are (`-`: it takes
 * nothing). Beside the rows and not in them, because a bundle with the client in it would carry 1.8 kB of it (decision 0011).
 */
export type About<Rows> = {
  readonly [Verb in keyof Rows]: readonly [
    summary: string,
    nameRouteInputOutput: `${Mark} ${Mark} ${Mark | '-'} ${Mark}`,
    columns?: Partial<AboutColumns>,
  ];
};

/** Columns that no call depends on. */
export interface AboutColumns {
  /** It cannot be undone through the API. @default false */
  readonly destructive: boolean;
  /** `org`: it acts for one organization. @default 'org' with `slugAs`, else 'none' */
  readonly scoped: 'none' | 'org';
  /** Statuses documented for this row beside 400, 401, 403 and 500. @default [] */
  readonly statuses: readonly number[];
}

/** How a list comes in pages. Both styles end with a cursor that is `null` or absent. */
export interface Paging {
  readonly style: 'cursor' | 'next_page';
  /** The key of the answer that holds one page. */
  readonly items: string;
  /** The largest page the service gives. */
  readonly pageMax: number;
}

/** The key under which the organization travels. */
export type SlugKey = 'slug' | 'organizationSlug';

/** What a row says besides its name, its route and its schemas. */
interface Columns {
  /** It changes something, or starts a job. */
  readonly write: boolean;
  /** Twice is the same as once, so a call that may have failed is tried again. The verb does not tell: many a POST only reads. */
  readonly repeatSafe: boolean;
  /** Where the client's `slug` goes; absent where the service takes none, or where it would change what is meant. */
  readonly slugAs: SlugKey | null;
  readonly paging: Paging | null;
  readonly deprecated: boolean;
  /** The operations to use in place of a deprecated one. */
  readonly replacement: readonly string[];
  /** The parameters of the path stand in the body too. */
  readonly pathInBody: boolean;
  /** The body is a file, or several as multipart. */
  readonly upload: boolean;
}

/** One row of the table: what a call takes, where it goes, what comes back. */
export interface Operation<
  Name extends string = string,
  Input extends z.ZodMiniType = z.ZodMiniType,
  Output extends z.ZodMiniType = z.ZodMiniType,
  Paged extends Paging | null = Paging | null,
  Slug extends SlugKey | null = SlugKey | null,
> extends Columns {
  readonly name: Name;
  /** `null`: unknown. */
  readonly method: Method | null;
  readonly path: string | null;
  readonly input: Input;
  readonly output: Output;
  readonly paging: Paged;
  readonly slugAs: Slug;
}

/** What a row writes down; all else follows from it or is as usual. */
interface Given<Input, Output, Paged, Slug> {
  readonly input: Input;
  readonly output: Output;
  /** Only where it differs: reads are safe to repeat, writes are not. */
  readonly repeatSafe?: true;
  readonly slugAs?: Slug;
  readonly paging?: Paged;
  readonly replacement?: readonly string[];
  readonly pathInBody?: true;
  readonly upload?: true;
}

/** A row that only reads. */
export function read<
  const Name extends string,
  Input extends z.ZodMiniType,
  Output extends z.ZodMiniType,
  const Paged extends Paging | null = null,
  const Slug extends SlugKey | null = null,
>(name: Name, route: Route | null, given: Given<Input, Output, Paged, Slug>): Operation<Name, Input, Output, Paged, Slug> {
  return row(name, route, given, false);
}

/** A row that changes something or starts a job. */
export function write<
  const Name extends string,
  Input extends z.ZodMiniType,
  Output extends z.ZodMiniType,
  const Paged extends Paging | null = null,
  const Slug extends SlugKey | null = null,
>(name: Name, route: Route | null, given: Given<Input, Output, Paged, Slug>): Operation<Name, Input, Output, Paged, Slug> {
  return row(name, route, given, true);
}

function row<
  Name extends string,
  Input extends z.ZodMiniType,
  Output extends z.ZodMiniType,
  Paged extends Paging | null,
  Slug extends SlugKey | null,
>(
  name: Name,
  route: Route | null,
  given: Given<Input, Output, Paged, Slug>,
  writes: boolean,
): Operation<Name, Input, Output, Paged, Slug> {
  const { replacement = [], slugAs = null as Slug, paging = null as Paged } = given;
  const [method = null, path = null] = (route?.split(' ') ?? []) as [Method?, string?];
  return {
    name,
    method,
    path,
    input: given.input,
    output: given.output,
    write: writes,
    repeatSafe: given.repeatSafe ?? !writes,
    slugAs,
    paging,
    deprecated: replacement.length > 0,
    replacement,
    pathInBody: given.pathInBody ?? false,
    upload: given.upload ?? false,
  };
}
