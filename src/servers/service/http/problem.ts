import type { AssetIssue, Issue } from '../../../core/errors.js';
import { HttpRefusal } from '../../../core/http/http-refusal.js';

/** A documented error response, thrown by handlers. Its message is the reason, which `envelopeOf` gives as an issue. */
export class Problem extends HttpRefusal {
  readonly issues: readonly Issue[];
  readonly assets: readonly AssetIssue[];

  constructor(status: number, message: string, more: { issues?: readonly Issue[]; assets?: readonly AssetIssue[] } = {}) {
    super(status, codeOf(status), message);
    this.issues = more.issues ?? [];
    this.assets = more.assets ?? [];
  }
}

/** By status its code, and the message of a documented one: a program that reads more out of it fails with the real service. provisional */
const documented: ReadonlyMap<number, readonly [code: string, message?: string]> = new Map([
  [400, ['BAD_REQUEST', 'Invalid input data']],
  [401, ['UNAUTHORIZED', 'Authorization not provided']],
  [403, ['FORBIDDEN', 'Insufficient access']],
  [404, ['NOT_FOUND', 'Not found']],
  [405, ['METHOD_NOT_ALLOWED']],
  [409, ['CONFLICT']],
  [422, ['UNPROCESSABLE_CONTENT']],
  [429, ['TOO_MANY_REQUESTS']],
  [500, ['INTERNAL_SERVER_ERROR', 'Internal server error']],
] as const);

/** The code that goes with a status. */
export function codeOf(status: number): string {
  return documented.get(status)?.[0] ?? (status < 500 ? 'BAD_REQUEST' : 'INTERNAL_SERVER_ERROR');
}

/** The documented error body: at the top level, or under `error`. */
export function envelopeOf({ status, message: reason, code, issues, assets }: Problem, nested: boolean): object {
  const message = documented.get(status)?.[1];
  const reasons = message === undefined || issues.length > 0 || reason === '' ? issues : [{ path: '', message: reason }];
  const envelope = {
    message: message ?? reason,
    code,
    ...(reasons.length > 0 && { issues: reasons.map(({ path, message: text }) => ({ message: `${path} ${text}`.trim() })) }),
    ...(assets.length > 0 && { data: { errors: assets } }),
  };
  return nestedIf(nested, envelope);
}

export function nestedIf(nested: boolean, envelope: object): object {
  return nested ? { error: envelope } : envelope;
}
