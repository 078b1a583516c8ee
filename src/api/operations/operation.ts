import type * as z from './zod.js';

/** The HTTP methods in use. */
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Method and path. */
export type Route = `${Method} /${string}`;

/**
 * The source of a fact about an operation. `seed`: the service's own document. `public`: its public documentation. `draft`: only an
 * unpublished draft of that, so it may not be live. `provisional`: none; it is our proposal and may change.
 */
export type Mark = 'seed' | 'public' | 'draft' | 'provisional';

/**
 * Data that calls do not need, by verb: the sources of name, route, input and output (`-`: it takes no input), and
 * columns. Kept apart from the rows, because it would add to every bundle with a client (decision 0011). The summary is the comment of the row.
 */
export type About<Rows> = {
  readonly [Verb in keyof Rows]: Rows[Verb] extends { readonly write: true }
    ? readonly [nameRouteInputOutput: Marks, columns: ColumnsOf<Rows[Verb]> & WriteColumns]
    : readonly [nameRouteInputOutput: Marks, columns?: ColumnsOf<Rows[Verb]>];
};

type Marks = `${Mark} ${Mark} ${Mark | '-'} ${Mark}`;

type ColumnsOf<Row> = Partial<AboutColumns> & { readonly output?: SchemaOf<Row> };

/** What every write says of itself. */
export interface WriteColumns {
  readonly effect: readonly [kind: EffectKind, sentence: string];
}

/**
 * What a write does to what is there. `adds`: it only adds, changes no judgment, and another operation removes it again. `changes`:
 * another operation sets it back. `stays`: no operation takes back what it sends or starts, though nothing that was there is lost. `ends`:
 * what was there is ended or decided for good.
 */
export type EffectKind = 'adds' | 'changes' | 'stays' | 'ends';

/** What a write changes. Hosts of tools run some of them without a question, so that none may be without. */
export interface Effect {
  readonly kind: EffectKind;
  /** One sentence. */
  readonly sentence: string;
}

/** The schema of a response of which the row only has the type. */
type SchemaOf<Row> = Row extends { readonly output: z.core.$ZodType<infer Value> } ? z.core.$ZodType<Value> : never;

/** Columns that calls do not depend on. */
export interface AboutColumns {
  /** `org`: it acts for one organization. @default 'org' with `slugAs`, else 'none' */
  readonly scoped: 'none' | 'org';
  /**
   * The answer to the key of one organization with a slug that no organization has. 403: slug and key disagree.
   * @default 404
   */
  readonly unknownSlug: 403 | 404;
  /** Documented HTTP statuses besides 400, 401, 403 and 500. @default [] */
  readonly statuses: readonly number[];
}

/** How a list is split into pages. In both styles, the last page has a cursor that is `null` or absent. */
export interface Paging {
  readonly style: 'cursor' | 'next_page';
  /** The field of the response that holds the items. */
  readonly items: string;
  /** The largest page the service returns. */
  readonly maxPageSize: number;
}

/** The field that names the organization. */
export type SlugKey = 'slug' | 'organizationSlug';

/** The properties of a row besides its name, route and schemas. */
interface Columns {
  /** Changes something, or starts a job. */
  readonly write: boolean;
  /** Repeating it has no further effect, so failed calls are retried. The method does not show this: many POSTs only read. */
  readonly repeatSafe: boolean;
  /** The field for the client's `slug`; `null` if the service takes none, or if a slug would change the meaning. */
  readonly slugAs: SlugKey | null;
  readonly paging: Paging | null;
  readonly deprecated: boolean;
  /** The operations to use in place of a deprecated one. */
  readonly replacement: readonly string[];
  /** The parameters of the path are sent in the body too. */
  readonly pathInBody: boolean;
  /** The body is a file, or several as multipart. */
  readonly upload: boolean;
  /**
   * The field of the response by which its caller decides, as a path: `results.success` is that of every result. A response without it
   * is an error. Empty if no field of the response is published.
   */
  readonly essential: string;
  /** What differs by the text of the service's document, where that contradicts its schema. */
  readonly prose?: Pick<Operation, 'input' | 'paging'>;
}

/** One row of the table: what a call takes, where it goes, what comes back. */
export interface Operation<
  Name extends string = string,
  Input extends z.core.$ZodType = z.core.$ZodType,
  Output extends z.core.$ZodType = z.core.$ZodType,
  Paged extends Paging | null = Paging | null,
  Slug extends SlugKey | null = SlugKey | null,
> extends Columns {
  readonly name: Name;
  /** `null` if it is unknown. */
  readonly method: Method | null;
  readonly path: string | null;
  readonly input: Input;
  readonly output: Output;
  readonly paging: Paged;
  readonly slugAs: Slug;
}

/** The explicit properties of a row; the others are derived or have defaults. */
interface Given<Input, Output, Paged, Slug> {
  readonly input: Input;
  readonly output: Output;
  /** Set for a write that is safe to repeat. Reads always are. */
  readonly repeatSafe?: true;
  readonly slugAs?: Slug;
  readonly paging?: Paged;
  /** @default the items of a list with pages */
  readonly essential?: string;
  readonly replacement?: readonly string[];
  readonly pathInBody?: true;
  readonly upload?: true;
  readonly prose?: Pick<Operation, 'input' | 'paging'>;
}

/**
 * Makes a row; its types are inferred from its arguments. A route that is only a method gets its path from the name: `assetCheck`
 * has `/asset/check`.
 */
type RowMaker<Writes extends boolean> = <
  const Name extends string,
  Input extends z.core.$ZodType,
  Output extends z.core.$ZodType,
  const Paged extends Paging | null = null,
  const Slug extends SlugKey | null = null,
>(
  name: Name,
  route: Route | Method | null,
  given: Given<Input, Output, Paged, Slug>,
) => Operation<Name, Input, Output, Paged, Slug> & { readonly write: Writes };

/** An operation that only reads. */
export const read: RowMaker<false> = (name, route, given) => row(name, route, given, false) as never;

/** An operation that changes something or starts a job. */
export const write: RowMaker<true> = (name, route, given) => row(name, route, given, true) as never;

function row(
  name: string,
  route: Route | Method | null,
  given: Given<z.core.$ZodType, z.core.$ZodType, Paging | null, SlugKey | null>,
  writes: boolean,
): Operation {
  const [method = null, path = name.replace(/^|(?=[A-Z])/g, '/').toLowerCase()] = (route?.split(' ') ?? []) as [Method?, string?];
  return {
    write: writes,
    repeatSafe: !writes,
    slugAs: null,
    paging: null,
    deprecated: given.replacement !== undefined,
    replacement: [],
    pathInBody: false,
    upload: false,
    essential: given.paging?.items ?? '',
    ...given,
    name,
    method,
    path: method && path,
  };
}
