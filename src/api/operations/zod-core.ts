/**
 * What this package runs of zod. The built package has it twice (decision 0059): with zod in it, because Node takes 30 ms to find and read
 * zod's files, and as imports of zod, which bundlers for browsers take by the `browser` field.
 */
export {
  $ZodArray,
  $ZodCustom,
  $ZodNullable,
  $ZodObject,
  $ZodOptional,
  $ZodRecord,
  $ZodType,
  clone,
  safeParse,
  toJSONSchema,
} from 'zod/v4/core';
