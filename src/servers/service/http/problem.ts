import type { AssetIssue, Issue } from '../../../core/errors.js';

/** A documented error response, thrown by handlers. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly issues: readonly Issue[];
  readonly assets: readonly AssetIssue[];

  constructor(status: number, message: string, more: { issues?: readonly Issue[]; assets?: readonly AssetIssue[] } = {}) {
    super(message);
    this.status = status;
    this.code = codes.get(status) ?? 'BAD_REQUEST';
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

/** The documented error body: at the top level, or under `error`. */
export function envelopeOf({ message, code, issues, assets }: Problem, nested: boolean): object {
  const envelope = {
    message,
    code,
    ...(issues.length > 0 && { issues: issues.map(({ path, message: text }) => ({ message: `${path} ${text}`.trim() })) }),
    ...(assets.length > 0 && { data: { errors: assets } }),
  };
  return nested ? { error: envelope } : envelope;
}
