import { faulty } from '../faults/fault-answers.js';
import type { Faults } from '../faults/faults.js';
import type { Context } from '../handlers/handler-context.js';
import { fileAt } from '../records/file-records.js';
import type { RequestLog } from '../request-log.js';
import { type Commit, operate } from './operate.js';
import { Problem } from './problem.js';
import { pathIn, type Routed, routeTo, withoutSlash } from './router.js';
import * as answers from './service-answer.js';

/** The parts of the service needed to answer a request. */
export interface Desk {
  readonly context: Context;
  readonly commit: Commit;
  readonly faults: Faults;
  readonly log: RequestLog;
  readonly isClosing: () => boolean;
}

/** Answers a request, or rejects if the caller disconnected or the service is closing. */
export async function answerRequest(desk: Desk, request: Request): Promise<Response> {
  const { pathname, search, origin } = new URL(request.url);
  const path = pathIn(pathname);
  const isPreflight = request.method === 'OPTIONS';
  // A HEAD is answered as a GET, without the body.
  const routed = isPreflight ? null : routeTo(request.method === 'HEAD' ? 'GET' : request.method, path);
  const operation = routed !== null && 'row' in routed ? routed.row.name : null;
  const nested = desk.context.settings.nestedErrors && hasNestedErrors(path);
  const entry = desk.log.add({
    method: request.method,
    url: withoutSlash(pathname) + search,
    operation,
    atMs: desk.context.clock.now(),
  });
  const respond = async (): Promise<Response> => {
    if (routed === null) return answers.preflight();
    const file = await fileAt(desk.context, request, path);
    if (file !== null) return file;
    return 'row' in routed ? operate(desk.context, desk.commit, request, routed, origin, nested) : unrouted(routed, nested);
  };
  // A fault is meant for the call that a page makes, not for the preflight before it.
  const fault = isPreflight ? undefined : desk.faults.take(operation, path);
  try {
    const response = await (fault === undefined ? respond() : faulty(fault, request, respond, nested));
    entry.status = response.status;
    return response;
  } catch (error) {
    request.signal.throwIfAborted();
    if (desk.isClosing()) throw error;
    entry.error = error;
    const response = answers.failure(nested);
    entry.status = response.status;
    return response;
  }
}

/** Every error of the organization's own pages is nested under `error`, as public pages show them. Those of reviews are shown at the top. */
function hasNestedErrors(path: string): boolean {
  return path.startsWith('/organization/') && !path.startsWith('/organization/proposals/');
}

function unrouted(routed: Exclude<Routed, { row: unknown }>, nested: boolean): Response {
  if ('allow' in routed) return answers.notAllowed(routed.allow, nested);
  return answers.refusal(new Problem(404, `There is no such operation; the nearest is ${routed.nearest}.`), nested);
}
