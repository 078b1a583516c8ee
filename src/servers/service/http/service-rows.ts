import type { Operation } from '../../../api/operations/operation.js';
import type * as z from '../../../api/operations/zod.js';
import type { Settings } from '../handlers/handler-context.js';

/** The row of an operation by the page sizes that the service was told. */
export function rowFor<Row extends Operation>({ pageLimits }: Pick<Settings, 'pageLimits'>, row: Row): Row {
  return pageLimits === 'prose' ? { ...row, ...row.prose } : row;
}

/** The fields that an operation takes, by name. */
export function shapeOf({ input }: Operation): Readonly<Record<string, z.core.$ZodType>> {
  return (input as z.core.$ZodObject)._zod.def.shape;
}
