/**
 * The part of zod that schemas need. Its core, without the methods that `zod/mini` adds to every schema (`parse`, `check`, `brand`): they
 * add 0.5 kB to every bundle with a client. The functions of `zod/mini` take these schemas too: `z.safeParse(row.input, value)`.
 */

import { $ZodNullable, $ZodOptional, type $ZodType } from './zod-core.js';

export type * as core from 'zod/v4/core';
export type { input, output } from 'zod/v4/core';
export { $ZodArray, $ZodCustom, $ZodObject, $ZodRecord, $ZodType, clone, safeParse, toJSONSchema } from './zod-core.js';
export { $ZodNullable, $ZodOptional };

export function optional<Inner extends $ZodType>(innerType: Inner): $ZodOptional<Inner> {
  return new $ZodOptional({ type: 'optional', innerType } as never) as never;
}

export function nullable<Inner extends $ZodType>(innerType: Inner): $ZodNullable<Inner> {
  return new $ZodNullable({ type: 'nullable', innerType } as never) as never;
}

/** What a schema found: the value without its unknown fields, and every violation of a rule. */
export interface Checked {
  readonly value: unknown;
  readonly issues: readonly { readonly path?: readonly PropertyKey[]; readonly inst?: $ZodType }[];
}

/** `safeParse` without its class of errors, which adds 0.3 kB. The schema that found an issue has the message. */
export function check(type: $ZodType, value: unknown): Checked {
  return type._zod.run({ value, issues: [] }, { async: false }) as Checked;
}

/** Every kind of value here has a message of its own. */
export function messageOf({ inst }: Checked['issues'][number]): string {
  return String((inst?._zod.def.error as (() => unknown) | undefined)?.());
}
