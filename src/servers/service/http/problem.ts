import type { AssetIssue, Issue } from '../../../core/errors.js';
import { HttpRefusal } from '../../../core/http/http-refusal.js';

/** A documented error response, thrown by handlers. Its message is the reason, which `envelopeOf` gives as an issue. */
export class Problem extends HttpRefusal {
  readonly issues: readonly Issue[];
  readonly assets: readonly AssetIssue[];

  constructor(status: number, message: string, more: { issues?: readonly Issue[]; assets?: readonly AssetIssue[] } = {}) {
    super(status, codes.get(status) ?? 'BAD_REQUEST', message);
    this.issues = more.issues ?? [];
    this.assets = more.assets ?? [];
  }
}

const codes: ReadonlyMap<number, string> = new Map([
  [400, 'BAD_REQUEST'],
  [401, 'UNAUTHORIZED'],
  [403, 'FORBIDDEN'],
  [404, 'NOT_FOUND'],
  [405, 'METHOD_NOT_ALLOWED'],
  [409, 'CONFLICT'],
  [422, 'UNPROCESSABLE_CONTENT'],
  [429, 'TOO_MANY_REQUESTS'],
  [500, 'INTERNAL_SERVER_ERROR'],
]);

/** The default message of each documented code: a program that reads more out of `message` fails with the real service. provisional */
const messages: ReadonlyMap<number, string> = new Map([
  [400, 'Invalid input data'],
  [401, 'Authorization not provided'],
  [403, 'Insufficient access'],
  [404, 'Not found'],
  [500, 'Internal server error'],
]);

/** The documented error body: at the top level, or under `error`. */
export function envelopeOf({ status, message: reason, code, issues, assets }: Problem, nested: boolean): object {
  const message = messages.get(status);
  const reasons = message === undefined || issues.length > 0 || reason === '' ? issues : [{ path: '', message: reason }];
  const envelope = {
    message: message ?? reason,
    code,
    ...(reasons.length > 0 && { issues: reasons.map(({ path, message: text }) => ({ message: `${path} ${text}`.trim() })) }),
    ...(assets.length > 0 && { data: { errors: assets } }),
  };
  return nested ? { error: envelope } : envelope;
}
