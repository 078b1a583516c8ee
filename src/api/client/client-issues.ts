import type * as z from 'zod/mini';
import { type Issue, PortcullisError } from '../../core/errors.js';

/** More say nothing new. */
const issuesMax = 100;

/** What a schema found, in words that name the place and the rule and never the value. */
export function issuesOf(error: z.core.$ZodError): Issue[] {
  return error.issues.slice(0, issuesMax).map(({ path, message, ...issue }) => ({
    path: path.reduce<string>((text, key) => text + (typeof key === 'number' ? `[${key}]` : `${text && '.'}${String(key)}`), ''),
    // Our own rules bring their words; zod/mini has none for a wrong type.
    message: issue.code === 'invalid_type' ? `must be ${issue.expected}` : message,
  }));
}

/** The error of an input; its message tells three of what is wrong, `issues` all. */
export function invalidInput(issues: readonly Issue[]): PortcullisError {
  const told = issues.slice(0, 3).map(({ path, message }) => `${path} ${message}`.trim());
  return new PortcullisError('INVALID_INPUT', told.join('; ') + (issues.length > 3 ? '; …' : ''), { issues });
}

export function invalid(path: string, message: string): PortcullisError {
  return invalidInput([{ path, message }]);
}

/** A text for a path or a query. */
export function encoded(text: string, name: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw invalid(name, 'has half of a character');
  }
}
