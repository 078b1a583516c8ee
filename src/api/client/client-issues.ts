import { type Issue, PortcullisError } from '../../core/errors.js';
import * as z from '../operations/zod.js';

const maxIssues = 100;

/** Issues found by a schema. Each names the path and the rule, never the value. */
export function issuesOf({ issues }: z.Checked): Issue[] {
  return issues.slice(0, maxIssues).map((issue) => ({
    path: (issue.path ?? []).reduce<string>(
      (text, key) => text + (typeof key === 'number' ? `[${key}]` : `${text && '.'}${String(key)}`),
      '',
    ),
    message: z.messageOf(issue),
  }));
}

/** The error of an input. Its message has the first three issues, `issues` has all. */
export function invalidInput(issues: readonly Issue[]): PortcullisError {
  const shown = issues.slice(0, 3).map(({ path, message }) => `${path} ${message}`.trim());
  return new PortcullisError('INVALID_INPUT', shown.join('; ') + (issues.length > 3 ? '; …' : ''), { issues });
}

export function invalid(path: string, message: string): PortcullisError {
  return invalidInput([{ path, message }]);
}

/** Escapes a text for a path or a query. */
export function encoded(text: string, name: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw invalid(name, 'must not have a lone surrogate');
  }
}
