import type { Operation } from '../../../api/operations/operation.js';
import type * as z from '../../../api/operations/zod.js';

/** The fields that an operation takes, by name. */
export function shapeOf({ input }: Operation): Readonly<Record<string, z.core.$ZodType>> {
  return (input as z.core.$ZodObject)._zod.def.shape;
}
