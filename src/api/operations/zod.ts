import { $ZodNullable, $ZodOptional, type $ZodType } from 'zod/v4/core';

export type * as core from 'zod/v4/core';
export type { input, output } from 'zod/v4/core';
/**
 * The part of zod that schemas need. Its core, without the methods that `zod/mini` adds to every schema (`parse`, `check`, `brand`): they
 * add 0.5 kB to every bundle with a client. The functions of `zod/mini` take these schemas too: `z.safeParse(row.input, value)`.
 */
export {
  $ZodArray,
  $ZodCustom,
  $ZodObject,
  $ZodRecord,
  $ZodType,
  clone,
  safeParse,
  toJSONSchema,
} from 'zod/v4/core';
export { $ZodNullable, $ZodOptional };

export function optional<Inner extends $ZodType>(innerType: Inner): $ZodOptional<Inner> {
  return new $ZodOptional({ type: 'optional', innerType } as never) as never;
}

export function nullable<Inner extends $ZodType>(innerType: Inner): $ZodNullable<Inner> {
  return new $ZodNullable({ type: 'nullable', innerType } as never) as never;
}
